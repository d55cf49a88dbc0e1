//! What became of every record of an imported history.

use super::entry::tag;
use serde::{Deserialize, Serialize};

/// Why a record is not in the knowledge base.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Reason {
    /// The parser does not read it.
    #[error("syntax error{}: {message}", place(*.line, *.column))]
    Syntax {
        /// What was expected and found.
        message: String,
        /// Line of the file where the query stands there letter for letter, else line of the query.
        line: Option<u32>,
        /// Column in that line.
        column: Option<u32>,
    },
    /// A statement that changes data or structure, by its first keyword.
    #[error("not a query ({0})")]
    NotAQuery(String),
    /// Longer than [`super::builder::MAX_QUERY_BYTES`].
    #[error("too long ({bytes} bytes, the limit is {limit})")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Nested deeper than the parser follows.
    #[error("nested too deeply")]
    TooDeep,
    /// Something else than SQL, in words.
    #[error("{0}")]
    Foreign(String),
    /// No SQL in it.
    #[error("no SQL in it")]
    Empty,
    /// A comment or quote that is never closed swallows the rest of the file; holds what is open.
    #[error("{0} is not closed; what follows it was not read")]
    Unclosed(String),
    /// A row that cannot be read.
    #[error("unreadable row: {0}")]
    Row(String),
}

fn place(line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        (Some(line), None) => format!(" at line {line}"),
        _ => String::new(),
    }
}

/// A record that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// Where it starts in the file, 1-based.
    pub line: u32,
    /// Which statement or row of the file it is, 1-based.
    pub number: u32,
    /// Why.
    pub reason: Reason,
    /// Its first 80 characters, on one line.
    pub start: String,
}

impl Skip {
    /// Keeps the start of `text` only.
    pub(crate) fn new(line: u32, number: u32, reason: Reason, text: &str) -> Self {
        Self { line, number, reason, start: excerpt(text) }
    }
}

/// Records that say the same as an entry read before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// The entry they were merged into.
    pub entry: u32,
    /// Lines where they start, in the order of the file.
    pub lines: Vec<u32>,
}

/// Something to know about a record that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where the record starts in the file, 1-based.
    pub line: u32,
    /// The entry it became or was merged into.
    pub entry: u32,
    /// One short sentence.
    pub text: String,
}

/// What an import did; `read == kept + merged + skipped.len()` at any time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the file.
    pub name: String,
    /// Records handled.
    pub read: usize,
    /// Records that became an entry.
    pub kept: usize,
    /// Records merged into an entry.
    pub merged: usize,
    /// Which entries they were merged into, by entry.
    pub merges: Vec<Merge>,
    /// Records left out, in the order of the file.
    pub skipped: Vec<Skip>,
    /// Remarks on kept records, in the order of the file.
    pub notes: Vec<Note>,
    /// Rows that belong to another database than the chosen one; not among `read`.
    pub other_databases: usize,
    /// Records not handled because the import was stopped; not among `read`.
    pub unread: usize,
    /// Columns of the file that were not read.
    pub unused_columns: Vec<String>,
}

/// Records that [`Report::nothing_read`] names.
const NAMED: usize = 3;

impl Report {
    /// That no query of the file could be read, and why not the first ones, in one line; None where one was read or
    /// the import was stopped.
    pub fn nothing_read(&self) -> Option<String> {
        if self.kept + self.merged + self.unread > 0 {
            return None;
        }
        let mut reasons: Vec<String> = self
            .skipped
            .iter()
            .take(NAMED)
            .map(|skip| format!("line {}: {}", skip.line, skip.reason))
            .collect();
        let more = self.skipped.len().saturating_sub(NAMED);
        if more > 0 {
            reasons.push(format!("and {more} more"));
        }
        Some(match reasons.is_empty() {
            true => "No query in this file could be read.".to_owned(),
            false => format!("No query in this file could be read. {}.", reasons.join("; ")),
        })
    }

    /// The columns that nothing was read from, in a sentence; BIRD files have many.
    pub fn unused(&self) -> Option<String> {
        const SHOWN: usize = 6;
        let names = &self.unused_columns;
        let more = match names.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("Columns not read: {named}{more}."))
    }

    /// The report as text, one line a finding, for download.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |finding: String| {
            text.push_str(&finding);
            text.push('\n');
        };
        line(format!("Import of {}", self.name));
        line(format!("read {}", self.read));
        line(format!("kept {}", self.kept));
        line(format!("merged {}", self.merged));
        line(format!("skipped {}", self.skipped.len()));
        if self.other_databases > 0 {
            line(format!("left out, of other databases {}", self.other_databases));
        }
        if self.unread > 0 {
            line(format!("not read, the import was stopped {}", self.unread));
        }
        if !self.unused_columns.is_empty() {
            line(format!("columns not read: {}", self.unused_columns.join(", ")));
        }
        for skip in &self.skipped {
            let Skip { line: at, number, reason, start } = skip;
            line(format!("skipped: line {at} (record {number}): {reason} | {start}"));
        }
        for Merge { entry, lines } in &self.merges {
            let places: Vec<String> = lines.iter().map(u32::to_string).collect();
            let word = if lines.len() == 1 { "line" } else { "lines" };
            line(format!("merged: {} into {}: {word} {}", lines.len(), tag(*entry), places.join(", ")));
        }
        for Note { line: at, entry, text } in &self.notes {
            line(format!("note: line {at} ({}): {text}", tag(*entry)));
        }
        text
    }
}

/// The first 80 characters of a text, white space collapsed.
pub(crate) fn excerpt(text: &str) -> String {
    let mut start = String::new();
    let mut length = 0;
    for c in text.chars().skip_while(|c| c.is_whitespace()) {
        let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
        if c == ' ' && start.ends_with(' ') {
            continue;
        }
        if length == 80 {
            start.push('…');
            break;
        }
        start.push(c);
        length += 1;
    }
    start.truncate(start.trim_end().len());
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_of_80_characters() {
        assert_eq!(excerpt("  SELECT\r\n\t1 "), "SELECT 1");
        assert_eq!(excerpt(&"ü".repeat(90)), "ü".repeat(80) + "…");
        assert_eq!(excerpt(&"ü".repeat(80)), "ü".repeat(80));
    }

    #[test]
    fn a_few_of_many_unused_columns_are_named() {
        let with = |n: usize| Report {
            unused_columns: (0..n).map(|i| format!("c{i}")).collect(),
            ..Report::default()
        };
        assert_eq!(with(0).unused(), None);
        assert_eq!(with(2).unused().as_deref(), Some("Columns not read: c0, c1."));
        assert_eq!(with(9).unused().as_deref(), Some("Columns not read: c0, c1, c2, c3, c4, c5 and 3 more."));
    }

    #[test]
    fn a_history_without_a_readable_query_is_said_with_its_first_reasons() {
        let skip = |line| Skip::new(line, line, Reason::NotAQuery("DELETE".into()), "DELETE");
        let mut report = Report { read: 5, skipped: (1..=5).map(skip).collect(), ..Report::default() };
        assert_eq!(
            report.nothing_read().as_deref(),
            Some(
                "No query in this file could be read. line 1: not a query (DELETE); line 2: not a query (DELETE); \
                 line 3: not a query (DELETE); and 2 more."
            )
        );
        report.merged = 1;
        assert_eq!(report.nothing_read(), None);
    }

    #[test]
    fn the_text_names_every_finding_on_its_own_line() {
        let reason = Reason::Syntax { message: "expected FROM".into(), line: Some(7), column: Some(3) };
        let report = Report {
            name: "log.sql".into(),
            read: 5,
            kept: 2,
            merged: 2,
            merges: vec![Merge { entry: 1, lines: vec![3, 9] }],
            skipped: vec![Skip::new(6, 4, reason, "SELECT\nfoo")],
            notes: vec![Note {
                line: 2,
                entry: 1,
                text: "reads a table this database does not have: x".into(),
            }],
            other_databases: 4,
            unread: 0,
            unused_columns: vec!["plan".into(), "rows".into()],
        };
        let wanted = "Import of log.sql\nread 5\nkept 2\nmerged 2\nskipped 1\n\
            left out, of other databases 4\n\
            columns not read: plan, rows\n\
            skipped: line 6 (record 4): syntax error at line 7, column 3: expected FROM | SELECT foo\n\
            merged: 2 into #2: lines 3, 9\n\
            note: line 2 (#2): reads a table this database does not have: x\n";
        assert_eq!(report.to_text(), wanted);
    }
}
