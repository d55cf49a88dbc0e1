//! The demo workspace: Norhaven Ferries, a company that does not exist, with two years of sailings.
//!
//! [`database`] makes `norhaven.sqlite` from a fixed seed; the history, the tasks and the example questions
//! beside it in `public/demo` are written by hand. Everything here is native: the page gets the finished files.
#![cfg(not(target_arch = "wasm32"))]

mod annotate;
mod calendar;
mod company;
mod crew;
mod maintenance;
mod rng;
mod sailings;
mod tickets;
mod timetable;
mod write;

use std::path::Path;

pub use annotate::{Annotated, annotate, annotate_file, schema};
pub use write::{SCHEMA, database};

/// Why the demo could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// SQLite refused a row.
    #[error("the demo database could not be made: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not in the format it should have.
    #[error("{path}, record {record}: {message}")]
    Format {
        /// The file.
        path: String,
        /// Which record, from 1.
        record: usize,
        /// What is wrong.
        message: String,
    },
}

impl DemoError {
    fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), source }
    }
}

/// Writes the demo database to `path`, replacing what is there. The bytes are the same on every run.
pub fn write_database(path: &Path) -> Result<(), DemoError> {
    std::fs::write(path, database()?).map_err(|e| DemoError::file(path, e))
}
