//! The only traits across the boundary between the pure modules and the machine they run on.
//!
//! In the page they are implemented over web workers (`browser`), in the command line over the
//! services of this crate directly.
#![allow(async_fn_in_trait)] // Every caller is single-threaded: a page, a worker, or the command line.

#[cfg(not(target_arch = "wasm32"))]
pub mod blocking;

use crate::db::{DbError, QueryLimits, ResultSet};
use crate::llm::{Cancel, Completion, Delta, LlmError, Request};

/// Why texts could not be embedded.
#[derive(Debug, Clone, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum EmbedError {
    /// The user asked to stop.
    #[error("Embedding was stopped.")]
    Cancelled,
    /// Anything else, as one sentence that says what happened and what to do.
    #[error("{0}")]
    Failed(String),
}

/// Turns texts into unit vectors.
pub trait Embed {
    /// Name of the encoder, stored with every vector file so that vectors of two encoders are never compared.
    fn encoder(&self) -> &str;

    /// One vector a text, in order; every vector has the encoder's dimension and L2 norm 1.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Runs a query on the open database, read-only.
pub trait Execute {
    /// Runs one SELECT under `limits`.
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError>;
}

/// Asks a language model.
pub trait Complete {
    /// The address of the server, part of the name under which answers are remembered.
    fn endpoint(&self) -> &str;

    /// Sends one request and reads its answer to the end; `on_delta` hears every piece as it arrives. Raising
    /// `cancel`, or dropping the future, closes the connection, so that the server stops working.
    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError>;
}
