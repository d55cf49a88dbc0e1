//! Tasks, and scoring in the modes of published benchmarks.

pub mod align;
pub mod check;
pub mod compare;
pub mod interval;
pub mod modes;
mod permutation;
pub mod retrieval_metrics;
pub mod run;
pub mod score;
mod sentence;
pub mod stats;
pub mod sweep;
pub mod task;

use crate::db::cell;
