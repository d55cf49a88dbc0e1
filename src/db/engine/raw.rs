//! Statements over SQLite's C interface, the only unsafe code of this module.
//!
//! rusqlite's own statements panic on names that are not UTF-8 and on exhausted memory, and a panic
//! ends the page's worker; here both are values.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, ffi};

use super::guard;
use crate::db::value::Value;

/// What SQLite answered instead of a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failure {
    /// Primary result code.
    pub code: c_int,
    /// SQLite's message.
    pub message: String,
    /// Byte offset of the offending token, where SQLite names it.
    pub offset: Option<u32>,
}

/// A prepared statement; finalized when dropped.
pub(super) struct Statement<'c> {
    stmt: *mut ffi::sqlite3_stmt,
    conn: &'c Connection,
}

/// The text behind a C string that may be null and may not be UTF-8.
///
/// # Safety
/// `text` is null or points to a string ended by NUL that lives during the call.
unsafe fn lossy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn failure(conn: &Connection, code: c_int) -> Failure {
    // SAFETY: the connection is open while it is borrowed; the message is copied before any other call.
    unsafe {
        let db = conn.handle();
        let offset = ffi::sqlite3_error_offset(db);
        Failure {
            code: code & 0xff,
            message: lossy(ffi::sqlite3_errmsg(db)),
            offset: u32::try_from(offset).ok(),
        }
    }
}

/// Prepares the first statement of `sql`; None where there is only white space and comments before
/// the next semicolon or the end. The number is where the rest begins.
pub(super) fn prepare<'c>(
    conn: &'c Connection,
    sql: &str,
) -> Result<(Option<Statement<'c>>, usize), Failure> {
    let Ok(len) = c_int::try_from(sql.len()) else {
        return Err(Failure {
            code: ffi::SQLITE_TOOBIG,
            message: "the SQL is too long".into(),
            offset: None,
        });
    };
    let mut stmt = ptr::null_mut();
    let mut tail: *const c_char = ptr::null();
    let start = sql.as_ptr().cast::<c_char>();
    // SAFETY: `start` is valid for `len` bytes; the out pointers live on this frame.
    let code = unsafe { ffi::sqlite3_prepare_v3(conn.handle(), start, len, 0, &raw mut stmt, &raw mut tail) };
    if code != ffi::SQLITE_OK {
        return Err(failure(conn, code));
    }
    let rest = if tail.is_null() { sql.len() } else { (tail as usize).saturating_sub(start as usize) };
    let statement = (!stmt.is_null()).then_some(Statement { stmt, conn });
    Ok((statement, rest.min(sql.len())))
}

impl Statement<'_> {
    /// Number of result columns.
    pub fn column_count(&self) -> usize {
        // SAFETY: `stmt` is live until drop.
        usize::try_from(unsafe { ffi::sqlite3_column_count(self.stmt) }).unwrap_or(0)
    }

    /// Name of a result column, with replacement characters where it is not UTF-8.
    pub fn column_name(&self, column: usize) -> String {
        // SAFETY: SQLite answers null outside the range; the name is copied at once.
        unsafe { lossy(ffi::sqlite3_column_name(self.stmt, column as c_int)) }
    }

    /// Whether SQLite itself says that running this changes nothing.
    pub fn readonly(&self) -> bool {
        // SAFETY: `stmt` is live until drop.
        unsafe { ffi::sqlite3_stmt_readonly(self.stmt) != 0 }
    }

    /// Number of parameters without a value.
    pub fn parameter_count(&self) -> usize {
        // SAFETY: `stmt` is live until drop.
        usize::try_from(unsafe { ffi::sqlite3_bind_parameter_count(self.stmt) }).unwrap_or(0)
    }

    /// Gives parameter `index` (from 1) a text.
    pub fn bind_text(&mut self, index: usize, text: &str) -> Result<(), Failure> {
        let len = c_int::try_from(text.len()).unwrap_or(c_int::MAX);
        // SAFETY: the text is valid for `len` bytes and SQLITE_TRANSIENT makes SQLite copy it.
        let code = unsafe {
            ffi::sqlite3_bind_text(
                self.stmt,
                index as c_int,
                text.as_ptr().cast(),
                len,
                ffi::SQLITE_TRANSIENT(),
            )
        };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(failure(self.conn, code)) }
    }

    /// Goes to the next row; false at the end.
    pub fn step(&mut self) -> Result<bool, Failure> {
        // SAFETY: `stmt` is live until drop.
        match unsafe { ffi::sqlite3_step(self.stmt) } {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => Ok(false),
            code => Err(failure(self.conn, code)),
        }
    }

    /// Bytes of memory that the value of `column` needs beyond its slot.
    pub fn size(&self, column: usize) -> usize {
        // SAFETY: only text and blobs are asked, so no number is converted to text.
        unsafe {
            match ffi::sqlite3_column_type(self.stmt, column as c_int) {
                ffi::SQLITE_TEXT | ffi::SQLITE_BLOB => {
                    usize::try_from(ffi::sqlite3_column_bytes(self.stmt, column as c_int)).unwrap_or(0)
                }
                _ => 0,
            }
        }
    }

    /// The value of `column` in this row.
    pub fn value(&self, column: usize) -> Result<Value, Failure> {
        let i = column as c_int;
        // SAFETY: the row is current; pointers are read before the next call on the statement.
        unsafe {
            Ok(match ffi::sqlite3_column_type(self.stmt, i) {
                ffi::SQLITE_INTEGER => Value::Integer(ffi::sqlite3_column_int64(self.stmt, i)),
                ffi::SQLITE_FLOAT => Value::Real(ffi::sqlite3_column_double(self.stmt, i)),
                ffi::SQLITE_TEXT => {
                    let text = ffi::sqlite3_column_text(self.stmt, i);
                    let bytes = self.bytes(text.cast(), i)?;
                    match String::from_utf8(bytes) {
                        Ok(text) => Value::Text(text),
                        Err(error) => Value::InvalidText(error.into_bytes()),
                    }
                }
                ffi::SQLITE_BLOB => {
                    let blob = ffi::sqlite3_column_blob(self.stmt, i);
                    Value::Blob(self.bytes(blob.cast(), i)?)
                }
                _ => Value::Null,
            })
        }
    }

    /// # Safety
    /// `start` is what SQLite answered for this column of the current row.
    unsafe fn bytes(&self, start: *const u8, column: c_int) -> Result<Vec<u8>, Failure> {
        // SAFETY: `sqlite3_column_bytes` is the length of what `start` points to.
        unsafe {
            let len = usize::try_from(ffi::sqlite3_column_bytes(self.stmt, column)).unwrap_or(0);
            if len == 0 {
                return Ok(Vec::new());
            }
            if start.is_null() {
                return Err(failure(self.conn, ffi::SQLITE_NOMEM));
            }
            Ok(std::slice::from_raw_parts(start, len).to_vec())
        }
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: `stmt` came from prepare and is finalized once.
        unsafe {
            ffi::sqlite3_finalize(self.stmt);
        }
    }
}

/// The first refusal of the authorizer since the last [`Refused::take`].
#[derive(Debug, Default)]
pub(super) struct Refused(Mutex<Option<String>>);

impl Refused {
    /// The refusal, leaving none.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, refusal: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(refusal);
    }
}

/// Asks [`guard::decide`] about every action of every statement prepared from now on.
///
/// The caller keeps what is returned until the connection is closed: SQLite holds a pointer into it.
pub(super) fn authorize(conn: &Connection) -> Arc<Refused> {
    unsafe extern "C" fn ask(
        refused: *mut c_void,
        action: c_int,
        first: *const c_char,
        second: *const c_char,
        _database: *const c_char,
        _accessor: *const c_char,
    ) -> c_int {
        // SAFETY: SQLite hands over strings that live during the call, and the pointer of `authorize`.
        unsafe {
            let Err(refusal) = guard::decide(action, || lossy(first), || lossy(second)) else {
                return ffi::SQLITE_OK;
            };
            (*refused.cast_const().cast::<Refused>()).keep(refusal);
            ffi::SQLITE_DENY
        }
    }
    let refused = Arc::<Refused>::default();
    // SAFETY: the caller keeps the Arc for as long as the connection is open.
    unsafe {
        ffi::sqlite3_set_authorizer(conn.handle(), Some(ask), Arc::as_ptr(&refused).cast_mut().cast());
    }
    refused
}
