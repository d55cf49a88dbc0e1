//! One open database: opening bytes or a file, and running one query under limits.
//!
//! Read-only by construction: the image or file is opened read-only, `query_only` is on, an authorizer
//! refuses every action but reading, and SQLite is asked whether the prepared statement is read-only.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, MAIN_DB, ffi};

use super::raw::{self, Failure, Refused};
use super::{header, statement};
use crate::db::value::{DbError, QueryLimits, ResultColumn, ResultSet, Value};

/// Bytes of values that one result may hold before it is cut ([`ResultSet::more`] is then set).
pub const MAX_RESULT_BYTES: usize = 64 << 20;

/// Bytes that one value may have; a longer one is an error of the query.
const MAX_VALUE_BYTES: i32 = 128 << 20;

/// Bytes that SQLite allocates at once at most (its SQLITE_MAX_ALLOCATION_SIZE): a larger file cannot be held in memory.
const MAX_IMAGE_BYTES: u64 = 2_147_483_391;

/// Instructions of SQLite's virtual machine between two looks at the clock and the cancel flag.
const PROGRESS_OPS: i32 = 1_000;

/// What the machine supplies: pure code has no clock and no flags of its own.
pub struct Host {
    /// Milliseconds on a clock that only goes forward.
    pub now_ms: fn() -> f64,
    /// Whether the user asked to stop; asked every thousand instructions, so it must be cheap.
    pub cancelled: Box<dyn Fn() -> bool + Send>,
}

/// An open database. Dropping it closes it.
pub struct Database {
    // Dropped first: SQLite holds a pointer into `refused`.
    conn: Connection,
    refused: Arc<Refused>,
    watch: Arc<Watch>,
    now_ms: fn() -> f64,
    notices: Vec<String>,
}

const RUNNING: u8 = 0;
const LATE: u8 = 1;
const CANCELLED: u8 = 2;

/// What the progress handler looks at while a statement runs.
struct Watch {
    /// Bits of the time in milliseconds at which the statement ends.
    deadline: AtomicU64,
    /// Why it was ended.
    stopped: AtomicU8,
}

impl Database {
    /// Opens the bytes of a database file, as [`Self::from_reader`] does.
    pub fn from_bytes(bytes: Vec<u8>, host: Host) -> Result<Self, DbError> {
        Self::from_reader(bytes.len() as u64, bytes.as_slice(), host)
    }

    /// Reads a database file of `len` bytes into memory, once and to where SQLite uses it, and opens it there.
    ///
    /// An image in write-ahead-log mode is opened without its log and a notice says so.
    pub fn from_reader(len: u64, mut content: impl Read, host: Host) -> Result<Self, DbError> {
        let changed = |error: std::io::Error| {
            DbError::Open(format!("The file cannot be read: {error}. Choose it again."))
        };
        let mut head = Vec::new();
        content.by_ref().take(header::HEADER_BYTES as u64).read_to_end(&mut head).map_err(changed)?;
        let found = header::check(&head, len)?;
        let mut notices = Vec::new();
        if found.wal {
            // SQLite cannot open an image in WAL mode: there is no file beside it for the log.
            if let Some(versions) = head.get_mut(18..20) {
                versions.fill(1);
            }
            notices.push(
                "The database is in write-ahead-log mode. Changes that were not yet checkpointed are not in this \
                file; its owner can put them in with PRAGMA wal_checkpoint(TRUNCATE)."
                    .to_owned(),
            );
        }
        let size = usize::try_from(len).ok().filter(|_| len <= MAX_IMAGE_BYTES);
        let size = size.ok_or_else(|| too_large(len, "the limit is 2.1 GB"))?;
        let mut conn = Connection::open_in_memory().map_err(open_error)?;
        conn.deserialize_read_exact(MAIN_DB, head.as_slice().chain(content), size, true).map_err(
            |error| match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::OutOfMemory) => {
                    too_large(len, "this much memory is not to be had here")
                }
                _ => open_error(error),
            },
        )?;
        Self::guarded(conn, host, notices)
    }

    /// Opens a file, never writing to it nor beside it unless a log or journal already lies there.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn from_path(path: &std::path::Path, host: Host) -> Result<Self, DbError> {
        use rusqlite::OpenFlags;

        let unreadable = |error: std::io::Error| DbError::Open(format!("The file cannot be read: {error}."));
        let mut file = std::fs::File::open(path).map_err(unreadable)?;
        let meta = file.metadata().map_err(unreadable)?;
        if meta.is_dir() {
            return Err(DbError::Open("This is a folder, not a database.".to_owned()));
        }
        let mut head = Vec::new();
        file.by_ref().take(header::HEADER_BYTES as u64).read_to_end(&mut head).map_err(unreadable)?;
        drop(file);
        let head = header::check(&head, meta.len())?;

        let beside = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            std::path::Path::new(&name).exists()
        };
        let live = (head.wal && beside("-wal")) || beside("-journal");
        let full = std::path::absolute(path).map_err(unreadable)?;
        let Some(full) = full.to_str() else {
            return Err(DbError::Open("The path of the file is not valid UTF-8.".to_owned()));
        };
        let uri = format!("file:{}?mode=ro{}", percent(full), if live { "" } else { "&immutable=1" });
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let conn = Connection::open_with_flags(uri, flags).map_err(open_error)?;
        Self::guarded(conn, host, Vec::new())
    }

    fn guarded(mut conn: Connection, host: Host, notices: Vec<String>) -> Result<Self, DbError> {
        let watch = Arc::new(Watch {
            deadline: AtomicU64::new(f64::INFINITY.to_bits()),
            stopped: AtomicU8::new(RUNNING),
        });
        let Host { now_ms, cancelled } = host;
        let seen = Arc::clone(&watch);
        let stop = move || {
            let why = if cancelled() {
                CANCELLED
            } else if now_ms() >= f64::from_bits(seen.deadline.load(Ordering::Relaxed)) {
                LATE
            } else {
                return false;
            };
            seen.stopped.store(why, Ordering::Relaxed);
            true
        };
        let setup = |conn: &mut Connection| -> rusqlite::Result<()> {
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
            conn.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 16 << 20)?;
            // Each wildcard of a pattern is a call deep, and a worker's stack is small.
            conn.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 5_000)?;
            conn.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
            conn.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
            conn.execute_batch("PRAGMA query_only = ON")?;
            conn.progress_handler(PROGRESS_OPS, Some(stop))
        };
        setup(&mut conn).map_err(open_error)?;
        // Reads the whole schema, so that damage shows now and not at the first query.
        let virtual_tables = read_schema(&conn)?;
        // A virtual table prepares its own statements when it connects, some of them writes that the
        // read-only image refuses anyway: connect before the authorizer listens. One that fails to
        // connect fails again, with its message, where it is used.
        for name in virtual_tables {
            let _ = raw::prepare(&conn, &format!("SELECT 1 FROM {}", crate::db::quote_ident(&name)));
        }
        let refused = raw::authorize(&conn);
        Ok(Self { conn, refused, watch, now_ms, notices })
    }

    /// What the user should know about this file.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The host's clock.
    pub(super) fn now_ms(&self) -> f64 {
        (self.now_ms)()
    }

    /// Runs one query under `limits`.
    ///
    /// The result is cut, and says so in [`ResultSet::more`], at `max_rows` rows or at
    /// [`MAX_RESULT_BYTES`] bytes of values.
    pub fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        self.query(sql, &[], limits)
    }

    /// [`Self::execute`] with texts for the parameters `?1`, `?2`, …
    pub(super) fn query(&self, sql: &str, texts: &[&str], limits: QueryLimits) -> Result<ResultSet, DbError> {
        let started = self.now_ms();
        let deadline = started + f64::from(limits.timeout_ms);
        self.watch.deadline.store(deadline.to_bits(), Ordering::Relaxed);
        self.watch.stopped.store(RUNNING, Ordering::Relaxed);
        self.refused.take();
        let mut result =
            self.run(sql, texts, limits.max_rows).map_err(|error| self.explain(error, sql, limits))?;
        result.elapsed_ms = self.now_ms() - started;
        Ok(result)
    }

    fn run(&self, sql: &str, texts: &[&str], max_rows: usize) -> Result<ResultSet, Stop> {
        let mut statement = self.prepare_one(sql)?;
        if !statement.readonly() {
            return Err(Stop::Writes);
        }
        if statement.parameter_count() != texts.len() {
            return Err(Stop::Refused(
                "the query has parameters; write their values into it".to_owned(),
                None,
            ));
        }
        for (i, text) in texts.iter().enumerate() {
            statement.bind_text(i + 1, text)?;
        }
        let width = statement.column_count();
        let columns = (0..width).map(|i| ResultColumn { name: statement.column_name(i) }).collect();
        let mut result = ResultSet { columns, ..ResultSet::default() };
        let mut bytes = 0_usize;
        while statement.step()? {
            let row_bytes =
                (0..width).map(|i| statement.size(i).saturating_add(8)).fold(0, usize::saturating_add);
            bytes = bytes.saturating_add(row_bytes);
            if result.rows.len() >= max_rows || bytes > MAX_RESULT_BYTES {
                result.more = true;
                break;
            }
            let row: Result<Vec<Value>, Failure> = (0..width).map(|i| statement.value(i)).collect();
            result.rows.push(row?);
        }
        Ok(result)
    }

    /// Prepares the only statement of `sql`.
    fn prepare_one(&self, sql: &str) -> Result<raw::Statement<'_>, Stop> {
        if let Some(at) = sql.find('\0') {
            return Err(Stop::Refused("the SQL contains a NUL character".to_owned(), Some(at)));
        }
        let (mut found, mut at) = (None, 0);
        while let Some(rest) = sql.get(at..).filter(|rest| !rest.is_empty()) {
            let (statement, length) = match raw::prepare(&self.conn, rest) {
                Ok(answer) => answer,
                // A later statement with an error of its own is still a later statement.
                Err(_) if found.is_some() => return Err(several(rest, at)),
                Err(mut failure) => {
                    failure.offset = failure.offset.map(|offset| offset.saturating_add(at as u32));
                    return Err(failure.into());
                }
            };
            match statement {
                Some(_) if found.is_some() => return Err(several(rest, at)),
                Some(statement) => found = Some(statement),
                None => {}
            }
            if length == 0 {
                break;
            }
            at += length;
        }
        found.ok_or_else(|| Stop::Refused("there is no SQL here".to_owned(), None))
    }

    /// Turns a stop into the error that the user sees.
    fn explain(&self, stop: Stop, sql: &str, limits: QueryLimits) -> DbError {
        let refusal = self.refused.take();
        match stop {
            Stop::Writes => statement::refused(sql, refusal.as_deref()),
            Stop::Refused(message, offset) => {
                DbError::Sql { message, offset: offset.and_then(|at| u32::try_from(at).ok()) }
            }
            Stop::Sqlite(Failure { code, message, offset }) => match (code, refusal) {
                (ffi::SQLITE_INTERRUPT, _) => match self.watch.stopped.load(Ordering::Relaxed) {
                    CANCELLED => DbError::Cancelled,
                    _ => DbError::Timeout(limits.timeout_ms),
                },
                (ffi::SQLITE_READONLY, refusal) => statement::refused(sql, refusal.as_deref()),
                (_, Some(refusal)) if !refusal.starts_with("function ") => {
                    statement::refused(sql, Some(&refusal))
                }
                (ffi::SQLITE_NOMEM, _) => {
                    DbError::Sql { message: "the query needs more memory than there is".to_owned(), offset }
                }
                _ => DbError::Sql { message, offset },
            },
        }
    }
}

/// Why a query ended without a result.
enum Stop {
    /// SQLite said so.
    Sqlite(Failure),
    /// The statement is not read-only.
    Writes,
    /// The text is refused, with the byte where.
    Refused(String, Option<usize>),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Sqlite(failure)
    }
}

fn several(rest: &str, at: usize) -> Stop {
    let start = at + (rest.len() - rest.trim_start().len());
    Stop::Refused("there is more than one statement here; only one runs at a time".to_owned(), Some(start))
}

/// Names of the virtual tables, after SQLite has read the whole schema.
fn read_schema(conn: &Connection) -> Result<Vec<String>, DbError> {
    let damaged = |failure: Failure| {
        DbError::Open(match failure.code {
            ffi::SQLITE_NOTADB => {
                "The file starts like SQLite, but what follows cannot be read: it is encrypted or damaged."
                    .to_owned()
            }
            ffi::SQLITE_CANTOPEN | ffi::SQLITE_READONLY | ffi::SQLITE_BUSY => format!(
                "The database is in use by another program or was left in the middle of a change ({}).",
                failure.message
            ),
            _ => format!("The database is damaged: {}.", failure.message),
        })
    };
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'";
    let mut names = Vec::new();
    if let (Some(mut statement), _) = raw::prepare(conn, sql).map_err(damaged)? {
        while statement.step().map_err(damaged)? {
            if let Value::Text(name) = statement.value(0).map_err(damaged)? {
                names.push(name);
            }
        }
    }
    Ok(names)
}

fn too_large(len: u64, why: &str) -> DbError {
    DbError::Open(format!(
        "The file is too large: it has {:.1} GB, a database is held in memory, and {why}. Open a copy with fewer rows.",
        len as f64 / 1e9
    ))
}

fn open_error(error: rusqlite::Error) -> DbError {
    DbError::Open(format!("The database cannot be opened: {error}."))
}

/// A path as SQLite's URI filenames want it.
#[cfg(not(target_arch = "wasm32"))]
fn percent(path: &str) -> String {
    path.chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
#[path = "service_tests.rs"]
pub(crate) mod tests;
