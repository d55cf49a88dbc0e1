//! From a question to SQL.

pub mod adapt;
pub mod ask;
pub mod direct;
pub mod sql_o1;
pub mod staged;
pub mod ways;

pub use ask::{Sources, ask};
pub use ways::{Adapt, Answered, ByModel, NoAnswer, Pipeline};
