//! Literals that write dates move with the dates that the question names.

use super::super::dates::{Date, DateLiteral, dates};
use super::super::replace::Replacement;
use super::super::slots::{Role, Slot};
use super::super::values::quote_text;
use super::{Binder, Pair};

impl Binder<'_> {
    /// Literals that write dates move together by the distance of the two questions' dates.
    pub(super) fn dates(&mut self, slots: &[Slot]) {
        let Some((old, _)) = &self.old else { return self.dates_without_question(slots) };
        let old_dates = dates(old);
        let new_dates: Vec<_> =
            self.question.dates.iter().filter(|d| !self.claimed(&d.range)).cloned().collect();
        let Some(only) = old_dates.first() else { return };
        let (mut used_old, mut used_new) = (vec![false; old_dates.len()], vec![false; new_dates.len()]);
        for (at, slot) in slots.iter().enumerate() {
            let Some(literal) = DateLiteral::read(&slot.value) else { continue };
            if self.done.get(at) != Some(&false) || slot.role == Role::Limit {
                continue;
            }
            // The mention this literal stands for: the same date, the same year, or the only one if it is near.
            let stands = |exact: bool| {
                old_dates.iter().position(|mention| {
                    mention.date.year == literal.date.year && (!exact || mention.date == literal.date)
                })
            };
            let near = old_dates.len() == 1
                && (only.date.year - literal.date.year).abs() <= 1
                && literal.date.year != 0;
            let Some(index) = stands(true).or_else(|| stands(false)).or(near.then_some(0)) else { continue };
            if let Some(done) = self.done.get_mut(at) {
                *done = true;
            }
            let pair = if new_dates.len() == old_dates.len() {
                index
            } else {
                index.min(new_dates.len().saturating_sub(1))
            };
            let Some(from) = old_dates.get(index) else { continue };
            let Some(to) = new_dates.get(pair) else {
                self.binding.unsupported.push((at, from.range.clone()));
                continue;
            };
            self.binding.pairs.push(Pair { slot: at, old: from.range.clone(), new: to.range.clone() });
            self.move_date(slot, &literal, from.date, to.date, pair);
            used_old[index] = true;
            used_new[pair] = true;
        }
        for (mention, _) in old_dates.iter().zip(&used_old).filter(|(_, used)| **used) {
            self.mark_old(Some(mention.range.clone()), "date");
        }
        let taken = used_new.iter().filter(|used| **used).count();
        self.binding.lost_dates += used_old.iter().filter(|used| **used).count().saturating_sub(taken);
        for (mention, _) in new_dates.iter().zip(&used_new).filter(|(_, used)| **used) {
            self.binding.marks.push((mention.range.clone(), "date".to_owned()));
        }
    }

    /// Without a question in the history, the literals' own first date stands for the date they were asked for.
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
        let free = self.question.dates.iter().find(|date| !self.claimed(&date.range)).cloned();
        let (Some((_, first)), Some(to)) = (open.first(), free) else { return };
        // A question that names a year moves years, one that names a month moves months.
        let from = Date {
            year: first.date.year,
            month: first.date.month.filter(|_| to.date.month.is_some()),
            day: first.date.day.filter(|_| to.date.day.is_some()),
        };
        for (at, literal) in &open {
            let Some(slot) = slots.get(*at) else { continue };
            self.move_date(slot, literal, from, to.date, 0);
            self.finish(&[*at]);
        }
        self.binding.marks.push((to.range, "date".to_owned()));
    }

    fn move_date(&mut self, slot: &Slot, literal: &DateLiteral, from: Date, to: Date, mention: usize) {
        let Some(date) = literal.date.shifted(from, to) else { return };
        let value = literal.write(date);
        let after = if slot.text { quote_text(&value) } else { value };
        let said =
            self.question.dates.get(mention).map_or(String::new(), |d| self.written(&d.range).to_owned());
        if after != slot.sql {
            let reason = format!("The question asks about {said}.");
            self.binding.changes.push(Replacement { range: slot.range.clone(), after, reason });
        }
    }
}
