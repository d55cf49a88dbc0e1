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
pub use report::Report;
