//! Dates as SQL literals write them.

use super::Date;

/// A text or number literal that starts with a date, and how it writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::pipeline::adapt) struct DateLiteral {
    pub date: Date,
    separator: &'static str,
    /// What follows the date: a time, a `%`, nothing.
    rest: String,
    /// "2015/2016": the second year is the first plus this.
    season: Option<i32>,
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
