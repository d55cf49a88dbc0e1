//! From a question to SQL.

pub mod adapt;
pub mod ask;

pub use ask::{Sources, ask};
