//! Sentence embeddings: texts to unit vectors with BERT-type encoders in burn.
//!
//! [`encoder`] is what calculates: natively and in the page's embedder worker. The page itself is built without it
//! (feature `encoder`) and knows which encoders there are ([`spec`]), where one may run ([`device`]) and how to talk
//! to the worker ([`protocol`]).

pub mod device;
#[cfg(feature = "encoder")]
pub mod encoder;
pub mod protocol;
pub mod spec;
pub mod tokenizer;
pub mod weights;

#[cfg(feature = "encoder")]
pub use encoder::Encoder;
pub use spec::{ALL_MINILM_L6_V2, ALL_MPNET_BASE_V2, EncoderSpec, TINY};
