//! The weights' files: half precision, checksums, and where the native tools keep them.

use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use sha2::{Digest, Sha256};

/// Why weights cannot be converted or are not those asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsFileError {
    /// The file is cut short, damaged, or of another format.
    #[error("The weights are not a complete safetensors file ({0}); fetch them again.")]
    Damaged(String),
    /// A weight is too large for a 16-bit float.
    #[error("Tensor \"{0}\" holds a number that half precision cannot; keep these weights in 32 bits.")]
    Overflow(String),
    /// The bytes are not those published.
    #[error("The weights have the SHA-256 {found} instead of {expected}; fetch them again.")]
    Checksum {
        /// Digest of the bytes.
        found: String,
        /// Digest of the published file.
        expected: String,
    },
    /// The file could not be read.
    #[error("{path} cannot be read ({reason}); fetch the weights into this folder first.")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
}

/// Rewrites a safetensors file with every 32-bit float as a 16-bit one; names, shapes and other number
/// formats stay. Half the download for a cosine of 1.000000 on all-MiniLM-L6-v2.
///
/// # Errors
/// When the file is damaged or a number is beyond the range of half precision.
pub fn to_half(bytes: &[u8]) -> Result<Vec<u8>, WeightsFileError> {
    let damaged = |error: safetensors::SafeTensorError| WeightsFileError::Damaged(error.to_string());
    let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let mut tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, view) in file.iter() {
        let (dtype, data) = match view.dtype() {
            Dtype::F32 => (Dtype::F16, halve(name, view.data())?),
            dtype => (dtype, view.data().to_vec()),
        };
        tensors.push((name.to_owned(), dtype, view.shape().to_vec(), data));
    }
    let views = tensors
        .iter()
        .map(|(name, dtype, shape, data)| {
            TensorView::new(*dtype, shape.clone(), data).map(|view| (name.as_str(), view))
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(damaged)?;
    safetensors::serialize(views, None).map_err(damaged)
}

fn halve(name: &str, data: &[u8]) -> Result<Vec<u8>, WeightsFileError> {
    let mut out = Vec::with_capacity(data.len() / 2);
    for bytes in data.chunks_exact(4) {
        let value = bytes.try_into().map_or(0.0, f32::from_le_bytes);
        let half = f16::from_f32(value);
        if value.is_finite() && !half.is_finite() {
            return Err(WeightsFileError::Overflow(name.to_owned()));
        }
        out.extend(half.to_le_bytes());
    }
    Ok(out)
}

/// SHA-256 of `bytes` in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks `bytes` against a published digest.
///
/// # Errors
/// [`WeightsFileError::Checksum`] when they differ.
pub fn verify(bytes: &[u8], expected: &str) -> Result<(), WeightsFileError> {
    let found = sha256_hex(bytes);
    if found.eq_ignore_ascii_case(expected) {
        Ok(())
    } else {
        Err(WeightsFileError::Checksum { found, expected: expected.to_owned() })
    }
}

/// Where the command line and the tests find the weights.
#[cfg(not(target_arch = "wasm32"))]
pub mod native {
    use std::env;
    use std::path::{Path, PathBuf};

    use super::WeightsFileError;

    /// The bytes an encoder is loaded from.
    pub struct EncoderFiles {
        /// `model.safetensors`, or its half-precision copy.
        pub weights: Vec<u8>,
        /// `vocab.txt`.
        pub vocabulary: Vec<u8>,
    }

    /// The folder that holds fetched files, outside the repository: `$QUERYLORE_CACHE`, else
    /// `$XDG_CACHE_HOME/querylore`, else `~/.cache/querylore`.
    pub fn cache_folder() -> Option<PathBuf> {
        let folder = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        folder("QUERYLORE_CACHE")
            .or_else(|| folder("XDG_CACHE_HOME").map(|path| path.join("querylore")))
            .or_else(|| folder("HOME").map(|path| path.join(".cache/querylore")))
    }

    /// Reads an encoder's `model.safetensors` and `vocab.txt` from its folder `<cache>/<name>`.
    ///
    /// # Errors
    /// [`WeightsFileError::Unreadable`] names the file that is missing.
    pub fn read_encoder(cache: &Path, name: &str) -> Result<EncoderFiles, WeightsFileError> {
        let read = |file: &str| {
            let path = cache.join(name).join(file);
            std::fs::read(&path).map_err(|error| WeightsFileError::Unreadable {
                path: path.display().to_string(),
                reason: error.to_string(),
            })
        };
        Ok(EncoderFiles { weights: read("model.safetensors")?, vocabulary: read("vocab.txt")? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::embedding::encoder::tiny;

    #[test]
    fn halving_keeps_names_and_shapes() {
        let full = tiny::weights();
        let half = to_half(&full).unwrap();
        assert!(half.len() < full.len() * 6 / 10);
        let (full, half) =
            (SafeTensors::deserialize(&full).unwrap(), SafeTensors::deserialize(&half).unwrap());
        assert_eq!(full.len(), half.len());
        for (name, view) in full.iter() {
            let other = half.tensor(name).unwrap();
            assert_eq!((view.shape(), other.dtype()), (other.shape(), Dtype::F16));
        }
        assert_eq!(to_half(b"nothing"), Err(to_half(b"nothing").unwrap_err()));
    }

    #[test]
    fn numbers_beyond_half_precision_are_refused() {
        let data = 1e6f32.to_le_bytes();
        let view = TensorView::new(Dtype::F32, vec![1], &data).unwrap();
        let file = safetensors::serialize([("w", view)], None).unwrap();
        assert_eq!(to_half(&file), Err(WeightsFileError::Overflow("w".to_owned())));
    }

    #[test]
    fn checksums() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_hex(b""), empty);
        assert_eq!(verify(b"", empty), Ok(()));
        assert!(matches!(verify(b"x", empty), Err(WeightsFileError::Checksum { .. })));
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = native::read_encoder(folder.path(), "none").err().unwrap();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
    }
}
