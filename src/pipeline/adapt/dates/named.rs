//! Dates as questions say them.

use super::{Date, DateMention, plausible};
use crate::retrieval::words::{Word, words};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that make a year another time than the calendar's.
const KINDS: &[&str] = &[
    "fiscal",
    "financial",
    "fy",
    "academic",
    "tax",
    "half",
    "quarter",
    "season",
    "summer",
    "winter",
    "spring",
    "autumn",
    "fall",
    "early",
    "late",
    "mid",
    "end",
    "beginning",
    "start",
];
/// Words that say which of them.
const WHICH: &[&str] =
    &["first", "second", "third", "fourth", "last", "high", "low", "peak", "1st", "2nd", "3rd", "4th"];

/// The dates a question names, in order: "2019", "January 2019", "5 January 2019", "January 5th, 2019",
/// "2019-01-05", "2019/1/5", "2019年1月5日", "Q2 2019", "the first half of 2019", "May to July 2019".
pub(in crate::pipeline::adapt) fn dates(question: &str) -> Vec<DateMention> {
    let words = words(question);
    let number = |at: usize| -> Option<u32> {
        let text = words.get(at)?.text;
        let digits =
            ["st", "nd", "rd", "th"].iter().find_map(|suffix| text.strip_suffix(suffix)).unwrap_or(text);
        digits.parse().ok().filter(|_| digits.len() <= 2)
    };
    let year = |at: usize| -> Option<i32> {
        let text = words.get(at)?.text;
        let text = text.strip_prefix("FY").unwrap_or(text);
        text.parse().ok().filter(|&year| text.len() == 4 && plausible(year))
    };
    let word = |at: usize| words.get(at).map(|word: &Word<'_>| word.text.to_lowercase()).unwrap_or_default();
    let month = |at: usize| -> Option<u32> {
        let lower = words.get(at)?.text.to_lowercase();
        let position = MONTHS
            .iter()
            .position(|month| *month == lower || (lower.len() == 3 && month.starts_with(&lower)))?;
        Some(position as u32 + 1)
    };
    let of = |at: usize| -> usize {
        usize::from(words.get(at).is_some_and(|word| word.text.eq_ignore_ascii_case("of")))
    };
    let mark =
        |at: usize, mark: char| words.get(at).is_some_and(|word: &Word<'_>| word.text.starts_with(mark));
    let between_words = |at: usize| -> &str {
        let (Some(a), Some(b)) = (words.get(at), words.get(at + 1)) else { return "" };
        question.get(a.end..b.start).unwrap_or("")
    };
    // Several months of a year as (first month, last month, year, words used).
    let months = |at: usize| -> Option<(u32, u32, i32, usize)> {
        let whole = |quarter: u32| (1..=4).contains(&quarter).then_some((quarter * 3 - 2, quarter * 3));
        let named =
            |at: usize| word(at).strip_prefix('q').and_then(|digit| digit.parse().ok()).and_then(whole);
        if let Some((first, last)) = named(at) {
            let next = at + 1 + of(at + 1);
            return Some((first, last, year(next)?, next + 1 - at));
        }
        if let Some(((first, last), y)) = named(at + 1).zip(year(at)) {
            return Some((first, last, y, 2));
        }
        let which = match word(at).as_str() {
            "first" | "1st" => 1,
            "second" | "2nd" => 2,
            "third" | "3rd" => 3,
            "fourth" | "4th" | "last" => 4,
            _ => 0,
        };
        let next = at + 2 + of(at + 2);
        match (which, word(at + 1).as_str()) {
            (1..=4, "quarter") => {
                let (first, last) = whole(which)?;
                return Some((first, last, year(next)?, next + 1 - at));
            }
            (1 | 2, "half") => return Some((which * 6 - 5, which * 6, year(next)?, next + 1 - at)),
            _ => {}
        }
        let first = month(at)?;
        let joined = word(at + 1);
        let between = at > 0 && word(at - 1) == "between";
        let end = match joined.as_str() {
            "to" | "through" | "until" | "till" => at + 2,
            "and" if between || month(at + 2) == Some(first + 1) => at + 2,
            _ if matches!(between_words(at), "-" | "–") => at + 1,
            _ => return None,
        };
        let last = month(end).filter(|last| *last > first)?;
        let next = end + 1 + of(end + 1);
        Some((first, last, year(next)?, next + 1 - at))
    };
    let kind = |start: usize, end: usize| -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for at in (0..start).rev() {
            let lower = word(at);
            if KINDS.contains(&lower.as_str()) || (!found.is_empty() && WHICH.contains(&lower.as_str())) {
                found.push(lower);
            } else if !matches!(lower.as_str(), "of" | "the" | "in" | "year" | "years") {
                break;
            }
        }
        found.extend((end..end + 2).map(&word).take_while(|word| KINDS.contains(&word.as_str())));
        for word in &mut found {
            if matches!(word.as_str(), "financial" | "fy") {
                "fiscal".clone_into(word);
            }
        }
        if words.get(start).is_some_and(|word| word.text.starts_with("FY")) {
            found.push("fiscal".to_owned());
        }
        found.sort();
        // A season alone is a year in sports.
        if found == ["season"] { Vec::new() } else { found }
    };
    let mut found: Vec<DateMention> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if let Some((first, last, y, used)) = months(at)
            && let (Some(date), Some(end)) = (Date::checked(y, Some(first), None), words.get(at + used - 1))
        {
            let (until, range) = (Date::checked(y, Some(last), None), words[at].start..end.end);
            found.push(DateMention { date, until, kind: Vec::new(), range });
            at += used;
            continue;
        }
        // Each form as (date, words used).
        let form = (|| {
            if let Some(y) = year(at) {
                if mark(at + 1, '年') {
                    let m = number(at + 2).filter(|_| mark(at + 3, '月'));
                    let d = number(at + 4).filter(|_| m.is_some() && mark(at + 5, '日'));
                    let used = if d.is_some() {
                        6
                    } else if m.is_some() {
                        4
                    } else {
                        2
                    };
                    return Some((Date::checked(y, m, d)?, used));
                }
                let separator = between_words(at);
                if matches!(separator, "-" | "/") {
                    let m = number(at + 1);
                    let d = number(at + 2).filter(|_| m.is_some() && between_words(at + 1) == separator);
                    if let Some(date) = Date::checked(y, m, d).filter(|_| m.is_some()) {
                        return Some((date, if d.is_some() { 3 } else { 2 }));
                    }
                }
                return Some((Date::checked(y, None, None)?, 1));
            }
            if let Some(m) = month(at) {
                if let Some(y) = year(at + 1 + of(at + 1)) {
                    return Some((Date::checked(y, Some(m), None)?, 2 + of(at + 1)));
                }
                let day = number(at + 1)?;
                let y = year(at + 2)?;
                return Some((Date::checked(y, Some(m), Some(day))?, 3));
            }
            let day = number(at)?;
            let m = month(at + 1 + of(at + 1))?;
            let next = at + 2 + of(at + 1);
            let y = year(next + of(next))?;
            Some((Date::checked(y, Some(m), Some(day))?, next + of(next) + 1 - at))
        })();
        if let Some((date, used)) = form
            && let Some(last) = words.get(at + used - 1)
        {
            // Only a year can be another one than the calendar's.
            let kind = if date.month.is_none() { kind(at, at + used) } else { Vec::new() };
            found.push(DateMention { date, until: None, kind, range: words[at].start..last.end });
            at += used;
        } else {
            at += 1;
        }
    }
    found
}
