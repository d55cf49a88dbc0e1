//! Conditions of WHERE that the question does not ask for are dropped, and values that it names become conditions
//! where queries of the history filter by their column.

use std::collections::HashSet;
use std::ops::Range;

use super::alike::WordWeights;
use super::bind::Binding;
use super::clauses::{Clauses, Tables};
use super::directions::comparison;
use super::names::Names;
use super::numbers::plain;
use super::question::Question;
use super::replace::Replacement;
use super::slots::{Role, Slot};
use super::values::{ColumnName, overlap, quote_text};
use crate::retrieval::words::words;

/// Words between a column and the number it is compared with, at most.
const REACH: usize = 5;

/// What became of the conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    /// Conditions left out.
    pub dropped: usize,
    /// Conditions put in.
    pub added: usize,
}

/// A query that may be edited, with what the history knows.
pub(super) struct Editable<'a> {
    /// The historical query.
    pub sql: &'a str,
    /// Its clauses.
    pub clauses: &'a Clauses,
    /// Its tables.
    pub sources: &'a Tables<'a>,
    /// Its literals.
    pub slots: &'a [Slot],
    /// Columns that queries of the history filter by.
    pub filtered: &'a HashSet<ColumnName>,
}

/// Drops the conditions whose every literal is in `binding.unsupported`, and adds those for what `question` names
/// and nothing in the query uses. A WHERE with OR stays as it is.
pub(super) fn edit(
    query: &Editable<'_>,
    question: &Question<'_>,
    weights: &WordWeights,
    known: &HashSet<String>,
    binding: &mut Binding,
) -> Conditions {
    let Some(conjuncts) = query.clauses.conjuncts(query.sql) else { return Conditions::default() };
    let dropped: Vec<bool> = conjuncts.iter().map(|range| unasked(range, query.slots, binding)).collect();
    let in_dropped = |range: &Range<usize>| {
        conjuncts.iter().zip(&dropped).any(|(conjunct, dropped)| *dropped && overlap(conjunct, range))
    };
    let compared: Vec<&Slot> = query.slots.iter().filter(|slot| !in_dropped(&slot.range)).collect();
    let taken: HashSet<ColumnName> = compared.iter().filter_map(|slot| slot.column.clone()).collect();
    let added = additions(query, question, weights, known, &taken, binding);
    let counts = Conditions { dropped: dropped.iter().filter(|d| **d).count(), added: added.len() };

    binding.changes.retain(|change| !in_dropped(&change.range));
    let stays = |at: usize| query.slots.get(at).is_some_and(|slot| !in_dropped(&slot.range));
    let (kept, gone): (Vec<_>, Vec<_>) =
        std::mem::take(&mut binding.unsupported).into_iter().partition(|(at, _)| stays(*at));
    binding.unsupported = kept;
    // What a dropped condition was asked by is no difference of the questions any more.
    for (_, range) in gone {
        binding.old_marks.retain(|(mark, _)| !overlap(mark, &range));
        binding.old_marks.push((range, String::new()));
    }
    let mut changes = removals(query, &conjuncts, &dropped, added.is_empty());
    let texts: Vec<&str> = added.iter().map(|(text, _)| text.as_str()).collect();
    let reasons: Vec<&str> = added.iter().map(|(_, reason)| reason.as_str()).collect();
    if !added.is_empty() {
        let (from, all) = (query.clauses.from.end, query.clauses.condition.clone());
        let nothing_left = dropped.iter().all(|dropped| *dropped);
        let (range, lead) = match all {
            Some(all) if nothing_left => (all, ""),
            Some(all) => (all.end..all.end, " AND "),
            None => (from..from, " WHERE "),
        };
        let after = format!("{lead}{}", texts.join(" AND "));
        changes.push(Replacement { range, after, reason: reasons.join(" ") });
    }
    binding.changes.extend(changes);
    counts
}

/// Whether a condition compares only with literals that the question has no use for.
fn unasked(range: &Range<usize>, slots: &[Slot], binding: &Binding) -> bool {
    let inside = slots.iter().enumerate().filter(|(_, slot)| overlap(&slot.range, range));
    let compared: Vec<usize> =
        inside.filter(|(_, slot)| slot.role != Role::Other).map(|(at, _)| at).collect();
    !compared.is_empty() && compared.iter().all(|at| binding.unsupported.iter().any(|(slot, _)| slot == at))
}

/// Takes the dropped conditions out, each with its AND; the whole WHERE where none is left and none `comes`.
fn removals(
    query: &Editable<'_>,
    conjuncts: &[Range<usize>],
    dropped: &[bool],
    none_comes: bool,
) -> Vec<Replacement> {
    let reason = |range: &Range<usize>| {
        let inside = query.slots.iter().filter(|slot| overlap(&slot.range, range));
        let values: Vec<&str> =
            inside.filter(|slot| slot.role != Role::Other).map(|slot| slot.value.as_str()).collect();
        format!("The question does not name {}.", values.join(", "))
    };
    let Some(first_kept) = dropped.iter().position(|dropped| !dropped) else {
        let Some(filter) = query.clauses.filter.clone().filter(|_| none_comes) else { return Vec::new() };
        let range = query.clauses.from.end..filter.end;
        return vec![Replacement { range, after: String::new(), reason: reason(&filter) }];
    };
    let gone = conjuncts.iter().enumerate().filter(|(at, _)| dropped.get(*at) == Some(&true));
    let removals = gone.filter_map(|(at, conjunct)| {
        let range = if at < first_kept {
            conjunct.start..conjuncts.get(at + 1)?.start
        } else {
            conjuncts.get(at.checked_sub(1)?)?.end..conjunct.end
        };
        Some(Replacement { range, after: String::new(), reason: reason(conjunct) })
    });
    removals.collect()
}

/// Conditions for what the question names, each with its reason; what they use is marked in `binding`.
fn additions(
    query: &Editable<'_>,
    question: &Question<'_>,
    weights: &WordWeights,
    known: &HashSet<String>,
    taken: &HashSet<ColumnName>,
    binding: &mut Binding,
) -> Vec<(String, String)> {
    let mut added: Vec<(String, String)> = Vec::new();
    let usable = |column: &ColumnName| {
        let free = query.filtered.contains(column) && !taken.contains(column);
        free.then(|| query.sources.write(&column.0, &column.1)).flatten()
    };
    let claimed =
        |binding: &Binding, range: &Range<usize>| binding.marks.iter().any(|(mark, _)| overlap(mark, range));
    let mut values: Vec<(&ColumnName, &super::values::ValueMention, String)> = Vec::new();
    for (column, mentions) in &question.values {
        let Some(written) = usable(column) else { continue };
        let named = mentions.iter().filter(|mention| question.tells(mention, weights, known));
        values.extend(
            named
                .filter(|mention| !claimed(binding, &mention.range))
                .map(|mention| (column, mention, written.clone())),
        );
    }
    let mut used: HashSet<ColumnName> = HashSet::new();
    for (column, mention, written) in &values {
        // A word that several columns hold says nothing about which one is meant.
        let shared =
            values.iter().any(|(other, second, _)| other != column && overlap(&second.range, &mention.range));
        if shared || !used.insert((*column).clone()) {
            continue;
        }
        let said = question.text.get(mention.range.clone()).unwrap_or("");
        let name = format!("{}.{}", column.0, column.1);
        let reason = format!("The question says {said}, a value of {name}, which the history filters by.");
        added.push((format!("{written} = {}", quote_text(&mention.value)), reason));
        binding.marks.push((mention.range.clone(), String::new()));
    }
    let names = Names::of(query.sources.tables());
    for number in &question.numbers {
        if claimed(binding, &number.range) {
            continue;
        }
        let Some((up, inclusive)) = comparison(question.text, &number.range) else { continue };
        let before = words(question.text).iter().filter(|word| word.end <= number.range.start).count();
        let Some((column, _)) = names.last_before(question.text, before, REACH) else { continue };
        let Some(written) = usable(&column).filter(|_| used.insert(column.clone())) else { continue };
        let sign = match (up, inclusive) {
            (true, false) => ">",
            (true, true) => ">=",
            (false, false) => "<",
            (false, true) => "<=",
        };
        let said = question.text.get(number.range.clone()).unwrap_or("");
        let name = format!("{}.{}", column.0, column.1);
        let reason = format!("The question compares {name} with {said}; the history filters by it.");
        added.push((format!("{written} {sign} {}", plain(number.value)), reason));
        binding.marks.push((number.range.clone(), String::new()));
    }
    added
}
