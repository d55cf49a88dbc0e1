//! Questions that ask for the opposite end: lowest where the history's asks for highest, under where it says over.

use std::ops::Range;

use super::bind::Binding;
use super::clauses::Clauses;
use super::replace::Replacement;
use super::slots::Slot;
use crate::retrieval::words::words;
use crate::sql::{TokenKind, tokenize};

/// Words for the two ends of one scale.
const SCALES: &[(&[&str], &[&str])] = &[
    (
        &["most", "highest", "maximum", "max", "largest", "biggest", "greatest"],
        &["least", "fewest", "lowest", "minimum", "min", "smallest"],
    ),
    (&["longest", "tallest"], &["shortest"]),
    (&["oldest", "earliest"], &["youngest", "newest", "latest"]),
    (&["heaviest"], &["lightest"]),
    (&["best"], &["worst"]),
    (&["ascending", "increasing"], &["descending", "decreasing"]),
];
const OVER: &[&str] = &[
    "more",
    "greater",
    "larger",
    "bigger",
    "higher",
    "older",
    "taller",
    "longer",
    "heavier",
    "over",
    "above",
    "exceeding",
    "exceeds",
    "exceed",
    "after",
    "later",
    "least",
];
const UNDER: &[&str] = &[
    "less", "fewer", "smaller", "lower", "younger", "shorter", "lighter", "under", "below", "before",
    "earlier", "most",
];
/// Words that may stand between a comparison and its number.
const BETWEEN: &[&str] =
    &["than", "or", "equal", "to", "of", "the", "a", "an", "at", "year", "years", "age", "day", "date"];

/// Whether the number at `range` is a lower bound (true) or an upper one, and whether it is included: "over 5" is
/// (true, false), "5 or fewer" is (false, true). None where the text compares with nothing.
pub(super) fn comparison(text: &str, range: &Range<usize>) -> Option<(bool, bool)> {
    let lower: Vec<(String, Range<usize>)> =
        words(text).iter().map(|word| (word.text.to_lowercase(), word.start..word.end)).collect();
    let side = |word: &str| match (OVER.contains(&word), UNDER.contains(&word)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let after: Vec<&str> =
        lower.iter().filter(|(_, at)| at.start >= range.end).take(3).map(|(word, _)| word.as_str()).collect();
    if let Some(at) = after.iter().position(|word| *word == "or")
        && let Some(up) = after.get(at + 1).and_then(|word| side(word))
    {
        return Some((up, true));
    }
    let mut before =
        lower.iter().rev().filter(|(_, at)| at.end <= range.start).map(|(word, _)| word.as_str());
    let mut inclusive = false;
    for word in before.by_ref().take(6) {
        if let Some(up) = side(word) {
            let lead = before.next();
            let bound = matches!(word, "least" | "most");
            return match lead {
                Some("no" | "not") => Some((!up, true)),
                Some("at") if bound => Some((up, true)),
                _ if bound => None,
                _ => Some((up, inclusive)),
            };
        }
        inclusive |= word == "equal";
        if !BETWEEN.contains(&word) {
            return None;
        }
    }
    None
}

/// Whether a number stands for itself: right behind "have", "is" and their like, and with nothing behind it that opens it
/// to one side.
fn is_exact(text: &str, range: &Range<usize>) -> bool {
    const LEAD: &[&str] =
        &["have", "has", "had", "having", "with", "is", "are", "was", "were", "equals", "exactly"];
    const OPEN: &[&str] = &["or", "and", "to", "plus", "up", "upwards", "onwards", "minimum", "maximum"];
    let words = words(text);
    let before = words.iter().rev().find(|word| word.end <= range.start);
    let after = words.iter().filter(|word| word.start >= range.end).take(2);
    let is = |list: &[&str], word: &str| list.contains(&word.to_lowercase().as_str());
    let signed = text.get(range.end..).is_some_and(|rest| rest.starts_with(['+', '-']));
    !signed
        && before.is_some_and(|word| is(LEAD, word.text))
        && !after.into_iter().any(|word| is(OPEN, word.text))
}

/// Where two questions ask for opposite ends of one scale, as (old, new).
fn opposite(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let ends = |text: &str, words_of_end: &[&str]| {
        let mut before = String::new();
        for word in words(text) {
            let lower = word.text.to_lowercase();
            // "at least" and "at most" compare, they do not rank.
            if words_of_end.contains(&lower.as_str()) && before != "at" {
                return Some(word.start..word.end);
            }
            before = lower;
        }
        None
    };
    let mut found = SCALES.iter().filter_map(|(one, other)| {
        match (ends(old, one), ends(old, other), ends(new, one), ends(new, other)) {
            (Some(from), None, None, Some(to)) | (None, Some(from), Some(to), None) => Some((from, to)),
            _ => None,
        }
    });
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

/// What became of the directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Directions {
    /// Orders and comparisons turned round.
    pub turned: usize,
    /// Whether the question asks for the other end and the query has nothing to turn.
    pub stuck: bool,
}

/// Turns the order, or the only extreme, where the questions ask for opposite ends, and the comparisons whose
/// numbers stand in `binding.pairs`.
pub(super) fn edit(
    sql: &str,
    clauses: &Clauses,
    slots: &[Slot],
    questions: (&str, &str),
    binding: &mut Binding,
) -> Directions {
    let mut done = Directions::default();
    if let Some((from, to)) = opposite(questions.0, questions.1) {
        let said = |text: &str, range: &Range<usize>| text.get(range.clone()).unwrap_or("").to_lowercase();
        let (old, new) = (said(questions.0, &from), said(questions.1, &to));
        let reason = format!("The question says {new}, the history's {old}.");
        let turns = order(sql, clauses).map_or_else(|| extremes(sql), |turn| vec![turn]);
        done.stuck = turns.is_empty();
        if !turns.is_empty() {
            done.turned += 1;
            binding.old_marks.push((from, "end".to_owned()));
            binding.marks.push((to, "end".to_owned()));
        }
        let turns =
            turns.into_iter().map(|(range, after)| Replacement { range, after, reason: reason.clone() });
        binding.changes.extend(turns);
    }
    for pair in &binding.pairs {
        let (Some(old), Some(slot)) = (comparison(questions.0, &pair.old), slots.get(pair.slot)) else {
            continue;
        };
        let Some((range, sign)) = sign_before(sql, slot.range.start) else { continue };
        let said = questions.1.get(pair.new.clone()).unwrap_or("");
        let (after, reason) = match comparison(questions.1, &pair.new) {
            Some(new) => {
                let (up, inclusive) = (sign.starts_with('>') == (old.0 == new.0), sign.ends_with('='));
                // Whether a bound is included follows the words only where it did in the history.
                let inclusive = if inclusive == old.1 { new.1 } else { inclusive };
                let after = format!("{}{}", if up { ">" } else { "<" }, if inclusive { "=" } else { "" });
                let bound = if new.0 { "lower" } else { "upper" };
                (after, format!("In the question {said} is the {bound} bound."))
            }
            None if is_exact(questions.1, &pair.new) => {
                let bound = if old.0 { "lower" } else { "upper" };
                ("=".to_owned(), format!("The question says {said}, the history's makes it a {bound} bound."))
            }
            None => continue,
        };
        if after != sign && !binding.changes.iter().any(|change| change.range == range) {
            binding.changes.push(Replacement { range, after, reason });
            done.turned += 1;
        }
    }
    done
}

/// The other direction of ORDER BY, where it has one term.
fn order(sql: &str, clauses: &Clauses) -> Option<(Range<usize>, String)> {
    let range = clauses.order.clone()?;
    let [term] = Clauses::pieces(sql, range).try_into().ok()?;
    let last = tokenize(sql).into_iter().rfind(|token| {
        token.end <= term.end && !matches!(token.kind, TokenKind::Space | TokenKind::Comment)
    })?;
    let turned = match sql.get(last.start..last.end)?.to_ascii_uppercase().as_str() {
        "DESC" => (last.start..last.end, "ASC".to_owned()),
        "ASC" => (last.start..last.end, "DESC".to_owned()),
        "FIRST" | "LAST" => return None,
        _ => (term.end..term.end, " DESC".to_owned()),
    };
    Some(turned)
}

/// MAX for MIN or MIN for MAX, where the query has only one of them.
fn extremes(sql: &str) -> Vec<(Range<usize>, String)> {
    let named = |name: &str| -> Vec<Range<usize>> {
        let calls = tokenize(sql).into_iter().filter(|token| {
            token.kind == TokenKind::Function
                && sql.get(token.start..token.end).is_some_and(|text| text.eq_ignore_ascii_case(name))
        });
        calls.map(|token| token.start..token.end).collect()
    };
    match (named("MAX"), named("MIN")) {
        (max, min) if min.is_empty() => max.into_iter().map(|range| (range, "MIN".to_owned())).collect(),
        (max, min) if max.is_empty() => min.into_iter().map(|range| (range, "MAX".to_owned())).collect(),
        _ => Vec::new(),
    }
}

/// The comparison right before a literal.
fn sign_before(sql: &str, literal: usize) -> Option<(Range<usize>, &str)> {
    let last = tokenize(sql).into_iter().rfind(|token| {
        token.end <= literal && !matches!(token.kind, TokenKind::Space | TokenKind::Comment)
    })?;
    let sign = sql.get(last.start..last.end)?;
    matches!(sign, ">" | "<" | ">=" | "<=").then_some((last.start..last.end, sign))
}
