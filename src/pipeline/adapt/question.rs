//! What a question names, and how alike two questions are once what they name is set aside.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::bind::Mark;
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
        Self { text, haystack, dates, numbers, values }
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

/// How often words occur in the questions of a history, to weigh them.
pub(super) struct WordWeights {
    documents: f32,
    holding: HashMap<String, f32>,
}

impl WordWeights {
    pub fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut documents, mut holding) = (0.0f32, HashMap::new());
        for text in texts {
            documents += 1.0;
            for word in tokens(text, &[]).into_keys() {
                *holding.entry(word).or_insert(0.0) += 1.0;
            }
        }
        Self { documents, holding }
    }

    /// Whether one question in twenty or more uses a word.
    fn common(&self, word: &str) -> bool {
        self.holding.get(&stem(word)).copied().unwrap_or(0.0) * 20.0 >= self.documents
    }

    /// How much of the question, outside its marks, is in the other texts, 0 to 1.
    pub fn explained(&self, question: (&str, &[Mark]), by: &[&str]) -> f32 {
        let known: HashSet<String> = by.iter().flat_map(|text| tokens(text, &[]).into_keys()).collect();
        let (mut found, mut all) = (0.0, 0.0);
        for token in tokens(question.0, question.1).into_keys() {
            let weight = self.weight(&token);
            all += weight;
            found += if known.contains(&token)
                || question.1.iter().any(|(_, mark)| token.strip_prefix(MARK) == Some(mark.as_str()))
            {
                weight
            } else {
                0.0
            };
        }
        if all > 0.0 { found / all } else { 1.0 }
    }

    fn weight(&self, word: &str) -> f32 {
        if word.starts_with(MARK) {
            return 2.0;
        }
        let holding = self.holding.get(word).copied().unwrap_or(0.0);
        ((self.documents + 1.0) / (holding + 0.5)).ln().clamp(0.3, 4.0)
    }

    /// Weighted Dice coefficient of two questions, 0 to 1. `marks` name what stands at a range instead of its
    /// words, so that two questions about different values of one column are alike.
    pub fn alike(&self, a: (&str, &[Mark]), b: (&str, &[Mark])) -> f32 {
        let (a, b) = (tokens(a.0, a.1), tokens(b.0, b.1));
        let sum =
            |tokens: &HashMap<String, f32>| -> f32 { tokens.iter().map(|(t, n)| self.weight(t) * n).sum() };
        let shared: f32 =
            a.iter().map(|(t, n)| self.weight(t) * n.min(b.get(t).copied().unwrap_or(0.0))).sum();
        let all = sum(&a) + sum(&b);
        if all > 0.0 { 2.0 * shared / all } else { 0.0 }
    }
}

/// First character of a token that is no word.
const MARK: char = '#';

/// Words that ask for the same thing.
const SAME: &[(&str, &[&str])] = &[
    ("#count", &["number", "count", "many", "total"]),
    ("#share", &["percentage", "percent", "proportion", "ratio", "rate", "share"]),
    ("#average", &["average", "mean", "avg"]),
    ("#most", &["most", "highest", "maximum", "max", "largest", "biggest", "top"]),
    ("#least", &["least", "lowest", "minimum", "min", "smallest", "fewest", "bottom"]),
];

/// Content words, stemmed, with their counts; what lies in a mark is that mark, or nothing where its name is empty.
fn tokens(text: &str, marks: &[(Range<usize>, String)]) -> HashMap<String, f32> {
    let mut counts: HashMap<String, f32> = HashMap::new();
    for (_, mark) in marks.iter().filter(|(_, mark)| !mark.is_empty()) {
        *counts.entry(format!("{MARK}{mark}")).or_default() += 1.0;
    }
    for word in words(text) {
        let range = word.start..word.end;
        if marks.iter().any(|(marked, _)| overlap(marked, &range)) {
            continue;
        }
        let lower = word.text.to_lowercase();
        let same = SAME
            .iter()
            .find(|(_, words)| words.contains(&lower.as_str()))
            .map(|(token, _)| (*token).to_owned());
        let token = match same {
            Some(token) => token,
            None if is_stop_word(&lower) => continue,
            None => stem(&lower),
        };
        *counts.entry(token).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn questions_are_alike_once_their_values_are_set_aside() {
        let history =
            ["How many boats have a blue hull?", "Which sailors know boat 7?", "List all harbours."];
        let weights = WordWeights::new(history.into_iter());
        let mark = |text: &str, value: &str| {
            let start = text.find(value).unwrap();
            [(start..start + value.len(), "boat.hull".to_owned())]
        };
        let (old, new) = (history[0], "How many boats have a green hull?");
        let marked = weights.alike((new, &mark(new, "green")), (old, &mark(old, "blue")));
        assert!(marked > 0.99 && weights.alike((new, &[]), (old, &[])) < 0.8);
        assert!(weights.alike((new, &[]), (history[1], &[])) < 0.4);
        assert!(weights.explained((new, &mark(new, "green")), &[old]) > 0.99);
        assert!(weights.explained((new, &[]), &["SELECT harbour"]) < 0.1);
    }

    #[test]
    fn surroundings_tell_mentions_apart() {
        let (old, new) = ("blue eyes and blond hair", "brown hair and green eyes");
        let at = |text: &str, value: &str| text.find(value).map(|start| start..start + value.len()).unwrap();
        let eyes = |value: &str| same_context(old, &at(old, "blue"), new, &at(new, value));
        assert!(eyes("green") > eyes("brown"));
    }
}
