//! BERT and MPNet encoders: token, position and segment embeddings, then post-norm transformer layers.
//!
//! MPNet has no segments, counts positions from 2, and adds to every layer's attention a learned bias for the
//! distance of two tokens ([`relative`]).
//!
//! Activations are kept feature-major (`[features, tokens]`) between the matrix products: the weights
//! then are the left operand in the layout of their file, which the CPU kernels read once, in order and
//! without packing them again for every text. Texts of one batch are laid end to end with no padding;
//! only attention looks at where one text ends, so a vector never depends on its batch company.

mod load;
mod relative;

use burn::tensor::{Device, Tensor, TensorData, activation, module};

pub use load::WeightsError;
use load::{AttentionNames, Reader, Table};
use relative::DistanceBias;

use crate::embedding::spec::{BertConfig, Family};

/// Row of the position table that the first token gets; MPNet's first two are for padding.
fn first_position(family: Family) -> usize {
    match family {
        Family::Bert => 0,
        Family::MpNet => 2,
    }
}

/// Texts of one length within a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// How many texts.
    pub texts: usize,
    /// Tokens in each of them.
    pub tokens: usize,
}

/// A BERT or MPNet encoder on one device.
pub struct Bert {
    words: Table,
    /// Position embeddings from the first token's on, plus BERT's embedding of the first segment, `[positions, hidden]`.
    positions: Vec<f32>,
    distances: Option<DistanceBias>,
    embedding_norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
    vocabulary: usize,
    heads: usize,
    device: Device,
}

struct Norm {
    gamma: Tensor<1>,
    beta: Tensor<1>,
    epsilon: f64,
}

struct Layer {
    /// Query, key and value projections as one matrix, `[3 * hidden, hidden]`; the query rows carry the
    /// factor `1 / sqrt(head size)` of scaled dot-product attention.
    qkv: Tensor<2>,
    qkv_bias: Tensor<2>,
    context: Tensor<2>,
    context_bias: Tensor<2>,
    context_norm: Norm,
    expand: Tensor<2>,
    expand_bias: Tensor<2>,
    reduce: Tensor<2>,
    reduce_bias: Tensor<2>,
    reduce_norm: Norm,
}

impl Bert {
    /// Loads the weights of a Hugging Face BERT or MPNet from safetensors bytes onto `device`, one tensor at a
    /// time. Sizes come from the tensors' shapes; the pooler and other extra tensors are ignored.
    ///
    /// # Errors
    /// When the file is damaged, lacks a tensor, or its shapes do not fit together.
    pub fn load(bytes: &[u8], config: BertConfig, device: &Device) -> Result<Self, WeightsError> {
        let reader = Reader::new(bytes)?;
        let [vocabulary, hidden] = reader.matrix_shape("embeddings.word_embeddings.weight")?;
        if config.heads == 0 || hidden % config.heads != 0 {
            return Err(WeightsError::Heads { hidden, heads: config.heads });
        }
        let [rows, _] = reader.matrix_shape("embeddings.position_embeddings.weight")?;
        let mut positions = reader.values("embeddings.position_embeddings.weight", &[rows, hidden])?;
        positions.drain(..(first_position(config.family) * hidden).min(positions.len()));
        let distances = match config.family {
            Family::Bert => {
                let [segments, _] = reader.matrix_shape("embeddings.token_type_embeddings.weight")?;
                let segment =
                    reader.values("embeddings.token_type_embeddings.weight", &[segments, hidden])?;
                for row in positions.chunks_exact_mut(hidden) {
                    row.iter_mut().zip(&segment).for_each(|(value, segment)| *value += segment);
                }
                None
            }
            Family::MpNet => Some(DistanceBias::load(&reader, config.heads, device)?),
        };
        let layers = match reader.layers(config.family) {
            // Asking for the first layer names the tensor that is missing.
            0 => vec![Layer::load(&reader, 0, hidden, config, device)?],
            count => (0..count)
                .map(|layer| Layer::load(&reader, layer, hidden, config, device))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self {
            words: reader.table("embeddings.word_embeddings.weight", [vocabulary, hidden])?,
            positions,
            distances,
            embedding_norm: Norm::load(&reader, "embeddings.LayerNorm", hidden, config, device)?,
            layers,
            hidden,
            vocabulary,
            heads: config.heads,
            device: device.clone(),
        })
    }

    /// Length of a token's vector.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Rows of the word embedding table.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Longest text in tokens.
    pub fn max_tokens(&self) -> usize {
        self.positions.len() / self.hidden
    }

    /// The last layer's vectors, `[tokens, hidden]`, of texts laid end to end in `ids` as `runs` say.
    ///
    /// `ids` must hold as many tokens as the runs count; ids beyond the vocabulary and positions beyond
    /// [`Self::max_tokens`] embed as zero.
    pub fn forward(&self, ids: &[u32], runs: &[Run]) -> Tensor<2> {
        let mut x = self.embedding_norm.apply(self.embed(ids, runs));
        let biases: Vec<_> =
            runs.iter().map(|run| self.distances.as_ref().map(|bias| bias.of(run.tokens))).collect();
        for layer in &self.layers {
            x = layer.forward(x, runs, &biases, self.heads);
        }
        x
    }

    /// Sum of word, position and segment embeddings, `[tokens, hidden]`.
    fn embed(&self, ids: &[u32], runs: &[Run]) -> Tensor<2> {
        let mut values = vec![0.0; ids.len() * self.hidden];
        let positions = runs.iter().flat_map(|run| (0..run.texts).flat_map(|_| 0..run.tokens));
        for ((out, &id), position) in values.chunks_exact_mut(self.hidden).zip(ids).zip(positions) {
            // The check also keeps the row's place within 32 bits in the browser.
            if (id as usize) < self.vocabulary {
                self.words.read_row(id as usize, out);
            }
            let start = position * self.hidden;
            let row = self.positions.get(start..start + self.hidden).unwrap_or_default();
            out.iter_mut().zip(row).for_each(|(value, position)| *value += position);
        }
        Tensor::from_data(TensorData::new(values, [ids.len(), self.hidden]), &self.device)
    }
}

impl Norm {
    fn load(
        reader: &Reader,
        name: &str,
        hidden: usize,
        config: BertConfig,
        device: &Device,
    ) -> Result<Self, WeightsError> {
        Ok(Self {
            gamma: reader.vector(&format!("{name}.weight"), hidden, device)?,
            beta: reader.vector(&format!("{name}.bias"), hidden, device)?,
            epsilon: config.layer_norm_eps,
        })
    }

    fn apply(&self, x: Tensor<2>) -> Tensor<2> {
        module::layer_norm(x, self.gamma.clone(), Some(self.beta.clone()), self.epsilon)
    }
}

impl Layer {
    fn load(
        reader: &Reader,
        index: usize,
        hidden: usize,
        config: BertConfig,
        device: &Device,
    ) -> Result<Self, WeightsError> {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let parts = AttentionNames::of(config.family);
        let mut qkv = Vec::new();
        let mut qkv_bias = Vec::new();
        for part in parts.qkv {
            let part = name(part);
            reader.append(&format!("{part}.weight"), &[hidden, hidden], &mut qkv)?;
            reader.append(&format!("{part}.bias"), &[hidden], &mut qkv_bias)?;
        }
        let scale = 1.0 / ((hidden / config.heads) as f32).sqrt();
        qkv.iter_mut().take(hidden * hidden).for_each(|value| *value *= scale);
        qkv_bias.iter_mut().take(hidden).for_each(|value| *value *= scale);

        let [inner, _] = reader.matrix_shape(&name("intermediate.dense.weight"))?;
        let matrix = |part: &str, shape| reader.matrix(&name(part), shape, device);
        let vector = |part: &str, length| reader.vector(&name(part), length, device);
        let norm = |part: &str| Norm::load(reader, &name(part), hidden, config, device);
        Ok(Self {
            qkv: Tensor::from_data(TensorData::new(qkv, [3 * hidden, hidden]), device),
            qkv_bias: Tensor::from_data(TensorData::new(qkv_bias, [3 * hidden, 1]), device),
            context: matrix(&format!("{}.weight", parts.context), [hidden, hidden])?,
            context_bias: vector(&format!("{}.bias", parts.context), hidden)?.unsqueeze(),
            context_norm: norm(parts.norm)?,
            expand: matrix("intermediate.dense.weight", [inner, hidden])?,
            expand_bias: vector("intermediate.dense.bias", inner)?.unsqueeze_dim(1),
            reduce: matrix("output.dense.weight", [hidden, inner])?,
            reduce_bias: vector("output.dense.bias", hidden)?.unsqueeze(),
            reduce_norm: norm("output.LayerNorm")?,
        })
    }

    /// One layer over `x`, `[tokens, hidden]`.
    fn forward(&self, x: Tensor<2>, runs: &[Run], biases: &[Option<Tensor<4>>], heads: usize) -> Tensor<2> {
        let qkv = self.qkv.clone().matmul(x.clone().transpose()) + self.qkv_bias.clone();
        let context = attend(qkv, runs, biases, heads);
        let context = self.context.clone().matmul(context).transpose();
        let x = self.context_norm.apply(context + self.context_bias.clone() + x);

        let inner = self.expand.clone().matmul(x.clone().transpose()) + self.expand_bias.clone();
        let outer = self.reduce.clone().matmul(activation::gelu(inner)).transpose();
        self.reduce_norm.apply(outer + self.reduce_bias.clone() + x)
    }
}

/// Self-attention within every text: from `[3 * hidden, tokens]` (queries already scaled) to
/// `[hidden, tokens]`; each run may have a bias for its scores, `[heads, 1, tokens, tokens]`.
fn attend(qkv: Tensor<2>, runs: &[Run], biases: &[Option<Tensor<4>>], heads: usize) -> Tensor<2> {
    let [rows, _] = qkv.dims();
    let hidden = rows / 3;
    let mut start = 0;
    let contexts: Vec<Tensor<2>> = runs
        .iter()
        .zip(biases)
        .map(|(run, bias)| {
            let end = start + run.texts * run.tokens;
            // [heads, texts, head size, tokens]: the layout in which both products need no copy.
            let part = |index: usize| {
                qkv.clone()
                    .slice([index * hidden..(index + 1) * hidden, start..end])
                    .reshape([heads, hidden / heads, run.texts, run.tokens])
                    .swap_dims(1, 2)
            };
            let mut scores = part(0).swap_dims(2, 3).matmul(part(1));
            if let Some(bias) = bias {
                scores = scores + bias.clone();
            }
            let weights = activation::softmax(scores, 3);
            let context = part(2).matmul(weights.swap_dims(2, 3));
            start = end;
            context.swap_dims(1, 2).reshape([hidden, run.texts * run.tokens])
        })
        .collect();
    match <[Tensor<2>; 1]>::try_from(contexts) {
        Ok([context]) => context,
        Err(contexts) => Tensor::cat(contexts, 1),
    }
}
