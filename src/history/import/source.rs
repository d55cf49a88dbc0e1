//! A file whose form is known, and what it consists of.

use std::cell::Cell;
use std::ops::Range;

use super::rows::Row;
use super::script::Records;
use super::{Format, ImportError, Plan, detect, gold, json, table, text};

/// A file, opened: its form and its columns are known.
pub struct Source<'a> {
    pub(super) name: String,
    pub(super) text: &'a str,
    pub(super) format: Format,
    /// Its columns; empty for a script.
    pub(super) columns: Vec<String>,
    /// Where the rows of a JSON file are.
    rows: Vec<Range<usize>>,
    /// The text of a table as its reader takes it.
    closed: String,
}

/// What a file consists of.
pub(super) enum Contents<'a> {
    /// Statements.
    Script(Records<'a>),
    /// Rows of cells.
    Rows(Rows<'a>),
}

/// The rows of a file, in its order.
pub(super) enum Rows<'a> {
    Gold(gold::Rows<'a>),
    Json(json::Rows<'a>),
    Table(table::Rows<'a>),
}

impl<'a> Source<'a> {
    /// Finds out what a text is; `name` (with its extension) decides where the content allows several forms.
    pub fn look(name: &str, text: &'a str) -> Result<Self, ImportError> {
        Self::open(name, detect::format(name, text)?, text)
    }

    /// Opens the text that was looked at before.
    pub fn planned(plan: &Plan, text: &'a str) -> Result<Self, ImportError> {
        Self::open(&plan.name, plan.format, text)
    }

    fn open(name: &str, format: Format, text: &'a str) -> Result<Self, ImportError> {
        let rows = match format {
            Format::Json | Format::Bird | Format::Spider => {
                json::check(text)?;
                json::rows(text)
            }
            Format::JsonLines => json::lines(text),
            _ => Vec::new(),
        };
        let columns = match format {
            Format::Script => Vec::new(),
            Format::Gold => gold::COLUMNS.map(str::to_owned).to_vec(),
            Format::Table { delimiter } => table::columns(text, delimiter),
            _ => json::columns(text, &rows),
        };
        let closed = if matches!(format, Format::Table { .. }) { table::closed(text) } else { String::new() };
        Ok(Self { name: name.to_owned(), text, format, columns, rows, closed })
    }

    pub(super) fn contents(&self) -> Contents<'_> {
        let rows = match self.format {
            Format::Script => return Contents::Script(Records::new(self.text)),
            Format::Gold => Rows::Gold(gold::Rows::new(self.text)),
            Format::Table { delimiter } => {
                Rows::Table(table::Rows::new(&self.closed, delimiter, &self.columns))
            }
            _ => Rows::Json(json::Rows::new(self.text, &self.rows, &self.columns)),
        };
        Contents::Rows(rows)
    }

    /// Why no row could be read: what is wrong with the first one.
    pub(super) fn without_columns(&self) -> ImportError {
        let first = self.rows.first().and_then(|range| Some((range.start, self.text.get(range.clone())?)));
        match first.map(|(start, row)| (text::Lines::new(self.text).at(start), json::check(row))) {
            Some((row, Err(ImportError::Json { line, column, message }))) => {
                ImportError::Json { line: row as usize + line.saturating_sub(1), column, message }
            }
            _ => ImportError::NoRecords,
        }
    }

    /// Where a column stands.
    pub(super) fn place(&self, name: Option<&str>) -> Option<usize> {
        self.columns.iter().position(|c| Some(c.as_str()) == name)
    }
}

/// How far the reading of a file is, which never goes back: what turns out to be something else is read again.
#[derive(Default)]
pub(super) struct Reached(Cell<usize>);

impl Reached {
    /// Bytes read, and all bytes.
    pub(super) fn of(&self, contents: &Contents, source: &Source) -> (usize, usize) {
        let total = source.text.len();
        self.0.set(self.0.get().max(contents.at().min(total)));
        (self.0.get(), total)
    }
}

impl Contents<'_> {
    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        match self {
            Self::Script(records) => records.at(),
            Self::Rows(Rows::Gold(rows)) => rows.at(),
            Self::Rows(Rows::Json(rows)) => rows.at(),
            Self::Rows(Rows::Table(rows)) => rows.at(),
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        match self {
            Self::Gold(rows) => rows.next(),
            Self::Json(rows) => rows.next(),
            Self::Table(rows) => rows.next(),
        }
    }
}
