//! Query histories: reading them, merging them into a knowledge base, keeping it.
//!
//! ```text
//! file ─▶ import::inspect ─▶ Plan ─▶ import::read ─▶ RawHistory ─▶ Builder ─▶ KnowledgeBase, Report
//!                                                                     KnowledgeBase ◀─▶ store
//! ```

pub mod builder;
pub mod entry;
pub mod import;
pub mod knowledge;
pub mod lookup;
mod normal;
pub mod report;
pub mod store;
mod tables;

pub use builder::Builder;
pub use entry::Entry;
pub use knowledge::{Edit, Item, KnowledgeBase, Occurrence};
pub use normal::key as query_key;
pub use report::Report;

/// Long work in steps that are short, so that a page can do other things between them.
pub trait Stepwise {
    /// Does one step; false when there was none left.
    fn step(&mut self) -> bool;
    /// How much is done, and of how much.
    fn progress(&self) -> (usize, usize);
}
