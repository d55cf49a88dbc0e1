//! Numbers in words: counts, sizes, times and scores, written the same way everywhere.

/// A count with grouped thousands: `117,412`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 row`, `12 rows`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n as u64), if n == 1 { one } else { many })
}

/// How often: `once`, `9 times`.
pub fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{} times", count(n)) }
}

/// A part of a whole: `412 of 600`.
pub fn share(part: u64, whole: u64) -> String {
    format!("{} of {}", count(part), count(whole))
}

/// A large count in few signs: `8,420`, `1.66 M`, `4.00 M`; below a hundred thousand every digit.
pub fn large(n: u64) -> String {
    if n < 100_000 { count(n) } else { format!("{:.2} M", n as f64 / 1_000_000.0) }
}

/// Dollars: `$0.50`; less than half a cent is `$0.00` only where it is nothing.
pub fn money(dollars: f64) -> String {
    if dollars > 0.0 && dollars < 0.005 { "under $0.01".to_owned() } else { format!("${dollars:.2}") }
}

/// A size in decimal units with one decimal: `812 bytes`, `2.4 KB`, `45.3 MB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if n < 1000 {
        return if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
    }
    let mut value = n as f64 / 1000.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        // 999.95 would print as 1000.0.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

/// A measured time: `12 ms`, `4.2 s`, `48 s`, `6 min 10 s`, `1 h 5 min`. Negative and non-finite times read `–`.
pub fn duration(ms: f64) -> String {
    if !ms.is_finite() || ms < 0.0 {
        return "–".to_owned();
    }
    if ms < 999.5 {
        return format!("{ms:.0} ms");
    }
    if ms < 9_950.0 {
        return format!("{:.1} s", ms / 1000.0);
    }
    let seconds = (ms / 1000.0).round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, 0) => format!("{m} min"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// An estimate of the time left, rounded so that it does not flicker: `about 40 s left`.
pub fn time_left(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return String::new();
    }
    let step = match seconds {
        s if s < 10.0 => 1.0,
        s if s < 60.0 => 5.0,
        s if s < 600.0 => 10.0,
        _ => 60.0,
    };
    let rounded = ((seconds / step).round() * step).max(1.0);
    let text = if rounded < 10.0 { format!("{rounded:.0} s") } else { duration(rounded * 1000.0) };
    format!("about {text} left")
}

/// The day of a time as a log writes it: `2025-03-27 11:41` and `2025-03-27T11:41:00Z` are `2025-03-27`; what does not
/// begin with an ISO date stays as it is.
pub fn day(time: &str) -> &str {
    let time = time.trim();
    match time.split_at_checked(10) {
        Some((date, rest)) if is_iso_date(date) && !rest.starts_with(|c: char| c.is_ascii_digit()) => date,
        _ => time,
    }
}

fn is_iso_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
}

/// A score from 0 to 1 with two decimals: `0.88`.
pub fn score(x: f32) -> String {
    if x.is_finite() { format!("{x:.2}").replace('-', "−") } else { "–".to_owned() }
}

/// A contribution with its sign: `+0.06`, `−0.02`.
pub fn signed(x: f32) -> String {
    if x < 0.0 { score(x) } else { format!("+{}", score(x)) }
}

/// A share in per cent with one decimal: `86.4 %`.
pub fn percent(x: f64) -> String {
    if x.is_finite() { format!("{:.1} %", x * 100.0).replace('-', "−") } else { "–".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(117_412), "117,412");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(counted(0, "row", "rows"), "0 rows");
        assert_eq!(times(1), "once");
        assert_eq!(share(412, 1_600), "412 of 1,600");
    }

    #[test]
    fn large_counts_and_money_are_short() {
        assert_eq!(["8,420", "0.50 M", "4.00 M"], [large(8_420), large(500_000), large(4_000_000)]);
        assert_eq!([money(0.0), money(0.004), money(0.5)], ["$0.00", "under $0.01", "$0.50"]);
    }

    #[test]
    fn a_day_is_the_date_of_an_iso_time() {
        for time in ["2025-03-27", "2025-03-27 11:41", " 2025-03-27T11:41:00Z", "2025-03-27\t06:00"] {
            assert_eq!(day(time), "2025-03-27");
        }
        for other in ["27/03/2025 11:41", "2025-03-271", "1711500000", "März", "", "2025-3-27 11:41 x"] {
            assert_eq!(day(other), other);
        }
    }

    #[test]
    fn sizes_change_unit_before_they_print_a_thousand() {
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(812), "812 bytes");
        assert_eq!(bytes(2_400), "2.4 KB");
        assert_eq!(bytes(45_300_000), "45.3 MB");
        assert_eq!(bytes(999_949), "999.9 KB");
        assert_eq!(bytes(999_950), "1.0 MB");
        assert_eq!(bytes(u64::MAX), "18446744.1 TB");
    }

    #[test]
    fn times_read_as_people_say_them() {
        assert_eq!(duration(0.4), "0 ms");
        assert_eq!(duration(12.0), "12 ms");
        assert_eq!(duration(999.6), "1.0 s");
        assert_eq!(duration(4_200.0), "4.2 s");
        assert_eq!(duration(9_960.0), "10 s");
        assert_eq!(duration(370_000.0), "6 min 10 s");
        assert_eq!(duration(3_900_000.0), "1 h 5 min");
        assert_eq!(duration(f64::NAN), "–");
        assert_eq!(duration(-1.0), "–");
    }

    #[test]
    fn estimates_are_rounded() {
        assert_eq!(time_left(4.2), "about 4 s left");
        assert_eq!(time_left(0.0), "about 1 s left");
        assert_eq!(time_left(41.0), "about 40 s left");
        assert_eq!(time_left(372.0), "about 6 min 10 s left");
        assert_eq!(time_left(f64::INFINITY), "");
    }

    #[test]
    fn scores_use_a_true_minus() {
        assert_eq!(score(0.876), "0.88");
        assert_eq!(signed(0.06), "+0.06");
        assert_eq!(signed(-0.02), "−0.02");
        assert_eq!(percent(0.8643), "86.4 %");
        assert_eq!(score(f32::NAN), "–");
    }
}
