//! The encoders this crate knows, and the files they are made of.

use super::bert::BertConfig;

/// One sentence encoder: what its files do not say, and how to recognise them.
#[derive(Debug, Clone, PartialEq)]
pub struct EncoderSpec {
    /// Name, stored with every vector file.
    pub name: &'static str,
    /// Shape of the network beyond what the tensors' shapes tell.
    pub bert: BertConfig,
    /// Longest text in tokens, with `[CLS]` and `[SEP]`; what is longer is cut.
    pub max_tokens: usize,
    /// SHA-256 of the published `model.safetensors`; none for an encoder made in code.
    pub weights_sha256: Option<&'static str>,
}

/// The default encoder: 6 layers of 384 units, 384-dimensional vectors.
pub const ALL_MINILM_L6_V2: EncoderSpec = EncoderSpec {
    name: "all-MiniLM-L6-v2",
    bert: BertConfig { heads: 12, layer_norm_eps: 1e-12 },
    max_tokens: 256,
    weights_sha256: Some("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
};

/// The encoder of [`super::tiny`]: 2 layers of 32 units with random weights, for tests.
pub const TINY: EncoderSpec = EncoderSpec {
    name: "tiny",
    bert: BertConfig { heads: 4, layer_norm_eps: 1e-12 },
    max_tokens: 64,
    weights_sha256: None,
};

impl EncoderSpec {
    /// The encoder of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        [&ALL_MINILM_L6_V2, &TINY].into_iter().find(|spec| spec.name == name)
    }
}
