//! The set-up as it is written: fields to values, and what it will use.

use crate::experiment::Setup;
use crate::experiment::estimate::{Estimate, over};
use crate::present::format::{count, counted, large, money, time_left};

/// What a field for a limit says: None for no limit.
///
/// # Errors
/// What is wrong with it.
pub fn limit(text: &str) -> Result<Option<u64>, String> {
    let plain: String = text.trim().chars().filter(|c| !matches!(c, ',' | ' ' | '\u{a0}' | '_')).collect();
    if plain.is_empty() {
        return Ok(None);
    }
    let (number, factor) = match plain.to_lowercase() {
        lower if lower.ends_with('m') => (lower.trim_end_matches('m').to_owned(), 1e6),
        lower if lower.ends_with('k') => (lower.trim_end_matches('k').to_owned(), 1e3),
        lower => (lower, 1.0),
    };
    let number = number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let number = number.map(|number| (number * factor).round()).filter(|number| *number < 1e15);
    number.map(|number| Some(number as u64)).ok_or_else(|| "Enter a number, such as 2,000 or 4 M.".to_owned())
}

/// What a field for dollars says: None for no limit.
///
/// # Errors
/// What is wrong with it.
pub fn dollars(text: &str) -> Result<Option<f64>, String> {
    let plain: String = text.trim().trim_start_matches('$').chars().filter(|c| *c != ',').collect();
    if plain.is_empty() {
        return Ok(None);
    }
    let number = plain.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.map(Some).ok_or_else(|| "Enter dollars, such as 0.60.".to_owned())
}

/// A limit in its field.
pub fn limit_field(limit: Option<u64>) -> String {
    limit.map(count).unwrap_or_default()
}

/// Dollars in their field.
pub fn dollars_field(limit: Option<f64>) -> String {
    limit.map(|limit| format!("{limit}")).unwrap_or_default()
}

/// A line of what will be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Of what.
    pub name: &'static str,
    /// The figure.
    pub said: String,
    /// Whether it is over the limit.
    pub over: bool,
}

/// What an experiment will use, line by line, and where the figures come from. `each_s` is what an answer took so far.
pub fn lines(setup: &Setup, estimate: Estimate, each_s: Option<f64>) -> (Vec<Line>, String) {
    let line = |name, said, over| Line { name, said, over };
    let spent = estimate.spent();
    let mut lines = vec![line("Answers", count(estimate.answers as u64), false)];
    if setup.asks() {
        let limits = setup.limits;
        let over = |is: bool, said: String| {
            if is { (format!("over the limit: {said}"), true) } else { (said, false) }
        };
        let (said, is) =
            over(limits.requests.is_some_and(|most| spent.requests > most), count(spent.requests));
        lines.push(line("Calls, about", said, is));
        let (said, is) = over(limits.tokens.is_some_and(|most| spent.tokens() > most), large(spent.tokens()));
        lines.push(line("Tokens, about", said, is));
        let cost = estimate.cost(setup.price);
        let (said, is) = over(limits.cost.is_some_and(|most| cost > most), money(cost));
        lines.push(line("Cost, about", said, is));
    }
    if let Some(each) = each_s {
        let left = time_left(each * estimate.answers as f64 / setup.at_a_time.max(1) as f64);
        lines.push(line(
            "Time, about",
            left.trim_start_matches("about ").trim_end_matches(" left").to_owned(),
            false,
        ));
    }
    let from = match (setup.asks(), estimate.measured) {
        (false, _) => "No model is asked, and nothing is sent.".to_owned(),
        (true, 0) => "From the prompts of a few tasks; answers are taken to have 90 tokens.".to_owned(),
        (true, n) => format!("From {} with this set-up.", counted(n, "answer", "answers")),
    };
    (lines, from)
}

/// What is said beside Start where the estimate passes a limit; it may be started all the same.
pub fn warning(setup: &Setup, estimate: Estimate) -> Option<String> {
    let limit = over(setup.limits, setup.price, estimate)?;
    Some(format!("More than {limit} will be wanted. The run pauses there and nothing is lost."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::budget::{Limits, Price};

    #[test]
    fn limits_are_read_as_people_write_them() {
        assert_eq!(limit(""), Ok(None));
        assert_eq!(limit(" 2,000 "), Ok(Some(2_000)));
        assert_eq!(limit("4.00 M"), Ok(Some(4_000_000)));
        assert_eq!(limit("150k"), Ok(Some(150_000)));
        assert_eq!(limit("0"), Ok(Some(0)));
        for wrong in ["-1", "many", "1e400", "NaN", "M"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        assert_eq!(dollars("$0.60"), Ok(Some(0.6)));
        assert_eq!(dollars(" "), Ok(None));
        assert!(dollars("-2").is_err() && dollars("inf").is_err());
        for n in [None, Some(0), Some(1_840), Some(3_350_000)] {
            assert_eq!(limit(&limit_field(n)), Ok(n));
        }
        assert_eq!(dollars(&dollars_field(Some(0.6))), Ok(Some(0.6)));
    }

    #[test]
    fn what_is_over_a_limit_is_marked() {
        let estimate =
            Estimate { answers: 600, requests: 1_840.0, prompt: 3e6, answer: 350_000.0, measured: 12 };
        let setup = Setup {
            pipelines: vec!["direct".into()],
            retrievers: vec!["mqs".into()],
            limits: Limits { requests: Some(2_000), tokens: Some(4_000_000), cost: Some(0.6) },
            price: Price { prompt: 0.25, answer: 1.0 },
            at_a_time: 3,
            ..Setup::default()
        };
        let (lines, from) = lines(&setup, estimate, Some(6.0));
        let said: Vec<&str> = lines.iter().map(|line| line.said.as_str()).collect();
        assert_eq!(said, ["600", "1,840", "3.35 M", "over the limit: $1.10", "20 min"]);
        assert!(lines[3].over && from.contains("12 answers"));
        assert!(warning(&setup, estimate).unwrap_or_default().contains("$0.60"));
        let without = Setup { pipelines: vec!["adapt".into()], ..setup };
        assert_eq!(super::lines(&without, Estimate::default(), None).0.len(), 1);
    }
}
