//! Reading an encoder's weights from safetensors bytes, tensor by tensor.

use burn::tensor::{Device, Tensor, TensorData};
use half::f16;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::embedding::spec::Family;

/// Why a weights file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The file is cut short, damaged, or of another format.
    #[error("The weights are not a complete safetensors file ({0}); fetch them again.")]
    Damaged(String),
    /// A tensor that the encoder needs is not in the file.
    #[error("The weights hold no tensor \"{0}\"; they are not those of this kind of encoder.")]
    Missing(String),
    /// A tensor has another shape than the rest of the model asks for.
    #[error(
        "Tensor \"{name}\" has the shape {found:?} where {expected:?} is needed; the weights are damaged or of another model."
    )]
    Shape {
        /// Name of the tensor in the file.
        name: String,
        /// Its shape in the file.
        found: Vec<usize>,
        /// The shape the model needs.
        expected: Vec<usize>,
    },
    /// Numbers of another kind than 32- or 16-bit floats.
    #[error("Tensor \"{name}\" holds {dtype} numbers; only F32 and F16 weights can be read.")]
    Dtype {
        /// Name of the tensor in the file.
        name: String,
        /// Its number format in the file.
        dtype: String,
    },
    /// The hidden size does not split evenly into the attention heads.
    #[error(
        "{hidden} hidden units cannot be split into {heads} attention heads; the weights belong to another encoder."
    )]
    Heads {
        /// Hidden size found in the file.
        hidden: usize,
        /// Heads of the chosen encoder.
        heads: usize,
    },
    /// The tokenizer knows tokens the weights have no row for.
    #[error(
        "The vocabulary has {vocabulary} tokens and the weights {rows}; they belong to different encoders."
    )]
    Vocabulary {
        /// Tokens in vocab.txt.
        vocabulary: usize,
        /// Rows of the word embedding table.
        rows: usize,
    },
}

/// What a layer's attention tensors are called in the files of a family.
pub(super) struct AttentionNames {
    /// Query, key and value projections.
    pub qkv: [&'static str; 3],
    /// The projection after attention.
    pub context: &'static str,
    /// The normalisation after that.
    pub norm: &'static str,
}

impl AttentionNames {
    /// Those of `family`.
    pub(super) fn of(family: Family) -> Self {
        match family {
            Family::Bert => Self {
                qkv: ["attention.self.query", "attention.self.key", "attention.self.value"],
                context: "attention.output.dense",
                norm: "attention.output.LayerNorm",
            },
            Family::MpNet => Self {
                qkv: ["attention.attn.q", "attention.attn.k", "attention.attn.v"],
                context: "attention.attn.o",
                norm: "attention.LayerNorm",
            },
        }
    }
}

/// A safetensors file whose tensors are looked up with their shape checked.
pub(super) struct Reader<'a> {
    file: SafeTensors<'a>,
    prefix: &'static str,
}

impl<'a> Reader<'a> {
    /// Reads the header; names may carry the family's name before them, as in files saved from a task model.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let file =
            SafeTensors::deserialize(bytes).map_err(|error| WeightsError::Damaged(error.to_string()))?;
        let prefix = ["bert.", "mpnet."]
            .into_iter()
            .find(|prefix| file.tensor(&format!("{prefix}embeddings.word_embeddings.weight")).is_ok())
            .unwrap_or_default();
        Ok(Self { file, prefix })
    }

    /// Number of encoder layers in the file.
    pub(super) fn layers(&self, family: Family) -> usize {
        let [query, ..] = AttentionNames::of(family).qkv;
        (0..).take_while(|layer| self.view(&format!("encoder.layer.{layer}.{query}.weight")).is_ok()).count()
    }

    /// Rows and columns of a matrix.
    pub(super) fn matrix_shape(&self, name: &str) -> Result<[usize; 2], WeightsError> {
        let view = self.view(name)?;
        match *view.shape() {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            _ => Err(WeightsError::Shape {
                name: name.to_owned(),
                found: view.shape().to_vec(),
                expected: vec![1, 1],
            }),
        }
    }

    /// The numbers of a tensor of exactly this shape, as 32-bit floats.
    pub(super) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let mut values = Vec::new();
        self.append(name, shape, &mut values)?;
        Ok(values)
    }

    /// Appends the numbers of a tensor of exactly this shape to `values`.
    pub(super) fn append(
        &self,
        name: &str,
        shape: &[usize],
        values: &mut Vec<f32>,
    ) -> Result<(), WeightsError> {
        let view = self.checked(name, shape)?;
        // Only now is the shape known to be one the file really holds.
        values.reserve(shape.iter().product());
        match view.dtype() {
            Dtype::F32 => values.extend(view.data().chunks_exact(4).map(read_f32)),
            Dtype::F16 => values.extend(view.data().chunks_exact(2).map(|b| read_f16(b).to_f32())),
            dtype => return Err(unreadable(name, dtype)),
        }
        Ok(())
    }

    /// The rows of a table, kept in the precision of the file.
    pub(super) fn table(&self, name: &str, shape: [usize; 2]) -> Result<Table, WeightsError> {
        let view = self.checked(name, &shape)?;
        match view.dtype() {
            Dtype::F32 => Ok(Table::F32(view.data().chunks_exact(4).map(read_f32).collect())),
            Dtype::F16 => Ok(Table::F16(view.data().chunks_exact(2).map(read_f16).collect())),
            dtype => Err(unreadable(name, dtype)),
        }
    }

    /// A vector on `device`.
    pub(super) fn vector(
        &self,
        name: &str,
        length: usize,
        device: &Device,
    ) -> Result<Tensor<1>, WeightsError> {
        let values = self.values(name, &[length])?;
        Ok(Tensor::from_data(TensorData::new(values, [length]), device))
    }

    /// A matrix on `device`, `[rows, columns]` as in the file.
    pub(super) fn matrix(
        &self,
        name: &str,
        shape: [usize; 2],
        device: &Device,
    ) -> Result<Tensor<2>, WeightsError> {
        let values = self.values(name, &shape)?;
        Ok(Tensor::from_data(TensorData::new(values, shape), device))
    }

    fn view(&self, name: &str) -> Result<TensorView<'_>, WeightsError> {
        self.file
            .tensor(&format!("{}{name}", self.prefix))
            .map_err(|_| WeightsError::Missing(name.to_owned()))
    }

    fn checked(&self, name: &str, shape: &[usize]) -> Result<TensorView<'_>, WeightsError> {
        let view = self.view(name)?;
        if view.shape() != shape {
            return Err(WeightsError::Shape {
                name: name.to_owned(),
                found: view.shape().to_vec(),
                expected: shape.to_vec(),
            });
        }
        Ok(view)
    }
}

/// The word embedding table, kept in main memory: a text needs a handful of its rows, and the whole of
/// it may be larger than a GPU buffer is allowed to be.
pub(super) enum Table {
    F32(Vec<f32>),
    F16(Vec<f16>),
}

impl Table {
    /// Writes row `row`, one of the table's rows of `out.len()` columns, into `out`.
    pub(super) fn read_row(&self, row: usize, out: &mut [f32]) {
        let range = row * out.len()..(row + 1) * out.len();
        match self {
            Self::F32(values) => {
                if let Some(values) = values.get(range) {
                    out.copy_from_slice(values);
                }
            }
            Self::F16(values) => {
                for (out, value) in out.iter_mut().zip(values.get(range).unwrap_or_default()) {
                    *out = value.to_f32();
                }
            }
        }
    }
}

fn unreadable(name: &str, dtype: Dtype) -> WeightsError {
    WeightsError::Dtype { name: name.to_owned(), dtype: format!("{dtype:?}") }
}

fn read_f32(bytes: &[u8]) -> f32 {
    bytes.try_into().map_or(0.0, f32::from_le_bytes)
}

fn read_f16(bytes: &[u8]) -> f16 {
    bytes.try_into().map_or(f16::ZERO, f16::from_le_bytes)
}
