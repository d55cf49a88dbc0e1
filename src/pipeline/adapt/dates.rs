//! Dates as questions say them and as SQL literals write them, and moving a literal from one to the other.

mod literal;
mod named;

use std::ops::Range;

pub(super) use literal::DateLiteral;
pub(super) use named::dates;

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

/// Years taken for years rather than for quantities.
fn plausible(year: i32) -> bool {
    (1800..=2200).contains(&year)
}

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
