//! SQLite itself, in the database worker and natively: opening bytes, reading the schema, running queries.

mod guard;
mod header;
pub mod introspect;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
mod raw;
mod samples;
pub mod service;
pub mod session;
mod statement;
pub mod values;

/// The version of SQLite.
pub fn version() -> &'static str {
    rusqlite::version()
}
