//! What the page and its embedder worker say to each other.
//!
//! Weights and vocabulary do not travel in these messages: they come beside [`Request::Load`] as two
//! JavaScript values (blobs) in an array, which the worker may read again when it loses its GPU.

use serde::{Deserialize, Serialize};

use super::device::{Backend, DevicePreference};
use super::measure::Speed;
use super::service::Progress;
use crate::ports::EmbedError;

/// From the page to the worker. Every request is answered once, with a [`Response`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Loads an encoder, instead of the one that was loaded before. Answered by [`Done::Loaded`].
    Load {
        /// Name of an [`super::EncoderSpec`]; `tiny` needs no files beside the message.
        encoder: String,
        /// Where it is to run.
        device: DevicePreference,
    },
    /// Embeds texts, with an [`Event`] after every batch. Answered by [`Done::Embedded`].
    Embed {
        /// The texts.
        texts: Vec<String>,
    },
    /// Stops an [`Request::Embed`] after its current batch; it then fails with
    /// [`EmbedError::Cancelled`]. Answered by [`Done::Cancelling`].
    Cancel {
        /// Number of the request to stop.
        request: u32,
    },
    /// Measures the loaded encoder. Answered by [`Done::Measured`].
    Measure,
}

/// From the worker to the page, once a request.
pub type Response = Result<Done, EmbedError>;

/// What a request came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Done {
    /// The encoder is ready.
    Loaded(Loaded),
    /// The vectors.
    Embedded(Vectors),
    /// The stop was noted.
    Cancelling,
    /// The speed of the loaded encoder.
    Measured(Vec<Speed>),
}

/// While a request runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A batch is done.
    Progress(Progress),
    /// The device changed under the work, which goes on: the GPU was lost.
    Moved(Loaded),
}

/// An encoder that is ready, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// Name of the encoder.
    pub encoder: String,
    /// Length of its vectors.
    pub dimension: usize,
    /// The kind of device.
    pub backend: Backend,
    /// The GPU's name, when it runs on one.
    pub adapter: Option<String>,
    /// One sentence for the user, when it does not run where it was meant to.
    pub notice: Option<String>,
}

/// Unit vectors end to end, `[texts, dimension]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vectors {
    /// Length of one vector.
    pub dimension: usize,
    /// The vectors' numbers.
    pub values: Vec<f32>,
}

impl Vectors {
    /// Lays vectors of one dimension end to end.
    pub fn from_rows(rows: &[Vec<f32>], dimension: usize) -> Self {
        Self { dimension, values: rows.concat() }
    }

    /// One vector a text.
    pub fn into_rows(self) -> Vec<Vec<f32>> {
        self.values.chunks_exact(self.dimension.max(1)).map(<[f32]>::to_vec).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_their_rows() {
        let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        let vectors = Vectors::from_rows(&rows, 2);
        assert_eq!(vectors.values, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(vectors.into_rows(), rows);
        assert!(Vectors::from_rows(&[], 384).into_rows().is_empty());
        assert!(Vectors { dimension: 0, values: Vec::new() }.into_rows().is_empty());
    }

    #[test]
    fn messages_survive_the_wire() {
        let response: Response = Ok(Done::Embedded(Vectors { dimension: 2, values: vec![0.6, 0.8] }));
        let bytes = postcard::to_stdvec(&response).unwrap();
        assert_eq!(postcard::from_bytes::<Response>(&bytes).unwrap(), response);
        let request = Request::Load { encoder: "tiny".to_owned(), device: DevicePreference::GpuForced };
        let bytes = postcard::to_stdvec(&request).unwrap();
        assert_eq!(postcard::from_bytes::<Request>(&bytes).unwrap(), request);
    }
}
