//! Text literals take the values that the question names.

use std::ops::Range;

use super::super::dates::DateLiteral;
use super::super::question::same_context;
use super::super::slots::{Role, Slot, pattern_parts};
use super::super::values::{overlap, quote_text};
use super::Binder;
use crate::retrieval::phrases::quoted;
use crate::retrieval::words::{is_stop_word, stem, words};

impl Binder<'_> {
    /// Text literals that the question names stay.
    pub(super) fn keep_named(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
        for group in groups {
            let Some(slot) = group.first().and_then(|&at| slots.get(at)) else { continue };
            let Some(column) = slot.column.as_ref().filter(|_| slot.text) else { continue };
            let body = if slot.role == Role::Pattern { pattern_parts(&slot.value).1 } else { &slot.value };
            let mentions = self.question.values_of(column);
            let mention =
                mentions.iter().find(|mention| mention.value == slot.value).map(|m| m.range.clone());
            // A value inside a longer one of the same column ("Beetle" in "Blue Beetle") is not named.
            let alone = |range: &Range<usize>| {
                !mentions.iter().any(|other| overlap(&other.range, range) && other.range.len() > range.len())
            };
            let Some(range) = mention.or_else(|| self.question.haystack.find(body).filter(alone)) else {
                continue;
            };
            if self.claimed(&range) {
                continue;
            }
            let name = format!("{}.{}", column.0, column.1);
            self.mark_old(self.old_mention(slot), &name);
            self.binding.marks.push((range, name));
            self.finish(group);
        }
    }

    /// Other text literals take a value of their column that the question names.
    pub(super) fn texts(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
        for group in groups {
            let Some(slot) = group.first().and_then(|&at| slots.get(at)).filter(|_| self.open(group)) else {
                continue;
            };
            let Some(column) = slot.column.as_ref().filter(|_| slot.text && slot.role != Role::Other) else {
                continue;
            };
            let old = self.old_mention(slot);
            let convention = old.is_none() && self.old.is_some();
            let free = self
                .question
                .values_of(column)
                .iter()
                .filter(|mention| !self.claimed(&mention.range) && (mention.whole || !convention))
                // "Powers" is the column there, not the value 'Power' of another one.
                .filter(|mention| !convention || !self.question.names.contains(&mention.range));
            let best = free
                .map(|mention| {
                    let context = match (&self.old, &old) {
                        (Some((text, _)), Some(range)) => {
                            same_context(text, range, self.question.text, &mention.range)
                        }
                        _ => 0.0,
                    };
                    (context, mention)
                })
                .reduce(|best, next| if next.0 > best.0 { next } else { best });
            let name = format!("{}.{}", column.0, column.1);
            if let Some((_, mention)) = best {
                let (before, body, after) = if slot.role == Role::Pattern {
                    pattern_parts(&slot.value)
                } else {
                    ("", slot.value.as_str(), "")
                };
                let value = if body.is_empty() {
                    mention.value.clone()
                } else {
                    format!("{before}{}{after}", mention.value)
                };
                let said = self.written(&mention.range).to_owned();
                let reason = if said == mention.value {
                    format!("The question names {said}, a value of {name}.")
                } else {
                    format!("The question says {said}; {name} holds {}.", quote_text(&mention.value))
                };
                let range = mention.range.clone();
                self.replace(slots, group, &quote_text(&value), &reason);
                self.mark_old(old, &name);
                self.binding.marks.push((range, name));
                self.finish(group);
            } else if let Some(range) = old
                && DateLiteral::read(&slot.value).is_none()
            {
                // What a pattern looks for is mostly no whole value of its column.
                let pattern = slot.role == Role::Pattern;
                if let Some(place) = pattern.then(|| self.in_its_place(&range)).flatten() {
                    let (said, (before, body, after)) = (self.written(&place), pattern_parts(&slot.value));
                    let reason = format!("The question says {said}, the history's {body}.");
                    let value = quote_text(&format!("{before}{said}{after}"));
                    self.replace(slots, group, &value, &reason);
                    self.mark_old(Some(range), &name);
                    self.binding.marks.push((place, name));
                    self.finish(group);
                    continue;
                }
                self.binding.unsupported.extend(group.iter().map(|&at| (at, range.clone())));
                self.mark_old(Some(range), &name);
                self.finish(group);
            }
        }
    }

    /// What the question has where the history's question has what is at `old`: in quotes, or after the same words.
    fn in_its_place(&self, old: &Range<usize>) -> Option<Range<usize>> {
        let (text, _) = self.old.as_ref()?;
        let mut quotes = quoted(self.question.text).into_iter().filter(|range| !self.claimed(range));
        if quoted(text).iter().any(|quote| overlap(quote, old))
            && let (Some(only), None) = (quotes.next(), quotes.next())
        {
            return Some(only);
        }
        let known = words(text);
        let mut before = known.iter().rev().filter(|word| word.end <= old.start).map(|word| stem(word.text));
        let (last, second) = (before.next()?, before.next());
        let asked = words(self.question.text);
        let follows = |both: bool| {
            asked.windows(3).find(|three| {
                let [first, lead, next] = three else { return false };
                stem(lead.text) == last
                    && (!both || Some(stem(first.text)) == second)
                    && !self.claimed(&(next.start..next.end))
                    && !is_stop_word(&next.text.to_lowercase())
            })
        };
        let telling = !is_stop_word(&last);
        let place = follows(true).or_else(|| follows(false).filter(|_| telling))?.last()?;
        Some(place.start..place.end)
    }
}
