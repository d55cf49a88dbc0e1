//! When something was, in as few words as tell it.

const DAY_MS: f64 = 86_400_000.0;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time of today as `11:06`, of the day before as `yesterday`, else as `27 Nov`, of another year with it. Times are in
/// milliseconds since 1970; the clock is `offset_min` minutes behind universal time, as browsers count.
pub fn when(time_ms: f64, now_ms: f64, offset_min: f64) -> String {
    let local = |ms: f64| ms - offset_min * 60_000.0;
    let (time, now) = (local(time_ms), local(now_ms));
    let days = (now / DAY_MS).floor() - (time / DAY_MS).floor();
    if days == 0.0 {
        let minutes = (time.rem_euclid(DAY_MS) / 60_000.0) as u32;
        return format!("{:02}:{:02}", minutes / 60, minutes % 60);
    }
    if days == 1.0 {
        return "yesterday".to_owned();
    }
    let (year, month, day) = date((time / DAY_MS).floor() as i64);
    let name = MONTHS.get(month).copied().unwrap_or_default();
    let this = date((now / DAY_MS).floor() as i64).0;
    if year == this { format!("{day} {name}") } else { format!("{day} {name} {year}") }
}

/// Year, month from 0 and day of a number of days since 1970, by the proleptic Gregorian calendar.
fn date(days: i64) -> (i64, usize, i64) {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 2 } else { shifted - 10 };
    let year = year_of_era + era * 400 + i64::from(month < 2);
    (year, month as usize, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_times_are_short() {
        // 2024-03-01 11:06 UTC.
        let time = 1_709_291_160_000.0;
        let hour = 3_600_000.0;
        assert_eq!(when(time, time + hour, 0.0), "11:06");
        assert_eq!(when(time, time + hour, -120.0), "13:06");
        assert_eq!(when(time, time + 20.0 * hour, 0.0), "yesterday");
        assert_eq!(when(time, time + 72.0 * hour, 0.0), "1 Mar");
        assert_eq!(when(time, time + 24.0 * 366.0 * hour, 0.0), "1 Mar 2024");
        assert_eq!(date(19_782), (2024, 1, 29));
        assert_eq!(date(0), (1970, 0, 1));
    }
}
