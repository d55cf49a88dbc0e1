//! From token vectors to one unit vector a text.

use burn::tensor::Tensor;

use super::bert::Run;

/// Mean of each text's token vectors: from `[tokens, hidden]`, laid end to end as `runs` say, to
/// `[texts, hidden]`. There are no padding tokens, so every row counts.
pub fn mean(tokens: Tensor<2>, runs: &[Run]) -> Tensor<2> {
    let [_, hidden] = tokens.dims();
    let mut start = 0;
    let means: Vec<Tensor<2>> = runs
        .iter()
        .map(|run| {
            let end = start + run.texts * run.tokens;
            let rows = tokens.clone().slice([start..end, 0..hidden]);
            start = end;
            rows.reshape([run.texts, run.tokens, hidden]).mean_dim(1).reshape([run.texts, hidden])
        })
        .collect();
    Tensor::cat(means, 0)
}

/// Scales `vector` to L2 norm 1; a zero vector stays zero.
pub fn normalize(vector: &mut [f32]) {
    let norm = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|value| *value = (f64::from(*value) / norm) as f32);
    }
}

/// Cosine of the angle between two vectors; 0 when either is zero or their lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    if a.len() != b.len() {
        return 0.0;
    }
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum() };
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms > 0.0 { (dot(a, b) / norms) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use burn::tensor::Device;

    #[test]
    fn each_text_has_its_own_mean() {
        let tokens = Tensor::<2>::from_floats(
            [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 30.0]],
            &Device::flex(),
        );
        let runs = [Run { texts: 2, tokens: 2 }, Run { texts: 1, tokens: 1 }];
        let means = mean(tokens, &runs).into_data().try_into_vec::<f32>().unwrap();
        assert_eq!(means, [2.0, 3.0, 6.0, 7.0, 9.0, 30.0]);
    }

    #[test]
    fn norms_and_cosines() {
        let mut vector = [3.0, 4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0, 0.0];
        normalize(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
        assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), 1.0);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), 0.0);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), 0.0);
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
    }
}
