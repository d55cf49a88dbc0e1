//! The native host of a database: the process's clock and a flag, for the command line and tests.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::service::{Database, Host};
use crate::db::value::{DbError, QueryLimits, ResultSet};
use crate::ports::Execute;

/// Milliseconds since the first call in this process.
pub fn now_ms() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}

/// The version of SQLite.
pub fn engine() -> &'static str {
    rusqlite::version()
}

impl Host {
    /// The process's clock and a flag that ends the running query when it is raised.
    pub fn native(cancel: Arc<AtomicBool>) -> Self {
        Self { now_ms, cancelled: Box::new(move || cancel.load(Ordering::Relaxed)) }
    }
}

impl Default for Host {
    /// The process's clock; nothing cancels.
    fn default() -> Self {
        Self { now_ms, cancelled: Box::new(|| false) }
    }
}

impl Execute for Database {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        Self::execute(self, sql, limits)
    }
}
