//! Why a file is not a history.

use serde::{Deserialize, Serialize};

/// Why a file could not be read as a query history; each is one sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ImportError {
    /// No bytes, or only white space.
    #[error("This file is empty.")]
    Empty,
    /// A SQLite database.
    #[error("This is a SQLite database, not a query history. Open it as a database.")]
    Database,
    /// Anything else that is not text, named with its article ("a PNG image").
    #[error("This is {0}, not text. Add a .sql, .json, .jsonl or .csv file.")]
    Binary(String),
    /// An archive, named with its article ("a zip archive").
    #[error("This is {0}. Unpack it and add the files inside.")]
    Archive(String),
    /// Bytes that the encoding does not allow.
    #[error("Line {line} is not {encoding}. Save the file as UTF-8 and add it again.")]
    Encoding {
        /// Where, 1-based.
        line: u32,
        /// "UTF-8" or "UTF-16".
        encoding: String,
    },
    /// Broken JSON.
    #[error("The JSON is broken at line {line}, column {column}: {message}.")]
    Json {
        /// Where, 1-based.
        line: usize,
        /// Where, 1-based.
        column: usize,
        /// The reader's message, without the position.
        message: String,
    },
    /// Text without a statement or row.
    #[error("No queries were found in this file.")]
    NoRecords,
    /// A table whose rows are all broken.
    #[error("No row of this table could be read: line {line}: {why}. Mend it and add the file again.")]
    NoRow {
        /// Where the first row starts, 1-based.
        line: u32,
        /// What is wrong with it.
        why: String,
    },
    /// A table of which no column is named as the SQL column.
    #[error("None of the columns ({}) seems to hold SQL. Choose the one that does.", .columns.join(", "))]
    NoSqlColumn {
        /// The names of the columns.
        columns: Vec<String>,
    },
}
