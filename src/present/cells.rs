//! Values as table cells: short text, full text, alignment, column types, and CSV.

use super::format;
use crate::db::{ResultSet, Value};

/// The look of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellStyle {
    /// TEXT, to the left.
    Text,
    /// INTEGER and REAL, to the right.
    Number,
    /// NULL, in italics.
    Null,
    /// BLOB, as a tag.
    Blob,
    /// TEXT that is not UTF-8, with a mark.
    Invalid,
}

/// How a value looks in a cell.
pub fn style(value: &Value) -> CellStyle {
    match value {
        Value::Null => CellStyle::Null,
        Value::Integer(_) | Value::Real(_) => CellStyle::Number,
        Value::Text(_) => CellStyle::Text,
        Value::InvalidText(_) => CellStyle::Invalid,
        Value::Blob(_) => CellStyle::Blob,
    }
}

/// A REAL as SQLite would print it: always with a point or exponent, so that 1.0 is not taken for an INTEGER.
fn real(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Inf" } else { "-Inf" }.to_owned();
    }
    let plain = x.abs() >= 1e-5 && x.abs() < 1e15 || x == 0.0;
    let text = if plain { format!("{x}") } else { format!("{x:e}") };
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

/// Bytes of a text that is not UTF-8: readable characters as they are, every other byte as `\xNN`.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02X}"));
        }
    }
    out
}

/// Longest cell text in characters; a cell is at most 320 px wide, which is fewer than 60 of them.
const CELL_CHARS: usize = 80;

/// The value in one short line; never reformatted, only cut at the end.
pub fn short(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.chars().take(CELL_CHARS + 1).collect(),
        Value::InvalidText(bytes) => escaped(bytes.get(..CELL_CHARS).unwrap_or(bytes)),
        other => full(other),
    };
    let mut line: String = text.chars().take(CELL_CHARS).map(picture).collect();
    if text.chars().count() > CELL_CHARS {
        line.push('…');
    }
    line
}

/// A character that can be seen: white space other than a space as an open box, other control characters as Unicode's
/// pictures of them.
fn picture(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => '␣',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('␦'),
        '\u{7f}' => '␡',
        c if c.is_control() => '␦',
        c => c,
    }
}

/// Bytes from which a text is too long to be guessed from its cell.
const LONG_BYTES: usize = 10_000;

/// The size of a long text, which its cell shows only the beginning of; blobs say theirs themselves.
pub fn size_note(value: &Value) -> Option<String> {
    let size = match value {
        Value::Text(text) => text.len(),
        Value::InvalidText(bytes) => bytes.len(),
        Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => return None,
    };
    (size >= LONG_BYTES).then(|| format::bytes(size as u64))
}

/// The value in full, as the cell's dialog shows it; blobs as type, size and the first bytes in hex.
pub fn full(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(n) => n.to_string(),
        Value::Real(x) => real(*x),
        Value::Text(text) => text.clone(),
        Value::InvalidText(bytes) => escaped(bytes),
        Value::Blob(bytes) => format!("blob, {}", format::bytes(bytes.len() as u64)),
    }
}

/// The first bytes of a blob as hex pairs, 16 to a line; at most 1,024 bytes.
pub fn hex(bytes: &[u8]) -> String {
    let shown = bytes.get(..1024).unwrap_or(bytes);
    let lines: Vec<String> = shown
        .chunks(16)
        .map(|line| line.iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(" "))
        .collect();
    let mut out = lines.join("\n");
    if shown.len() < bytes.len() {
        out.push_str("\n…");
    }
    out
}

/// The value as it is copied, all of it: blobs as `0x` and hex.
pub fn copied(value: &Value) -> String {
    match value {
        Value::Blob(bytes) => {
            let mut text = String::with_capacity(2 + 2 * bytes.len());
            text.push_str("0x");
            for byte in bytes {
                for half in [byte >> 4, byte & 15] {
                    text.push(char::from_digit(u32::from(half), 16).unwrap_or_default().to_ascii_uppercase());
                }
            }
            text
        }
        other => full(other),
    }
}

/// The value as a file, all of it: its bytes, and what follows the file's name.
pub fn as_file(value: &Value) -> (Vec<u8>, &'static str) {
    match value {
        Value::Blob(bytes) => (bytes.clone(), "bin"),
        // The bytes as they are stored, also those that are no text.
        Value::InvalidText(bytes) => (bytes.clone(), "txt"),
        other => (full(other).into_bytes(), "txt"),
    }
}

/// What a dialog shows of a value that is long: text in pieces, blobs as the first bytes in hex.
pub fn piece(value: &Value, chars: usize) -> (String, bool) {
    match value {
        Value::Text(text) => match text.char_indices().nth(chars) {
            Some((end, _)) => (text.get(..end).unwrap_or_default().to_owned(), true),
            None => (text.clone(), false),
        },
        Value::InvalidText(bytes) => (escaped(bytes.get(..chars).unwrap_or(bytes)), bytes.len() > chars),
        Value::Blob(bytes) => (hex(bytes), false),
        other => (full(other), false),
    }
}

/// SQLite's name for the type of one value.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Integer(_) => "INTEGER",
        Value::Real(_) => "REAL",
        Value::Text(_) | Value::InvalidText(_) => "TEXT",
        Value::Blob(_) => "BLOB",
    }
}

/// The type of the values in a column: one of SQLite's, `mixed`, or empty where all are NULL.
pub fn column_type(result: &ResultSet, column: usize) -> &'static str {
    let mut found = "";
    for value in result.rows.iter().filter_map(|row| row.get(column)) {
        let name = type_name(value);
        if name == "NULL" || name == found {
            continue;
        }
        if !found.is_empty() {
            return "mixed";
        }
        found = name;
    }
    found
}

/// Whether a column's head stands to the right, over its numbers.
pub fn is_numeric(column_type: &str) -> bool {
    matches!(column_type, "INTEGER" | "REAL")
}

/// The rows as CSV (RFC 4180): NULL is empty, blobs are `0x` and hex, text that is not UTF-8 keeps its escapes.
pub fn to_csv(result: &ResultSet) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(result.columns.iter().map(|c| c.name.as_str()))?;
    for row in &result.rows {
        writer.write_record(row.iter().map(|value| match value {
            Value::Null => String::new(),
            other => copied(other),
        }))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::ResultColumn;

    fn result(rows: Vec<Vec<Value>>) -> ResultSet {
        let columns = vec![ResultColumn { name: "a".into() }, ResultColumn { name: "b,c".into() }];
        ResultSet { columns, rows, ..ResultSet::default() }
    }

    #[test]
    fn numbers_keep_every_digit() {
        assert_eq!(full(&Value::Integer(9_007_199_254_740_993)), "9007199254740993");
        assert_eq!(full(&Value::Real(1.0)), "1.0");
        assert_eq!(full(&Value::Real(94.9)), "94.9");
        assert_eq!(full(&Value::Real(1e300)), "1e300");
        assert_eq!(full(&Value::Real(-0.0)), "-0.0");
        assert_eq!(full(&Value::Real(f64::NEG_INFINITY)), "-Inf");
    }

    #[test]
    fn broken_text_and_blobs_are_named() {
        assert_eq!(full(&Value::InvalidText(b"caf\xE9".to_vec())), "caf\\xE9");
        assert_eq!(full(&Value::Blob(vec![0; 2_400])), "blob, 2.4 KB");
        assert_eq!(hex(&[0, 255]), "00 FF");
        assert!(hex(&[7; 2000]).ends_with('…'));
    }

    #[test]
    fn cells_are_one_line_and_cut() {
        let long = "ä".repeat(200);
        let cell = short(&Value::Text(long));
        assert_eq!(cell.chars().count(), CELL_CHARS + 1);
        assert_eq!(short(&Value::Text("a\nb".into())), "a␣b");
        assert_eq!(short(&Value::Text("\0\u{1b}\u{7f}\u{85}".into())), "␀␛␡␦");
    }

    #[test]
    fn a_long_text_says_its_size_and_is_given_whole() {
        let text = "é".repeat(6_000);
        let value = Value::Text(text.clone());
        assert_eq!(size_note(&value).as_deref(), Some("12.0 KB"));
        assert_eq!(size_note(&Value::Text("short".into())), None);
        assert_eq!(piece(&value, 3), ("ééé".to_owned(), true));
        assert_eq!(piece(&value, 6_000), (text.clone(), false));
        assert_eq!(copied(&value), text);
        assert_eq!(as_file(&value), (text.into_bytes(), "txt"));
        let blob = Value::Blob(vec![7; 5_000]);
        assert_eq!(copied(&blob).len(), 2 + 10_000);
        assert!(copied(&blob).starts_with("0x0707"));
        assert_eq!(as_file(&blob), (vec![7; 5_000], "bin"));
        assert_eq!(as_file(&Value::InvalidText(vec![0xff])), (vec![0xff], "txt"));
    }

    #[test]
    fn column_types_come_from_the_values() {
        let set = result(vec![
            vec![Value::Null, Value::Text("x".into())],
            vec![Value::Integer(1), Value::Real(2.0)],
        ]);
        assert_eq!(column_type(&set, 0), "INTEGER");
        assert_eq!(column_type(&set, 1), "mixed");
        assert_eq!(column_type(&set, 9), "");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let set = result(vec![vec![Value::Text("say \"hi\"".into()), Value::Blob(vec![1, 171])]]);
        let text = to_csv(&set).map(String::from_utf8);
        assert!(matches!(text, Ok(Ok(t)) if t == "a,\"b,c\"\r\n\"say \"\"hi\"\"\",0x01AB\r\n"));
    }
}
