//! SQL: parsing with sqlparser (SQLite dialect), the schema, components and their skeletons.

pub mod components;
pub mod parse;
pub mod schema;

pub use components::{Component, ComponentType, split};
pub use parse::SqlError;
pub use schema::{Column, ForeignKey, Schema, Table};
