//! Dates of the Gregorian calendar as day numbers, and what the company's calendar adds to them.

/// Days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub i64);

impl Day {
    /// The day of a year, month 1..=12 and day of month 1..=31.
    pub const fn of(year: i64, month: i64, day: i64) -> Self {
        // Counted in years that begin in March, so that the leap day comes last.
        let y = if month <= 2 { year - 1 } else { year };
        let era = y.div_euclid(400);
        let of_era = y - era * 400;
        let month_from_march = if month > 2 { month - 3 } else { month + 9 };
        let of_year = (153 * month_from_march + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Year, month 1..=12, day of month 1..=31.
    pub const fn civil(self) -> (i64, i64, i64) {
        let z = self.0 + 719_468;
        let era = z.div_euclid(146_097);
        let of_era = z - era * 146_097;
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = year_of_era + era * 400;
        (if month <= 2 { year + 1 } else { year }, month, day)
    }

    /// 0 for Monday to 6 for Sunday.
    pub const fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7)
    }

    /// `2024-07-15`.
    pub fn text(self) -> String {
        let (y, m, d) = self.civil();
        format!("{y:04}-{m:02}-{d:02}")
    }

    /// `20240715`, as ticketing writes it.
    pub const fn number(self) -> i64 {
        let (y, m, d) = self.civil();
        y * 10_000 + m * 100 + d
    }

    /// Midnight in seconds since 1970, as the workshop writes it.
    pub const fn unix(self) -> i64 {
        self.0 * 86_400
    }

    /// The day `n` days later.
    pub const fn plus(self, n: i64) -> Self {
        Self(self.0 + n)
    }

    /// Whether the summer timetable holds: 15 April to 14 October.
    pub const fn summer_timetable(self) -> bool {
        let (_, m, d) = self.civil();
        (m > 4 && m < 10) || (m == 4 && d >= 15) || (m == 10 && d <= 14)
    }

    /// Days with extra passengers: Midsummer Eve, Harbour Days (second weekend of August, from Friday),
    /// the Light Festival (first weekend of December) and New Year's Eve.
    pub const fn event(self) -> bool {
        let (_, m, d) = self.civil();
        let w = self.weekday();
        let from_friday = w >= 4;
        (m == 6 && d == 23)
            || (m == 12 && d == 31)
            || (m == 8 && from_friday && d >= 8 + (w - 4) && d <= 14 + (w - 4))
            || (m == 12 && from_friday && d > w - 4 && d <= 7 + (w - 4))
    }
}

/// First operating day in the database: the start of fiscal 2023.
pub const FIRST_DAY: Day = Day::of(2023, 4, 1);
/// Last operating day in the database: the end of fiscal 2024.
pub const LAST_DAY: Day = Day::of(2025, 3, 31);

/// Every operating day, in order.
pub fn operating_days() -> impl Iterator<Item = Day> {
    (FIRST_DAY.0..=LAST_DAY.0).map(Day)
}

#[cfg(test)]
mod tests {
    use super::{Day, operating_days};

    #[test]
    fn dates_and_day_numbers_agree() {
        assert_eq!(Day::of(1970, 1, 1), Day(0));
        assert_eq!(Day::of(2024, 2, 29).plus(1).text(), "2024-03-01");
        assert_eq!(Day::of(2024, 7, 15).number(), 20_240_715);
        assert_eq!(Day::of(2025, 3, 31).weekday(), 0);
        assert!(operating_days().all(|d| {
            let (y, m, n) = d.civil();
            Day::of(y, m, n) == d
        }));
    }

    #[test]
    fn events_are_few_and_fall_where_they_should() {
        let events: Vec<String> = operating_days().filter(|d| d.event()).map(Day::text).collect();
        assert!(events.contains(&"2024-06-23".to_owned()));
        assert!(events.contains(&"2024-12-31".to_owned()));
        assert!(events.iter().any(|d| d.starts_with("2024-08")));
        assert!((14..=24).contains(&events.len()), "{events:?}");
    }
}
