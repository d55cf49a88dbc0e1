//! Dates as questions say them and as SQL literals write them, and moving a literal from one to the other.

use crate::retrieval::words::{Word, words};
use std::ops::Range;

/// A year, a month of a year, or a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub year: i32,
    /// 1 to 12.
    pub month: Option<u32>,
    /// 1 to 31, only with a month.
    pub day: Option<u32>,
}

/// A date that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateMention {
    /// What is named; where several months are, the first of them.
    pub date: Date,
    /// The last of several months or years ("Q2 2024", "May to July 2024").
    pub until: Option<Date>,
    /// What makes it another time than the calendar's: "fiscal", "first half". Sorted.
    pub kind: Vec<String>,
    /// Bytes of the question.
    pub range: Range<usize>,
}

/// A text or number literal that starts with a date, and how it writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DateLiteral {
    pub date: Date,
    separator: &'static str,
    /// What follows the date: a time, a `%`, nothing.
    rest: String,
    /// "2015/2016": the second year is the first plus this.
    season: Option<i32>,
}

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

/// Years taken for years rather than for quantities.
fn plausible(year: i32) -> bool {
    (1800..=2200).contains(&year)
}

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

fn days_in(year: i32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Date {
    fn checked(year: i32, month: Option<u32>, day: Option<u32>) -> Option<Self> {
        let month_fits = month.is_none_or(|month| (1..=12).contains(&month));
        let day_fits = day.is_none_or(|day| month.is_some_and(|m| day >= 1 && day <= days_in(year, m)));
        (plausible(year) && month_fits && day_fits).then_some(Self { year, month, day })
    }

    /// Days since 0000-03-01 of the proleptic Gregorian calendar.
    fn day_number(self) -> i64 {
        let (month, day) = (i64::from(self.month.unwrap_or(1)), i64::from(self.day.unwrap_or(1)));
        let shifted = (month + 9) % 12;
        let year = i64::from(self.year) - i64::from(month <= 2);
        365 * year + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (153 * shifted + 2) / 5
            + day
            - 1
    }

    fn from_day_number(days: i64) -> Self {
        let mut year = (days * 400).div_euclid(146_097);
        let first = |year: i64| 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        while first(year + 1) <= days {
            year += 1;
        }
        while first(year) > days {
            year -= 1;
        }
        let day_of_year = days - first(year);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year + i64::from(month <= 2);
        Self { year: year as i32, month: Some(month as u32), day: Some(day as u32) }
    }

    /// This date moved as far as `from` lies from `to`: by days when all three have days and the mentions are
    /// days, else by months, else by years; the last day of a month stays the last day. The ends of a whole year become
    /// those of the month or day that is asked about.
    pub fn shifted(self, from: Date, to: Date) -> Option<Self> {
        if let Some(end) = self.end_of(from, to) {
            return Some(end);
        }
        if from.day.is_some() && to.day.is_some() && self.day.is_some() {
            let moved = Self::from_day_number(self.day_number() + to.day_number() - from.day_number());
            return plausible(moved.year).then_some(moved);
        }
        let Some(month) = self.month else {
            return Self::checked(self.year + to.year - from.year, None, None);
        };
        let months = match (from.month, to.month) {
            (Some(a), Some(b)) => (to.year - from.year) * 12 + b as i32 - a as i32,
            _ => (to.year - from.year) * 12,
        };
        let total = self.year * 12 + month as i32 - 1 + months;
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u32 + 1);
        let day = self.day.map(|day| {
            let last = self.month.is_some_and(|month| day == days_in(self.year, month));
            if last { days_in(year, month) } else { day.min(days_in(year, month)) }
        });
        Self::checked(year, Some(month), day)
    }
}

impl Date {
    /// How closely it is given: 1 a year, 2 a month, 3 a day.
    pub fn parts(self) -> usize {
        1 + usize::from(self.month.is_some()) + usize::from(self.day.is_some())
    }

    /// Its first `parts` parts.
    pub fn cut(self, parts: usize) -> Self {
        Self { year: self.year, month: self.month.filter(|_| parts > 1), day: self.day.filter(|_| parts > 2) }
    }

    /// Its first day.
    pub fn first(self) -> Self {
        Self { month: self.month.or(Some(1)), day: self.day.or(Some(1)), ..self }
    }

    /// Its last day.
    pub fn last(self) -> Self {
        let month = self.month.unwrap_or(12);
        let day = self.day.unwrap_or(days_in(self.year, month));
        Self { month: Some(month), day: Some(day), ..self }
    }

    /// The day so many days later.
    pub fn later(self, days: i64) -> Self {
        Self::from_day_number(self.day_number() + days)
    }

    /// Months since year 0.
    pub fn months(self) -> i32 {
        self.year * 12 + self.month.map_or(0, |month| month as i32 - 1)
    }

    /// Where this date is an end of the year `from`, the same end of the shorter time `to`.
    fn end_of(self, from: Date, to: Date) -> Option<Self> {
        let month = to.month.filter(|_| from.month.is_none())?;
        let (first, last) = (to.day.unwrap_or(1), to.day.unwrap_or(days_in(to.year, month)));
        let day = |day: u32| Self::checked(to.year, Some(month), Some(day));
        match (self.year - from.year, self.month?, self.day?) {
            (0, 1, 1) => day(first),
            (0, 12, 31) => day(last),
            (1, 1, 1) => Some(Self::from_day_number(day(last)?.day_number() + 1)),
            _ => None,
        }
    }
}

impl DateMention {
    /// Its first day.
    pub fn first(&self) -> Date {
        self.date.first()
    }

    /// Its last day.
    pub fn last(&self) -> Date {
        self.until.unwrap_or(self.date).last()
    }

    /// Whether both name a time of the same kind and length, so that one is the other moved.
    pub fn is_like(&self, other: &Self) -> bool {
        let span = |mention: &Self| mention.until.map(|until| until.months() - mention.date.months());
        self.date.parts() == other.date.parts() && span(self) == span(other) && self.kind == other.kind
    }
}

impl DateLiteral {
    /// Whether a time follows that is the first moment of its day.
    pub fn at_midnight(&self) -> bool {
        self.rest.contains(':') && !self.rest.bytes().any(|b| (b'1'..=b'9').contains(&b))
    }

    /// Whether it is a pattern that any end of a date fits.
    pub fn is_open(&self) -> bool {
        self.rest.ends_with('%') && !self.rest.contains(':')
    }

    /// The same notation for dates given as closely as `date`.
    pub fn as_close_as(&self, date: Date) -> Self {
        Self { date, ..self.clone() }
    }

    /// Reads the value of a literal: "2019", "2019-01-31", "2019/1/31", "201901", "20190131", "2019%",
    /// "2015/2016", "2019-01-31 12:00:00".
    pub fn read(value: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let part = |text: &str| text.parse::<u32>().ok();
        let lead = digits(value);
        let plain = |date: Date, separator, rest: &str| {
            Some(Self { date, separator, rest: rest.to_owned(), season: None })
        };
        match lead {
            6 | 8 => {
                let (year, month) = (value.get(..4)?.parse().ok()?, part(value.get(4..6)?)?);
                let day = if lead == 8 { Some(part(value.get(6..8)?)?) } else { None };
                let date = Date::checked(year, Some(month), day)?;
                return plain(date, "", value.get(lead..)?);
            }
            4 => {}
            _ => return None,
        }
        let year: i32 = value.get(..4)?.parse().ok()?;
        let rest = value.get(4..)?;
        let separator = match rest.bytes().next() {
            Some(b'-') => "-",
            Some(b'/') => "/",
            Some(b'.') => ".",
            _ => return plain(Date::checked(year, None, None)?, "-", rest),
        };
        let after = rest.get(1..)?;
        if digits(after) == 4 {
            let second: i32 = after.get(..4)?.parse().ok()?;
            let date = Date::checked(year, None, None)?;
            let season = Some(second - year).filter(|years| (0..=5).contains(years))?;
            return Some(Self { date, separator, rest: after.get(4..)?.to_owned(), season: Some(season) });
        }
        let width = digits(after);
        if width != 2 {
            return plain(Date::checked(year, None, None)?, "-", rest).filter(|_| width == 0);
        }
        let month = part(after.get(..2)?)?;
        let tail = after.get(2..)?;
        if let Some(days) = tail.strip_prefix(separator)
            && digits(days) == 2
        {
            let date = Date::checked(year, Some(month), Some(part(days.get(..2)?)?))?;
            return plain(date, separator, days.get(2..)?);
        }
        plain(Date::checked(year, Some(month), None)?, separator, tail)
    }

    /// The literal's value for another date, in the same notation.
    pub fn write(&self, date: Date) -> String {
        let mut text = format!("{:04}", date.year);
        if let Some(years) = self.season {
            text += &format!("{}{:04}", self.separator, date.year + years);
        } else {
            for part in [
                date.month.filter(|_| self.date.month.is_some()),
                date.day.filter(|_| self.date.day.is_some()),
            ]
            .into_iter()
            .flatten()
            {
                text += &format!("{}{part:02}", self.separator);
            }
        }
        text + &self.rest
    }
}

/// The dates a question names, in order: "2019", "January 2019", "5 January 2019", "January 5th, 2019",
/// "2019-01-05", "2019/1/5", "2019年1月5日", "Q2 2019", "the first half of 2019", "May to July 2019".
pub(super) fn dates(question: &str) -> Vec<DateMention> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    fn date(year: i32, month: u32, day: u32) -> Date {
        let some = |n: u32| (n > 0).then_some(n);
        Date { year, month: some(month), day: some(day) }
    }

    #[test]
    fn reads_dates_in_questions() {
        for (question, expected) in [
            ("in 2019?", date(2019, 0, 0)),
            ("in January 2019", date(2019, 1, 0)),
            ("in Jan of 2019", date(2019, 1, 0)),
            ("on 5 January 2019", date(2019, 1, 5)),
            ("on the 5th of January, 2019", date(2019, 1, 5)),
            ("on January 5th, 2019", date(2019, 1, 5)),
            ("on 2019-01-05", date(2019, 1, 5)),
            ("on 2019/1/5", date(2019, 1, 5)),
            ("2019年1月5日的", date(2019, 1, 5)),
        ] {
            let found = dates(question);
            assert_eq!(found.len(), 1, "{question} {found:?}");
            assert_eq!(found[0].date, expected, "{question}");
        }
        assert!(dates("may I have 15 of 300?").is_empty());
        assert_eq!(dates("from 2012 to 2014").len(), 2);
    }

    #[test]
    fn literals_keep_their_notation() {
        let from = date(2018, 0, 0);
        let to = date(2020, 0, 0);
        for (old, new) in [
            ("2018", "2020"),
            ("2018-04-01", "2020-04-01"),
            ("2019-02-28", "2021-02-28"),
            ("2018-02-28", "2020-02-29"),
            ("201806", "202006"),
            ("2018%", "2020%"),
            ("2018-06%", "2020-06%"),
            ("2018/2019", "2020/2021"),
            ("2018-01-01 10:00:00", "2020-01-01 10:00:00"),
        ] {
            let literal = DateLiteral::read(old).unwrap();
            assert_eq!(literal.write(literal.date.shifted(from, to).unwrap()), new);
        }
        for other in ["12", "12345", "hello", "99999999", "2019x1", "é2019"] {
            assert!(
                DateLiteral::read(other).is_none_or(|literal| literal.write(literal.date) == other),
                "{other}"
            );
        }
    }

    #[test]
    fn months_and_days_shift_alike() {
        let end = date(2019, 1, 31);
        assert_eq!(end.shifted(date(2019, 1, 0), date(2019, 2, 0)), Some(date(2019, 2, 28)));
        assert_eq!(end.shifted(date(2019, 1, 31), date(2019, 2, 1)), Some(date(2019, 2, 1)));
        assert_eq!(date(2019, 12, 1).shifted(date(2019, 11, 0), date(2020, 1, 0)), Some(date(2020, 2, 1)));
    }

    proptest! {
        #[test]
        fn days_round_trip(year in 1800i32..2200, month in 1u32..=12, day in 1u32..=28) {
            let date = date(year, month, day);
            prop_assert_eq!(Date::from_day_number(date.day_number()), date);
        }

        #[test]
        fn never_panics(text in "\\PC{0,40}", digits in "[0-9/年月日 -]{0,20}") {
            for text in [text, digits] {
                for mention in dates(&text) {
                    prop_assert!(text.get(mention.range).is_some());
                }
                if let Some(literal) = DateLiteral::read(&text) {
                    prop_assert_eq!(literal.write(literal.date), text);
                }
            }
        }
    }
}
