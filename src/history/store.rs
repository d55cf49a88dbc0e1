//! The file of a knowledge base: versioned JSON, with its vectors where there are any.
//!
//! ```json
//! {"format": "querylore-knowledge", "version": 2,
//!  "knowledge": {"entries": [], "summaries": [], "items": [], "entry_items": []},
//!  "vectors": {"encoder": "all-MiniLM-L6-v2", "dimension": 384, "entries": "", "items": ""}}
//! ```
//!
//! Vectors are rows of little-endian IEEE half floats, base64 over all rows. What [`from_json`] returns
//! is consistent: every index it holds points to something.

mod check;
mod compact;

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use half::f16;
use serde::{Deserialize, Serialize};

use self::compact::Compact;
use super::KnowledgeBase;

const FORMAT: &str = "querylore-knowledge";
/// The version written; older ones are read too. Version 2 added what a person changed about an item.
pub const VERSION: u32 = 2;

/// Vectors of a knowledge base, one row for each entry and each item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vectors {
    /// Name of the encoder that made them.
    pub encoder: String,
    /// Numbers in a vector.
    pub dimension: usize,
    /// `entries.len() * dimension` numbers, row by row.
    pub entries: Vec<f32>,
    /// `items.len() * dimension` numbers, row by row.
    pub items: Vec<f32>,
}

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stored {
    /// The knowledge base.
    pub knowledge: KnowledgeBase,
    /// Its vectors, where it was embedded.
    pub vectors: Option<Vectors>,
}

/// Why a file is not a knowledge base that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Some other file.
    #[error("This is not a Querylore knowledge base.")]
    NotKnowledge,
    /// Written by a later version of this program.
    #[error(
        "This knowledge base has version {found}; this page reads up to version {known}. Reload the page to get its newest version."
    )]
    Newer {
        /// The file's version.
        found: u64,
        /// The newest version that is read.
        known: u32,
    },
    /// Cut short or changed.
    #[error("This knowledge base is damaged: {0}. Build it again from its history.")]
    Damaged(String),
    /// The vectors given to [`to_json`] do not belong to the knowledge base.
    #[error("{set} vectors: {found} numbers instead of {wanted}.")]
    Shape {
        /// "Entry" or "Item".
        set: &'static str,
        /// Numbers given.
        found: usize,
        /// Numbers needed.
        wanted: usize,
    },
}

#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct File<'a> {
    format: Cow<'a, str>,
    version: u32,
    knowledge: Compact<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vectors: Option<Encoded>,
}

#[derive(Serialize, Deserialize)]
struct Encoded {
    encoder: String,
    dimension: usize,
    entries: String,
    items: String,
}

/// The file of a knowledge base, with `vectors` when they have a row for each of its entries and items.
pub fn to_json(knowledge: &KnowledgeBase, vectors: Option<&Vectors>) -> Result<String, StoreError> {
    if let Some(vectors) = vectors {
        let Vectors { dimension, entries, items, .. } = vectors;
        shape("Entry", entries.len(), knowledge.entries.len(), *dimension)?;
        shape("Item", items.len(), knowledge.items.len(), *dimension)?;
    }
    let vectors = vectors.map(|v| Encoded {
        encoder: v.encoder.clone(),
        dimension: v.dimension,
        entries: encode(&v.entries),
        items: encode(&v.items),
    });
    let file = File { format: FORMAT.into(), version: VERSION, knowledge: Compact::from(knowledge), vectors };
    serde_json::to_string(&file).map_err(|e| StoreError::Damaged(e.to_string()))
}

/// Reads the file of a knowledge base; any other bytes are an error.
pub fn from_json(bytes: &[u8]) -> Result<Stored, StoreError> {
    let header: Header = serde_json::from_slice(bytes).map_err(|_| match bytes.get(..200) {
        // A file that begins like ours was cut short.
        Some(start) if String::from_utf8_lossy(start).contains(FORMAT) => {
            StoreError::Damaged("its end is missing".into())
        }
        _ => StoreError::NotKnowledge,
    })?;
    if header.format.as_deref() != Some(FORMAT) {
        return Err(StoreError::NotKnowledge);
    }
    match header.version {
        Some(found) if found > u64::from(VERSION) => return Err(StoreError::Newer { found, known: VERSION }),
        Some(1..) => {}
        _ => return Err(StoreError::Damaged("it names no version".into())),
    }
    let file: File = serde_json::from_slice(bytes).map_err(|e| StoreError::Damaged(e.to_string()))?;
    let knowledge = KnowledgeBase::from(file.knowledge);
    check::consistent(&knowledge).map_err(StoreError::Damaged)?;
    let vectors = file.vectors.map(|v| decode_all(v, &knowledge)).transpose().map_err(StoreError::Damaged)?;
    Ok(Stored { knowledge, vectors })
}

fn shape(set: &'static str, found: usize, rows: usize, dimension: usize) -> Result<(), StoreError> {
    let wanted = rows.saturating_mul(dimension);
    // No rows have no dimension.
    if found == wanted && (dimension > 0 || rows == 0) {
        Ok(())
    } else {
        Err(StoreError::Shape { set, found, wanted })
    }
}

fn encode(numbers: &[f32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|&n| f16::from_f32(n).to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

fn decode_all(encoded: Encoded, knowledge: &KnowledgeBase) -> Result<Vectors, String> {
    let Encoded { encoder, dimension, entries, items } = encoded;
    let entries = decode(&entries)?;
    let items = decode(&items)?;
    for (set, found, rows) in
        [("Entry", &entries, knowledge.entries.len()), ("Item", &items, knowledge.items.len())]
    {
        shape(set, found.len(), rows, dimension)
            .map_err(|e| e.to_string().trim_end_matches('.').to_lowercase())?;
    }
    Ok(Vectors { encoder, dimension, entries, items })
}

fn decode(text: &str) -> Result<Vec<f32>, String> {
    let bytes = STANDARD.decode(text).map_err(|e| format!("its vectors are not base64 ({e})"))?;
    let (pairs, rest) = bytes.as_chunks::<2>();
    let numbers: Vec<f32> = pairs.iter().map(|&pair| f16::from_le_bytes(pair).to_f32()).collect();
    if rest.is_empty() && numbers.iter().all(|n| n.is_finite()) {
        Ok(numbers)
    } else {
        Err("its vectors hold something that is no number".into())
    }
}

#[cfg(test)]
mod tests;
