//! Ways to write a schema for a model.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::schema_text::identifier;
use crate::db::TableInfo;
use crate::sql::{Column, Table};

/// How a schema is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// `CREATE TABLE` statements, notes and samples as comments.
    #[default]
    CreateTable,
    /// M-Schema (XiYan-SQL, arXiv 2411.08599): a tuple a column with type, key, note and examples; foreign keys at the
    /// end.
    MSchema,
    /// The schema of MAC-SQL (arXiv 2312.11242): a tuple a column with note and examples, without types; foreign keys at
    /// the end.
    MacSchema,
}

impl Representation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateTable => "create-table",
            Self::MSchema => "m-schema",
            Self::MacSchema => "mac-schema",
        }
    }
}

/// What is known of a column's values.
fn samples(info: Option<&TableInfo>, at: usize, full: bool) -> &str {
    let info = info.filter(|_| full).and_then(|info| info.columns.get(at));
    info.map_or("", |info| info.samples.as_str())
}

/// What a column means.
fn note(column: &Column, full: bool) -> &str {
    column.note.as_deref().filter(|_| full).unwrap_or_default().trim()
}

/// A table in M-Schema with these of its columns; `full` with notes, examples and the number of rows.
pub(super) fn m_schema(
    table: &Table,
    info: Option<&TableInfo>,
    columns: &[(usize, &Column)],
    full: bool,
) -> String {
    let mut text = format!("# Table: {}", identifier(&table.name));
    if let Some(rows) = info.and_then(|info| info.rows).filter(|_| full) {
        let _ = write!(text, ", {rows} rows");
    }
    text.push_str("\n[\n");
    for (place, (at, column)) in columns.iter().enumerate() {
        let _ = write!(text, "({}:{}", identifier(&column.name), column.declared_type);
        if column.primary_key {
            text.push_str(", Primary Key");
        }
        let (note, samples) = (note(column, full), samples(info, *at, full));
        if !note.is_empty() {
            let _ = write!(text, ", {note}");
        }
        if !samples.is_empty() {
            let _ = write!(text, ", Examples: [{samples}]");
        }
        text.push_str(if place + 1 < columns.len() { "),\n" } else { ")\n" });
    }
    text.push_str("]\n");
    text
}

/// A table in the schema of MAC-SQL with these of its columns; `full` with notes and examples.
pub(super) fn mac_schema(
    table: &Table,
    info: Option<&TableInfo>,
    columns: &[(usize, &Column)],
    full: bool,
) -> String {
    let mut text = format!("# Table: {}\n[\n", identifier(&table.name));
    for (at, column) in columns {
        let (note, samples) = (note(column, full), samples(info, *at, full));
        let _ = write!(text, "  ({}", identifier(&column.name));
        if !note.is_empty() {
            let _ = write!(text, ", {}.", note.trim_end_matches('.'));
        }
        if !samples.is_empty() {
            let _ = write!(text, " Value examples: [{samples}].");
        }
        text.push_str("),\n");
    }
    text.push_str("]\n");
    text
}
