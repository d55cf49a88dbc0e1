//! From a question to SQL.

pub mod adapt;
pub mod ask;
pub mod codes;
pub mod dail_sql;
pub mod direct;
pub mod n_rep;
pub mod opensearch_sql;
pub mod sql_o1;
pub mod staged;
#[cfg(test)]
mod tests_common;
pub mod ways;

pub use ask::{Sources, ask};
pub use ways::{Adapt, Answered, ByModel, NoAnswer, Options, Pipeline, Way};
