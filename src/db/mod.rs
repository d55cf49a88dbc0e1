//! SQLite, read-only and with limits.
//!
//! [`engine`] is SQLite and what runs in it, in the database worker and natively. The page is built without it (feature
//! `sqlite`) and knows what it answers ([`value`], [`overview`]) and how to ask ([`protocol`]).

pub(crate) mod cell;
#[cfg(feature = "sqlite")]
pub mod engine;
pub mod notes;
pub mod overview;
pub mod protocol;
pub mod value;

#[cfg(feature = "sqlite")]
pub use engine::service::{Database, Host};
#[cfg(feature = "sqlite")]
pub use engine::{introspect, session};
pub use overview::{ColumnInfo, DistinctValues, Overview, TableInfo};
pub use value::{DbError, QueryLimits, ResultColumn, ResultSet, Value};

/// A name as a quoted SQL identifier.
pub fn quote_ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
