//! The workers of one page.

use super::database::Database;
use super::embedder::Embedder;

/// The workers of one page, started when first needed.
#[derive(Default)]
pub struct Engine {
    /// SQLite.
    pub database: Database,
    /// The encoder.
    pub embedder: Embedder,
}
