//! SQL: parsing with sqlparser (SQLite dialect), the schema, components and their skeletons.

pub(crate) mod batch;
mod bird;
pub mod components;
pub mod describe;
pub mod dialect;
mod lexer;
pub mod literals;
pub(crate) mod missing;
pub mod nearest;
pub mod parse;
mod position;
#[cfg(test)]
mod properties;
pub mod rewrite;
pub mod schema;
mod scope;
pub mod shape;
mod skeleton;
pub mod statements;
mod systems;
pub mod tokens;

pub use components::{Component, ComponentType, split};
pub use describe::{Description, describe, summarize};
pub use literals::{BoundLiteral, LiteralValue, Operator, literals};
pub use parse::{SqlError, parse_query};
pub use schema::{Column, ForeignKey, Schema, Table};
pub use shape::{Shape, shape};
pub use statements::{Statement, statements};
pub use tokens::{Token, TokenKind, tokenize};

#[cfg(test)]
mod tests;
