//! The encoders in burn: from texts to unit vectors, tokenizer, network and pooling behind one call.
//!
//! [`bert`] turns tokens into vectors, [`pooling`] makes one vector a text, [`batch`] cuts many texts into batches.

pub mod agreement;
pub mod batch;
pub mod bert;
pub mod measure;
pub mod pooling;
#[cfg(test)]
mod tests;
pub mod tiny;

use std::ops::ControlFlow;

use burn::tensor::Device;

use batch::Batch;
use bert::{Bert, WeightsError};

use super::spec::EncoderSpec;
use super::tokenizer::{VocabularyError, WordPiece};
use crate::ports::{Embed, EmbedError};

/// Tokens that go through the encoder at once, unless the caller says otherwise: enough to keep the
/// kernels busy, and few enough for a cancel to be noticed within about a second on one slow thread.
pub const DEFAULT_TOKEN_BUDGET: usize = 768;

/// Why an encoder cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The weights file is unusable.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The vocabulary file is unusable.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
}

/// How far a call of [`Encoder::embed_batches`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// Texts embedded.
    pub texts: usize,
    /// Texts asked for.
    pub all_texts: usize,
    /// Tokens embedded; work grows with tokens, so the time left is estimated from these.
    pub tokens: usize,
    /// Tokens in all texts.
    pub all_tokens: usize,
}

/// A sentence encoder on one device.
pub struct Encoder {
    name: &'static str,
    tokenizer: WordPiece,
    bert: Bert,
    max_tokens: usize,
}

impl Encoder {
    /// Loads an encoder from the bytes of `model.safetensors` (32- or 16-bit) and `vocab.txt`.
    ///
    /// # Errors
    /// When a file is damaged, or the two do not belong together.
    pub fn load(
        spec: &EncoderSpec,
        weights: &[u8],
        vocabulary: &[u8],
        device: &Device,
    ) -> Result<Self, LoadError> {
        let tokenizer = WordPiece::from_vocab(vocabulary)?;
        let bert = Bert::load(weights, spec.bert, device)?;
        if tokenizer.size() != bert.vocabulary() {
            return Err(LoadError::Weights(WeightsError::Vocabulary {
                vocabulary: tokenizer.size(),
                rows: bert.vocabulary(),
            }));
        }
        let max_tokens = spec.max_tokens.min(bert.max_tokens());
        Ok(Self { name: spec.name, tokenizer, bert, max_tokens })
    }

    /// Length of the vectors.
    pub fn dimension(&self) -> usize {
        self.bert.hidden()
    }

    /// Embeds `texts` in batches of at most `budget` tokens, sorted by length; the vectors come in the
    /// order of the texts. `between` is awaited after every batch and may stop the work.
    ///
    /// # Errors
    /// [`EmbedError::Cancelled`] when `between` breaks, [`EmbedError::Failed`] when the device fails.
    pub async fn embed_batches(
        &self,
        texts: &[String],
        budget: usize,
        mut between: impl AsyncFnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let ids: Vec<Vec<u32>> =
            texts.iter().map(|text| self.tokenizer.encode(text, self.max_tokens)).collect();
        let lengths: Vec<usize> = ids.iter().map(Vec::len).collect();
        let mut progress =
            Progress { texts: 0, all_texts: texts.len(), tokens: 0, all_tokens: lengths.iter().sum() };
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in batch::plan(&lengths, budget) {
            let values = self.run(&ids, &batch).await?;
            for (&text, vector) in batch.texts.iter().zip(values.chunks_exact(self.dimension())) {
                let mut vector = vector.to_vec();
                pooling::normalize(&mut vector);
                if let Some(slot) = vectors.get_mut(text) {
                    *slot = vector;
                }
            }
            progress.texts += batch.texts.len();
            progress.tokens += batch.tokens();
            if between(progress).await.is_break() {
                return Err(EmbedError::Cancelled);
            }
        }
        Ok(vectors)
    }

    /// Pooled vectors of one batch, end to end.
    async fn run(&self, ids: &[Vec<u32>], batch: &Batch) -> Result<Vec<f32>, EmbedError> {
        let flat: Vec<u32> =
            batch.texts.iter().filter_map(|&text| ids.get(text)).flatten().copied().collect();
        let pooled = pooling::mean(self.bert.forward(&flat, &batch.runs), &batch.runs);
        let failed = |reason: String| {
            EmbedError::Failed(format!("The device could not compute the vectors ({reason})."))
        };
        let data = pooled.into_data_async().await.map_err(|error| failed(error.to_string()))?;
        let values = data.try_into_vec::<f32>().map_err(|error| failed(format!("{error:?}")))?;
        if values.len() != batch.texts.len() * self.dimension()
            || values.iter().any(|value| !value.is_finite())
        {
            return Err(failed("its numbers are not finite".to_owned()));
        }
        Ok(values)
    }

    /// Embeds `texts` and waits for the result.
    ///
    /// # Errors
    /// As [`Self::embed_batches`]; it is never cancelled.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn embed_blocking(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        crate::ports::blocking::block_on(self.embed(texts))
    }
}

impl Embed for Encoder {
    fn encoder(&self) -> &str {
        self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_batches(texts, DEFAULT_TOKEN_BUDGET, async |_| ControlFlow::Continue(())).await
    }
}
