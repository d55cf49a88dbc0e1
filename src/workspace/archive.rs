//! A workspace as one file: `NAME.querylore`, a zip archive whose parts are stored as they are.
//!
//! | part | what it holds |
//! |---|---|
//! | `manifest.json` | `"format": "querylore-workspace"`, `"version": 1`, the name, the encoder of the vectors, the date, the database's size and checksum, and which other parts there are |
//! | `knowledge.json` | the knowledge base with edits and vectors ([`crate::history::store`]); left out where there is none |
//! | `database.sqlite` | the database as it was opened; left out where the user wants that |
//!
//! There is no fourth part, and never a key, a header or a setting. Nothing is compressed: a part is a range of the
//! file, its size cannot be larger than the file, and a database is copied by the browser without passing through the
//! page's memory. [`Writer`] and [`Opening`] see only what they need: the one passes the database on in chunks, the
//! other says which ranges of the file it wants to read.

mod manifest;
mod pieces;
mod read;
mod sink;
mod write;

pub use crc32fast::Hasher as Checksum;
pub use manifest::{Database, Manifest, line};
pub use read::{Layout, Opening, Part, Step, knowledge};
pub use write::{Writer, Written};

use crate::history::store::StoreError;

/// The ending of these files.
pub const ENDING: &str = ".querylore";
/// Bytes from the start of a file that [`is_archive`] looks at.
pub const HEAD_BYTES: u64 = 16;
/// Most bytes of a manifest.
pub const MOST_MANIFEST_BYTES: u64 = 64 * 1024;
/// Most bytes of a history: it is read into memory whole, and 100,000 vectors take about a fifth of this.
pub const MOST_KNOWLEDGE_BYTES: u64 = 512 * 1024 * 1024;
/// Most bytes of a database: more cannot be opened in a page, whose memory is addressed with 32 bits.
pub const MOST_DATABASE_BYTES: u64 = 2 * 1024 * 1024 * 1024 - 1;

const MANIFEST: &str = "manifest.json";
const KNOWLEDGE: &str = "knowledge.json";
const DATABASE: &str = "database.sqlite";

/// Why a file is not a workspace that can be opened, or none could be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// Some other zip file.
    #[error("This zip file is not a workspace of Querylore. Unpack it, then open the database in it.")]
    NotWorkspace,
    /// Written by a later version of this program.
    #[error(
        "This workspace has version {found}; this page reads up to version {known}. Reload the page to get its newest version."
    )]
    Newer {
        /// The file's version.
        found: u64,
        /// The newest version that is read.
        known: u32,
    },
    /// Cut short or changed.
    #[error("This workspace is damaged: {0}. Copy the file again, or export it again.")]
    Damaged(String),
    /// A part that no workspace has.
    #[error("This workspace holds “{0}”, which does not belong in one. Export it again.")]
    Foreign(String),
    /// Packed again by another program.
    #[error(
        "The parts of this workspace are compressed or encrypted. Another program has packed it again; use the file as it was exported."
    )]
    Packed,
    /// More than can be opened.
    #[error("The {part} of this workspace has {bytes} bytes; at most {most} can be opened in a page.")]
    TooLarge {
        /// "history" or "database".
        part: &'static str,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// A knowledge base that cannot be read.
    #[error("Its history cannot be read. {0}")]
    Knowledge(StoreError),
    /// The file could not be put together.
    #[error("The workspace cannot be exported: {0}.")]
    Write(String),
}

/// Whether a file is to be read as a workspace, by its name and its first bytes: every zip file is, so that the
/// message says what it lacks, and so is what only its name gives away.
pub fn is_archive(name: &str, head: &[u8]) -> bool {
    let zip = head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06");
    let named = name.to_ascii_lowercase().ends_with(ENDING);
    zip || (named && !head.starts_with(b"SQLite format 3\0"))
}

/// The file name of a workspace of this name, without what some file systems refuse.
pub fn file_name(name: &str) -> String {
    const REFUSED: &[char] = &['/', '\\', ':', '*', '?', '"', '<', '>', '|'];
    let allowed = |c: char| if c.is_control() || REFUSED.contains(&c) { '-' } else { c };
    let stem: String = name.chars().map(allowed).take(100).collect();
    let stem = stem.trim_matches(|c: char| c == '.' || c.is_whitespace());
    format!("{}{ENDING}", if stem.is_empty() { "workspace" } else { stem })
}

#[cfg(test)]
mod tests;
