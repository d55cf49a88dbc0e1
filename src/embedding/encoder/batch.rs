//! Cutting many texts into batches of about the same work.

use super::bert::Run;

/// Texts that go through the encoder together, sorted by length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Places of the texts in the caller's list.
    pub texts: Vec<usize>,
    /// Lengths of these texts, equal ones together.
    pub runs: Vec<Run>,
}

impl Batch {
    /// Tokens in the batch.
    pub fn tokens(&self) -> usize {
        self.runs.iter().map(|run| run.texts * run.tokens).sum()
    }
}

/// Plans batches of at most `budget` tokens (one longer text makes a batch of its own) for texts of the
/// given lengths in tokens. Sorting by length keeps the number of runs in a batch small.
pub fn plan(lengths: &[usize], budget: usize) -> Vec<Batch> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    let length = |text: usize| lengths.get(text).copied().unwrap_or_default();
    order.sort_by_key(|&text| length(text));
    let mut batches: Vec<Batch> = Vec::new();
    let mut tokens = 0;
    for text in order {
        let length = length(text);
        match batches.last_mut() {
            Some(batch) if tokens + length <= budget => batch.texts.push(text),
            _ => {
                tokens = 0;
                batches.push(Batch { texts: vec![text], runs: Vec::new() });
            }
        }
        tokens += length;
        if let Some(batch) = batches.last_mut() {
            match batch.runs.last_mut() {
                Some(run) if run.tokens == length => run.texts += 1,
                _ => batch.runs.push(Run { texts: 1, tokens: length }),
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_lengths_share_a_run() {
        let batches = plan(&[3, 9, 3, 4, 30], 10);
        assert_eq!(
            batches,
            [
                Batch {
                    texts: vec![0, 2, 3],
                    runs: vec![Run { texts: 2, tokens: 3 }, Run { texts: 1, tokens: 4 }],
                },
                Batch { texts: vec![1], runs: vec![Run { texts: 1, tokens: 9 }] },
                Batch { texts: vec![4], runs: vec![Run { texts: 1, tokens: 30 }] },
            ]
        );
        assert!(plan(&[], 10).is_empty());
    }

    proptest! {
        #[test]
        fn every_text_is_planned_once(
            lengths in prop::collection::vec(2usize..60, 0..80),
            budget in 1usize..200,
        ) {
            let batches = plan(&lengths, budget);
            let mut seen: Vec<usize> = batches.iter().flat_map(|b| b.texts.clone()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                prop_assert!(batch.tokens() <= budget || batch.texts.len() == 1);
                let runs = batch.runs.iter().flat_map(|run| vec![run.tokens; run.texts]);
                let texts = batch.texts.iter().map(|&text| lengths[text]);
                prop_assert!(runs.eq(texts));
            }
        }
    }
}
