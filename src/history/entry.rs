//! One historical query.

use serde::{Deserialize, Serialize};

/// One historical query, after duplicates were merged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Position in the knowledge base, from 0; people are shown [`tag`].
    pub id: u32,
    /// The query as written.
    pub sql: String,
    /// The question it answered, when the log has one.
    pub question: Option<String>,
    /// Who wrote it.
    pub user: Option<String>,
    /// When, as written in the log.
    pub time: Option<String>,
    /// How often it was run: the log's own count, or the number of merged duplicates.
    pub count: u64,
    /// Identifiers in the source (BIRD's question_id), one for each merged duplicate that has one.
    pub source_ids: Vec<i64>,
    /// Where it was read: line of the file, 1-based.
    pub line: Option<u32>,
}

impl Entry {
    /// How often it was run; at least once, or it would be in no history.
    pub fn runs(&self) -> u64 {
        self.count.max(1)
    }
}

/// How people are shown an entry: `#1` is the first query of the history, whose id is 0.
pub fn tag(id: u32) -> String {
    format!("#{}", u64::from(id) + 1)
}
