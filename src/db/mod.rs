//! SQLite, read-only and with limits: opening bytes, reading the schema, running queries.

mod guard;
mod header;
pub mod introspect;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
pub mod notes;
pub mod protocol;
mod raw;
mod samples;
pub mod service;
mod statement;
pub mod value;
pub mod values;

pub use introspect::{Overview, TableInfo};
pub use samples::ColumnInfo;
pub use service::{Database, Host};
pub use value::{DbError, QueryLimits, ResultColumn, ResultSet, Value};

/// A name as a quoted SQL identifier.
pub fn quote_ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
