//! Logistic regression that is pulled towards weights known before (a Gaussian prior), by Newton's method.

use super::evidence::{Row, WIDTH};

/// Weights of the evidence and, last, of nothing (the intercept).
pub(super) type Weights = [f32; WIDTH + 1];

/// Steps of Newton's method at most; it converges in about five.
const STEPS: usize = 8;
/// How much less the intercept is pulled.
const FREE: f64 = 0.01;

/// What a row says on average and how far it strays, so that weights can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub mean: Row,
    pub spread: Row,
}

impl Scale {
    /// Of these rows.
    pub(super) fn of(rows: &[Row]) -> Self {
        let count = rows.len().max(1) as f64;
        let mut sums = [(0.0f64, 0.0f64); WIDTH];
        for row in rows {
            for ((sum, square), value) in sums.iter_mut().zip(row) {
                *sum += f64::from(*value);
                *square += f64::from(*value).powi(2);
            }
        }
        let mean = sums.map(|(sum, _)| (sum / count) as f32);
        let spread = sums.map(|(sum, square)| {
            let mean = sum / count;
            ((square / count - mean * mean).max(0.0).sqrt() + 1e-3) as f32
        });
        Self { mean, spread }
    }

    /// A row in standard deviations, none further out than six.
    pub(super) fn apply(&self, row: &Row) -> Row {
        let mut scaled = *row;
        for ((value, mean), spread) in scaled.iter_mut().zip(&self.mean).zip(&self.spread) {
            *value = ((*value - mean) / spread).clamp(-6.0, 6.0);
        }
        scaled
    }
}

/// Log-odds of a scaled row.
pub(super) fn log_odds(weights: &Weights, row: &Row) -> f32 {
    let sum: f32 = weights.iter().zip(row).map(|(weight, value)| weight * value).sum();
    sum + weights.last().copied().unwrap_or_default()
}

/// Probability of log-odds.
pub(super) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// Weights that explain which of the scaled rows were wanted, at `pull` times the squared distance from `before`.
pub(super) fn fit(rows: &[Row], wanted: &[bool], before: &Weights, pull: f64) -> Weights {
    const N: usize = WIDTH + 1;
    let mut weights = *before;
    let lambda = |i: usize| if i == WIDTH { pull * FREE } else { pull };
    for _ in 0..STEPS {
        let mut gradient = [0.0f64; N];
        // Sums of a block of rows are taken in f32, which is fast, and added in f64.
        let mut hessian = vec![0.0f64; N * N];
        for (block, block_wanted) in rows.chunks(256).zip(wanted.chunks(256)) {
            let mut part = vec![0.0f32; N * N];
            for (row, &wanted) in block.iter().zip(block_wanted) {
                let mut full = [1.0f32; N];
                for (slot, value) in full.iter_mut().zip(row) {
                    *slot = *value;
                }
                let p = probability(log_odds(&weights, row));
                let error = f32::from(u8::from(wanted)) - p;
                let curve = (p * (1.0 - p)).max(1e-4);
                for (g, x) in gradient.iter_mut().zip(&full) {
                    *g += f64::from(error * x);
                }
                for (line, x) in part.chunks_exact_mut(N).zip(&full) {
                    let weighted = curve * x;
                    if weighted != 0.0 {
                        line.iter_mut().zip(&full).for_each(|(h, y)| *h += weighted * y);
                    }
                }
            }
            hessian.iter_mut().zip(&part).for_each(|(sum, part)| *sum += f64::from(*part));
        }
        for (i, (g, (now, before))) in gradient.iter_mut().zip(weights.iter().zip(before)).enumerate() {
            *g -= lambda(i) * f64::from(now - before);
            if let Some(h) = hessian.get_mut(i * N + i) {
                *h += lambda(i);
            }
        }
        let Some(step) = solve(hessian, gradient) else { break };
        let mut largest = 0.0f64;
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight += *step as f32;
            largest = largest.max(step.abs());
        }
        if largest < 3e-3 {
            break;
        }
    }
    if weights.iter().all(|weight| weight.is_finite()) { weights } else { *before }
}

/// Solves a symmetric positive definite system by Cholesky's method; None where it is none.
fn solve<const N: usize>(mut a: Vec<f64>, mut b: [f64; N]) -> Option<[f64; N]> {
    for j in 0..N {
        let (above, below) = a.split_at_mut(j * N);
        let row = below.get_mut(..N)?;
        for k in 0..j {
            let other = above.get(k * N..k * N + N)?;
            let dot: f64 = row.iter().zip(other).take(k).map(|(x, y)| x * y).sum();
            let value = (row.get(k)? - dot) / other.get(k)?;
            *row.get_mut(k)? = value;
        }
        let square: f64 = row.iter().take(j).map(|x| x * x).sum();
        let rest = row.get(j)? - square;
        if rest.is_nan() || rest <= 0.0 {
            return None;
        }
        *row.get_mut(j)? = rest.sqrt();
        let dot: f64 = row.iter().zip(&b).take(j).map(|(x, y)| x * y).sum();
        let value = (b.get(j)? - dot) / row.get(j)?;
        *b.get_mut(j)? = value;
    }
    for j in (0..N).rev() {
        let mut dot = 0.0;
        for k in j + 1..N {
            dot += a.get(k * N + j)? * b.get(k)?;
        }
        let value = (b.get(j)? - dot) / a.get(j * N + j)?;
        *b.get_mut(j)? = value;
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(first: f32, second: f32) -> Row {
        let mut row = [0.0; WIDTH];
        row[0] = first;
        row[1] = second;
        row
    }

    #[test]
    fn finds_what_decides_and_stays_with_the_prior_where_nothing_speaks_against_it() {
        let mut before = [0.0; WIDTH + 1];
        before[1] = 0.5;
        let rows: Vec<Row> = (0..200).map(|i| row(if i % 2 == 0 { 1.0 } else { -1.0 }, 0.0)).collect();
        let wanted: Vec<bool> = (0..200).map(|i| i % 2 == 0 && i % 10 != 0).collect();
        let weights = fit(&rows, &wanted, &before, 1.0);
        assert!(weights[0] > 1.0, "{}", weights[0]);
        assert_eq!(weights[1], 0.5);
        assert!(fit(&[], &[], &before, 1.0) == before);
        // The harder the pull, the nearer to what was known before.
        assert!(fit(&rows, &wanted, &before, 1e4)[0].abs() < 0.05);
    }

    #[test]
    fn solves_a_system() {
        let solved = solve(vec![4.0, 2.0, 2.0, 3.0], [8.0, 7.0]).unwrap_or_default();
        assert!((solved[0] - 1.25).abs() < 1e-9 && (solved[1] - 1.5).abs() < 1e-9, "{solved:?}");
        assert_eq!(solve(vec![0.0, 0.0, 0.0, 1.0], [1.0, 1.0]), None);
    }

    #[test]
    fn scaling_centres_and_clips() {
        let rows = [row(1.0, 0.0), row(3.0, 0.0), row(1000.0, 0.0)];
        let scale = Scale::of(&rows[..2]);
        assert!((scale.apply(&rows[0])[0] + 1.0).abs() < 0.01);
        assert_eq!(scale.apply(&rows[2])[0], 6.0);
    }
}
