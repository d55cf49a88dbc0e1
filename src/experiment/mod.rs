//! Experiments: tasks × retrievers × pipelines with one model, as the page and the command line run them.
//!
//! ```text
//! Setup ─▶ cells (pipeline, retriever) ─▶ work (so many at a time) ─▶ answer one task ─▶ Outcome ─▶ run file
//!                                                   ▲ Patient, Cached, Budgeted before the model
//! ```
//!
//! Nothing here knows a clock or a file: the caller passes times and keeps what comes.

pub mod answer;
pub mod estimate;
pub mod kept;
mod known;
pub mod retriever;
pub mod scoring;
pub mod setup;
pub mod told;
pub mod work;

#[cfg(all(test, feature = "sqlite"))]
mod tests;

pub use answer::{Answering, Counted, Ended, Queries, Subject};
pub use known::Known;
pub use retriever::Prepared;
pub use setup::{By, Cell, Setup};
pub use work::{InOrder, Next, work};

/// Requests of one answer at most while its server is busy.
pub const TRIES: u32 = 6;
