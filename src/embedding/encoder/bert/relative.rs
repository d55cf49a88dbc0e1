//! MPNet's relative position bias (Song et al. 2020, after T5): a number for each head and each range of distances,
//! added to the attention scores of every layer.

use burn::tensor::{Device, Tensor, TensorData};

use super::load::{Reader, WeightsError};

/// Distances from here on share the last range.
const FAR: f32 = 128.0;

/// The learned biases.
pub(super) struct DistanceBias {
    /// `[ranges, heads]`.
    values: Vec<f32>,
    ranges: usize,
    heads: usize,
    device: Device,
}

impl DistanceBias {
    pub(super) fn load(reader: &Reader, heads: usize, device: &Device) -> Result<Self, WeightsError> {
        let name = "encoder.relative_attention_bias.weight";
        let [ranges, _] = reader.matrix_shape(name)?;
        let values = reader.values(name, &[ranges, heads])?;
        Ok(Self { values, ranges, heads, device: device.clone() })
    }

    /// The bias of a text of `tokens` tokens, `[heads, 1, tokens, tokens]`: row the token that looks, column the one
    /// looked at.
    pub(super) fn of(&self, tokens: usize) -> Tensor<4> {
        let mut bias = Vec::with_capacity(self.heads * tokens * tokens);
        for head in 0..self.heads {
            for from in 0..tokens {
                for to in 0..tokens {
                    let range = range(from, to, self.ranges);
                    bias.push(self.values.get(range * self.heads + head).copied().unwrap_or(0.0));
                }
            }
        }
        Tensor::from_data(TensorData::new(bias, [self.heads, 1, tokens, tokens]), &self.device)
    }
}

/// The range of the distance between two tokens: the first half of the ranges looks back, the second ahead; in each
/// the first half holds single distances, the rest grow with the logarithm up to [`FAR`].
fn range(from: usize, to: usize, ranges: usize) -> usize {
    let side = ranges / 2;
    let single = side / 2;
    let distance = from.abs_diff(to);
    let within = if distance < single {
        distance
    } else {
        let steps = (side - single) as f32;
        let grown = (distance as f32 / single as f32).ln() / (FAR / single as f32).ln() * steps;
        (single + grown as usize).min(side - 1)
    };
    within + if to > from { side } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn near_distances_are_told_apart_and_far_ones_share() {
        let back: Vec<usize> = (0..8).map(|distance| range(200, 200 - distance, 32)).collect();
        assert_eq!(back, (0..8).collect::<Vec<_>>());
        assert_eq!(range(0, 1, 32), 17);
        assert_eq!((range(20, 12, 32), range(12, 20, 32)), (8, 24));
        // ln(16/8) / ln(128/8) * 8 = 2 ranges after the single ones.
        assert_eq!((range(16, 0, 32), range(127, 0, 32), range(400, 0, 32)), (10, 15, 15));
    }
}
