//! Sentence embeddings: texts to unit vectors with BERT-type encoders in burn.
//!
//! [`Encoder`] is the way in: [`tokenizer`] cuts a text into tokens, [`bert`] turns tokens into vectors,
//! [`pooling`] makes one vector a text. The same code runs natively and in the page's embedder worker.

pub mod batch;
pub mod bert;
pub mod device;
pub mod measure;
pub mod pooling;
pub mod protocol;
pub mod service;
pub mod spec;
pub mod tiny;
pub mod tokenizer;
pub mod weights;

pub use service::{Encoder, LoadError, Progress};
pub use spec::{ALL_MINILM_L6_V2, ALL_MPNET_BASE_V2, EncoderSpec, TINY};

#[cfg(test)]
mod tests;
