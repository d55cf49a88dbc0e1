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
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// What one step of work on a long text came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step<T> {
    /// It found one.
    Found(T),
    /// It found none yet.
    Later,
    /// There is none left.
    End,
}

/// Lexical elements that a step may look at which is not to be noticed: some tens of kilobytes.
pub(crate) const PIECES: usize = 2_000;

/// The statements of a script, found in steps of bounded work, so that a page can do other things between them.
#[derive(Debug)]
pub(crate) struct Statements<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    progress: Progress,
    /// The statement that was begun.
    open: Option<Statement>,
    line: u32,
    /// Where a comment opens that is never closed.
    open_comment: Option<usize>,
    at: usize,
}

impl<'a> Statements<'a> {
    /// Starts at the first byte of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        let lexer = Lexer::new(text);
        Self { text, lexer, progress: Progress::Empty, open: None, line: 1, open_comment: None, at: 0 }
    }

    /// How many bytes were looked at.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Where a comment opens that is never closed, so that the rest of the text is in it; known at the end.
    pub(crate) fn open_comment(&self) -> Option<usize> {
        self.open_comment
    }

    /// Goes on until a statement ends, but for no more lexical elements than these.
    pub(crate) fn step(&mut self, pieces: usize) -> Step<Statement> {
        for _ in 0..pieces {
            let Some((lexeme, start, end)) = self.lexer.next() else {
                return self.open.take().map_or(Step::End, Step::Found);
            };
            self.at = end;
            let piece = self.text.get(start..end).unwrap_or_default();
            let here = self.line;
            self.line += piece.bytes().filter(|&b| b == b'\n').count() as u32;
            match lexeme {
                Lexeme::Comment if end == self.text.len() => {
                    let inside = piece.strip_prefix("/*");
                    self.open_comment = inside.filter(|inside| !inside.ends_with("*/")).map(|_| start);
                    continue;
                }
                Lexeme::Space | Lexeme::Comment => continue,
                Lexeme::Mark if piece == ";" => match self.progress {
                    Progress::Trigger | Progress::TriggerSemicolon => {
                        self.progress = Progress::TriggerSemicolon;
                    }
                    _ => {
                        self.progress = Progress::Empty;
                        if let Some(statement) = self.open.take() {
                            return Step::Found(statement);
                        }
                        continue;
                    }
                },
                Lexeme::Word => self.progress = self.progress.after_word(piece),
                _ => self.progress = self.progress.after_word(""),
            }
            match &mut self.open {
                Some(statement) => statement.range.end = end,
                None => self.open = Some(Statement { range: start..end, line: here }),
            }
        }
        Step::Later
    }
}

impl Iterator for Statements<'_> {
    type Item = Statement;

    fn next(&mut self) -> Option<Statement> {
        match self.step(usize::MAX) {
            Step::Found(statement) => Some(statement),
            Step::Later | Step::End => None,
        }
    }
}

/// Splits a script at its top-level semicolons, leaving out empty statements; linear, on any input.
///
/// Semicolons in strings, quoted names, comments and trigger bodies do not end a statement, as in
/// SQLite's `sqlite3_complete`.
pub fn statements(text: &str) -> Vec<Statement> {
    Statements::new(text).collect()
}

/// Where the first statement of `text` begins.
pub(crate) fn beginning(text: &str) -> Option<usize> {
    let word = |&(kind, start, end): &(Lexeme, usize, usize)| {
        !matches!(kind, Lexeme::Space | Lexeme::Comment) && text.get(start..end) != Some(";")
    };
    Lexer::new(text).find(word).map(|(_, start, _)| start)
}
