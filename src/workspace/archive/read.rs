//! Finding the parts of a workspace file without reading the file.

use std::ops::Range;

use zip::read::{ArchiveOffset, Config};
use zip::{CompressionMethod, ZipArchive};

use super::manifest::line;
use super::pieces::Pieces;
use super::{
    ArchiveError, DATABASE, KNOWLEDGE, MANIFEST, MOST_DATABASE_BYTES, MOST_KNOWLEDGE_BYTES,
    MOST_MANIFEST_BYTES,
};
use crate::history::store::{self, Stored};

/// Bytes from the end that hold the directory's end record, with the longest comment it can have.
const TAIL_BYTES: u64 = 66 * 1024;
/// Bytes asked for at a time after that.
const READ_BYTES: u64 = 16 * 1024;
/// Most bytes that are read for a directory and headers; those of a workspace take a few hundred.
const MOST_READ: u64 = 1024 * 1024;

/// A part of a workspace file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its first byte in the file and the one after its last.
    pub range: (u64, u64),
    /// The CRC-32 that its bytes must have.
    pub crc32: u32,
}

impl Part {
    /// Whether these are its bytes.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.range.1 - self.range.0 && crc32fast::hash(bytes) == self.crc32
    }
}

/// Where the parts of a workspace file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The manifest.
    pub manifest: Part,
    /// The history.
    pub knowledge: Option<Part>,
    /// The database.
    pub database: Option<Part>,
    /// Names of parts that no workspace has.
    pub(super) other: Vec<String>,
}

/// What [`Opening::step`] needs or has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// This range of the file, given to [`Opening::add`].
    Read(Range<u64>),
    /// The parts.
    Found(Layout),
}

/// A workspace file whose parts are being looked for.
#[derive(Debug)]
pub struct Opening {
    pieces: Pieces,
    asked: u64,
}

impl Opening {
    /// A file of this size.
    pub fn new(len: u64) -> Self {
        Self { pieces: Pieces::new(len), asked: 0 }
    }

    /// Takes the bytes of a range that was asked for.
    pub fn add(&mut self, start: u64, bytes: Vec<u8>) {
        self.pieces.add(start, bytes);
    }

    /// Goes on as far as the bytes that are there allow.
    ///
    /// # Errors
    /// When the file is no workspace, or one that cannot be read.
    pub fn step(&mut self) -> Result<Step, ArchiveError> {
        self.pieces.missing = None;
        let found = layout(&mut self.pieces);
        // The library may go on after a failed read: what it found without these bytes means nothing.
        let Some(missing) = self.pieces.missing else { return found.map(Step::Found) };
        let len = self.pieces.len();
        let range = match self.asked {
            0 => len.saturating_sub(TAIL_BYTES)..len,
            _ => missing..missing.saturating_add(READ_BYTES).min(len),
        };
        self.asked += (range.end - range.start).max(1);
        if self.asked > MOST_READ {
            return Err(ArchiveError::Damaged("its directory is too large".to_owned()));
        }
        Ok(Step::Read(range))
    }
}

fn layout(pieces: &mut Pieces) -> Result<Layout, ArchiveError> {
    let damaged = |what: &str| ArchiveError::Damaged(what.to_owned());
    let config = Config { archive_offset: ArchiveOffset::Known(0) };
    let mut zip = ZipArchive::with_config(config, pieces)
        .map_err(|_| damaged("its directory cannot be read, the end of the file may be missing"))?;
    let names: Vec<String> =
        zip.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if !names.iter().any(|name| name == MANIFEST) {
        return Err(ArchiveError::NotWorkspace);
    }
    let ours = |name: &str| [MANIFEST, KNOWLEDGE, DATABASE].contains(&name);
    if names.iter().filter(|name| ours(name)).count() == 1 && names.iter().any(|name| !ours(name)) {
        // Other programs' archives have a manifest.json too.
        return Err(ArchiveError::NotWorkspace);
    }
    if zip.has_duplicate_names() {
        return Err(damaged("it holds a part twice"));
    }
    for place in 0..zip.len() {
        let entry = zip.by_index_data(place).map_err(|_| damaged("its directory cannot be read"))?;
        if entry.encrypted() || entry.compression() != CompressionMethod::Stored {
            return Err(ArchiveError::Packed);
        }
        if entry.size() != entry.compressed_size() {
            return Err(damaged("the sizes in its directory do not agree"));
        }
    }
    zip.validate_header_consistency().map_err(|_| damaged("its parts do not fit its directory"))?;
    let (mut manifest, mut knowledge, mut database, mut other) = (None, None, None, Vec::new());
    for (place, name) in names.iter().enumerate() {
        let entry = zip.by_index_raw(place).map_err(|_| damaged("its parts do not fit its directory"))?;
        let start = entry.data_start().ok_or_else(|| damaged("its parts do not fit its directory"))?;
        let bytes = entry.size();
        let end = start.checked_add(bytes).ok_or_else(|| damaged("its parts do not fit its directory"))?;
        let part = Part { range: (start, end), crc32: entry.crc32() };
        match name.as_str() {
            MANIFEST if bytes > MOST_MANIFEST_BYTES => return Err(damaged("its manifest is too large")),
            MANIFEST => manifest = Some(part),
            KNOWLEDGE => knowledge = Some(within("history", part, MOST_KNOWLEDGE_BYTES)?),
            DATABASE => database = Some(within("database", part, MOST_DATABASE_BYTES)?),
            _ => other.push(line(name)),
        }
    }
    let manifest = manifest.ok_or(ArchiveError::NotWorkspace)?;
    Ok(Layout { manifest, knowledge, database, other })
}

fn within(name: &'static str, part: Part, most: u64) -> Result<Part, ArchiveError> {
    let bytes = part.range.1 - part.range.0;
    if bytes > most { Err(ArchiveError::TooLarge { part: name, bytes, most }) } else { Ok(part) }
}

/// Reads the history of a workspace file.
///
/// # Errors
/// When these are not the bytes of the part, or no valid knowledge base.
pub fn knowledge(bytes: &[u8], part: &Part) -> Result<Stored, ArchiveError> {
    if !part.holds(bytes) {
        return Err(ArchiveError::Damaged("its history has changed".to_owned()));
    }
    store::from_json(bytes).map_err(ArchiveError::Knowledge)
}
