//! One historical query.

use serde::{Deserialize, Serialize};

/// One historical query, after duplicates were merged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Position in the knowledge base; `#87` in the page is `id` 87.
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
    pub count: u32,
    /// Identifiers in the source (BIRD's question_id), one for each merged duplicate that has one.
    pub source_ids: Vec<i64>,
    /// Where it was read: line of the file, 1-based.
    pub line: Option<u32>,
}
