//! Weights of evidence before a history is seen, fitted by `cargo run --example fit_select`.
#![cfg_attr(rustfmt, rustfmt_skip)]

use super::evidence::{Row, WIDTH};
use super::fit::Weights;

/// Weights of the scaled evidence, and the intercept.
pub(super) const WEIGHTS: Weights = [0.0; WIDTH + 1];
/// Mean of each number of evidence.
pub(super) const MEAN: Row = [0.0; WIDTH];
/// Standard deviation of each.
pub(super) const SPREAD: Row = [1.0; WIDTH];
