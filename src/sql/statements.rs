//! Splitting a script into statements, by SQLite's own rules.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::lexer::{Lexeme, Lexer};

/// One statement of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Its bytes in the script, from its first word to its last, without the semicolon and without
    /// comments around it.
    pub range: Range<usize>,
    /// Line of its first word, 1-based.
    pub line: u32,
}

/// How far a statement is in `CREATE TRIGGER … ; END`, whose body holds semicolons of its own.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// Nothing but space and comments.
    Empty,
    /// `EXPLAIN`, with or without `QUERY PLAN`.
    Explain,
    /// `CREATE`, perhaps followed by `TEMP`.
    Create,
    /// Anything that is not a trigger.
    Plain,
    /// Inside a trigger's body.
    Trigger,
    /// A semicolon in a trigger's body.
    TriggerSemicolon,
    /// `; END` in a trigger's body.
    TriggerEnd,
}

impl Progress {
    fn after_word(self, word: &str) -> Self {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        match self {
            Self::Empty if is("EXPLAIN") => Self::Explain,
            Self::Empty | Self::Explain if is("CREATE") => Self::Create,
            Self::Explain if is("QUERY") || is("PLAN") => Self::Explain,
            Self::Create if is("TEMP") || is("TEMPORARY") => Self::Create,
            Self::Create if is("TRIGGER") => Self::Trigger,
            Self::TriggerSemicolon if is("END") => Self::TriggerEnd,
            Self::Trigger | Self::TriggerSemicolon | Self::TriggerEnd => Self::Trigger,
            _ => Self::Plain,
        }
    }
}

/// Splits a script at its top-level semicolons, leaving out empty statements; linear, on any input.
///
/// Semicolons in strings, quoted names, comments and trigger bodies do not end a statement, as in
/// SQLite's `sqlite3_complete`.
pub fn statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut progress = Progress::Empty;
    let mut open: Option<Statement> = None;
    let mut line = 1;
    for (lexeme, start, end) in Lexer::new(text) {
        let piece = text.get(start..end).unwrap_or_default();
        let here = line;
        line += piece.bytes().filter(|&b| b == b'\n').count() as u32;
        match lexeme {
            Lexeme::Space | Lexeme::Comment => continue,
            Lexeme::Mark if piece == ";" => match progress {
                Progress::Trigger | Progress::TriggerSemicolon => progress = Progress::TriggerSemicolon,
                _ => {
                    found.extend(open.take());
                    progress = Progress::Empty;
                    continue;
                }
            },
            Lexeme::Word => progress = progress.after_word(piece),
            _ => progress = progress.after_word(""),
        }
        match &mut open {
            Some(statement) => statement.range.end = end,
            None => open = Some(Statement { range: start..end, line: here }),
        }
    }
    found.extend(open);
    found
}

/// Where a comment opens that is never closed: the rest of `text` is in it.
pub fn open_comment(text: &str) -> Option<usize> {
    let (lexeme, start, end) = Lexer::new(text).last()?;
    let piece = text.get(start..end).unwrap_or_default();
    let inside = piece.strip_prefix("/*").filter(|_| lexeme == Lexeme::Comment)?;
    (!inside.ends_with("*/")).then_some(start)
}
