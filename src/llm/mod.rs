//! Language models behind the OpenAI-compatible HTTP API: what is sent, what comes back, and what can go wrong.
//!
//! ```text
//! Endpoint ─┐
//! Request ──┴▶ port Complete (fetch in the page, HTTP in lab) ─▶ Reader (SSE or JSON) ─▶ Completion ─▶ extract
//! ```
//!
//! Nothing here does input or output: whoever implements [`crate::ports::Complete`] feeds bytes to a [`Reader`].

pub mod answer_log;
mod ask;
pub mod budget;
pub mod cache;
mod cancel;
pub mod chat;
pub mod diagnosis;
pub mod endpoint;
pub mod error;
pub mod extract;
pub mod models;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
pub mod patient;
pub mod provider;
pub mod reach;
pub mod response;
pub mod sse;
pub mod tokens;

pub use ask::{JsonAnswer, JsonFailure, ask_json, send};
pub use budget::Budgeted;
pub use cache::{Cache, Cached};
pub use cancel::Cancel;
pub use chat::{Completion, Delta, Finish, Logprob, Message, Request, Role, Usage};
pub use endpoint::{Endpoint, Key};
pub use error::LlmError;
pub use patient::Patient;
pub use response::{Head, Reader};

#[cfg(test)]
pub(crate) use ask::tests as ask_tests;
