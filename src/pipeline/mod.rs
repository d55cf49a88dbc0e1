//! From a question to SQL.

pub mod adapt;
pub mod ask;
pub mod codes;
pub mod dail_sql;
pub mod direct;
pub mod staged;
#[cfg(test)]
mod tests_common;
pub mod ways;

pub use ask::{Sources, ask};
pub use ways::{Adapt, Answered, ByModel, NoAnswer, Options, Pipeline, Way};
