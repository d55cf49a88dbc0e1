//! What a question names.

use std::collections::HashSet;
use std::ops::Range;

use super::alike::{SchemaWords, WordWeights};
use super::dates::{DateMention, dates};
use super::labels::Labels;
use super::numbers::{NumberMention, numbers};
use super::values::{ColumnName, ColumnValues, Haystack, ValueMention, overlap};
use crate::retrieval::words::{is_stop_word, stem, words};

/// Words looked at on each side of a mention.
const CONTEXT: usize = 3;

/// A question with everything it names.
pub(super) struct Question<'a> {
    pub text: &'a str,
    pub haystack: Haystack<'a>,
    /// Dates, in order.
    pub dates: Vec<DateMention>,
    /// Numbers outside dates, in order.
    pub numbers: Vec<NumberMention>,
    /// Values by column, in order.
    pub values: Vec<(ColumnName, Vec<ValueMention>)>,
    /// Single words in small letters that name tables or columns.
    pub names: Vec<Range<usize>>,
}

impl<'a> Question<'a> {
    /// Finds what `text` names; `columns` are the values it may name, `labels` other names of them.
    pub fn new(text: &'a str, columns: &ColumnValues, labels: &Labels) -> Self {
        let haystack = Haystack::new(text);
        let dates = dates(text);
        let in_date = |range: &Range<usize>| dates.iter().any(|date| overlap(&date.range, range));
        let numbers = numbers(text).into_iter().filter(|number| !in_date(&number.range)).collect();
        let mut values: Vec<(ColumnName, Vec<ValueMention>)> =
            columns.columns().map(|(column, values)| (column.clone(), haystack.find_all(values))).collect();
        for (column, mentions) in &mut values {
            let named: Vec<String> = labels.of(column).iter().map(|(label, _)| label.clone()).collect();
            for mention in haystack.find_all(&named).into_iter().filter(|mention| mention.whole) {
                let code = labels.of(column).iter().find(|(label, _)| *label == mention.value);
                let free = mentions.iter().all(|other| !overlap(&other.range, &mention.range));
                if let Some((_, code)) = code.filter(|_| free) {
                    mentions.push(ValueMention { value: code.clone(), ..mention });
                }
            }
            mentions.sort_by_key(|mention| mention.range.start);
        }
        // "Star" names no hero where "Star Trek" names a publisher.
        let whole: Vec<Range<usize>> = values
            .iter()
            .flat_map(|(_, mentions)| mentions)
            .filter(|mention| mention.whole)
            .map(|mention| mention.range.clone())
            .collect();
        for (_, mentions) in &mut values {
            mentions
                .retain(|mention| mention.whole || !whole.iter().any(|range| overlap(range, &mention.range)));
        }
        Self { text, haystack, dates, numbers, values, names: Vec::new() }
    }

    /// The same, knowing the schema's words.
    pub fn with_names(mut self, schema: &SchemaWords) -> Self {
        let small = words(self.text).into_iter().filter(|word| !word.text.contains(char::is_uppercase));
        self.names = small.filter(|word| schema.has(word.text)).map(|word| word.start..word.end).collect();
        self
    }

    /// Values of one column that the question names.
    pub fn values_of(&self, column: &ColumnName) -> &[ValueMention] {
        self.values.iter().find(|(name, _)| name == column).map_or(&[], |(_, mentions)| mentions.as_slice())
    }

    /// Whether a mention is meant as a value: not a word that many questions of the history use.
    pub fn tells(&self, mention: &ValueMention, weights: &WordWeights, filtered: &HashSet<String>) -> bool {
        let written = self.text.get(mention.range.clone()).unwrap_or("");
        let known =
            filtered.contains(&mention.value) || written.contains(' ') || written != written.to_lowercase();
        mention.whole && (known || !weights.common(written))
    }

    /// Values, numbers and dates that none of the claimed ranges covers, as written and in order. A word that
    /// many questions of the history use ("powers") names no value, unless the history filters by that value.
    pub fn unclaimed(
        &self,
        claimed: &[Range<usize>],
        weights: &WordWeights,
        filtered: &HashSet<String>,
    ) -> Vec<String> {
        let telling = |mention: &&ValueMention| self.tells(mention, weights, filtered);
        let values = self.values.iter().flat_map(|(_, mentions)| mentions).filter(telling);
        let mut open: Vec<Range<usize>> = values.map(|mention| mention.range.clone()).collect();
        open.extend(self.numbers.iter().map(|number| number.range.clone()));
        open.extend(self.dates.iter().map(|date| date.range.clone()));
        // Longest first, so that "3-D Man" stands for its 3 as well.
        open.sort_by_key(|range| (usize::MAX - range.len(), range.start));
        let mut kept: Vec<Range<usize>> = Vec::new();
        for range in open {
            if !claimed.iter().chain(&kept).any(|other| overlap(other, &range)) {
                kept.push(range);
            }
        }
        kept.sort_by_key(|range| range.start);
        kept.into_iter().filter_map(|range| self.text.get(range).map(str::to_owned)).collect()
    }
}

/// Content words around a range, nearest first, with a weight that falls with the distance; what follows
/// says more about a value than what stands before it ("blue eyes").
fn context(text: &str, range: &Range<usize>) -> Vec<(String, f32)> {
    let words = words(text);
    let content = |word: &&crate::retrieval::words::Word<'_>| !is_stop_word(&word.text.to_lowercase());
    let after = words.iter().filter(|word| word.start >= range.end).take(CONTEXT).filter(content);
    let before = words.iter().rev().filter(|word| word.end <= range.start).take(CONTEXT).filter(content);
    let weigh = |first: f32| {
        move |(at, word): (usize, &crate::retrieval::words::Word<'_>)| {
            (stem(word.text), first / (at + 1) as f32)
        }
    };
    after.enumerate().map(weigh(1.5)).chain(before.enumerate().map(weigh(1.0))).collect()
}

/// How alike the surroundings of two mentions are; 0 when they share no content word.
pub(super) fn same_context(a: &str, in_a: &Range<usize>, b: &str, in_b: &Range<usize>) -> f32 {
    let theirs = context(b, in_b);
    let shared = context(a, in_a).into_iter().filter_map(|(word, weight)| {
        theirs.iter().filter(|(other, _)| *other == word).map(|(_, other)| other * weight).reduce(f32::max)
    });
    shared.sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn surroundings_tell_mentions_apart() {
        let (old, new) = ("blue eyes and blond hair", "brown hair and green eyes");
        let at = |text: &str, value: &str| text.find(value).map(|start| start..start + value.len()).unwrap();
        let eyes = |value: &str| same_context(old, &at(old, "blue"), new, &at(new, value));
        assert!(eyes("green") > eyes("brown"));
    }
}
