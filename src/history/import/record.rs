//! What reading a file hands on: records as they stand in it.

use serde::{Deserialize, Serialize};

use crate::history::report::Skip;
use crate::sql::dialect::Variable;

/// One query of a file, not yet parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawRecord {
    /// The query, trimmed, without a closing semicolon.
    pub sql: String,
    /// The question beside it or in the comment above it.
    pub question: Option<String>,
    /// Who wrote it.
    pub user: Option<String>,
    /// When, as written.
    pub time: Option<String>,
    /// How often it was run, by the log.
    pub count: Option<u64>,
    /// What stands in the place of a count and is none.
    pub odd_count: Option<String>,
    /// Its identifier in the file, where that is a number.
    pub id: Option<i64>,
    /// Line of the file where the query (in JSON: its object) starts, 1-based.
    pub line: u32,
    /// Which statement or row of the file it is, 1-based.
    pub number: u32,
    /// Whether the query stands in the file letter for letter, so that its lines are lines of the file.
    pub verbatim: bool,
    /// The statement whose rows the query makes: "CREATE VIEW late_trips".
    pub within: Option<String>,
    /// Variables it names that the script declared before it, with the literals they were given.
    pub variables: Vec<Variable>,
}

/// The records of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawHistory {
    /// Name of the file.
    pub name: String,
    /// Records in the order of the file.
    pub records: Vec<RawRecord>,
    /// Rows that hold no query.
    pub skipped: Vec<Skip>,
    /// Rows left out because they belong to another database than the chosen one.
    pub other_databases: usize,
    /// Columns of the file that were not read.
    pub unused_columns: Vec<String>,
}
