//! Whether another device computes the same numbers as the CPU.

use burn::tensor::Device;

use super::pooling::cosine;
use super::{Encoder, tiny};
use crate::embedding::TINY;
use crate::ports::Embed;

/// Cosine between the vectors of two devices below which they do not compute the same network.
pub const AGREEMENT: f32 = 0.999;

/// Embeds two short texts with the tiny encoder on the CPU and on `device` and compares them.
///
/// # Errors
/// A clause that says what went wrong, when the cosine is below [`AGREEMENT`] or `device` fails.
pub async fn check(device: &Device) -> Result<(), String> {
    let texts = ["how many customers".to_owned(), "total sales by date".to_owned()];
    let reference = tiny_vectors(&Device::flex(), &texts).await?;
    let vectors = tiny_vectors(device, &texts).await?;
    compare(&reference, &vectors)
}

async fn tiny_vectors(device: &Device, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
    let encoder = Encoder::load(&TINY, &tiny::weights(), tiny::vocabulary().as_bytes(), device)
        .map_err(|error| error.to_string())?;
    encoder.embed(texts).await.map_err(|error| error.to_string())
}

fn compare(reference: &[Vec<f32>], vectors: &[Vec<f32>]) -> Result<(), String> {
    let lowest = reference.iter().zip(vectors).map(|(a, b)| cosine(a, b)).fold(1.0_f32, f32::min);
    if reference.len() == vectors.len() && lowest >= AGREEMENT {
        Ok(())
    } else {
        Err(format!("its vectors differ from the CPU's (cosine {lowest:.4})"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::ports::blocking::block_on;

    #[test]
    fn the_cpu_agrees_with_itself_and_a_wrong_device_is_caught() {
        assert_eq!(block_on(check(&Device::flex())), Ok(()));
        let good = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let bad = vec![vec![1.0, 0.0], vec![0.1, 1.0]];
        assert!(compare(&good, &bad).unwrap_err().contains("0.995"));
        assert!(compare(&good, &good[..1]).is_err());
        assert!(compare(&good, &[vec![f32::NAN; 2], vec![0.0, 1.0]]).is_err());
    }
}
