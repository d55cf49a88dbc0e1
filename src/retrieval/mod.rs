//! Which knowledge a question needs: the retriever of BIRD-History, section 4, over vectors of whole
//! queries and of components.

pub mod history;
mod indexed;
mod lexical;
pub mod model;
pub mod phrases;
pub mod remembered;
pub mod retrievers;
pub mod select;
pub mod vectors;
pub(crate) mod words;

pub use history::{Index, IndexError, retrieve, retrieve_question};
pub use indexed::Indexed;
pub use vectors::{Vectors, VectorsError};

use serde::{Deserialize, Serialize};

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Whole queries only.
    Query,
    /// Components only, traced back to their queries.
    Component,
    /// Both, merged.
    Both,
}

/// Settings of the retriever.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// What is searched.
    pub level: Level,
    /// Cosine similarity a phrase and a component must reach (BIRD-History, Table 6: 0.6 is best).
    pub threshold: f32,
    /// Queries handed on at most.
    pub max_shots: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: Level::Both, threshold: 0.6, max_shots: 5 }
    }
}

/// A phrase of the question that is matched against components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phrase {
    /// Its words as written.
    pub text: String,
    /// Byte range in the question.
    pub start: usize,
    /// End of the byte range, exclusive.
    pub end: usize,
}

/// Why a component was chosen: a phrase matched it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Index into [`Retrieved::phrases`].
    pub phrase: usize,
    /// Cosine similarity of phrase and component.
    pub similarity: f32,
}

/// A retrieved component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemHit {
    /// Index into `KnowledgeBase::items`.
    pub item: u32,
    /// Best similarity over the phrases.
    pub score: f32,
    /// Every phrase that reached the threshold, best first.
    pub evidence: Vec<Evidence>,
}

/// A retrieved query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryHit {
    /// Index into `KnowledgeBase::entries`.
    pub entry: u32,
    /// Fused score.
    pub score: f32,
    /// Cosine similarity of the question and the whole query.
    pub similarity: f32,
    /// Retrieved items that occur in it (indices into `KnowledgeBase::items`).
    pub items: Vec<u32>,
}

/// What a question retrieved, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Retrieved {
    /// The question's phrases.
    pub phrases: Vec<Phrase>,
    /// Whole queries.
    pub queries: Vec<QueryHit>,
    /// Components at or above the threshold.
    pub items: Vec<ItemHit>,
    /// The components that the question needs, best first, where the retriever chooses any (`select`).
    #[serde(default)]
    pub chosen: Vec<select::Chosen>,
    /// How many components came close (within 0.15 of the threshold) without reaching it.
    pub below_threshold: usize,
}
