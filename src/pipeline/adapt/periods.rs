//! Writing the time that a question names in the literals that held another one.
//!
//! A time of the same kind and length moves the literals by its distance; any other time is written out: its first day
//! as the lower end of a range, its last day as the upper one, or the day after where the end is left out. What
//! cannot be written so is not written at all.

use super::bind::lead;
use super::dates::{Date, DateLiteral, DateMention};
use super::slots::{Role, Slot, ranges};
use crate::sql::literals::Operator;

/// A time that a text names.
#[derive(Clone, Copy)]
pub(super) struct Time<'a> {
    pub text: &'a str,
    pub mention: &'a DateMention,
}

/// A literal with its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    /// The place in the list of slots.
    pub slot: usize,
    /// The value, without quotes.
    pub value: String,
}

/// Words that lead to a time which is open to one side, those of a lower end first.
const OPEN: [&[&str]; 2] =
    [&["since", "after", "from", "later"], &["before", "until", "till", "by", "earlier"]];
/// Formats of STRFTIME for a year, a month, a day.
const FORMATS: [&str; 3] = ["%Y", "%Y-%m", "%Y-%m-%d"];

/// The new values of the literals `own`, which stand for `from`, so that they ask about `to`; `all` are the literals that
/// write dates. None where they cannot be made to.
pub(super) fn moved(
    slots: &[Slot],
    own: &[(usize, DateLiteral)],
    all: &[usize],
    from: Option<Time<'_>>,
    to: Time<'_>,
) -> Option<Vec<Moved>> {
    let pairs = ranges(slots);
    let mut found: Vec<Moved> = Vec::new();
    for (at, literal) in own {
        let slot = slots.get(*at)?;
        let alike = from.filter(|from| from.mention.is_like(to.mention));
        if let Some(from) = alike {
            let (from, to) = (from.mention.date, to.mention.date);
            found.push(Moved { slot: *at, value: literal.write(literal.date.shifted(from, to)?) });
            if to.cut(literal.date.parts()) != to {
                found.extend(rest(slots, *at, from, to)?);
            }
            continue;
        }
        if !to.mention.kind.is_empty() {
            return None;
        }
        let partner = pairs
            .iter()
            .any(|(low, high)| (low == at && all.contains(high)) || (high == at && all.contains(low)));
        if slot.is_lower().is_some() {
            found.push(Moved { slot: *at, value: end(slot, literal, partner, from, to)? });
        } else {
            found.extend(whole(slots, *at, literal, from, to)?);
        }
    }
    Some(found)
}

/// One end of a range.
fn end(
    slot: &Slot,
    literal: &DateLiteral,
    partner: bool,
    from: Option<Time<'_>>,
    to: Time<'_>,
) -> Option<String> {
    let (mention, parts) = (to.mention, literal.date.parts());
    let lower = slot.is_lower()?;
    if !partner {
        let word = lead(to.text, mention.range.start);
        let open =
            |lower: bool| word.as_deref().is_some_and(|word| OPEN[usize::from(!lower)].contains(&word));
        let fits = match from {
            Some(from) => (open(true) || open(false)) && word == lead(from.text, from.mention.range.start),
            None => open(lower) || (parts == mention.date.parts() && parts == 3 && !open(!lower)),
        };
        if !fits {
            return None;
        }
        if from.is_none() && mention.date.parts() == parts && parts == 3 {
            return Some(literal.write(mention.date));
        }
    }
    let (first, last) = (mention.first(), mention.last());
    let day = match (slot.operator, lower) {
        (Operator::Greater, _) => first.later(-1),
        (Operator::Less, _) => last.later(1),
        (_, true) => first,
        // A moment that ends a range at midnight is the first of the next day.
        (_, false) if literal.at_midnight() => last.later(1),
        (_, false) => last,
    };
    (mention.date.parts() <= parts && mention.until.is_none_or(|until| until.parts() <= parts))
        .then(|| literal.write(day.cut(parts)))
}

/// A literal that is equal to the time, or whose pattern fits it.
fn whole(
    slots: &[Slot],
    at: usize,
    literal: &DateLiteral,
    from: Option<Time<'_>>,
    to: Time<'_>,
) -> Option<Vec<Moved>> {
    let (slot, date) = (slots.get(at)?, to.mention.date);
    let (has, wants) = (literal.date.parts(), date.parts());
    if slot.role == Role::Other || to.mention.until.is_some() {
        return None;
    }
    let of_year = has == 1 && slots.iter().enumerate().any(|(at, slot)| month_of(slots, at, slot).is_some());
    if has == wants {
        // A month beside it, or a season, says that the year is not meant as a whole.
        let part = of_year || from.is_some_and(|from| !from.mention.kind.is_empty());
        return (!part || has > 1).then(|| vec![Moved { slot: at, value: literal.write(date) }]);
    }
    if has == 1 && wants == 2 && of_year {
        let mut found = vec![Moved { slot: at, value: literal.write(date) }];
        let from = Date { month: from.and_then(|from| from.mention.date.month), ..date };
        found.extend(rest(slots, at, from, date)?);
        return Some(found);
    }
    if slot.role == Role::Pattern {
        let shorter = wants < has && literal.is_open();
        return shorter.then(|| vec![Moved { slot: at, value: literal.as_close_as(date).write(date) }]);
    }
    let format = at.checked_sub(1).filter(|_| slot.operator == Operator::Equal && !of_year)?;
    let held = slots.get(format).filter(|format| {
        format.function.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("strftime"))
            && slot.function.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("strftime"))
    })?;
    (Some(&held.value.as_str()) == FORMATS.get(has - 1)).then_some(())?;
    Some(vec![
        Moved { slot: format, value: (*FORMATS.get(wants - 1)?).to_owned() },
        Moved { slot: at, value: literal.as_close_as(date).write(date) },
    ])
}

/// What literals beside the one at `at` must become, where it writes only the year of a date.
fn rest(slots: &[Slot], at: usize, from: Date, to: Date) -> Option<Vec<Moved>> {
    let has = DateLiteral::read(&slots.get(at)?.value)?.date.parts();
    let same = (has > 1 || from.month == to.month) && from.day == to.day;
    if same {
        return Some(Vec::new());
    }
    let month = to.month.filter(|_| has == 1 && from.day == to.day)?;
    let beside =
        slots.iter().enumerate().filter_map(|(at, slot)| Some((at, slot, month_of(slots, at, slot)?)));
    let beside: Vec<_> = beside.collect();
    // Several months are a season, which no other month takes the place of.
    let fits = beside.iter().all(|(_, slot, held)| {
        slot.operator == Operator::Equal && from.month.is_none_or(|from| from == *held)
    });
    let values = beside.iter().map(|(at, slot, _)| {
        let width = if slot.value.len() == 2 { 2 } else { 1 };
        Moved { slot: *at, value: format!("{month:0width$}") }
    });
    (fits && !beside.is_empty()).then(|| values.collect())
}

/// The month, where a literal is compared with the month of a date alone.
fn month_of(slots: &[Slot], at: usize, slot: &Slot) -> Option<u32> {
    let is = |names: &[&str]| {
        slot.function.as_deref().is_some_and(|own| names.iter().any(|name| name.eq_ignore_ascii_case(own)))
    };
    let format = || at.checked_sub(1).and_then(|before| slots.get(before)).map(|slot| slot.value.as_str());
    let named = || slot.column.as_ref().is_some_and(|(_, name)| name.to_lowercase().contains("month"));
    let of_month = (is(&["strftime"]) && format() == Some("%m"))
        || (is(&["substr", "substring"]) && slot.value.len() == 2)
        || named();
    let listed = matches!(slot.operator, Operator::Equal | Operator::In);
    slot.value.parse().ok().filter(|month| listed && of_month && (1..=12).contains(month))
}

/// The slots of ranges that would end before they begin.
pub(super) fn inverted(slots: &[Slot], moves: &[Moved]) -> Vec<usize> {
    let value = |at: usize| {
        let new = moves.iter().rev().find(|step| step.slot == at).map(|step| step.value.as_str());
        new.or_else(|| slots.get(at).map(|slot| slot.value.as_str()))
    };
    let old = |at: usize| slots.get(at).map(|slot| slot.value.as_str());
    let pairs = ranges(slots).into_iter();
    let turned = pairs.filter(|&(low, high)| value(low) > value(high) && old(low) <= old(high));
    turned.flat_map(|(low, high)| [low, high]).collect()
}

/// Months from one end of a range to the other, counted whole; None where it ends before it begins.
pub(super) fn span(low: Date, high: Date) -> Option<i32> {
    let end = if high.parts() == 3 && high.later(1).day == Some(1) { high.later(1) } else { high };
    let months = end.months() - low.months() + if high.parts() == 3 { 0 } else { 1 };
    (months >= 0).then_some(months)
}

/// Whether all of some literals write the same time: one date, or the two ends of one range.
pub(super) fn same_time(slots: &[Slot], open: &[(usize, DateLiteral)]) -> bool {
    let date = |at: usize| open.iter().find(|(own, _)| *own == at).map(|(_, literal)| literal.date);
    let pairs = ranges(slots);
    let mut times = open.iter().map(|(at, literal)| {
        let pair = pairs.iter().find(|(low, high)| low == at || high == at);
        match pair.map(|(low, high)| (date(*low), date(*high))) {
            Some((Some(low), Some(high))) => (low, high),
            _ => (literal.date, literal.date),
        }
    });
    let first = times.next();
    times.all(|time| Some(time) == first)
}

/// The year that literals without a question stand for, where `to` is a year of the same kind: a fiscal one for twelve
/// months, half of one for six; any one for literals that lie apart.
pub(super) fn year_of(
    slots: &[Slot],
    open: &[(usize, DateLiteral)],
    to: &DateMention,
) -> Option<DateMention> {
    let date = |at: usize| open.iter().find(|(own, _)| *own == at).map(|(_, literal)| literal.date);
    let lengths = ranges(slots).into_iter().filter_map(|(low, high)| Some((date(low)?, date(high)?)));
    let length = lengths.map(|(low, high)| span(low, high)).next().flatten();
    let (_, first) = open.first()?;
    let says = |kind: &str| to.kind.iter().any(|own| own == kind);
    let months = match () {
        () if says("half") => Some(6),
        () if says("quarter") => Some(3),
        () if to.kind.is_empty() || to.kind == ["fiscal"] => Some(12),
        () => None,
    };
    let whole = first.date.parts() == 1 || length.is_some() && length == months;
    (to.date.parts() == 1 && to.until.is_none() && whole).then(|| DateMention {
        date: first.date.cut(1),
        range: 0..0,
        ..to.clone()
    })
}
