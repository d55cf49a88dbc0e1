//! SQLite, read-only and with limits: opening bytes, reading the schema, running queries.

pub mod value;

pub use value::{DbError, QueryLimits, ResultColumn, ResultSet, Value};
