//! Binding the literals of one historical query to what a question names.

mod dates;
mod numbers;
mod texts;

use std::ops::Range;

pub(super) use dates::lead;

use super::question::Question;
use super::replace::Replacement;
use super::slots::{Role, Slot, groups, pattern_parts};
use super::values::{Haystack, overlap};

/// A range of a text and the name of what stands there; an empty name sets the words aside.
pub(super) type Mark = (Range<usize>, String);

/// A historical query bound to a question.
#[derive(Debug, Clone, Default)]
pub(super) struct Binding {
    /// The changes, in the order of the text; ranges are those of the historical SQL.
    pub changes: Vec<Replacement>,
    /// What the query uses of the question.
    pub marks: Vec<Mark>,
    /// What the history's own question names for literals.
    pub old_marks: Vec<Mark>,
    /// Literals which the history's own question names and the new one does not: the place in the list of slots, the
    /// bytes of the old question.
    pub unsupported: Vec<(usize, Range<usize>)>,
    /// Dates that the history's own question names beyond those of the new one.
    pub lost_dates: usize,
    /// Numbers and dates of the old question with those that took their place.
    pub pairs: Vec<Pair>,
}

/// What took the place of a number or date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// The literal, as a place in the list of slots.
    pub slot: usize,
    /// Bytes of the old question.
    pub old: Range<usize>,
    /// Bytes of the new one.
    pub new: Range<usize>,
}

/// The binding of `slots` (the literals of one query, in order) to `question`; `old` is the question that
/// the history has for the query.
pub(super) fn bind(slots: &[Slot], old: Option<&str>, question: &Question<'_>) -> Binding {
    let mut binder = Binder {
        question,
        old: old.map(|text| (text, Haystack::new(text))),
        done: vec![false; slots.len()],
        binding: Binding::default(),
    };
    let groups = groups(slots);
    binder.keep_named(slots, &groups);
    binder.texts(slots, &groups);
    binder.dates(slots);
    binder.numbers(slots, &groups);
    binder.binding
}

struct Binder<'q> {
    question: &'q Question<'q>,
    old: Option<(&'q str, Haystack<'q>)>,
    /// Slots that are decided.
    done: Vec<bool>,
    binding: Binding,
}

impl Binder<'_> {
    fn claimed(&self, range: &Range<usize>) -> bool {
        self.binding.marks.iter().any(|(mark, _)| overlap(mark, range))
    }

    fn written(&self, range: &Range<usize>) -> &str {
        self.question.text.get(range.clone()).unwrap_or("")
    }

    fn finish(&mut self, group: &[usize]) {
        for &at in group {
            if let Some(done) = self.done.get_mut(at) {
                *done = true;
            }
        }
    }

    fn open(&self, group: &[usize]) -> bool {
        group.first().is_some_and(|&at| self.done.get(at) == Some(&false))
    }

    fn mark_old(&mut self, range: Option<Range<usize>>, name: &str) {
        if let Some(range) = range
            && !self.binding.old_marks.iter().any(|(mark, _)| overlap(mark, &range))
        {
            self.binding.old_marks.push((range, name.to_owned()));
        }
    }

    fn replace(&mut self, slots: &[Slot], group: &[usize], after: &str, reason: &str) {
        for slot in group.iter().filter_map(|&at| slots.get(at)) {
            if slot.sql != after {
                let (range, after, reason) = (slot.range.clone(), after.to_owned(), reason.to_owned());
                self.binding.changes.push(Replacement { range, after, reason });
            }
        }
    }

    /// Where the history's own question names a literal's value.
    fn old_mention(&self, slot: &Slot) -> Option<Range<usize>> {
        let (_, haystack) = self.old.as_ref()?;
        let body = if slot.role == Role::Pattern { pattern_parts(&slot.value).1 } else { &slot.value };
        let whole = haystack.find(body);
        whole.or_else(|| {
            haystack.find_all(std::slice::from_ref(&slot.value)).into_iter().next().map(|m| m.range)
        })
    }
}
