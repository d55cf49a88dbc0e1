//! Moments in a result: reading them, and round ones for an axis.

use crate::db::Value;

/// How fine the moments of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// `2024`, counted in years.
    Year,
    /// `2024-Q1`, counted in quarters.
    Quarter,
    /// `2024-04`, counted in months.
    Month,
    /// `2024-04-01`, counted in days from 1970.
    Day,
    /// `2024-04-01 08:30`, counted in seconds from 1970.
    Second,
    /// `08:30`, counted in seconds.
    Clock,
}

/// The moments of a column, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    /// How fine they are.
    pub unit: Unit,
    /// The moments, counted in that unit.
    pub at: Vec<f64>,
}

/// The moments of a column whose values are all of one form; `words` are the words of its name.
pub(super) fn read(values: &[&Value], words: &[String]) -> Option<Times> {
    let year = words.iter().any(|word| ["year", "years", "yr", "season"].contains(&word.as_str()));
    let mut times: Option<Times> = None;
    for value in values {
        let (unit, at) = match value {
            Value::Text(text) => moment(text.trim()).filter(|(unit, _)| *unit != Unit::Year || year)?,
            Value::Integer(n) if year && (1000..3000).contains(n) => (Unit::Year, *n as f64),
            _ => return None,
        };
        let times = times.get_or_insert_with(|| Times { unit, at: Vec::with_capacity(values.len()) });
        if times.unit != unit {
            return None;
        }
        times.at.push(at);
    }
    times
}

/// A moment as an ISO date, a month, a quarter, a year or a time of day.
fn moment(text: &str) -> Option<(Unit, f64)> {
    if let Some((date, time)) = text.split_once([' ', 'T']) {
        let (year, month, day) = date_of(date)?;
        return Some((
            Unit::Second,
            days(year, month, day) * 86_400.0 + seconds(time.trim_end_matches('Z'))?,
        ));
    }
    if text.contains(':') {
        return Some((Unit::Clock, seconds(text)?));
    }
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4)?;
    let (second, third) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    match (second, third) {
        (None, None) => Some((Unit::Year, year)),
        (Some(quarter), None) if quarter.starts_with(['Q', 'q']) => {
            let number = digits(quarter.get(1..)?, 1).filter(|n| (1.0..=4.0).contains(n))?;
            Some((Unit::Quarter, year * 4.0 + number - 1.0))
        }
        (Some(month), None) => {
            let month = digits(month, 2).filter(|n| (1.0..=12.0).contains(n))?;
            Some((Unit::Month, year * 12.0 + month - 1.0))
        }
        _ => {
            let (year, month, day) = date_of(text)?;
            Some((Unit::Day, days(year, month, day)))
        }
    }
}

fn date_of(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4)? as i64;
    let month = digits(parts.next()?, 2).filter(|n| (1.0..=12.0).contains(n))? as i64;
    let day = digits(parts.next()?, 2).filter(|n| (1.0..=31.0).contains(n))? as i64;
    parts.next().is_none().then_some((year, month, day))
}

/// `08:30`, `08:30:15`, `08:30:15.25`.
fn seconds(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let hours = digits(parts.next()?, 2).filter(|n| *n < 24.0)?;
    let minutes = digits(parts.next()?, 2).filter(|n| *n < 60.0)?;
    let rest = match parts.next() {
        None => 0.0,
        Some(text) => {
            let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            text.parse::<f64>().ok().filter(|n| plain && *n < 61.0)?
        }
    };
    parts.next().is_none().then_some(hours * 3600.0 + minutes * 60.0 + rest)
}

fn digits(text: &str, count: usize) -> Option<f64> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Days from 1970-01-01, in the calendar of today carried back.
fn days(year: i64, month: i64, day: i64) -> f64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468) as f64
}

/// The date of a day counted from 1970-01-01.
fn date(days: f64) -> (i64, i64, i64) {
    let days = days as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

impl Unit {
    /// A moment as it is written.
    pub fn written(self, at: f64) -> String {
        match self {
            Self::Year => format!("{at:.0}"),
            Self::Quarter => {
                format!("{}-Q{}", (at as i64).div_euclid(4), (at as i64).rem_euclid(4) + 1)
            }
            Self::Month => {
                format!("{:04}-{:02}", (at as i64).div_euclid(12), (at as i64).rem_euclid(12) + 1)
            }
            Self::Day => {
                let (year, month, day) = date(at);
                format!("{year:04}-{month:02}-{day:02}")
            }
            Self::Clock => {
                let (minutes, rest) = ((at / 60.0) as i64, (at % 60.0) as i64);
                let clock = format!("{:02}:{:02}", minutes / 60, minutes % 60);
                if rest == 0 { clock } else { format!("{clock}:{rest:02}") }
            }
            Self::Second => {
                let day = (at / 86_400.0).floor();
                let clock = Self::Clock.written(at - day * 86_400.0);
                format!("{} {clock}", Self::Day.written(day))
            }
        }
    }

    /// Round moments from `low` to `high`, at most `most` of them.
    pub fn ticks(self, low: f64, high: f64, most: usize) -> Vec<f64> {
        const DAY: f64 = 86_400.0;
        let steps: &[f64] = match self {
            Self::Year => &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0],
            Self::Quarter => &[1.0, 2.0, 4.0, 8.0, 20.0, 40.0, 80.0, 200.0, 400.0],
            Self::Month => &[1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 60.0, 120.0, 240.0, 600.0, 1200.0],
            // Days of the week and round numbers; from a month on, months are round.
            Self::Day => &[1.0, 2.0, 7.0, 14.0],
            Self::Second | Self::Clock => &[
                1.0,
                5.0,
                15.0,
                30.0,
                60.0,
                300.0,
                900.0,
                1_800.0,
                3_600.0,
                7_200.0,
                10_800.0,
                21_600.0,
                43_200.0,
                DAY,
                2.0 * DAY,
                7.0 * DAY,
            ],
        };
        let most = most.max(1) as f64;
        // The most that can fall into the range, whatever it begins with.
        let fits = |step: &&f64| ((high - low) / **step).floor() < most;
        if let Some(step) = steps.iter().find(fits) {
            let first = (low / step).ceil();
            let count = ((high / step).floor() - first).max(0.0) as usize;
            return (0..=count).map(|i| (first + i as f64) * step).filter(|at| *at <= high).collect();
        }
        match self {
            Self::Day => months(low, high, most as usize),
            Self::Second => months((low / DAY).floor(), (high / DAY).ceil(), most as usize)
                .into_iter()
                .map(|day| day * DAY)
                .filter(|at| (low..=high).contains(at))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// First days of months between two days.
fn months(low: f64, high: f64, most: usize) -> Vec<f64> {
    let month = |day: f64| {
        let (year, month, _) = date(day);
        (year * 12 + month - 1) as f64
    };
    let first_day = |at: f64| days((at as i64).div_euclid(12), (at as i64).rem_euclid(12) + 1, 1);
    let ticks = Unit::Month.ticks(month(low), month(high), most);
    ticks.into_iter().map(first_day).filter(|day| (low..=high).contains(day)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_one_form() {
        assert_eq!(moment("2024-04"), Some((Unit::Month, 2024.0 * 12.0 + 3.0)));
        assert_eq!(moment("1970-01-02"), Some((Unit::Day, 1.0)));
        assert_eq!(moment("1970-01-01T00:01:05Z"), Some((Unit::Second, 65.0)));
        assert_eq!(moment("08:30"), Some((Unit::Clock, 30_600.0)));
        assert_eq!(moment("2024-Q3"), Some((Unit::Quarter, 8098.0)));
        for text in ["", "2024-13", "24-01-01", "2024-1-1", "2024-01-01-01", "25:00", "2024-Q5", "+024", "-"]
        {
            assert_eq!(moment(text), None, "{text}");
        }
        let text = |text: &str| Value::Text(text.to_owned());
        let (a, b, c) = (text("2024-01-01"), text("2024-01"), Value::Null);
        assert_eq!(read(&[&a, &b], &[]), None);
        assert_eq!(read(&[&a, &c], &[]), None);
        let year = Value::Integer(2024);
        assert_eq!(read(&[&year], &["seats".to_owned()]), None);
        assert_eq!(read(&[&year], &["year".to_owned()]).map(|times| times.unit), Some(Unit::Year));
    }

    #[test]
    fn every_moment_is_written_as_it_was_read() {
        for text in
            ["2024-02-29", "1969-12-31", "2000-03-01", "2024-12", "2024-Q4", "23:59:07", "1960-01-01 06:00"]
        {
            let (unit, at) = moment(text).unwrap_or((Unit::Year, 0.0));
            assert_eq!(unit.written(at), text);
        }
        for day in (-800_000..800_000).step_by(997) {
            let (y, m, d) = date(f64::from(day));
            assert_eq!(days(y, m, d), f64::from(day));
        }
    }

    #[test]
    fn ticks_stand_at_round_moments() {
        let written = |unit: Unit, from: &str, to: &str, most: usize| {
            let at = |text: &str| moment(text).map(|(_, at)| at).unwrap_or_default();
            let ticks = unit.ticks(at(from), at(to), most);
            ticks.into_iter().map(|at| unit.written(at)).collect::<Vec<_>>()
        };
        assert_eq!(
            written(Unit::Month, "2024-04", "2025-03", 5),
            ["2024-04", "2024-07", "2024-10", "2025-01"]
        );
        assert_eq!(written(Unit::Year, "1998", "2024", 6), ["2000", "2005", "2010", "2015", "2020"]);
        assert_eq!(
            written(Unit::Day, "2024-01-10", "2024-12-20", 4),
            ["2024-04-01", "2024-07-01", "2024-10-01"]
        );
        assert_eq!(written(Unit::Clock, "06:10", "11:50", 6).first().map(String::as_str), Some("07:00"));
        let days = written(Unit::Second, "2024-01-01 08:00", "2024-01-04 08:00", 4);
        assert_eq!(days, ["2024-01-02 00:00", "2024-01-03 00:00", "2024-01-04 00:00"]);
        assert_eq!(written(Unit::Day, "2024-01-10", "2024-01-10", 4), ["2024-01-10"]);
    }
}
