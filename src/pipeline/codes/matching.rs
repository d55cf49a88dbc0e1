//! How well a value of the database matches a question: by the longest run of characters that both have, as the
//! matcher of BRIDGE (Lin et al. 2020, section 2.2) does it, which the source uses.

use crate::retrieval::words::is_stop_word;

/// What the run must be of the words that it lies in, and of the value.
const RUN: f32 = 0.85;
/// What the words must be of the value.
const VALUE: f32 = 0.9;

/// How much of `value` the question says, from 0 to 1; None where that is too little, or the value is a number or a stop
/// word. `question` is in lower case.
pub(super) fn matched(question: &[char], value: &str) -> Option<f32> {
    let wanted: Vec<char> = value.trim().to_lowercase().chars().collect();
    let text: String = wanted.iter().collect();
    if wanted.is_empty() || text.parse::<f64>().is_ok() || is_stop_word(&text) {
        return None;
    }
    let (start, length) = longest_run(question, &wanted)?;
    // The whole words of the question that the run lies in.
    let inside = |c: &char| c.is_alphanumeric();
    let before = question.get(..start)?.iter().rev().take_while(|c| inside(c)).count();
    let after = question.get(start + length..)?.iter().take_while(|c| inside(c)).count();
    let begins = question.get(start).is_some_and(inside);
    let ends = question.get(start + length - 1).is_some_and(inside);
    let from = if begins { start - before } else { start };
    let to = if ends { start + length + after } else { start + length };
    let said = trimmed(question.get(from..to)?);
    let run = trimmed(question.get(start..start + length)?);
    let possessive = said.len() == run.len() + 2 && said.ends_with(&['\'', 's']);
    let said = if possessive { run } else { said };
    if said.first() != wanted.first() {
        return None;
    }
    let (of_run, of_value) = (ratio(said, run), ratio(&wanted, said));
    (of_run >= RUN && of_value >= VALUE).then_some(of_run * of_value)
}

fn trimmed(text: &[char]) -> &[char] {
    let start = text.iter().take_while(|c| c.is_whitespace()).count();
    let end = text.iter().rev().take_while(|c| c.is_whitespace()).count();
    text.get(start..text.len().saturating_sub(end)).unwrap_or_default()
}

/// Where in `a` the longest run of characters begins that `b` has too, and its length; the first of equals.
fn longest_run(a: &[char], b: &[char]) -> Option<(usize, usize)> {
    let mut best = (0, 0);
    let mut lengths = vec![0_usize; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = 0;
        for (length, y) in lengths.iter_mut().skip(1).zip(b) {
            let here = if x == y { diagonal + 1 } else { 0 };
            diagonal = std::mem::replace(length, here);
            if here > best.1 {
                best = (i + 1 - here, here);
            }
        }
    }
    (best.1 > 0).then_some(best)
}

/// Twice the longest common subsequence by the length of both; 1 for equal texts.
fn ratio(a: &[char], b: &[char]) -> f32 {
    let mut common = vec![0_usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        let mut left = 0;
        for (length, y) in common.iter_mut().skip(1).zip(b) {
            let here = if x == y { diagonal + 1 } else { left.max(*length) };
            diagonal = std::mem::replace(length, here);
            left = here;
        }
    }
    let all = a.len() + b.len();
    if all == 0 { 1.0 } else { 2.0 * common.last().copied().unwrap_or(0) as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(question: &str, value: &str) -> Option<f32> {
        matched(&question.to_lowercase().chars().collect::<Vec<_>>(), value)
    }

    #[test]
    fn values_that_the_question_says_match() {
        assert_eq!(score("heroes of Marvel Comics", "Marvel Comics"), Some(1.0));
        assert_eq!(score("which heroes have blue eyes", "Blue"), Some(1.0));
        assert_eq!(score("Batman's weight", "Batman"), Some(1.0));
        assert_eq!(score("who is in France", "FRANCE"), Some(1.0));
        // One letter of ten is too many or too few: the plural of a long value passes, of a short one it does not.
        assert!(score("the Fremont Unifieds of", "Fremont Unified").is_some_and(|score| score < 1.0));
        assert_eq!(score("how many cats", "cat"), None);
    }

    #[test]
    fn what_it_says_only_in_part_does_not() {
        assert_eq!(score("heroes of Marvel", "Marvel Comics"), None);
        assert_eq!(score("the bluest sky", "Blue"), None);
        assert_eq!(score("in 2019", "2019"), None);
        assert_eq!(score("is there no reply", "No"), None);
        assert_eq!(score("", "Blue"), None);
        assert_eq!(score("blue", ""), None);
        assert_eq!(score("nothing here", "xyz"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_texts_can_be_compared(question in ".{0,40}", value in ".{0,25}") {
            if let Some(score) = score(&question, &value) {
                proptest::prop_assert!((RUN * VALUE..=1.0).contains(&score));
            }
            let chars: Vec<char> = value.chars().collect();
            proptest::prop_assert_eq!(ratio(&chars, &chars), 1.0);
        }

        #[test]
        fn a_value_between_words_matches(value in "[a-z]{3,8} [a-z]{3,8}") {
            proptest::prop_assert_eq!(score(&format!("1 {value} 2"), &value), Some(1.0));
        }
    }
}
