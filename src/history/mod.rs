//! Query histories: reading them, merging them into a knowledge base, keeping it.

pub mod entry;
pub mod knowledge;

pub use entry::Entry;
pub use knowledge::{Item, KnowledgeBase, Occurrence};
