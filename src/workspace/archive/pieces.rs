//! A file of which only some ranges are in memory.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// Reads what is there; the first position that is not there is noted, and reading it fails.
#[derive(Debug)]
pub(super) struct Pieces {
    len: u64,
    position: u64,
    pieces: Vec<(u64, Vec<u8>)>,
    /// Where reading failed for want of bytes.
    pub(super) missing: Option<u64>,
}

impl Pieces {
    pub(super) fn new(len: u64) -> Self {
        Self { len, position: 0, pieces: Vec::new(), missing: None }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn add(&mut self, start: u64, bytes: Vec<u8>) {
        self.pieces.push((start, bytes));
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.len || into.is_empty() {
            return Ok(0);
        }
        let here = self.pieces.iter().find_map(|(start, bytes)| {
            let offset = usize::try_from(self.position.checked_sub(*start)?).ok()?;
            bytes.get(offset..).filter(|rest| !rest.is_empty())
        });
        let Some(here) = here else {
            self.missing.get_or_insert(self.position);
            return Err(ErrorKind::WouldBlock.into());
        };
        let n = here.len().min(into.len());
        for (to, from) in into.iter_mut().zip(here) {
            *to = *from;
        }
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for Pieces {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
