//! Where a zip file is written to when one part of it need not be kept: that part is counted only.

use std::cell::Cell;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

/// All that is written, except what came while `passing` was set.
#[derive(Debug, Default)]
pub(super) struct Sink {
    /// What comes before the part that is not kept.
    pub(super) head: Vec<u8>,
    /// The size of that part.
    passed: u64,
    /// What comes after it.
    pub(super) tail: Vec<u8>,
    position: u64,
    /// Whether bytes are counted and not kept.
    pub(super) passing: Cell<bool>,
}

impl Sink {
    /// Where the tail begins.
    fn after(&self) -> u64 {
        self.head.len() as u64 + self.passed
    }
}

/// Writes over the bytes from `offset` on, and past their end.
fn put(kept: &mut Vec<u8>, offset: u64, bytes: &[u8]) -> io::Result<usize> {
    let offset = usize::try_from(offset).ok().filter(|o| *o <= kept.len()).ok_or(ErrorKind::InvalidInput)?;
    let over = bytes.len().min(kept.len() - offset);
    for (to, from) in kept.iter_mut().skip(offset).zip(bytes) {
        *to = *from;
    }
    kept.extend(bytes.iter().skip(over));
    Ok(bytes.len())
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let head = self.head.len() as u64;
        let written = if self.passing.get() {
            if self.position != self.after() || !self.tail.is_empty() {
                return Err(ErrorKind::InvalidInput.into());
            }
            self.passed += bytes.len() as u64;
            bytes.len()
        } else if self.passed == 0 {
            put(&mut self.head, self.position, bytes)?
        } else if self.position < head {
            let room = usize::try_from(head - self.position).unwrap_or(usize::MAX).min(bytes.len());
            put(&mut self.head, self.position, bytes.get(..room).unwrap_or_default())?
        } else {
            let offset = self.position.checked_sub(self.after()).ok_or(ErrorKind::InvalidInput)?;
            put(&mut self.tail, offset, bytes)?
        };
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let end = self.after() + self.tail.len() as u64;
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => end.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
