//! JSON files (a list of objects, or an object with such a list inside) and JSON Lines.
//!
//! A JSON file is checked as a whole first, then its rows are found by their bytes and parsed one at a
//! time, so that a row knows its line and memory holds one parsed row.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::ImportError;
use super::columns::looks_like_sql;
use super::rows::Row;
use super::text::Lines;

/// Name of the only column of rows that are plain strings.
const VALUE: &str = "value";
/// Rows that are looked at for their columns.
const ROWS_FOR_COLUMNS: usize = 1_000;
/// Columns kept of a file.
const MAX_COLUMNS: usize = 100;
/// How deep a list of rows may lie in objects, and cells in a row.
const MAX_DEPTH: usize = 3;

/// Checks a whole JSON text.
pub(super) fn check(text: &str) -> Result<(), ImportError> {
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| {
        let message = error.to_string();
        let message = message.rfind(" at line ").and_then(|i| message.get(..i)).unwrap_or(&message);
        ImportError::Json { line: error.line(), column: error.column(), message: message.to_owned() }
    })
}

/// Byte ranges of the rows of a JSON text that was checked.
pub(super) fn rows(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let root = skip_space(bytes, 0);
    match bytes.get(root) {
        Some(b'[') => children(bytes, root),
        Some(b'{') => list_inside(bytes, root, 0).unwrap_or_else(|| rows_without_list(bytes, root)),
        _ => Vec::new(),
    }
}

/// Byte ranges of the lines of a JSON Lines text that hold something.
pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let range = start..start + line.trim_end().len();
        start += line.len();
        if !line.trim().is_empty() {
            found.push(range);
        }
    }
    found
}

/// The names of the columns, in the order in which they appear.
pub(super) fn columns(text: &str, rows: &[Range<usize>]) -> Vec<String> {
    let mut names = Vec::new();
    let mut known = HashSet::new();
    for range in rows.iter().take(ROWS_FOR_COLUMNS) {
        for (name, _) in cells(text.get(range.clone()).unwrap_or_default()).unwrap_or_default() {
            if names.len() < MAX_COLUMNS && known.insert(name.clone()) {
                names.push(name);
            }
        }
    }
    names
}

/// Every row, with its cells in the order of the columns.
pub(super) struct Rows<'a> {
    text: &'a str,
    rest: std::iter::Zip<std::ops::RangeFrom<u32>, std::slice::Iter<'a, Range<usize>>>,
    columns: usize,
    places: HashMap<&'a str, usize>,
    position: Lines<'a>,
    at: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str, rows: &'a [Range<usize>], columns: &'a [String]) -> Self {
        let places = columns.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let (rest, position) = ((1..).zip(rows), Lines::new(text));
        Self { text, rest, columns: columns.len(), places, position, at: 0 }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let (number, range) = self.rest.next()?;
        self.at = range.end;
        let piece = self.text.get(range.clone()).unwrap_or_default();
        let cells = cells(piece).map(|found| {
            let mut row = vec![None; self.columns];
            for (name, value) in found {
                if let Some(cell) = self.places.get(name.as_str()).and_then(|&i| row.get_mut(i)) {
                    *cell = value;
                }
            }
            row
        });
        let text = if cells.is_err() { piece.chars().take(200).collect() } else { String::new() };
        Some(Row { line: self.position.at(range.start), number, cells, text })
    }
}

/// The cells of one row: its scalars, those of nested objects under dotted names.
fn cells(row: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let value = serde_json::from_str::<Pairs>(row).map_err(|e| e.to_string())?;
    let mut cells = Vec::new();
    for (name, value) in value.0 {
        flatten(name, value, 1, &mut cells);
    }
    Ok(cells)
}

fn flatten(name: String, value: Value, depth: usize, cells: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Null => cells.push((name, None)),
        Value::Bool(b) => cells.push((name, Some(b.to_string()))),
        Value::Number(n) => cells.push((name, Some(n.to_string()))),
        Value::String(s) => cells.push((name, Some(s))),
        Value::Object(map) if depth < MAX_DEPTH => {
            for (key, value) in map {
                // Objects used as tables (BIRD-History's skeletons) have keys that name no column.
                if key.len() <= 40 && key.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    flatten(format!("{name}.{key}"), value, depth + 1, cells);
                }
            }
        }
        Value::Object(_) | Value::Array(_) => {}
    }
}

/// The members of an object in the order of the file; a string stands for `{"value": …}`.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object or a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<Pairs, E> {
                Ok(Pairs(vec![(VALUE.to_owned(), Value::String(text.to_owned()))]))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_any(Members)
    }
}

/// The longest list of objects or queries in an object, or in objects inside it.
fn list_inside(bytes: &[u8], object: usize, depth: usize) -> Option<Vec<Range<usize>>> {
    let mut best: Option<Vec<Range<usize>>> = None;
    for child in children(bytes, object) {
        let found = match bytes.get(child.start) {
            Some(b'[') => Some(children(bytes, child.start)).filter(|rows| is_list(bytes, rows)),
            Some(b'{') if depth < MAX_DEPTH => list_inside(bytes, child.start, depth + 1),
            _ => None,
        };
        if found.as_ref().is_some_and(|f| f.len() > best.as_ref().map_or(0, Vec::len)) {
            best = found;
        }
    }
    best
}

fn is_list(bytes: &[u8], rows: &[Range<usize>]) -> bool {
    rows.first().is_some_and(|row| match bytes.get(row.start) {
        Some(b'{') => true,
        Some(b'"') => bytes
            .get(row.start + 1..row.end)
            .and_then(|s| std::str::from_utf8(s).ok())
            .is_some_and(looks_like_sql),
        _ => false,
    })
}

/// An object of objects is a table with its keys left out; any other object is one row.
fn rows_without_list(bytes: &[u8], root: usize) -> Vec<Range<usize>> {
    let members = children(bytes, root);
    let objects = members.iter().all(|m| bytes.get(m.start) == Some(&b'{'));
    if objects && !members.is_empty() { members } else { std::iter::once(root..bytes.len()).collect() }
}

/// Byte ranges of the values in the list or object that starts at `open`, in JSON that was checked.
fn children(bytes: &[u8], open: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let object = bytes.get(open) == Some(&b'{');
    let mut at = skip_space(bytes, open + 1);
    while !matches!(bytes.get(at), None | Some(b']' | b'}')) {
        if object {
            at = skip_space(bytes, end_of_value(bytes, at));
            // The colon.
            at = skip_space(bytes, at + 1);
        }
        let end = end_of_value(bytes, at);
        found.push(at..end);
        at = skip_space(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = skip_space(bytes, at + 1);
        }
    }
    found
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Where the value that starts at `from` ends; always after `from`.
fn end_of_value(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'[' | b'{' => (depth, at) = (depth + 1, at + 1),
            b']' | b'}' => (depth, at) = (depth.saturating_sub(1), at + 1),
            b',' | b':' => at += 1,
            b if b.is_ascii_whitespace() => at += 1,
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                at += rest
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
                    .count()
                    .max(1);
            }
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Where the string whose opening quote is at `open` ends.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        check(text).unwrap();
        rows(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn rows_are_found_wherever_they_lie() {
        assert_eq!(
            found(r#" [ {"a": "]"} , {"b":[1,{}]},"x\"]" ] "#),
            [r#"{"a": "]"}"#, r#"{"b":[1,{}]}"#, r#""x\"]""#]
        );
        assert_eq!(
            found(r#"{"v":1,"x":[{"a":1}],"data":{"rows":[{"a":2},{"a":3}]}}"#),
            [r#"{"a":2}"#, r#"{"a":3}"#]
        );
        assert_eq!(found(r#"{"1":{"sql":"x"},"2":{"sql":"y"}}"#), [r#"{"sql":"x"}"#, r#"{"sql":"y"}"#]);
        assert_eq!(found(r#"{"sql":"x","tags":["a"]}"#), [r#"{"sql":"x","tags":["a"]}"#]);
        assert_eq!(found("[]"), [""; 0]);
    }

    #[test]
    fn rows_know_their_lines_and_cells() {
        let text =
            "[\n {\"b\": {\"c\": 1.5, \"no column\": 2}, \"a\": \"x\"},\n\n {\"a\": null, \"d\": [1]}, 7]";
        let ranges = rows(text);
        let names = columns(text, &ranges);
        assert_eq!(names, ["b.c", "a"]);
        let (lines, cells): (Vec<u32>, Vec<_>) =
            Rows::new(text, &ranges, &names).map(|row| (row.line, row.cells)).unzip();
        assert_eq!(lines, [2, 4, 4]);
        assert_eq!(cells[0], Ok(vec![Some("1.5".into()), Some("x".into())]));
        assert_eq!(cells[1], Ok(vec![None, None]));
        assert!(cells[2].is_err());
    }

    #[test]
    fn broken_json_is_located() {
        let error = check("[\n{\"a\": 1,]").unwrap_err();
        assert_eq!(error.to_string(), "The JSON is broken at line 2, column 9: key must be a string.");
    }
}
