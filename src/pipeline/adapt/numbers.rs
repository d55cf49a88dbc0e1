//! Numbers that a question names, in digits or in words, and writing them in a literal's notation.

use std::ops::Range;

use crate::retrieval::words::words;

/// A number that a question names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberMention {
    /// Its value; "80%" is 80.
    pub value: f64,
    /// Bytes of the question, without a unit.
    pub range: Range<usize>,
    /// Whether a percent sign or the word follows.
    pub percent: bool,
}

const SMALL: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
const TENS: [(&str, f64); 8] = [
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
];
const SCALES: [(&str, f64); 5] =
    [("hundred", 1e2), ("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("dozen", 12.0)];

fn in_words(lower: &str) -> Option<f64> {
    let small = SMALL.iter().position(|word| *word == lower).map(|value| value as f64);
    small.or_else(|| TENS.iter().find(|(word, _)| *word == lower).map(|&(_, value)| value))
}

fn scale(lower: &str) -> Option<f64> {
    SCALES.iter().find(|(word, _)| *word == lower).map(|&(_, value)| value)
}

/// The leading number of a word ("1,000.5", "200cm", "5k"): its value and how many bytes write it. Ordinals
/// ("5th") and codes ("5A3") are no quantities.
fn leading(text: &str) -> Option<(f64, usize)> {
    let length = text.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')).count();
    let (digits, unit) = text.split_at_checked(length)?;
    let commas_fit = !digits.contains(',')
        || digits.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|g| g.len() == 3));
    if digits.is_empty() || !commas_fit || unit.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let lower = unit.to_lowercase();
    if matches!(lower.as_str(), "st" | "nd" | "rd" | "th") {
        return None;
    }
    let value: f64 = digits.replace(',', "").parse().ok()?;
    match lower.as_str() {
        "k" => Some((value * 1e3, text.len())),
        _ => Some((value, length)),
    }
}

/// The numbers a question names, in order. "one" is left out: it is mostly a pronoun.
pub(super) fn numbers(question: &str) -> Vec<NumberMention> {
    let words = words(question);
    let mut found: Vec<NumberMention> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let lower = word.text.to_lowercase();
        let Some((mut value, mut end)) = leading(word.text)
            .map(|(value, length)| (value, word.start + length))
            .or_else(|| in_words(&lower).filter(|&value| value != 1.0).map(|value| (value, word.end)))
        else {
            continue;
        };
        // "twenty-five", then "five hundred".
        if let Some(next) = words.get(at)
            && value >= 20.0
            && in_words(&lower).is_some()
            && let Some(ones) = in_words(&next.text.to_lowercase()).filter(|ones| (1.0..10.0).contains(ones))
        {
            (value, end) = (value + ones, next.end);
            at += 1;
        }
        if let Some(next) = words.get(at).filter(|next| !next.breaks)
            && let Some(times) = scale(&next.text.to_lowercase())
        {
            (value, end) = (value * times, next.end);
            at += 1;
        }
        let after = question.get(end..).unwrap_or("").trim_start();
        let percent =
            after.starts_with('%') || words.get(at).is_some_and(|w| w.text.eq_ignore_ascii_case("percent"));
        found.push(NumberMention { value, range: word.start..end, percent });
    }
    found
}

/// The number as a literal writes it: without a point when it is whole.
pub(super) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_numbers() {
        let values = |question: &str| numbers(question).into_iter().map(|n| n.value).collect::<Vec<_>>();
        assert_eq!(
            values("over 200cm, 1,000.5 kg and twenty-five or five hundred"),
            [200.0, 1000.5, 25.0, 500.0]
        );
        assert_eq!(values("at least five of the top 3, 80% or 5k"), [5.0, 3.0, 80.0, 5000.0]);
        assert!(values("the 5th one of A3").is_empty());
        let question = "more than 80 percent";
        assert!(numbers(question)[0].percent);
        assert_eq!(&question[numbers(question)[0].range.clone()], "80");
    }

    #[test]
    fn writes_numbers() {
        assert_eq!(plain(80.0), "80");
        assert_eq!(plain(0.5), "0.5");
    }

    proptest! {
        #[test]
        fn ranges_are_valid(question in "[0-9a-zé一 ,.%k-]{0,60}") {
            for mention in numbers(&question) {
                prop_assert!(question.get(mention.range).is_some_and(|text| !text.is_empty()));
            }
        }
    }
}
