//! From a question to SQL.

pub mod adapt;
