//! Parsing one query with sqlparser's SQLite dialect.

use serde::{Deserialize, Serialize};

/// Why a text is not a query we can split.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum SqlError {
    /// The parser's message, with line and column (1-based) inside the query where it names them.
    #[error("{message}")]
    Syntax {
        /// What was expected and found.
        message: String,
        /// Line inside the query, 1-based.
        line: Option<u32>,
        /// Column inside the line, 1-based.
        column: Option<u32>,
    },
    /// A statement that is not a query, named by its first keyword ("DELETE").
    #[error("{0} is not a query, left out")]
    NotAQuery(String),
    /// Nothing but white space and comments.
    #[error("no SQL here")]
    Empty,
    /// Deeper than the parser follows.
    #[error("nested too deeply to read")]
    TooDeep,
}
