//! Literals that write dates take the dates that the question names: all of those that stand for one date, or none.

use super::super::dates::{DateLiteral, DateMention, dates};
use super::super::periods::{Moved, Time, inverted, moved, same_time, span};
use super::super::replace::Replacement;
use super::super::slots::{Role, Slot, ranges};
use super::super::values::quote_text;
use super::{Binder, Pair};
use crate::retrieval::words::words;

/// A literal that writes a date, as a place in the list of slots, with the number of the mention it stands for.
type Standing = (usize, DateLiteral, usize);

impl Binder<'_> {
    /// Literals that stand for a date of the history's question take the one that the question has in its place.
    pub(super) fn dates(&mut self, slots: &[Slot]) {
        let Some((old, _)) = &self.old else { return self.dates_without_question(slots) };
        let old = *old;
        let old_dates = dates(old);
        let new_dates = self.free_dates(old_dates.len());
        if old_dates.is_empty() {
            return;
        }
        let standing = self.standing(slots, &old_dates);
        let planned = |index: usize| -> Option<(&DateMention, &DateMention, Vec<Moved>)> {
            let pair = if new_dates.len() == old_dates.len() {
                index
            } else {
                index.min(new_dates.len().saturating_sub(1))
            };
            let (from, to) = (old_dates.get(index)?, new_dates.get(pair)?);
            let own: Vec<_> = standing
                .iter()
                .filter(|(.., own)| *own == index)
                .map(|(at, literal, _)| (*at, literal.clone()))
                .collect();
            let all: Vec<usize> = standing.iter().map(|(at, ..)| *at).collect();
            let time = Time { text: self.question.text, mention: to };
            Some((from, to, moved(slots, &own, &all, Some(Time { text: old, mention: from }), time)?))
        };
        let plans: Vec<_> = (0..old_dates.len()).map(planned).collect();
        // Two dates that would turn a range round belong elsewhere.
        let all: Vec<Moved> = plans.iter().flatten().flat_map(|(.., moves)| moves.clone()).collect();
        let turned = inverted(slots, &all);
        let (mut changes, mut pairs, mut taken, mut left): (Vec<Replacement>, Vec<_>, Vec<_>, usize) =
            Default::default();
        let (mut used, mut unnamed) = (0, Vec::new());
        for (index, plan) in plans.iter().enumerate() {
            let own = || standing.iter().filter(|(.., own)| *own == index).map(|(at, ..)| *at);
            if own().next().is_none() {
                continue;
            }
            match plan {
                Some((from, to, moves)) if !moves.iter().any(|step| turned.contains(&step.slot)) => {
                    used += 1;
                    changes.extend(self.written_dates(slots, moves, to));
                    let pair = |slot| Pair { slot, old: from.range.clone(), new: to.range.clone() };
                    pairs.extend(own().map(pair));
                    taken.push((from.range.clone(), to.range.clone()));
                }
                // The question names a date that this query cannot be made to ask for.
                _ if !new_dates.is_empty() => left += 1,
                _ => {
                    let range = old_dates.get(index).map_or(0..0, |mention| mention.range.clone());
                    unnamed.extend(own().map(|at| (at, range.clone())));
                }
            }
        }
        self.finish(&standing.iter().map(|(at, ..)| *at).collect::<Vec<_>>());
        let moves: Vec<usize> = all.iter().map(|step| step.slot).collect();
        self.finish(&moves);
        self.binding.changes.extend(changes);
        self.binding.pairs.extend(pairs);
        self.binding.unsupported.extend(unnamed);
        let mut marked: Vec<_> = Vec::new();
        for (from, to) in taken {
            self.mark_old(Some(from), "date");
            if !marked.contains(&to) {
                marked.push(to);
            }
        }
        self.binding.lost_dates += left + used - marked.len().min(used);
        self.binding.marks.extend(marked.into_iter().map(|range| (range, "date".to_owned())));
    }

    /// The dates of the question that nothing uses; two that are the ends of one time count as one where the
    /// history's question names `expected` dates, one fewer.
    fn free_dates(&self, expected: usize) -> Vec<DateMention> {
        let free = self.question.dates.iter().filter(|date| !self.claimed(&date.range));
        let mut free: Vec<DateMention> = free.cloned().collect();
        if let ([first, last], 0..=1) = (free.as_slice(), expected)
            && let Some(between) = self.question.text.get(first.range.end..last.range.start)
            && matches!(between.trim(), "to" | "and" | "through" | "until" | "till" | "-" | "–")
            && first.kind.is_empty()
            && last.kind.is_empty()
            && first.date.parts() == last.date.parts()
        {
            let (until, range) = (Some(last.until.unwrap_or(last.date)), first.range.start..last.range.end);
            free = vec![DateMention { until, range, ..first.clone() }];
        }
        free
    }

    /// The literals that stand for dates of the history's question: for the same date, one of the same year, or
    /// the only one if it is near.
    fn standing(&self, slots: &[Slot], old_dates: &[DateMention]) -> Vec<Standing> {
        let mut standing: Vec<Standing> = Vec::new();
        for (at, slot) in slots.iter().enumerate() {
            let Some(literal) = DateLiteral::read(&slot.value) else { continue };
            if self.done.get(at) != Some(&false) || slot.role == Role::Limit {
                continue;
            }
            let stands = |exact: bool| {
                old_dates.iter().position(|mention| {
                    mention.date.year == literal.date.year && (!exact || mention.date == literal.date)
                })
            };
            let near = old_dates
                .iter()
                .take(1)
                .position(|only| old_dates.len() == 1 && (only.date.year - literal.date.year).abs() <= 1);
            if let Some(index) = stands(true).or_else(|| stands(false)).or(near) {
                standing.push((at, literal, index));
            }
        }
        // Both ends of a year that begins in it stand for it, whatever else the question names.
        for (low, high) in ranges(slots) {
            let find = |at: usize| standing.iter().position(|(own, ..)| *own == at);
            let (Some(low), Some(high)) = (find(low), find(high)) else { continue };
            let (start, index) = (standing[low].1.date, standing[low].2);
            let length = span(start, standing[high].1.date);
            let year = old_dates.get(index).is_some_and(|mention| mention.date.month.is_none());
            if year && length.is_some_and(|months| months <= 12) {
                standing[high].2 = index;
            }
        }
        standing
    }

    /// Without a question in the history, the literals' own dates stand for the date they were asked for.
    fn dates_without_question(&mut self, slots: &[Slot]) {
        let read = |slot: &Slot| {
            DateLiteral::read(&slot.value)
                .filter(|_| slot.role == Role::Compared || slot.role == Role::Pattern)
        };
        let open: Vec<(usize, DateLiteral)> = slots
            .iter()
            .enumerate()
            .filter(|(at, _)| self.done.get(*at) == Some(&false))
            .filter_map(|(at, slot)| Some((at, read(slot)?)))
            .collect();
        let Some(to) = self.free_dates(0).into_iter().next().filter(|_| !open.is_empty()) else { return };
        let all: Vec<usize> = open.iter().map(|(at, _)| *at).collect();
        // Dates that lie apart are not all the one that the question names, but they may move by the same years.
        let from = if same_time(slots, &open) && to.kind.is_empty() {
            None
        } else {
            let year = super::super::periods::year_of(slots, &open, &to);
            let Some(from) = year else {
                self.binding.lost_dates += 1;
                return;
            };
            Some(from)
        };
        let time = Time { text: self.question.text, mention: &to };
        let from = from.as_ref().map(|mention| Time { text: self.question.text, mention });
        let moves = moved(slots, &open, &all, from, time).filter(|moves| inverted(slots, moves).is_empty());
        let Some(moves) = moves else {
            self.binding.lost_dates += 1;
            return;
        };
        let changes = self.written_dates(slots, &moves, &to);
        self.binding.changes.extend(changes);
        self.finish(&all);
        self.finish(&moves.iter().map(|step| step.slot).collect::<Vec<_>>());
        self.binding.marks.push((to.range, "date".to_owned()));
    }

    /// The changes that write dates.
    fn written_dates(&self, slots: &[Slot], moves: &[Moved], to: &DateMention) -> Vec<Replacement> {
        let reason = format!("The question asks about {}.", self.written(&to.range));
        let changes = moves.iter().filter_map(|step| {
            let slot = slots.get(step.slot)?;
            let after = if slot.text { quote_text(&step.value) } else { step.value.clone() };
            let changed = after != slot.sql;
            changed.then(|| Replacement { range: slot.range.clone(), after, reason: reason.clone() })
        });
        changes.collect()
    }
}

/// The word that leads to what stands at `start`, in small letters: "since" in "since the year 2019".
pub(in super::super) fn lead(text: &str, start: usize) -> Option<String> {
    let before = words(text).into_iter().rev().filter(|word| word.end <= start);
    let mut lower = before.map(|word| word.text.to_lowercase());
    lower.find(|word| !matches!(word.as_str(), "the" | "of" | "year" | "month" | "end" | "start" | "than"))
}
