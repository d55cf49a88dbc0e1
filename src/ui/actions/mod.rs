//! What the user can set in motion. Each action reads signals, calls the pure modules and the engine,
//! and writes signals; the views only bind to them.

pub mod answers;
pub mod archive;
pub mod ask;
mod compare;
pub mod diagnostics;
mod direct;
pub mod edit;
pub mod encoder;
pub mod experiment;
pub mod history;
pub mod keep;
pub mod link;
pub mod model;
pub mod save;
pub mod tasks;
pub mod workspace;

pub use crate::browser::time::now;
pub use crate::browser::time::turn as breathe;

/// Longest piece of work between two breaths, in milliseconds: under one frame.
pub const SLICE_MS: f64 = 12.0;
