//! Tasks and scoring.

pub mod align;
mod cell;
pub mod compare;
mod permutation;
pub mod retrieval_metrics;
#[cfg(feature = "sqlite")]
pub mod run;
#[cfg(feature = "sqlite")]
pub mod score;
mod sentence;
pub mod task;
