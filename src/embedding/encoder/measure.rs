//! How fast an encoder is here: the same cases natively and in the page's worker.

use std::ops::ControlFlow;

use super::Encoder;
use crate::embedding::protocol::Speed;
use crate::ports::EmbedError;

/// Batch sizes and lengths in tokens that are measured: single questions, and bulk indexing.
const CASES: [(usize, usize); 5] = [(1, 8), (1, 16), (1, 24), (1, 64), (32, 24)];

/// Milliseconds of measured work after which a case ends.
const CASE_MILLISECONDS: f64 = 1500.0;

/// Measures `encoder` with a clock that gives milliseconds.
///
/// # Errors
/// When the device fails.
pub async fn speed(encoder: &Encoder, now: impl Fn() -> f64) -> Result<Vec<Speed>, EmbedError> {
    let mut results = Vec::new();
    for (batch, tokens) in CASES {
        let text = "a ".repeat(tokens.saturating_sub(2));
        let texts = vec![text; batch];
        let once = async || {
            let start = now();
            encoder.embed_batches(&texts, batch * tokens, async |_| ControlFlow::Continue(())).await?;
            Ok((now() - start) / batch as f64)
        };
        // The first round fills caches and compiles shaders.
        once().await?;
        let mut times: Vec<f64> = Vec::new();
        while times.len() < 3 || times.iter().sum::<f64>() * (batch as f64) < CASE_MILLISECONDS {
            times.push(once().await?);
        }
        times.sort_by(f64::total_cmp);
        results.push(Speed {
            batch,
            tokens,
            rounds: times.len(),
            median_ms: times.get(times.len() / 2).copied().unwrap_or_default(),
            fastest_ms: times.first().copied().unwrap_or_default(),
        });
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::embedding::TINY;
    use crate::embedding::encoder::tiny;
    use crate::ports::blocking::block_on;
    use burn::tensor::Device;
    use std::cell::Cell;

    #[test]
    fn times_are_a_text() {
        let encoder =
            Encoder::load(&TINY, &tiny::weights(), tiny::vocabulary().as_bytes(), &Device::flex()).unwrap();
        // A clock on which every batch takes 1000 ms.
        let clock = Cell::new(0.0);
        let results = block_on(speed(&encoder, || {
            clock.set(clock.get() + 1000.0);
            clock.get()
        }))
        .unwrap();
        assert_eq!(results.len(), CASES.len());
        assert!(results.iter().all(|r| r.median_ms * r.batch as f64 == 1000.0 && r.rounds == 3));
    }
}
