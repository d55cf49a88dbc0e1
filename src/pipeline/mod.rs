//! From a question to SQL.

pub mod adapt;
pub mod ask;
pub mod direct;
pub mod staged;
pub mod ways;

pub use ask::{Sources, ask};
pub use ways::{Adapt, Answered, ByModel, NoAnswer, Pipeline, Way};
