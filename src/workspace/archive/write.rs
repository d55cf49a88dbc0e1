//! Writing a workspace file around a database that stays where it is.

use std::io::Write as _;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::sink::Sink;
use super::{ArchiveError, DATABASE, KNOWLEDGE, MANIFEST, Manifest};

/// A workspace file being written: the database first, whose bytes pass by in chunks, then the rest.
#[derive(Debug)]
pub struct Writer {
    zip: ZipWriter<Sink>,
}

/// What belongs before and after the database; all of the file where it is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Before it.
    pub head: Vec<u8>,
    /// After it.
    pub tail: Vec<u8>,
}

impl Default for Writer {
    /// A file without parts.
    fn default() -> Self {
        Self { zip: ZipWriter::new(Sink::default()) }
    }
}

fn failed(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Write(error.to_string())
}

impl Writer {
    /// Begins the database.
    ///
    /// # Errors
    /// When another part was begun before.
    pub fn start_database(&mut self) -> Result<(), ArchiveError> {
        self.start(DATABASE)?;
        self.passing(true);
        Ok(())
    }

    /// The next bytes of the database.
    ///
    /// # Errors
    /// When it was not begun, or is too large for a zip file.
    pub fn database(&mut self, chunk: &[u8]) -> Result<(), ArchiveError> {
        self.zip.write_all(chunk).map_err(failed)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When a part is too large for a zip file.
    pub fn finish(mut self, manifest: &Manifest, knowledge: Option<&str>) -> Result<Written, ArchiveError> {
        self.passing(false);
        if let Some(knowledge) = knowledge {
            self.start(KNOWLEDGE)?;
            self.zip.write_all(knowledge.as_bytes()).map_err(failed)?;
        }
        self.start(MANIFEST)?;
        let json = serde_json::to_string_pretty(manifest).map_err(failed)?;
        self.zip.write_all(json.as_bytes()).map_err(failed)?;
        let Sink { head, tail, .. } = self.zip.finish().map_err(failed)?;
        Ok(Written { head, tail })
    }

    fn start(&mut self, part: &str) -> Result<(), ArchiveError> {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.zip.start_file(part, stored).map_err(failed)
    }

    fn passing(&self, passing: bool) {
        if let Some(sink) = self.zip.get_ref() {
            sink.passing.set(passing);
        }
    }
}
