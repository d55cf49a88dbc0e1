//! What a workspace file says of itself.

use serde::{Deserialize, Serialize};

use super::read::Layout;
use super::{ArchiveError, DATABASE, KNOWLEDGE};

const FORMAT: &str = "querylore-workspace";
/// The version written.
const VERSION: u32 = 1;
/// Longest name that is taken from a file, in characters.
const LONGEST_NAME: usize = 100;

/// The manifest of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    version: u32,
    /// The name of the workspace.
    pub name: String,
    /// When it was exported, as ISO 8601.
    pub exported: String,
    /// The encoder that made the vectors, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// The database, whether it is in the file or not.
    pub database: Database,
    /// Names of the other parts.
    parts: Vec<String>,
}

/// What tells the database of a workspace from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Database {
    /// Its size.
    pub bytes: u64,
    /// The CRC-32 of its bytes.
    pub crc32: u32,
}

#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u64>,
}

impl Manifest {
    /// A manifest for what is exported now.
    pub fn new(
        name: &str,
        exported: &str,
        encoder: Option<&str>,
        database: Database,
        (with_knowledge, with_database): (bool, bool),
    ) -> Self {
        let parts = [(with_knowledge, KNOWLEDGE), (with_database, DATABASE)];
        let parts = parts.iter().filter(|(there, _)| *there).map(|(_, part)| (*part).to_owned()).collect();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: line(name),
            exported: exported.to_owned(),
            encoder: encoder.map(str::to_owned),
            database,
            parts,
        }
    }

    /// Reads the manifest of a file and holds its parts against it.
    ///
    /// # Errors
    /// When it is that of another format or a newer version, or does not fit the parts.
    pub fn read(bytes: &[u8], layout: &Layout) -> Result<Self, ArchiveError> {
        if !layout.manifest.holds(bytes) {
            return Err(ArchiveError::Damaged("its manifest has changed".to_owned()));
        }
        let header: Header = serde_json::from_slice(bytes).map_err(|_| ArchiveError::NotWorkspace)?;
        if header.format.as_deref() != Some(FORMAT) {
            return Err(ArchiveError::NotWorkspace);
        }
        match header.version {
            Some(found) if found > u64::from(VERSION) => {
                return Err(ArchiveError::Newer { found, known: VERSION });
            }
            Some(1..) => {}
            _ => return Err(ArchiveError::Damaged("its manifest names no version".to_owned())),
        }
        let mut manifest: Self = serde_json::from_slice(bytes)
            .map_err(|e| ArchiveError::Damaged(format!("its manifest cannot be read ({e})")))?;
        manifest.name = line(&manifest.name);
        manifest.fits(layout)?;
        Ok(manifest)
    }

    /// Whether the file holds what the manifest says.
    fn fits(&self, layout: &Layout) -> Result<(), ArchiveError> {
        let damaged = |what: String| Err(ArchiveError::Damaged(what));
        if let Some(other) = layout.other.first() {
            return Err(ArchiveError::Foreign(other.clone()));
        }
        for (part, found) in [(KNOWLEDGE, layout.knowledge), (DATABASE, layout.database)] {
            match (self.parts.iter().any(|named| named == part), found) {
                (true, None) => return damaged(format!("{part} is missing")),
                (false, Some(_)) => return damaged(format!("its manifest does not name {part}")),
                _ => {}
            }
        }
        if let Some(unknown) = self.parts.iter().find(|part| ![KNOWLEDGE, DATABASE].contains(&part.as_str()))
        {
            return damaged(format!("{} is missing", line(unknown)));
        }
        if let Some(found) = layout.database
            && (found.crc32, found.range.1 - found.range.0) != (self.database.crc32, self.database.bytes)
        {
            return damaged("its database is not the one that its manifest names".to_owned());
        }
        Ok(())
    }
}

/// A name that can be shown: one line of at most [`LONGEST_NAME`] characters.
pub fn line(name: &str) -> String {
    let one: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_NAME).collect();
    match one.trim() {
        "" => "workspace".to_owned(),
        one => one.to_owned(),
    }
}
