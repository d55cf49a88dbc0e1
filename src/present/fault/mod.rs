//! What is wrong with SQL that did not run: where it is, in words, and what would mend it.

mod fixes;
mod names;

use std::ops::Range;

use names::Complaint;

use crate::db::DbError;
use crate::sql::{Schema, SqlError, TokenKind, parse_query, tokenize};

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the token that is complained about; empty where the text ends too early.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// A change that would mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Bytes that are replaced.
    pub range: Range<usize>,
    /// What stands there then.
    pub text: String,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The SQL it is about.
    pub sql: String,
    /// Where it is, where that is known.
    pub place: Option<Place>,
    /// What the database says, without a full stop at its end.
    pub message: String,
    /// What else helps, in a sentence; may be empty.
    pub note: String,
    /// What would mend it, best first.
    pub fixes: Vec<Fix>,
}

impl Fault {
    /// Place and message as one sentence: "Line 2, column 8: no such column: nme."
    pub fn sentence(&self) -> String {
        let end = if self.message.ends_with(['.', '!', '?']) { "" } else { "." };
        match &self.place {
            Some(place) => format!("Line {}, column {}: {}{end}", place.line, place.column, self.message),
            None => format!("{}{end}", self.message),
        }
    }

    /// The range to select in a text field, which counts in units of UTF-16.
    pub fn selection(&self) -> Option<(u32, u32)> {
        let range = &self.place.as_ref()?.range;
        Some((utf16(&self.sql, range.start), utf16(&self.sql, range.end)))
    }

    /// The SQL with a fix made, and where the cursor then stands, in units of UTF-16.
    pub fn mended(&self, fix: &Fix) -> Option<(String, u32)> {
        let before = self.sql.get(..fix.range.start)?;
        let after = self.sql.get(fix.range.end..)?;
        let start = format!("{before}{}", fix.text);
        let cursor = utf16(&start, start.len());
        Some((start + after, cursor))
    }
}

/// How many units of UTF-16 stand before a byte.
fn utf16(text: &str, byte: usize) -> u32 {
    let before = text.get(..byte).unwrap_or(text);
    u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// What is wrong with `sql`, of which the database said `error`.
pub fn fault(sql: &str, error: &DbError, schema: &Schema) -> Fault {
    let mut fault = Fault {
        sql: sql.to_owned(),
        place: None,
        message: error.to_string(),
        note: String::new(),
        fixes: Vec::new(),
    };
    let DbError::Sql { message, offset } = error else { return fault };
    let complaint = Complaint::read(message);
    let parsed = parse_query(sql).err();
    let found = offset
        .and_then(|offset| at(sql, offset as usize, &complaint))
        .or_else(|| named(sql, &complaint))
        .or_else(|| parsed.as_ref().and_then(|error| parsed_place(sql, error)));
    fault.place = found.map(|range| placed(sql, range));
    if let Some(place) = &fault.place {
        let tables = names::Tables::of(sql, schema);
        fault.fixes = fixes::fixes(sql, place.range.clone(), &complaint, &tables, schema);
        fault.note = fixes::note(&complaint, &tables, schema);
        if fault.note.is_empty() && matches!(complaint, Complaint::Syntax(_)) {
            let token = sql.get(place.range.clone()).unwrap_or_default();
            fault.note = parsed.map(|error| expected(&error, token)).unwrap_or_default();
        }
    }
    fault
}

/// The token that SQLite points at; for a dotted name its last part, which is what is unknown.
fn at(sql: &str, offset: usize, complaint: &Complaint<'_>) -> Option<Range<usize>> {
    let tokens = tokenize(sql);
    let first = tokens.iter().position(|token| token.end > offset && token.kind != TokenKind::Space);
    let Some(first) = first else { return end(sql) };
    let token = tokens.get(first)?;
    let name = complaint.name().map(names::last);
    let named = name.and_then(|name| {
        let near = tokens.iter().skip(first).take(5);
        near.into_iter().find(|token| names::is(sql.get(token.start..token.end), name))
    });
    let token = named.unwrap_or(token);
    Some(token.start..token.end)
}

/// The end of the text, at its last token.
fn end(sql: &str) -> Option<Range<usize>> {
    let end = sql.trim_end().len();
    (end > 0).then_some(end..end)
}

/// The first token that the message names.
fn named(sql: &str, complaint: &Complaint<'_>) -> Option<Range<usize>> {
    if matches!(complaint, Complaint::Incomplete) {
        return end(sql);
    }
    let name = names::last(complaint.name()?);
    let tokens = tokenize(sql);
    let word = |kind| !matches!(kind, TokenKind::Space | TokenKind::Comment);
    let mut fitting = tokens.iter().filter(|t| word(t.kind) && names::is(sql.get(t.start..t.end), name));
    // A table is named after FROM or JOIN; the same word may be a column before.
    let token = match complaint {
        Complaint::Table(_) => fitting.clone().find(|t| names::after_from(sql, &tokens, t.start)),
        _ => None,
    };
    token.or_else(|| fitting.next()).map(|token| token.start..token.end)
}

/// The token at the line and column that the parser names.
fn parsed_place(sql: &str, error: &SqlError) -> Option<Range<usize>> {
    let SqlError::Syntax { line: Some(line), column: Some(column), .. } = error else { return None };
    let start: usize = sql.split_inclusive('\n').take(*line as usize - 1).map(str::len).sum();
    let text = sql.get(start..)?;
    let byte = text.char_indices().nth((*column as usize).saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let token = tokenize(sql).into_iter().find(|t| t.end > start + byte && t.kind != TokenKind::Space);
    token.map_or_else(|| end(sql), |token| Some(token.start..token.end))
}

fn placed(sql: &str, range: Range<usize>) -> Place {
    let before = sql.get(..range.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Place { range, line, column }
}

/// What the parser expected, where it stumbles at the same token. Its place is no measure: it may be the next token's.
fn expected(error: &SqlError, token: &str) -> String {
    let SqlError::Syntax { message, .. } = error else { return String::new() };
    match message.split_once(": expected ") {
        Some((_, rest)) if rest.ends_with(&format!(" found {token}.")) => format!("Expected {rest}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
