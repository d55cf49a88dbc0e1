//! Exact search over unit vectors.
//!
//! Every vector is kept twice: as 8-bit codes with one scale (scanned for every question, a quarter of the
//! memory traffic of `f32`), and as `f16` (read only for the few that can still be among the best). The
//! quantisation error of every vector is stored, so the scan yields an upper and a lower bound of each
//! cosine; a vector is left out only when its upper bound is below the k-th best, which makes the result
//! the exact one, not an approximation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use half::f16;
use half::slice::HalfFloatSliceExt;

/// Codes are padded with zeros to whole SIMD registers.
const LANES: usize = 16;
/// Covers the rounding of `f32` arithmetic in the bounds; cosines are compared at 1e-3.
const SLACK: f32 = 1e-5;
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

/// A vector found, with its exact cosine (to the precision of `f16` storage, below 1e-3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Position of the vector, in the order in which vectors were given.
    pub index: u32,
    /// Cosine similarity.
    pub score: f32,
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

    /// The `k` vectors most similar to `query` whose cosine is at least `floor`, best first, equal ones in
    /// order of position. Empty when the dimensions differ or the query holds values that are no numbers.
    pub fn search(&self, query: &[f32], k: usize, floor: f32) -> Vec<Scored> {
        if k == 0 || self.is_empty() || query.len() != self.dimension || query.iter().any(|v| !v.is_finite())
        {
            return Vec::new();
        }
        let coded = CodedQuery::new(query, self.padded);
        let mut upper = Vec::with_capacity(self.len());
        // The k-th best lower bound so far: what cannot reach it is out.
        let mut lower: BinaryHeap<Reverse<Ordered>> = BinaryHeap::with_capacity(k.min(self.len()) + 1);
        let mut bar = floor;
        for ((codes, &scale), &error) in
            self.codes.chunks_exact(self.padded).zip(&self.scales).zip(&self.errors)
        {
            let estimate = code_dot(codes, &coded.codes) as f32 * (scale * coded.scale);
            // |q·v - q'·v'| <= |q||v - v'| + |v'||q - q'|, and |v'| <= 1 + its own error.
            let margin = coded.norm * error + (1.0 + error) * coded.error + SLACK;
            upper.push(estimate + margin);
            let low = estimate - margin;
            if low > bar || lower.len() < k {
                lower.push(Reverse(Ordered(low)));
                if lower.len() > k {
                    lower.pop();
                }
                if lower.len() == k
                    && let Some(Reverse(least)) = lower.peek()
                {
                    bar = bar.max(least.0);
                }
            }
        }
        let mut candidates: Vec<(f32, u32)> = (0u32..)
            .zip(&upper)
            .filter(|&(_, &bound)| bound >= bar)
            .map(|(index, &bound)| (bound, index))
            .collect();
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.rescore(query, k, floor, &candidates)
    }

    /// Exact cosines of the candidates, which come by falling upper bound.
    fn rescore(&self, query: &[f32], k: usize, floor: f32, candidates: &[(f32, u32)]) -> Vec<Scored> {
        let mut best: BinaryHeap<Reverse<Ordered>> = BinaryHeap::new();
        let mut found = Vec::new();
        let mut row = vec![0.0; self.dimension];
        for &(bound, index) in candidates {
            if best.len() == k && best.peek().is_some_and(|least| bound < least.0.0) {
                break;
            }
            let start = index as usize * self.dimension;
            let Some(halves) = self.halves.get(start..start + self.dimension) else { continue };
            halves.convert_to_f32_slice(&mut row);
            let score = dot(&row, query);
            if score < floor {
                continue;
            }
            found.push(Scored { index, score });
            best.push(Reverse(Ordered(score)));
            if best.len() > k {
                best.pop();
            }
        }
        found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        found.truncate(k);
        found
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

/// A query in 16-bit codes: fine enough that its own error hardly widens the bounds.
struct CodedQuery {
    codes: Vec<i16>,
    scale: f32,
    norm: f32,
    error: f32,
}

impl CodedQuery {
    fn new(query: &[f32], padded: usize) -> Self {
        // Largest code for which the sum over all dimensions stays within 32 bits.
        let most = (i32::MAX / (127 * padded as i32)).min(i32::from(i16::MAX)) as f32;
        let scale = query.iter().fold(0.0f32, |most, value| most.max(value.abs())) / most;
        let (mut codes, mut lost, mut norm) = (Vec::with_capacity(padded), 0.0f32, 0.0f32);
        for value in query {
            let code = if scale > 0.0 { (value / scale).round() } else { 0.0 };
            lost += (value - code * scale).powi(2);
            norm += value * value;
            codes.push(code as i16);
        }
        codes.resize(padded, 0);
        Self { codes, scale, norm: norm.sqrt(), error: lost.sqrt() }
    }
}

/// `f32` in the order of `total_cmp`, for heaps.
#[derive(PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
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

/// Dot product of codes; both slices have the padded length.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
fn code_dot(codes: &[i8], query: &[i16]) -> i32 {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane,
        i32x4_splat, v128_load,
    };
    let mut sums = (i32x4_splat(0), i32x4_splat(0));
    for (codes, query) in codes.as_chunks::<16>().0.iter().zip(query.as_chunks::<16>().0) {
        // SAFETY: every load reads 16 bytes inside an array that is at least that long: 16 codes of one
        // byte, and 16 codes of two bytes read at 0 and at 8. v128_load needs no alignment.
        let (bytes, first, second) = unsafe {
            (
                v128_load(codes.as_ptr().cast()),
                v128_load(query.as_ptr().cast()),
                v128_load(query.as_ptr().add(8).cast()),
            )
        };
        sums.0 = i32x4_add(sums.0, i32x4_dot_i16x8(i16x8_extend_low_i8x16(bytes), first));
        sums.1 = i32x4_add(sums.1, i32x4_dot_i16x8(i16x8_extend_high_i8x16(bytes), second));
    }
    let sum = i32x4_add(sums.0, sums.1);
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

/// Dot product of codes; both slices have the padded length. Compilers turn this loop into SIMD.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn code_dot(codes: &[i8], query: &[i16]) -> i32 {
    codes.iter().zip(query).map(|(&code, &query)| i32::from(i16::from(code)) * i32::from(query)).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    fn unit(mut row: Vec<f32>) -> Vec<f32> {
        let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
        if norm > 0.0 {
            row.iter_mut().for_each(|v| *v /= norm);
        }
        row
    }

    fn brute_force(vectors: &Vectors, query: &[f32], k: usize, floor: f32) -> Vec<Scored> {
        let mut all: Vec<Scored> = (0..vectors.len() as u32)
            .map(|index| Scored { index, score: vectors.cosine(index as usize, query).unwrap() })
            .filter(|scored| scored.score >= floor)
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        all.truncate(k);
        all
    }

    fn rows(dimension: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        prop::collection::vec(prop::collection::vec(-1.0f32..1.0, dimension).prop_map(unit), 1..60)
    }

    proptest! {
        #[test]
        fn finds_what_brute_force_finds(
            (rows, query) in (1usize..70).prop_flat_map(|d| {
                (rows(d), prop::collection::vec(-1.0f32..1.0, d).prop_map(unit))
            }),
            k in 1usize..70,
            floor in -1.1f32..1.0,
        ) {
            let vectors = Vectors::from_rows(&rows).unwrap();
            prop_assert_eq!(vectors.search(&query, k, floor), brute_force(&vectors, &query, k, floor));
        }

        #[test]
        fn cosines_are_exact_to_a_thousandth(rows in rows(384)) {
            let vectors = Vectors::from_rows(&rows).unwrap();
            for found in vectors.search(&rows[0], rows.len(), -1.0) {
                let exact: f32 = rows[0].iter().zip(&rows[found.index as usize]).map(|(a, b)| a * b).sum();
                prop_assert!((found.score - exact).abs() < 1e-3);
            }
        }

        #[test]
        fn packing_loses_nothing(rows in rows(21)) {
            let vectors = Vectors::from_rows(&rows).unwrap();
            let again = Vectors::from_packed(21, &vectors.to_packed()).unwrap();
            prop_assert_eq!(again.to_packed(), vectors.to_packed());
            prop_assert_eq!(again.search(&rows[0], 5, -1.0), vectors.search(&rows[0], 5, -1.0));
        }
    }

    #[test]
    fn near_duplicates_are_told_apart() {
        // Differences far below the step of the 8-bit codes: only the exact pass can order these.
        let rows: Vec<Vec<f32>> = (0..500)
            .map(|i| unit((0..64).map(|d| if d == 0 { 1.0 } else { i as f32 * 1e-4 }).collect()))
            .collect();
        let vectors = Vectors::from_rows(&rows).unwrap();
        assert_eq!(vectors.search(&rows[250], 7, 0.0), brute_force(&vectors, &rows[250], 7, 0.0));
    }

    #[test]
    fn sums_do_not_overflow() {
        let rows = vec![vec![1.0f32; MAX_DIMENSION], vec![-1.0; MAX_DIMENSION]];
        let rows: Vec<Vec<f32>> = rows.into_iter().map(unit).collect();
        let vectors = Vectors::from_rows(&rows).unwrap();
        let found = vectors.search(&rows[0], 2, -2.0);
        assert_eq!(found[0].index, 0);
        assert!((found[0].score - 1.0).abs() < 1e-3 && (found[1].score + 1.0).abs() < 1e-3);
    }

    #[test]
    fn refuses_what_cannot_be_compared() {
        assert_eq!(
            Vectors::from_rows(&[vec![1.0], vec![1.0, 0.0]]).unwrap_err(),
            VectorsError::Dimension { index: 1, found: 2, expected: 1 }
        );
        assert_eq!(Vectors::from_rows(&[vec![f32::NAN]]).unwrap_err(), VectorsError::NotFinite(0));
        assert_eq!(Vectors::from_rows(&[vec![]]).unwrap_err(), VectorsError::Unsupported(0));
        assert!(matches!(Vectors::from_packed(3, &[0; 7]).unwrap_err(), VectorsError::Packed { .. }));
        let vectors = Vectors::from_rows(&[vec![1.0, 0.0]]).unwrap();
        assert!(vectors.search(&[1.0], 1, 0.0).is_empty());
        assert!(vectors.search(&[f32::NAN, 0.0], 1, 0.0).is_empty());
        assert!(Vectors::from_rows(&[]).unwrap().search(&[1.0], 1, 0.0).is_empty());
        assert_eq!(vectors.cosine(1, &[1.0, 0.0]), None);
    }
}
