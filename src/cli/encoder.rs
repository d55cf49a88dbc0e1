//! The encoder of the command line: the CPU of this machine, weights from the cache folder.

use burn::tensor::Device;

use super::Failure;
use crate::embedding::weights::native;
use crate::embedding::{ALL_MINILM_L6_V2, ALL_MPNET_BASE_V2, Encoder, EncoderSpec};

/// The encoder that `--encoder` names.
///
/// # Errors
/// Wrong use when there is no such encoder.
pub fn spec(name: &str) -> Result<&'static EncoderSpec, Failure> {
    match name {
        "minilm" => Ok(&ALL_MINILM_L6_V2),
        "mpnet" => Ok(&ALL_MPNET_BASE_V2),
        other => EncoderSpec::by_name(other).ok_or_else(|| {
            Failure::Usage(format!("There is no encoder “{other}”; there are minilm, mpnet and tiny."))
        }),
    }
}

/// Loads it.
///
/// # Errors
/// When its files are missing or damaged.
pub fn load(spec: &EncoderSpec) -> Result<Encoder, Failure> {
    let help = if spec.name == "tiny" {
        "lab tiny --out CACHE/tiny writes them"
    } else {
        "make weights fetches them"
    };
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{e} ({help})"));
    let cache = native::cache_folder().ok_or_else(|| {
        Failure::Failed("No home folder: set QUERYLORE_CACHE to the folder of the weights.".into())
    })?;
    let files = native::read_encoder(&cache, spec.name).map_err(|e| failed(&e))?;
    Encoder::load(spec, &files.weights, &files.vocabulary, &Device::flex()).map_err(|e| failed(&e))
}
