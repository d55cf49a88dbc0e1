//! Values, result sets, limits and errors as they cross the boundary of the database worker.

use serde::{Deserialize, Serialize};

/// One value of a result, faithful to what SQLite stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// NULL.
    Null,
    /// INTEGER, all 64 bits.
    Integer(i64),
    /// REAL.
    Real(f64),
    /// TEXT that is valid UTF-8.
    Text(String),
    /// TEXT whose bytes are not valid UTF-8, as stored.
    InvalidText(Vec<u8>),
    /// BLOB.
    Blob(Vec<u8>),
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultColumn {
    /// Its name in the result.
    pub name: String,
}

/// The rows of one query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ResultSet {
    /// Columns in order.
    pub columns: Vec<ResultColumn>,
    /// Rows in the order SQLite gave them, at most `QueryLimits::max_rows`.
    pub rows: Vec<Vec<Value>>,
    /// Whether rows beyond the limit exist.
    pub more: bool,
    /// Wall time in milliseconds of preparing, running and reading.
    pub elapsed_ms: f64,
}

/// What a query may cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueryLimits {
    /// Wall time in milliseconds.
    pub timeout_ms: u32,
    /// Rows read before the result is cut.
    pub max_rows: usize,
}

impl Default for QueryLimits {
    /// 30 s, the limit of BIRD's evaluation, and 1,000 rows.
    fn default() -> Self {
        Self { timeout_ms: 30_000, max_rows: 1_000 }
    }
}

/// Why the database did not answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum DbError {
    /// The file cannot be opened: not SQLite, truncated, encrypted, empty. One sentence.
    #[error("{0}")]
    Open(String),
    /// SQLite refused the SQL, in its own words.
    #[error("{message}")]
    Sql {
        /// SQLite's message.
        message: String,
        /// Byte offset of the offending token in the SQL, where SQLite names it.
        offset: Option<u32>,
    },
    /// The statement would change the database; holds what the engine refused ("UPDATE on vessels").
    #[error("Not run: {} ({}).", refused(.0), .0)]
    ReadOnly(String),
    /// The deadline passed.
    #[error("Stopped after {} s.", .0 / 1000)]
    Timeout(u32),
    /// The user asked to stop.
    #[error("Stopped.")]
    Cancelled,
    /// No database is open.
    #[error("No database is open.")]
    NotOpen,
    /// The worker ended unexpectedly.
    #[error("{0}")]
    Worker(String),
}

/// Why a statement is not run, of which the engine refused `what`.
fn refused(what: &str) -> &'static str {
    if what.starts_with("PRAGMA") {
        "of all pragmas only those that describe tables are"
    } else {
        "this would change the database"
    }
}

impl DbError {
    /// Whether SQLite found the file itself damaged, whatever was asked.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Sql { message, .. } if message.starts_with("database disk image is malformed"))
    }
}
