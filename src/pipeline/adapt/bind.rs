//! Binding the literals of one historical query to what a question names.

use std::ops::Range;

use super::Change;
use super::dates::{Date, DateLiteral, dates};
use super::numbers::{numbers, plain};
use super::question::{Question, same_context};
use super::values::{ColumnName, Haystack, overlap, quote_text};

/// A literal of a historical query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    /// Bytes of the historical SQL.
    pub range: Range<usize>,
    /// As written there.
    pub sql: String,
    /// Without quotes.
    pub value: String,
    /// Whether it is a text literal.
    pub text: bool,
    /// The column it is compared with.
    pub column: Option<ColumnName>,
    /// What compares them.
    pub role: Role,
}

/// What a literal is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A pattern of LIKE or GLOB.
    Pattern,
    /// A number of rows.
    Limit,
    /// Compared with a column or an expression.
    Compared,
    /// Anything else: part of a formula, a format, an argument.
    Other,
}

/// A range of a text and the name of what stands there.
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
    /// Literals which the history's own question names, and the new one does not.
    pub unsupported: usize,
}

/// A literal to replace.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replacement {
    /// Bytes of the historical SQL.
    pub range: Range<usize>,
    /// The new literal, as SQL.
    pub after: String,
    /// Why.
    pub reason: String,
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
    let mut binding = binder.binding;
    binding.changes.sort_by_key(|change| change.range.start);
    binding
}

/// Slots with the same column and value change together.
fn groups(slots: &[Slot]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let same = |other: &Slot| {
            other.column == slot.column && other.value == slot.value && other.role == slot.role
        };
        match groups.iter_mut().find(|group| group.first().and_then(|&i| slots.get(i)).is_some_and(same)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The part of a LIKE pattern that is text, with the wildcards around it.
fn pattern_parts(pattern: &str) -> (&str, &str, &str) {
    let wild = |c: char| matches!(c, '%' | '_' | '*');
    let body = pattern.trim_matches(wild);
    let lead = pattern.len() - pattern.trim_start_matches(wild).len();
    if body.is_empty() { (pattern, "", "") } else { (&pattern[..lead], body, &pattern[lead + body.len()..]) }
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

    /// Text literals that the question names stay.
    fn keep_named(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
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
    fn texts(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
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
                .filter(|mention| !self.claimed(&mention.range) && (mention.whole || !convention));
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
            } else if let Some(range) = old {
                self.binding.unsupported += usize::from(DateLiteral::read(&slot.value).is_none());
                if DateLiteral::read(&slot.value).is_none() {
                    self.mark_old(Some(range), &name);
                    self.finish(group);
                }
            }
        }
    }

    /// Literals that write dates move together by the distance of the two questions' dates.
    fn dates(&mut self, slots: &[Slot]) {
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
            let (Some(from), Some(to)) = (old_dates.get(index), new_dates.get(pair)) else { continue };
            self.move_date(slot, &literal, from.date, to.date, pair);
            used_old[index] = true;
            used_new[pair] = true;
        }
        for (mention, _) in old_dates.iter().zip(&used_old).filter(|(_, used)| **used) {
            self.mark_old(Some(mention.range.clone()), "date");
        }
        let taken = used_new.iter().filter(|used| **used).count();
        self.binding.unsupported += used_old.iter().filter(|used| **used).count().saturating_sub(taken);
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

    /// Numbers that the history's question names take the numbers that the new one names.
    fn numbers(&mut self, slots: &[Slot], groups: &[Vec<usize>]) {
        let old_text = self.old.as_ref().map(|(text, _)| *text);
        let mut old_numbers = old_text.map(numbers).unwrap_or_default();
        old_numbers.retain(|n| !self.binding.old_marks.iter().any(|(mark, _)| overlap(mark, &n.range)));
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
                    self.binding.unsupported += 1;
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
            self.mark_old(old.map(|old| old.range), &name);
            self.finish(group);
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

/// The query with its replacements, and what was changed, with ranges in the new text.
pub(super) fn apply(sql: &str, replacements: &[Replacement]) -> (String, Vec<Change>) {
    let (mut text, mut changes, mut from) = (String::with_capacity(sql.len()), Vec::new(), 0);
    for replacement in replacements {
        let (Some(kept), Some(before)) =
            (sql.get(from..replacement.range.start), sql.get(replacement.range.clone()))
        else {
            continue;
        };
        text.push_str(kept);
        let start = text.len();
        text.push_str(&replacement.after);
        changes.push(Change {
            start,
            end: text.len(),
            before: before.to_owned(),
            after: replacement.after.clone(),
            reason: replacement.reason.clone(),
        });
        from = replacement.range.end;
    }
    text.push_str(sql.get(from..).unwrap_or(""));
    (text, changes)
}
