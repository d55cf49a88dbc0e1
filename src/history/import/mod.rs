//! Reading query histories of any form.
//!
//! [`inspect`] looks at a file and says what it is, which columns it has and what they seem to hold, so
//! that a person can confirm or change that; [`read`] then takes the records out. Both also go in steps of
//! bounded work ([`Inspection`], [`Reading`]), so that a page can do other things between them.
//!
//! | form | module |
//! |---|---|
//! | SQL scripts, comments as questions | `script` |
//! | lists of a query, a tab and a database name (Spider's gold files) | `gold` |
//! | JSON and JSON Lines, BIRD and Spider files among them | `json` |
//! | comma, semicolon, tab or bar separated values | `table` |

mod columns;
mod comments;
mod detect;
mod error;
mod gold;
mod inspection;
mod json;
mod reading;
mod record;
mod rows;
mod script;
mod source;
mod table;
mod text;

use serde::{Deserialize, Serialize};

use super::Stepwise;

pub use columns::{Column, Mapping};
pub use detect::Format;
pub use error::ImportError;
pub use inspection::{Counting, Inspection};
pub use reading::Reading;
pub use record::{RawHistory, RawRecord};
pub use source::Source;
pub use text::decode;

/// How a file will be read; a person may change the mapping and choose a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the file.
    pub name: String,
    /// Its form.
    pub format: Format,
    /// Its columns; empty for a script.
    pub columns: Vec<Column>,
    /// Which column holds what.
    pub mapping: Mapping,
    /// The databases that rows name, with their numbers of rows, most rows first.
    pub databases: Vec<(String, usize)>,
    /// Read only the rows of this database; None reads all.
    pub database: Option<String>,
    /// Number of statements or rows.
    pub records: usize,
}

impl Plan {
    /// Reads only the rows of the database that is open, where the file names several and this one among them.
    pub fn prefer(&mut self, open: &str) {
        let named = self.databases.iter().find(|(name, _)| name.eq_ignore_ascii_case(open.trim()));
        self.database = named.filter(|_| self.databases.len() > 1).map(|(name, _)| name.clone());
    }
}

/// Says what a file is and how it can be read; `name` (with its extension) decides where the content
/// allows several forms.
pub fn inspect(name: &str, bytes: &[u8]) -> Result<Plan, ImportError> {
    let text = decode(bytes)?;
    let source = Source::look(name, &text)?;
    let mut inspection = Inspection::new(&source)?;
    while inspection.step() {}
    inspection.finish()
}

/// Takes the records out of a file as `plan` says; `bytes` are those that were inspected.
pub fn read(bytes: &[u8], plan: &Plan) -> Result<RawHistory, ImportError> {
    let text = decode(bytes)?;
    let source = Source::planned(plan, &text)?;
    let mut reading = Reading::new(&source, plan)?;
    while reading.step() {}
    Ok(reading.finish())
}

#[cfg(test)]
mod tests;
