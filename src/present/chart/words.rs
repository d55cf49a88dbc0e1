//! The words of a chart: its figures, what stands out, and how much room a text takes.

use super::scale::{grouped, minus};
use crate::db::Value;

/// A value as a chart shows it: whole numbers with all digits, others with four that count. The rows keep them all.
pub(super) fn figure(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(n) => {
            let sign = if *n < 0 { "−" } else { "" };
            format!("{sign}{}", grouped(&n.unsigned_abs().to_string()))
        }
        Value::Real(x) => real(*x),
        Value::Text(text) => text.clone(),
        Value::InvalidText(_) | Value::Blob(_) => String::new(),
    }
}

fn real(x: f64) -> String {
    let size = x.abs();
    if size >= 1e15 || (size < 1e-4 && size > 0.0) {
        let text = format!("{x:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return minus(format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.')));
    }
    let before = if size >= 1.0 { size.log10().floor() as i32 + 1 } else { 0 };
    let places = (4 - before).clamp(0, 4) as usize;
    // A number below one has four digits after its zeros.
    let places =
        if size < 0.1 && size > 0.0 { places + (-size.log10().floor()) as usize - 1 } else { places };
    let text = format!("{size:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let sign = if x < 0.0 && text != "0" { "−" } else { "" };
    format!("{sign}{}", grouped(text))
}

/// The room that a text of 11 px takes, about, in pixels.
pub(super) fn room(text: &str) -> f64 {
    let of = |c: char| match c {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 3.4,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '-' => 4.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 9.8,
        c if c.is_ascii_uppercase() || c.is_ascii_digit() => 7.2,
        c if u32::from(c) >= 0x2e80 => 11.5,
        _ => 6.4,
    };
    text.chars().map(of).sum()
}

/// The text cut to a room, and whether it was cut. What is no part of a line is shown as such.
pub(super) fn fit(text: &str, most: f64) -> (String, bool) {
    const DOTS: f64 = 9.0;
    let line: String = text.chars().take(400).map(|c| if c.is_control() { '␣' } else { c }).collect();
    if room(&line) <= most && text.chars().count() <= 400 {
        return (line, false);
    }
    let mut used = 0.0;
    let kept: String = line
        .chars()
        .take_while(|c| {
            used += room(c.encode_utf8(&mut [0; 4]));
            used <= most - DOTS
        })
        .collect();
    (format!("{}…", kept.trim_end()), true)
}

/// A name in a sentence: not longer than a sentence bears.
pub(super) fn named(name: &str) -> String {
    if name.trim().is_empty() { "(empty)".to_owned() } else { fit(name, 220.0).0 }
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_whole_numbers_and_four_digits_of_others() {
        let shown = |x: f64| figure(&Value::Real(x));
        assert_eq!(figure(&Value::Integer(-117_412)), "−117,412");
        assert_eq!(figure(&Value::Integer(i64::MIN)), "−9,223,372,036,854,775,808");
        assert_eq!(shown(94.897_959), "94.9");
        assert_eq!(shown(1.0), "1");
        assert_eq!(shown(-1234.56), "−1,235");
        assert_eq!(shown(0.012_345_6), "0.01235");
        assert_eq!(shown(0.25), "0.25");
        assert_eq!(shown(-0.0), "0");
        assert_eq!(shown(1.5e300), "1.5e300");
        assert_eq!(shown(-2e-9), "−2e-9");
    }

    #[test]
    fn long_texts_are_cut_to_their_room() {
        let (text, cut) = fit(&"Harbour ".repeat(40), 100.0);
        assert!(cut && text.ends_with('…') && room(&text) <= 101.0, "{text}");
        assert_eq!(fit("a\nb", 100.0), ("a␣b".to_owned(), false));
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
