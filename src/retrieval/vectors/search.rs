//! Searching: one pass over the codes for any number of queries, then exact cosines of what is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use half::slice::HalfFloatSliceExt;

use super::codes::{CodedQuery, code_dot, widen};
use super::{Vectors, dot};

/// Covers the rounding of `f32` arithmetic in the bounds; cosines are compared at 1e-3.
const SLACK: f32 = 1e-5;

/// A vector found, with its exact cosine (to the precision of `f16` storage, below 1e-3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Position of the vector, in the order in which vectors were given.
    pub index: u32,
    /// Cosine similarity.
    pub score: f32,
}

impl Vectors {
    /// The `k` vectors most similar to `query` whose cosine is at least `floor`, best first, equal ones in
    /// order of position. Empty when the dimensions differ or the query holds values that are no numbers.
    pub fn search(&self, query: &[f32], k: usize, floor: f32) -> Vec<Scored> {
        self.search_all(&[query], k, floor).pop().unwrap_or_default()
    }

    /// What [`Vectors::search`] finds for each of the queries, in one pass over the vectors: a vector is read
    /// and its codes are widened once for all queries.
    pub fn search_all(&self, queries: &[impl AsRef<[f32]>], k: usize, floor: f32) -> Vec<Vec<Scored>> {
        let mut scans: Vec<Option<Scan>> = queries.iter().map(|q| self.scan(q.as_ref(), k, floor)).collect();
        let mut wide = vec![0; self.padded];
        let rows = self.codes.chunks_exact(self.padded.max(1)).zip(&self.scales).zip(&self.errors);
        for (index, ((codes, &scale), &error)) in (0u32..).zip(rows) {
            widen(codes, &mut wide);
            for scan in scans.iter_mut().flatten() {
                scan.see(index, &wide, scale, error);
            }
        }
        let found = queries.iter().zip(scans).map(|(query, scan)| {
            scan.map_or_else(Vec::new, |scan| self.rescore(query.as_ref(), k, floor, &scan.candidates()))
        });
        found.collect()
    }

    /// The scan of one query; None where nothing can be found.
    fn scan(&self, query: &[f32], k: usize, floor: f32) -> Option<Scan> {
        let comparable = query.len() == self.dimension && query.iter().all(|v| v.is_finite());
        (k > 0 && !self.is_empty() && comparable).then(|| Scan {
            query: CodedQuery::new(query, self.padded),
            k,
            bar: floor,
            lower: BinaryHeap::with_capacity(k.min(self.len()) + 1),
            seen: Vec::new(),
        })
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
}

/// One query on its way through the vectors.
struct Scan {
    query: CodedQuery,
    k: usize,
    /// What an upper bound must reach: the floor, or the k-th best lower bound so far.
    bar: f32,
    /// The k best lower bounds.
    lower: BinaryHeap<Reverse<Ordered>>,
    /// Upper bounds that reached the bar when they were seen, with their vectors.
    seen: Vec<(f32, u32)>,
}

impl Scan {
    /// Takes a vector in: its codes, what a step of them is worth, and the norm of what they lose.
    fn see(&mut self, index: u32, codes: &[i16], scale: f32, error: f32) {
        let estimate = code_dot(codes, &self.query.codes) as f32 * (scale * self.query.scale);
        // |q·v - q'·v'| <= |q||v - v'| + |v'||q - q'|, and |v'| <= 1 + its own error.
        let margin = self.query.norm * error + (1.0 + error) * self.query.error + SLACK;
        if estimate + margin < self.bar {
            return;
        }
        self.seen.push((estimate + margin, index));
        let low = estimate - margin;
        if low > self.bar {
            self.lower.push(Reverse(Ordered(low)));
            if self.lower.len() > self.k {
                self.lower.pop();
            }
            if self.lower.len() == self.k
                && let Some(Reverse(least)) = self.lower.peek()
            {
                self.bar = self.bar.max(least.0);
            }
        }
    }

    /// The vectors that can still be among the best, by falling upper bound.
    fn candidates(self) -> Vec<(f32, u32)> {
        let mut candidates = self.seen;
        candidates.retain(|&(bound, _)| bound >= self.bar);
        candidates.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        candidates
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
