//! Column notes in BIRD's `database_description/*.csv` files.

use crate::sql::Table;

/// What one column means.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnNote {
    /// The column's name in the database.
    pub column: String,
    /// The note on one line.
    pub note: String,
}

/// Why a file of notes cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("Line {line} of the column notes cannot be read: {message}.")]
pub struct NoteError {
    /// Line of the file, from 1.
    pub line: u64,
    /// What is wrong there.
    pub message: String,
}

/// Reads one file of notes: UTF-8 with or without a byte order mark, else Windows-1252.
///
/// A note is the column's plain name where it says more than the real one, its description, and what
/// its values mean.
pub fn column_notes(csv: &[u8]) -> Result<Vec<ColumnNote>, NoteError> {
    let text = decode(csv);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let failed = |error: csv::Error| NoteError {
        line: error.position().map_or(1, csv::Position::line),
        message: error.to_string(),
    };
    let header = reader.headers().map_err(failed)?.clone();
    let place = |name: &str| header.iter().position(|field| field.trim().eq_ignore_ascii_case(name));
    let original = place("original_column_name").unwrap_or(0);
    let (plain, description, values) =
        (place("column_name"), place("column_description"), place("value_description"));
    let mut notes = Vec::new();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let field = |place: Option<usize>| {
            let text = place.and_then(|place| record.get(place)).unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let column = field(Some(original));
        let description = field(description);
        let plain = field(plain);
        let says_more = !plain.is_empty()
            && !plain.eq_ignore_ascii_case(&column)
            && !plain.eq_ignore_ascii_case(&column.replace('_', " "))
            && !plain.eq_ignore_ascii_case(&description);
        let plain = if says_more { plain } else { String::new() };
        let parts: Vec<String> =
            [plain, description, field(values)].into_iter().filter(|part| !part.is_empty()).collect();
        if !column.is_empty() && !parts.is_empty() {
            notes.push(ColumnNote { column, note: parts.join("; ") });
        }
    }
    Ok(notes)
}

/// Fills the notes of a table's columns; the number of notes that fit no column is returned.
pub fn apply(table: &mut Table, notes: &[ColumnNote]) -> usize {
    let mut unused = 0;
    for note in notes {
        match table.columns.iter_mut().find(|c| c.name.trim().eq_ignore_ascii_case(&note.column)) {
            Some(column) => column.note = Some(note.note.clone()),
            None => unused += 1,
        }
    }
    unused
}

fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| windows_1252(*byte)).collect(),
    }
}

/// Windows-1252 is Latin-1 except for these 32 places.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{fffd}'),
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Column;

    #[test]
    fn notes_are_read_in_every_encoding() {
        let head = "original_column_name,column_name,column_description,data_format,value_description\r\n";
        let utf8 = format!(
            "\u{feff}{head}dname, district name,the name,text,\"1: a\n2: é\"\r\n , ,,,\r\nid,,,,\r\n"
        );
        let want =
            [ColumnNote { column: "dname".into(), note: "district name; the name; 1: a 2: é".into() }];
        assert_eq!(column_notes(utf8.as_bytes()).unwrap(), want);
        let latin: Vec<u8> = utf8
            .trim_start_matches('\u{feff}')
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect();
        assert!(std::str::from_utf8(&latin).is_err());
        assert_eq!(column_notes(&latin).unwrap(), want);
        let column = Column { name: "DName".into(), ..Column::default() };
        let mut table = Table { columns: vec![column], ..Table::default() };
        assert_eq!(apply(&mut table, &want), 0);
        assert_eq!(table.columns[0].note.as_deref(), Some("district name; the name; 1: a 2: é"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let _ = column_notes(&bytes);
        }
    }
}
