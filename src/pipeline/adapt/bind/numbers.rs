//! Numeric literals take the numbers that the question names.

use std::ops::Range;

use super::super::numbers::{numbers, plain};
use super::super::question::same_context;
use super::super::replace::Replacement;
use super::super::slots::{Role, Slot, ranges};
use super::super::values::{overlap, quote_text};
use super::{Binder, Pair};

/// A literal with the number that it took, and the place of the old one in the history's question.
struct Taken {
    slot: usize,
    new: Range<usize>,
    old: Option<Range<usize>>,
}

impl Binder<'_> {
    /// Numbers that the history's question names take the numbers that the new one names.
    pub(super) fn numbers(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
        let old_text = self.old.as_ref().map(|(text, _)| *text);
        let mut old_numbers = old_text.map(numbers).unwrap_or_default();
        old_numbers.retain(|n| !self.binding.old_marks.iter().any(|(mark, _)| overlap(mark, &n.range)));
        let mut taken: Vec<Taken> = Vec::new();
        for group in groups {
            let Some(slot) = group.first().and_then(|&at| slots.get(at)).filter(|_| self.open(group)) else {
                continue;
            };
            let Ok(value) = slot.value.parse::<f64>() else { continue };
            let same = |number: f64, percent: bool| number == value || (percent && number == value * 100.0);
            let old = old_numbers.iter().position(|number| same(number.value, number.percent));
            let old = old.map(|at| old_numbers.remove(at));
            let free: Vec<_> =
                self.question.numbers.iter().filter(|number| !self.claimed(&number.range)).cloned().collect();
            let chosen = match (&old, old_text) {
                (Some(old), Some(text)) => free.iter().find(|n| same(n.value, n.percent)).or_else(|| {
                    let scored = free
                        .iter()
                        .map(|n| (same_context(text, &old.range, self.question.text, &n.range), n));
                    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, n)| n)
                }),
                _ if slot.role == Role::Limit => {
                    free.iter().find(|n| asks_for_rows(self.question.text, &n.range))
                }
                // Named by no question: a threshold or a code that stays, unless there is no question at all.
                (_, None)
                    if slot.role == Role::Compared
                        && slot.column.is_some()
                        && value != 0.0
                        && value != 1.0 =>
                {
                    free.first()
                }
                _ => None,
            };
            let name = match (&slot.column, slot.role) {
                (_, Role::Limit) => "limit".to_owned(),
                (Some(column), _) => format!("{}.{}", column.0, column.1),
                (None, _) => "number".to_owned(),
            };
            let Some(number) = chosen else {
                if let Some(old) = old {
                    self.binding.unsupported.extend(group.iter().map(|&at| (at, old.range.clone())));
                    self.mark_old(Some(old.range), &name);
                }
                continue;
            };
            let scaled = old.as_ref().is_some_and(|old| old.percent && old.value != value);
            let new_value = if scaled { number.value / 100.0 } else { number.value };
            let number_text =
                if new_value == value { slot.value.clone() } else { padded(&plain(new_value), &slot.value) };
            let after = if slot.text { quote_text(&number_text) } else { number_text };
            if new_value != value {
                let said = self.written(&number.range).to_owned();
                let reason = if slot.role == Role::Limit {
                    format!("The question asks for {said}.")
                } else {
                    format!("The question says {said}.")
                };
                self.replace(slots, group, &after, &reason);
            }
            self.binding.marks.push((number.range.clone(), name.clone()));
            taken.extend(group.iter().map(|&slot| Taken {
                slot,
                new: number.range.clone(),
                old: old.as_ref().map(|old| old.range.clone()),
            }));
            if let Some(old) = &old {
                let pair = |&slot: &usize| Pair { slot, old: old.range.clone(), new: number.range.clone() };
                self.binding.pairs.extend(group.iter().map(pair));
            }
            self.mark_old(old.map(|old| old.range), &name);
            self.finish(group);
        }
        self.turned_ranges(slots, &taken);
    }

    /// The lower end of a range stays below the upper one: two numbers that the question joins change places, others
    /// are not taken.
    fn turned_ranges(&mut self, slots: &[Slot], taken: &[Taken]) {
        for (low, high) in ranges(slots) {
            let (Some(lower), Some(upper)) = (slots.get(low), slots.get(high)) else { continue };
            let value = |text: &str| text.trim_matches('\'').parse::<f64>().ok();
            let bound = |slot: &Slot| {
                let change = self.binding.changes.iter().find(|change| change.range == slot.range);
                change.map_or_else(|| slot.sql.clone(), |change| change.after.clone())
            };
            let (from, to) = (bound(lower), bound(upper));
            let above = |a: &str, b: &str| value(a).zip(value(b)).is_some_and(|(a, b)| a > b);
            if !above(&from, &to) || above(&lower.sql, &upper.sql) {
                continue;
            }
            let of = |at: usize| taken.iter().find(|taken| taken.slot == at);
            self.binding.changes.retain(|change| change.range != lower.range && change.range != upper.range);
            if let (Some(a), Some(b)) = (of(low), of(high))
                && let Some(between) =
                    self.question.text.get(a.new.end.min(b.new.end)..a.new.start.max(b.new.start))
                && matches!(between.trim(), "and" | "to" | "or" | "-" | "–")
            {
                for (slot, after, number) in [(lower, to, &b.new), (upper, from, &a.new)] {
                    if after != slot.sql {
                        let reason = format!("The question says {}.", self.written(number));
                        let range = slot.range.clone();
                        self.binding.changes.push(Replacement { range, after, reason });
                    }
                }
                continue;
            }
            for end in [of(low), of(high)].into_iter().flatten() {
                self.binding.marks.retain(|(mark, _)| !overlap(mark, &end.new));
                self.binding.pairs.retain(|pair| pair.slot != end.slot);
                if let Some(old) = &end.old {
                    self.binding.unsupported.push((end.slot, old.clone()));
                }
            }
        }
    }
}

/// "03" for a 3 that replaces "07".
fn padded(number: &str, like: &str) -> String {
    let width = if like.starts_with('0') && !like.contains('.') { like.len() } else { 0 };
    format!("{number:0>width$}")
}

/// Whether a number counts rows: "top 5", "5 tallest", "at least five names" is left to the history.
fn asks_for_rows(question: &str, range: &Range<usize>) -> bool {
    let words = crate::retrieval::words::words(question);
    let lead = ["top", "first", "last", "bottom", "best", "worst"];
    let before = words.iter().rev().find(|word| word.end <= range.start);
    let next = words.iter().find(|word| word.start >= range.end).map(|word| word.text.to_lowercase());
    before.is_some_and(|word| lead.contains(&word.text.to_lowercase().as_str()))
        || next.is_some_and(|word| {
            word == "most" || word == "least" || (word.len() > 4 && word.ends_with("est"))
        })
}
