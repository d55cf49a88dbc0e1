//! Vectors of texts that are asked often, kept in a file so that no encoder is needed for them.

use std::collections::HashMap;

use super::vectors::Vectors;

/// Vectors by text, of one encoder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remembered {
    /// The encoder that made them.
    pub encoder: String,
    /// The vector of each text.
    pub vectors: HashMap<String, Vec<f32>>,
}

/// The file: a line of JSON (encoder, texts), then the vectors as little-endian `f16`, in order.
pub fn to_bytes(encoder: &str, texts: &[String], vectors: &[Vec<f32>]) -> Vec<u8> {
    let dimension = vectors.first().map_or(0, Vec::len);
    let mut bytes = serde_json::json!({ "encoder": encoder, "dimension": dimension, "texts": texts })
        .to_string()
        .into_bytes();
    bytes.push(b'\n');
    bytes.extend(Vectors::from_rows(vectors).unwrap_or_default().to_packed());
    bytes
}

/// Reads the file; None when it is damaged.
pub fn from_bytes(bytes: &[u8]) -> Option<Remembered> {
    #[derive(serde::Deserialize)]
    struct Head {
        encoder: String,
        dimension: usize,
        texts: Vec<String>,
    }
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head: Head = serde_json::from_slice(bytes.get(..end)?).ok()?;
    let vectors = Vectors::from_packed(head.dimension, bytes.get(end + 1..)?).ok()?;
    if vectors.len() != head.texts.len() {
        return None;
    }
    let rows = head.texts.into_iter().enumerate().filter_map(|(i, text)| Some((text, vectors.row(i)?)));
    Some(Remembered { encoder: head.encoder, vectors: rows.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_what_was_written() {
        let texts = vec!["on time".to_owned(), "a\nb".to_owned()];
        let bytes = to_bytes("tiny", &texts, &[vec![1.0, 0.0], vec![0.0, 1.0]]);
        let read = from_bytes(&bytes).unwrap_or_default();
        assert_eq!(read.encoder, "tiny");
        assert_eq!(read.vectors.get("a\nb"), Some(&vec![0.0, 1.0]));
        assert_eq!(read.vectors.len(), 2);
    }

    #[test]
    fn a_damaged_file_is_none() {
        let bytes = to_bytes("tiny", &["on time".to_owned()], &[vec![1.0, 0.0]]);
        for cut in 0..bytes.len() {
            assert_eq!(from_bytes(&bytes[..cut]), None);
        }
    }
}
