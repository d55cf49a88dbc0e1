//! Messages between the page and the database worker, and their handling.

use serde::{Deserialize, Serialize};

use super::overview::{DistinctValues, Overview};
use super::value::{DbError, QueryLimits, ResultSet};

/// What the page asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Opens a database in place of the one that is open; the file travels beside the message.
    Open {
        /// Its name in the page.
        name: String,
    },
    /// Reads the schema with counts and samples.
    Overview {
        /// Milliseconds for counts and samples.
        budget_ms: u32,
    },
    /// Runs one query.
    Execute {
        /// The query.
        sql: String,
        /// What it may cost.
        limits: QueryLimits,
    },
    /// Reads distinct values of a column.
    Values {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Values read at most.
        limit: usize,
        /// Milliseconds it may take.
        budget_ms: u32,
    },
    /// Closes the database.
    Close,
    /// What the engine is.
    About,
}

/// The engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Version of SQLite.
    pub sqlite: String,
    /// Bytes of memory of the program it runs in, where whoever runs it knows.
    pub memory: Option<u64>,
}

/// What the worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// The database is open.
    Opened {
        /// Its name.
        name: String,
        /// What the user should know about the file.
        notices: Vec<String>,
    },
    /// To [`Request::Overview`].
    Overview(Overview),
    /// To [`Request::Execute`].
    Rows(ResultSet),
    /// To [`Request::Values`].
    Values(DistinctValues),
    /// To [`Request::Close`].
    Closed,
    /// To any request.
    Failed(DbError),
    /// To [`Request::About`].
    About(About),
}
