//! CSV and its relatives: comma, semicolon, tab or bar between the cells, quotes as in RFC 4180.

use csv::{ReaderBuilder, StringRecord};

use super::columns::looks_like_sql;
use super::rows::{Row, unique};
use super::text::Lines;

/// Rows that are looked at to choose the delimiter.
const SAMPLE_ROWS: usize = 100;

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).flexible(true).has_headers(false).from_reader(text.as_bytes())
}

/// The delimiter that gives the most rows the first row's number of cells; among equals, the one that
/// gives the most cells. None when no column holds SQL.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let closed = closed(text);
    let scored = [b',', b';', b'\t', b'|'].into_iter().filter_map(|delimiter| {
        let mut rows: Vec<StringRecord> = Vec::new();
        let mut records = Records::new(&closed, delimiter);
        while rows.len() < SAMPLE_ROWS
            && let Some(place) = records.step()
        {
            // A quote left open makes its row one of any delimiter's.
            if place.open.is_none() {
                rows.push(records.record.clone());
            }
        }
        let width = rows.first()?.len();
        let even = rows.iter().filter(|r| r.len() == width).count();
        let body = rows.get(usize::from(!is_data(rows.first()?))..).unwrap_or_default();
        let sql = (0..width).any(|i| {
            let column: Vec<&str> =
                body.iter().filter_map(|r| r.get(i)).filter(|c| !c.trim().is_empty()).collect();
            !column.is_empty() && column.iter().filter(|c| looks_like_sql(c)).count() * 2 >= column.len()
        });
        // In tenths, so that a few ragged rows do not outweigh the number of cells.
        sql.then_some((even * 10 / rows.len(), width, delimiter))
    });
    scored.max_by_key(|&(even, width, _)| (even, width)).map(|(_, _, delimiter)| delimiter)
}

/// Whether a first row holds data already: a query, which no header holds.
fn is_data(row: &StringRecord) -> bool {
    row.iter().any(looks_like_sql)
}

/// The names of the columns.
pub(super) fn columns(text: &str, delimiter: u8) -> Vec<String> {
    let Some(Ok(first)) = reader(text, delimiter).into_records().next() else { return Vec::new() };
    let names = first.iter().enumerate().map(|(i, name)| match name.trim() {
        name if name.is_empty() || is_data(&first) => format!("column {}", i + 1),
        name => name.to_owned(),
    });
    unique(names.collect())
}

/// Every row but the header, with as many cells as there are columns.
pub(super) struct Rows<'a> {
    records: Records<'a>,
    columns: usize,
    number: u32,
    header: bool,
}

impl<'a> Rows<'a> {
    /// The rows of a text that was [`closed`].
    pub(super) fn new(closed: &'a str, delimiter: u8, columns: &[String]) -> Self {
        Self { records: Records::new(closed, delimiter), columns: columns.len(), number: 0, header: true }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.records.at
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let mut place = self.records.step()?;
        if std::mem::take(&mut self.header) && !is_data(&self.records.record) {
            place = self.records.step()?;
        }
        let Place { line, open } = place;
        let record = &self.records.record;
        self.number = self.number.saturating_add(1);
        let text: String = record.iter().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        let cells = if let Some(open) = open {
            Err(format!("a quote in line {open} is not closed"))
        } else if record.len() > self.columns {
            Err(format!("{} cells, the header has {}", record.len(), self.columns))
        } else {
            Ok((0..self.columns).map(|i| record.get(i).map(str::to_owned)).collect())
        };
        Some(Row { line, number: self.number, cells, text })
    }
}

/// Where a row stands.
struct Place {
    /// The line where it starts.
    line: u32,
    /// The line of a quote in it that is never closed.
    open: Option<u32>,
}

/// A quote that is never closed swallows the rest of the file, this last line included.
const LAST: &str = "\u{1}";

/// A text with a last line by which a quote is found that is never closed.
pub(super) fn closed(text: &str) -> String {
    format!("{}\n{LAST}\n", text.trim_end())
}

/// Every row, the header included. A quote that is never closed costs the lines up to it; reading goes on behind its
/// line.
struct Records<'a> {
    closed: &'a str,
    delimiter: u8,
    /// Where the reader began, and the reader; None at the end.
    reader: Option<(usize, csv::Reader<&'a [u8]>)>,
    lines: Lines<'a>,
    /// The row that the last step found.
    record: StringRecord,
    at: usize,
}

impl<'a> Records<'a> {
    fn new(closed: &'a str, delimiter: u8) -> Self {
        let (reader, lines) = (Some((0, reader(closed, delimiter))), Lines::new(closed));
        Self { closed, delimiter, reader, lines, record: StringRecord::new(), at: 0 }
    }

    /// Reads the next row.
    fn step(&mut self) -> Option<Place> {
        let (base, csv) = self.reader.as_mut()?;
        let base = *base;
        let read = csv.read_record(&mut self.record).unwrap_or_default();
        if !read || (self.record.len() == 1 && self.record.get(0) == Some(LAST)) {
            self.reader = None;
            return None;
        }
        let part = self.closed.get(base..).unwrap_or_default();
        let place = |position: &csv::Position| usize::try_from(position.byte()).unwrap_or_default();
        self.at = base + place(csv.position());
        // The reader's position lies before the empty lines it passes over.
        let at = self.record.position().map(place).unwrap_or_default();
        let rest = part.as_bytes().get(at..).unwrap_or_default();
        let before = rest.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let line = self.lines.at(base + at + before);
        if !self.record.iter().next_back().is_some_and(|cell| cell.trim_end().ends_with(LAST)) {
            return Some(Place { line, open: None });
        }
        let quote = base + open_quote(part);
        let open = Some(self.lines.at(quote));
        let behind = self.closed.get(quote..).and_then(|rest| rest.find('\n')).map(|end| quote + end + 1);
        self.at = behind.unwrap_or(self.closed.len());
        self.reader = behind.and_then(|base| Some((base, reader(self.closed.get(base..)?, self.delimiter))));
        Some(Place { line, open })
    }
}

/// Where the quote stands that swallows the end of `text`: behind it quotes are only found doubled, so it opens the
/// last odd run of them.
fn open_quote(text: &str) -> usize {
    let mut end = text.len();
    while let Some(last) = text.get(..end).and_then(|text| text.rfind('"')) {
        let before = text.get(..last).unwrap_or_default();
        let start = before.trim_end_matches('"').len();
        if (last - start) % 2 == 0 {
            return start;
        }
        end = start;
    }
    0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A row's line, and its cells.
    type Found = (u32, Result<Vec<Option<String>>, String>);

    fn rows(text: &str) -> Vec<Found> {
        let delimiter = delimiter(text).unwrap();
        let closed = closed(text);
        Rows::new(&closed, delimiter, &columns(text, delimiter)).map(|row| (row.line, row.cells)).collect()
    }

    #[test]
    fn the_delimiter_is_found() {
        assert_eq!(delimiter("q,sql\na,\"SELECT 1, 2\"\nb,\"SELECT 2;\n\"\n"), Some(b','));
        assert_eq!(delimiter("q;sql;n\na;SELECT 1, 2;3\n"), Some(b';'));
        assert_eq!(delimiter("q\tsql\r\na\tSELECT 1, 2\r\n"), Some(b'\t'));
        assert_eq!(columns("sql\nSELECT a, b FROM t\nSELECT a FROM t\n", b'\t'), ["sql"]);
        assert_ne!(delimiter("sql\nSELECT a, b FROM t\nSELECT a FROM t\n"), Some(b','));
        assert_eq!(delimiter("a,b\n1,2\n"), None);
    }

    #[test]
    fn rows_know_their_lines() {
        let found = rows("q,sql\n\"two\nlines\",\"SELECT \"\"a\"\"\"\n\nx,SELECT 2\nx\nx,SELECT 1,2\n");
        let cell = |s: &str| Some(s.to_owned());
        assert_eq!(found[0], (2, Ok(vec![cell("two\nlines"), cell("SELECT \"a\"")])));
        assert_eq!(found[1], (5, Ok(vec![cell("x"), cell("SELECT 2")])));
        assert_eq!(found[2], (6, Ok(vec![cell("x"), None])));
        assert_eq!(found[3], (7, Err("3 cells, the header has 2".into())));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn a_file_without_a_header_is_read_too() {
        assert_eq!(columns("a,SELECT 1\n", b','), ["column 1", "column 2"]);
        assert_eq!(rows("a,SELECT 1\nb,SELECT 2\n").len(), 2);
    }

    #[test]
    fn a_quote_left_open_is_said() {
        let found = rows("q,sql\na,SELECT 1\nb,\"SELECT 2\nc,SELECT 3\n");
        assert_eq!(found[1], (3, Err("a quote in line 3 is not closed".into())));
        assert_eq!((found[2].0, found[2].1.is_ok(), found.len()), (4, true, 3));
        // Wherever it opens, the delimiter is found.
        let found = rows("q,sql\n\"a,SELECT 1\nb,SELECT 2\nc,SELECT 3\n");
        assert_eq!(found[0], (2, Err("a quote in line 2 is not closed".into())));
        assert_eq!(found.len(), 3, "{found:?}");
        let found = rows("q;sql\n\"two\nlines\";\"SELECT 1\n\nb;SELECT 2, 3\n");
        assert_eq!(found[0], (2, Err("a quote in line 3 is not closed".into())));
        assert_eq!((found[1].0, found.len()), (5, 2), "{found:?}");
    }
}
