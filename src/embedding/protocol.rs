//! What the page and its embedder worker say to each other.
//!
//! Weights and vocabulary do not travel in these messages: they come beside [`Request::Load`] as two
//! JavaScript values (blobs) in an array, which the worker may read again when it loses its GPU.

use serde::{Deserialize, Serialize};

pub use super::device::DevicePreference;

/// From the page to the worker. Every request is answered once, with a [`Response`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Loads an encoder, instead of the one that was loaded before. Answered by [`Response::Loaded`].
    Load {
        /// Name of an [`super::EncoderSpec`]; `tiny` needs no files beside the message.
        encoder: String,
        /// Where it is to run.
        device: DevicePreference,
    },
    /// Embeds texts. Answered by [`Response::Vectors`]. The page stops bulk work by sending no more of it.
    Embed {
        /// The texts.
        texts: Vec<String>,
    },
    /// Measures the loaded encoder. Answered by [`Response::Measured`].
    Measure,
    /// How much memory the worker has taken. Answered by [`Response::Memory`].
    Memory,
}

/// From the worker to the page, once a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// The encoder is ready.
    Loaded(Loaded),
    /// Unit vectors end to end, in the order of the texts.
    Vectors {
        /// Length of one vector.
        dimension: usize,
        /// The vectors' numbers, `[texts, dimension]`.
        values: Vec<f32>,
        /// Where the encoder runs from now on, when the GPU was lost under the work.
        moved: Option<Loaded>,
    },
    /// The speed of the loaded encoder.
    Measured(Vec<Speed>),
    /// It did not work: one sentence for the user.
    Failed(String),
    /// Bytes of memory of the worker.
    Memory(u64),
}

/// An encoder that is ready, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// Name of the encoder.
    pub encoder: String,
    /// Length of its vectors.
    pub dimension: usize,
    /// Whether it runs on a GPU.
    pub gpu: bool,
    /// Name of the kind of device, "CPU" or "WebGPU".
    pub backend: String,
    /// The GPU's name, when it runs on one.
    pub adapter: Option<String>,
    /// One sentence for the user, when it does not run where it was meant to.
    pub notice: Option<String>,
}

impl Loaded {
    /// Where it runs, for people: "CPU", or "WebGPU, Apple M1".
    pub fn device(&self) -> String {
        match &self.adapter {
            Some(adapter) => format!("{}, {adapter}", self.backend),
            None => self.backend.clone(),
        }
    }
}

/// How fast an encoder is on batches of one shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Texts in a batch.
    pub batch: usize,
    /// Tokens in each text.
    pub tokens: usize,
    /// Batches measured.
    pub rounds: usize,
    /// Milliseconds a text in the median batch.
    pub median_ms: f64,
    /// Milliseconds a text in the fastest batch.
    pub fastest_ms: f64,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn messages_survive_the_wire() {
        let response = Response::Vectors { dimension: 2, values: vec![0.6, 0.8], moved: None };
        let bytes = postcard::to_stdvec(&response).unwrap();
        assert_eq!(postcard::from_bytes::<Response>(&bytes).unwrap(), response);
        let request = Request::Load { encoder: "tiny".to_owned(), device: DevicePreference::GpuForced };
        let bytes = postcard::to_stdvec(&request).unwrap();
        assert_eq!(postcard::from_bytes::<Request>(&bytes).unwrap(), request);
    }

    #[test]
    fn devices_have_names() {
        let cpu = Loaded {
            encoder: "tiny".to_owned(),
            dimension: 32,
            gpu: false,
            backend: "CPU".to_owned(),
            adapter: None,
            notice: None,
        };
        assert_eq!(cpu.device(), "CPU");
        let gpu = Loaded { backend: "WebGPU".to_owned(), adapter: Some("Apple M1".to_owned()), ..cpu };
        assert_eq!(gpu.device(), "WebGPU, Apple M1");
    }
}
