//! From bytes to text: byte order marks, encodings, and files that are not text at all.

use std::borrow::Cow;

use super::ImportError;

/// The text of a file without its byte order mark: UTF-8, or UTF-16.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ImportError> {
    recognise_binary(bytes)?;
    let text: Cow<'_, str> = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?.into(),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?.into(),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest)?.into(),
        _ => match unmarked_utf16(bytes) {
            Some(unit) => utf16(bytes, unit)?.into(),
            None => utf8(bytes)?.into(),
        },
    };
    if text.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    if text.contains('\0') {
        return Err(ImportError::Binary("binary data".into()));
    }
    Ok(text)
}

fn utf8(bytes: &[u8]) -> Result<&str, ImportError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        // Zero bytes mark a binary file; without them the text is in a one-byte encoding.
        if bytes.contains(&0) {
            ImportError::Binary("binary data".into())
        } else {
            ImportError::Encoding { line: line_after(before), encoding: "UTF-8".into() }
        }
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, ImportError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    for decoded in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        match decoded {
            Ok(c) => text.push(c),
            Err(_) => return Err(not_utf16(&text)),
        }
    }
    if rest.is_empty() { Ok(text) } else { Err(not_utf16(&text)) }
}

/// A unit's order of bytes, where a text without a mark shows it: Latin letters have a zero byte, always on one side.
fn unmarked_utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    /// Pairs that are looked at.
    const LOOKED_AT: usize = 2_000;
    let pairs = bytes.as_chunks::<2>().0;
    let looked = pairs.get(..LOOKED_AT).unwrap_or(pairs);
    let zeros = |place: usize| looked.iter().filter(|pair| pair.get(place) == Some(&0)).count();
    match (zeros(0), zeros(1)) {
        (0, second) if second * 2 > looked.len() => Some(u16::from_le_bytes),
        (first, 0) if first * 2 > looked.len() => Some(u16::from_be_bytes),
        _ => None,
    }
}

fn not_utf16(before: &str) -> ImportError {
    ImportError::Encoding { line: line_after(before.as_bytes()), encoding: "UTF-16".into() }
}

fn line_after(before: &[u8]) -> u32 {
    u32::try_from(newlines(before)).unwrap_or(u32::MAX).saturating_add(1)
}

/// How many lines end in `bytes`.
pub(super) fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b == b'\n').count()
}

/// Turns byte positions that never go back into line numbers, in one pass over the text.
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line of the byte at `position`, 1-based.
    pub(super) fn at(&mut self, position: usize) -> u32 {
        let between = self.text.as_bytes().get(self.at..position).unwrap_or_default();
        self.line = self.line.saturating_add(u32::try_from(newlines(between)).unwrap_or(u32::MAX));
        self.at = self.at.max(position);
        self.line
    }
}

/// Names the well-known binary formats by their first bytes.
fn recognise_binary(bytes: &[u8]) -> Result<(), ImportError> {
    const ARCHIVES: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a zip archive or an Office file"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\xfd7zXZ", "an xz archive"),
        (b"BZh", "a bzip2 archive"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    ];
    const OTHERS: &[(&[u8], &str)] = &[
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF-", "a PDF document"),
        (b"PAR1", "a Parquet file"),
        (b"\x7fELF", "a program"),
        (b"\0asm", "a WebAssembly program"),
    ];
    if bytes.starts_with(b"SQLite format 3\0") {
        return Err(ImportError::Database);
    }
    let named = |list: &[(&[u8], &str)]| {
        list.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| (*name).to_owned())
    };
    match (named(ARCHIVES), named(OTHERS)) {
        (Some(name), _) => Err(ImportError::Archive(name)),
        (_, Some(name)) => Err(ImportError::Binary(name)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed_and_utf16_is_read() {
        let wanted = "SELECT 'ü🚢'";
        let units = |be: bool| -> Vec<u8> {
            let mark = '\u{feff}'.to_string() + wanted;
            mark.encode_utf16().flat_map(|u| if be { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
        };
        let marked = ['\u{feff}'.to_string().as_bytes(), wanted.as_bytes()].concat();
        for bytes in [wanted.as_bytes().to_vec(), marked, units(true), units(false)] {
            assert_eq!(decode(&bytes).as_deref(), Ok(wanted));
        }
        // Without a mark it is told by its zero bytes.
        for bytes in [units(true), units(false)] {
            assert_eq!(decode(&bytes[2..]).as_deref(), Ok(wanted));
        }
    }

    #[test]
    fn the_line_of_a_wrong_byte_is_named() {
        let error = ImportError::Encoding { line: 3, encoding: "UTF-8".into() };
        assert_eq!(decode(b"SELECT 1;\n\nSELECT '\xfc'"), Err(error));
        let half = ImportError::Encoding { line: 2, encoding: "UTF-16".into() };
        assert_eq!(decode(b"\xff\xfea\0\n\0x"), Err(half));
    }

    #[test]
    fn files_that_are_not_text_are_named() {
        let said = |bytes: &[u8]| decode(bytes).map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(said(b"").contains("empty"));
        assert!(said(b"\xef\xbb\xbf \r\n").contains("empty"));
        assert!(said(b"SQLite format 3\0....").contains("Open it as a database"));
        assert!(said(b"PK\x03\x04rest").contains("zip"));
        assert!(said(b"\x1f\x8b\x08").contains("gzip"));
        assert!(said(b"\x89PNG\r\n").contains("PNG image"));
        assert!(said(b"\x01\x02\0\xff").contains("binary"));
        assert!(said(b"SELECT\0 1").contains("binary"));
    }
}
