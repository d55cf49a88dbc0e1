//! Reading a file's header before SQLite sees it, so that the message says what the file is.

use crate::db::value::DbError;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes of the header that [`check`] reads; more of the file makes its guesses better.
pub(super) const HEADER_BYTES: usize = 4096;

/// What a sound header says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    /// Whether the file is in write-ahead-log mode.
    pub wal: bool,
}

fn refuse<T>(message: impl Into<String>) -> Result<T, DbError> {
    Err(DbError::Open(message.into()))
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Checks the first bytes of a file of `len` bytes against SQLite's file format, section 1.3.
pub(super) fn check(head: &[u8], len: u64) -> Result<Header, DbError> {
    if len == 0 {
        return refuse("The file is empty (0 bytes). Choose a SQLite database.");
    }
    if !head.starts_with(MAGIC) {
        return refuse(not_sqlite(head, len));
    }
    let (Some(page), Some(&write), Some(&read), Some(&reserved)) =
        (head.get(16..18), head.get(18), head.get(19), head.get(20))
    else {
        return refuse(format!("The file is truncated: it ends after {len} bytes, inside its header."));
    };
    let (Some(counter), Some(pages), Some(valid_for), Some(schema_format)) =
        (head.get(24..28), head.get(28..32), head.get(92..96), head.get(44..48))
    else {
        return refuse(format!("The file is truncated: it ends after {len} bytes, inside its header."));
    };
    let page_size = match big_endian(page) {
        1 => 65_536,
        size => size,
    };
    if !(512..=65_536).contains(&page_size) || !page_size.is_power_of_two() {
        return refuse(format!(
            "The file starts like SQLite, but its header is damaged: a page size of {page_size} does not exist."
        ));
    }
    if page_size - u64::from(reserved) < 480 {
        return refuse("The file starts like SQLite, but its header is damaged: its pages have no room.");
    }
    if read > 2 || write == 0 || read == 0 {
        return refuse("The file starts like SQLite, but in a format that this version cannot read.");
    }
    if len < page_size {
        return refuse(format!(
            "The file is truncated: it has {len} bytes, its first page alone has {page_size}."
        ));
    }
    // The page count is only kept by versions since 3.7.0, which mark it so.
    let (pages, counted) = (big_endian(pages), counter == valid_for);
    if counted && pages > 0 && pages.saturating_mul(page_size) > len {
        let whole = pages.saturating_mul(page_size);
        return refuse(format!("The file is truncated: it has {len} of {whole} bytes. Copy it again."));
    }
    if big_endian(schema_format) > 4 {
        return refuse(
            "The file starts like SQLite, but its header is damaged or encrypted: its schema format does not exist.",
        );
    }
    Ok(Header { wal: write == 2 || read == 2 })
}

/// One sentence about a file that is not SQLite 3.
fn not_sqlite(head: &[u8], len: u64) -> String {
    let like = |what: &str| format!("This is not a SQLite database: it looks like {what}.");
    const KNOWN: [(&[u8], &str); 16] = [
        (b"PK\x03\x04", "a zip archive (unpack it first)"),
        (b"\x1f\x8b", "a gzip file (unpack it first)"),
        (b"BZh", "a bzip2 file (unpack it first)"),
        (b"\xfd7zXZ\0", "an xz file (unpack it first)"),
        (b"\x28\xb5\x2f\xfd", "a zstd file (unpack it first)"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive (unpack it first)"),
        (b"Rar!", "a RAR archive (unpack it first)"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF", "a PDF document"),
        (b"PAR1", "a Parquet file"),
        (b"\x7fELF", "a program"),
        (b"MZ", "a Windows program"),
        (b"\xd0\xcf\x11\xe0", "an old Office document"),
        (b"\x37\x7f\x06\x82", "a SQLite write-ahead log (choose the database beside it)"),
    ];
    if head.starts_with(b"** This file contains an SQLite 2") {
        return "This is a database of SQLite 2; convert it to SQLite 3 first.".to_owned();
    }
    if head.get(4..19) == Some(b"Standard Jet DB") || head.get(4..19) == Some(b"Standard ACE DB") {
        return like("a Microsoft Access database");
    }
    if head.get(8..12) == Some(b"DUCK") {
        return like("a DuckDB database");
    }
    if head.starts_with(&[0x37, 0x7f, 0x06, 0x83]) || head.starts_with(&[0xd9, 0xd5, 0x05, 0xf9]) {
        return like("a SQLite journal (choose the database beside it)");
    }
    if let Some((_, what)) = KNOWN.iter().find(|(start, _)| head.starts_with(start)) {
        return like(what);
    }
    if head.starts_with(b"version https://git-lfs") {
        return like("a Git LFS pointer (fetch the file itself)");
    }
    if let Some(text) = as_text(head) {
        return like(text);
    }
    if MAGIC.starts_with(head) {
        return format!("The file is truncated: it ends after {len} bytes, inside its header.");
    }
    if head.iter().all(|byte| *byte == 0) {
        return "This is not a SQLite database: it starts with zeros only.".to_owned();
    }
    if bits_per_byte(head) > 7.2 {
        return "This is not a SQLite database that can be read: it starts like an encrypted file."
            .to_owned();
    }
    "This is not a SQLite database: its first bytes are not those of one.".to_owned()
}

fn as_text(head: &[u8]) -> Option<&'static str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The cut at HEADER_BYTES may fall inside a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')) {
        return None;
    }
    let start = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    Some(if start.starts_with("<!doctype") || start.starts_with("<html") {
        "a web page"
    } else if start.starts_with('{') || start.starts_with('[') {
        "JSON text"
    } else if ["select", "create", "insert", "with", "pragma", "begin", "--", "/*"]
        .iter()
        .any(|word| start.starts_with(word))
    {
        "SQL text (add it as a history)"
    } else {
        "text"
    })
}

/// Shannon entropy of the bytes, 8 at most.
fn bits_per_byte(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as f64;
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(share).map(|p| -p * p.log2()).sum()
}
