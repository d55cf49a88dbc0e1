//! SQL: parsing with sqlparser (SQLite dialect), the schema, components and their skeletons.

mod bird;
pub mod components;
mod lexer;
pub mod parse;
mod position;
pub mod schema;
mod scope;
mod skeleton;
pub mod statements;
pub mod tokens;

pub use components::{Component, ComponentType, split};
pub use parse::{SqlError, parse_query};
pub use schema::{Column, ForeignKey, Schema, Table};
pub use statements::{Statement, statements};
pub use tokens::{Token, TokenKind, tokenize};
