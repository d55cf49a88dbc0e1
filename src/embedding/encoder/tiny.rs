//! A tiny BERT with random weights, made in code: small enough for every test, and for a software GPU.
//!
//! Its vectors mean nothing, but they depend on every weight, token and position, so two devices or two
//! builds that agree on them compute the same network.

use safetensors::{Dtype, tensor::TensorView};

const HIDDEN: usize = 32;
const INNER: usize = 64;
const LAYERS: usize = 2;
const POSITIONS: usize = 64;
const SEED: u64 = 0x51_75_65_72_79;

/// A few words that questions and component descriptions have in common.
const WORDS: &[&str] = &[
    "how", "many", "what", "is", "the", "of", "and", "average", "count", "sum", "total", "name", "date",
    "where", "select", "from", "order", "by", "group", "list", "all", "sales", "customer",
];

/// `vocab.txt` of the tiny encoder: special tokens, punctuation, letters and digits, a few words.
pub fn vocabulary() -> String {
    let mut tokens: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].iter().map(|&token| token.to_owned()).collect();
    tokens.extend(('!'..='~').filter(char::is_ascii_punctuation).map(String::from));
    let plain = ('0'..='9').chain('a'..='z');
    tokens.extend(plain.clone().map(String::from));
    tokens.extend(plain.map(|c| format!("##{c}")));
    tokens.extend(WORDS.iter().map(|&word| word.to_owned()));
    tokens.join("\n") + "\n"
}

/// `model.safetensors` of the tiny encoder in the Hugging Face layout, always the same bytes.
pub fn weights() -> Vec<u8> {
    let vocabulary = vocabulary().lines().count();
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![vocabulary, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![HIDDEN]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![HIDDEN]),
    ];
    for layer in 0..LAYERS {
        for (part, rows, columns) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ] {
            let name = format!("encoder.layer.{layer}.{part}");
            tensors.push((format!("{name}.weight"), vec![rows, columns]));
            tensors.push((format!("{name}.bias"), vec![rows]));
        }
        for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
            let name = format!("encoder.layer.{layer}.{part}");
            tensors.push((format!("{name}.weight"), vec![HIDDEN]));
            tensors.push((format!("{name}.bias"), vec![HIDDEN]));
        }
    }
    let mut random = Random(SEED);
    let data: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(name, shape)| {
            // Layer normalisation scales around 1, as in a trained network.
            let centre = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
            (0..shape.iter().product::<usize>())
                .flat_map(|_| (centre + 0.6 * random.next()).to_le_bytes())
                .collect()
        })
        .collect();
    let views = tensors.iter().zip(&data).filter_map(|((name, shape), data)| {
        TensorView::new(Dtype::F32, shape.clone(), data).ok().map(|view| (name.as_str(), view))
    });
    safetensors::serialize(views.collect::<Vec<_>>(), None).unwrap_or_default()
}

/// SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    /// A number in -1..1 with 24 random bits, exact in `f32`.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::weights::sha256_hex;

    #[test]
    fn weights_are_the_same_bytes_everywhere() {
        let digest = "e5b5a8f475cc78f2dbfacb8b61b9048901e77bfc629f2f900b4d1f6637cfcc4c";
        assert_eq!(sha256_hex(&weights()), digest);
    }
}
