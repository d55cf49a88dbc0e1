//! Exact search over unit vectors.
//!
//! Every vector is kept twice: as 8-bit codes with one scale (scanned for every question, a quarter of the
//! memory traffic of `f32`), and as `f16` (read only for the few that can still be among the best). The
//! quantisation error of every vector is stored, so the scan yields an upper and a lower bound of each
//! cosine; a vector is left out only when its upper bound is below the k-th best, which makes the result
//! the exact one, not an approximation.

mod codes;
mod search;

use half::f16;
use half::slice::HalfFloatSliceExt;

pub use search::Scored;

/// Codes are padded with zeros to whole SIMD registers.
const LANES: usize = 16;
/// Longest vector accepted; the 32-bit sums of the scan cannot overflow below it.
const MAX_DIMENSION: usize = 4096;

/// Why vectors cannot be searched.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum VectorsError {
    /// A vector has another length than the first one.
    #[error("vector {index} has {found} dimensions, the others have {expected}")]
    Dimension {
        /// Which vector.
        index: usize,
        /// Its length.
        found: usize,
        /// The length of the first vector.
        expected: usize,
    },
    /// NaN or infinity.
    #[error("vector {0} holds a value that is not a number")]
    NotFinite(usize),
    /// Zero or more than 4,096.
    #[error("vectors of {0} dimensions are not supported")]
    Unsupported(usize),
    /// Packed bytes that are no whole number of vectors.
    #[error("{bytes} bytes are no whole number of vectors of {dimension} half-precision values")]
    Packed {
        /// How many bytes came.
        bytes: usize,
        /// The stated dimension.
        dimension: usize,
    },
}

/// Unit vectors of one dimension, ready to be searched.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    dimension: usize,
    padded: usize,
    /// `padded` codes a vector.
    codes: Vec<i8>,
    /// What one step of a code is worth, one a vector.
    scales: Vec<f32>,
    /// Norm of what the codes lose, one a vector.
    errors: Vec<f32>,
    /// `dimension` values a vector.
    halves: Vec<f16>,
}

impl Vectors {
    /// Takes unit vectors of one length; an empty list is an empty index.
    pub fn from_rows(rows: &[Vec<f32>]) -> Result<Self, VectorsError> {
        let Some(first) = rows.first() else { return Ok(Self::default()) };
        let mut vectors = Self::with_dimension(first.len(), rows.len())?;
        let mut halves = vec![f16::ZERO; vectors.dimension];
        for (index, row) in rows.iter().enumerate() {
            if row.len() != vectors.dimension {
                let (found, expected) = (row.len(), vectors.dimension);
                return Err(VectorsError::Dimension { index, found, expected });
            }
            halves.convert_from_f32_slice(row);
            vectors.push(&halves)?;
        }
        Ok(vectors)
    }

    /// Takes vectors packed as little-endian `f16`, one after the other, as [`Vectors::to_packed`] writes them.
    pub fn from_packed(dimension: usize, bytes: &[u8]) -> Result<Self, VectorsError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let width = dimension.saturating_mul(2);
        if width == 0 || !bytes.len().is_multiple_of(width) {
            return Err(VectorsError::Packed { bytes: bytes.len(), dimension });
        }
        let mut vectors = Self::with_dimension(dimension, bytes.len() / width)?;
        let mut halves = Vec::with_capacity(dimension);
        for row in bytes.chunks_exact(width) {
            halves.clear();
            halves.extend(row.as_chunks::<2>().0.iter().map(|&pair| f16::from_le_bytes(pair)));
            vectors.push(&halves)?;
        }
        Ok(vectors)
    }

    /// All vectors as little-endian `f16`, two bytes a value, in order.
    pub fn to_packed(&self) -> Vec<u8> {
        self.halves.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Values a vector; 0 when there are no vectors.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The vector at `index`, as stored.
    pub fn row(&self, index: usize) -> Option<Vec<f32>> {
        let start = index.checked_mul(self.dimension)?;
        let halves = self.halves.get(start..start + self.dimension)?;
        (!halves.is_empty()).then(|| halves.to_f32_vec())
    }

    /// Cosine of `query` and the vector at `index`; None where there is no such vector or the lengths differ.
    pub fn cosine(&self, index: usize, query: &[f32]) -> Option<f32> {
        if query.len() != self.dimension {
            return None;
        }
        Some(dot(&self.row(index)?, query))
    }

    /// Cosine of `query` and every vector, in order; all 0 where the lengths differ.
    pub fn cosines(&self, query: &[f32]) -> Vec<f32> {
        if query.len() != self.dimension || self.dimension == 0 {
            return vec![0.0; self.len()];
        }
        let mut row = vec![0.0; self.dimension];
        let each = self.halves.chunks_exact(self.dimension).map(|halves| {
            halves.convert_to_f32_slice(&mut row);
            dot(&row, query)
        });
        each.collect()
    }

    fn with_dimension(dimension: usize, count: usize) -> Result<Self, VectorsError> {
        if dimension == 0 || dimension > MAX_DIMENSION {
            return Err(VectorsError::Unsupported(dimension));
        }
        let padded = dimension.next_multiple_of(LANES);
        Ok(Self {
            dimension,
            padded,
            codes: Vec::with_capacity(count * padded),
            scales: Vec::with_capacity(count),
            errors: Vec::with_capacity(count),
            halves: Vec::with_capacity(count * dimension),
        })
    }

    fn push(&mut self, halves: &[f16]) -> Result<(), VectorsError> {
        let row = halves.to_f32_vec();
        if row.iter().any(|value| !value.is_finite()) {
            return Err(VectorsError::NotFinite(self.len()));
        }
        let scale = row.iter().fold(0.0f32, |most, value| most.max(value.abs())) / 127.0;
        let mut lost = 0.0f32;
        for value in &row {
            let code = if scale > 0.0 { (value / scale).round() } else { 0.0 };
            lost += (value - code * scale).powi(2);
            self.codes.push(code as i8);
        }
        self.codes.resize(self.codes.len() + self.padded - self.dimension, 0);
        self.scales.push(scale);
        self.errors.push(lost.sqrt());
        self.halves.extend_from_slice(halves);
        Ok(())
    }
}

/// Dot product in a fixed order of summation, so that equal inputs give equal scores everywhere.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (left, left_rest) = a.as_chunks::<8>();
    let (right, right_rest) = b.as_chunks::<8>();
    for (x, y) in left.iter().zip(right) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests;
