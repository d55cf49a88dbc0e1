//! `livesql`: the first 10,000 rows, floats to two decimals, as sets or as lists.

use std::borrow::Cow;

use super::livesql_text::rewritten;
use super::python::round_to_2;
use super::rule::{Case, Judged, Outcome, Rule, Side, both};
use crate::bench::cell::Row;
use crate::bench::compare::{Complete, same_set};
use crate::db::{DbError, ResultSet, Value};

/// Rows that are compared at most.
const ROWS: usize = 10_000;

/// Python's sqlite3 gives neither dates nor decimals, which the source would write as YYYY-MM-DD and round half up: in
/// SQLite only floats are touched, by `round(x, 2)`.
pub(super) struct Livesql;

impl Rule for Livesql {
    fn sql<'a>(&self, _: Side, text: &'a str, _: Option<&Outcome>) -> Result<Cow<'a, str>, DbError> {
        Ok(Cow::Owned(rewritten(text)))
    }

    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        let (gold, predicted) = (seen(gold), seen(predicted));
        let (a, b) = match both(&gold, &predicted) {
            Ok(both) => both,
            Err(judged) => return *judged,
        };
        let (gold, predicted) = (&a.get().rows, &b.get().rows);
        match (gold.is_empty(), predicted.is_empty()) {
            (true, _) => {
                return Judged {
                    why: "Gold is empty, which livesql scores with 0.".into(),
                    ..different(a, b)
                };
            }
            (_, true) => return Judged { why: "The answer is empty.".into(), ..different(a, b) },
            _ => {}
        }
        if case.ordered {
            if gold.len() == predicted.len() && gold.iter().zip(predicted).all(|(a, b)| Row(a) == Row(b)) {
                return Judged::right("Same rows in the same order, to two decimals.");
            }
        } else if same_set(gold, predicted) {
            return Judged::right("Same set of rows, to two decimals.");
        }
        different(a, b)
    }
}

fn different(gold: Complete<'_>, predicted: Complete<'_>) -> Judged {
    Judged::different(gold, predicted)
}

/// The rows that count, rounded.
fn seen(outcome: &Outcome) -> Outcome {
    let mut result: ResultSet = outcome.clone()?;
    // What lies beyond the rows that count does not matter.
    result.more &= result.rows.len() < ROWS;
    result.rows.truncate(ROWS);
    for value in result.rows.iter_mut().flatten() {
        if let Value::Real(number) = value {
            *number = round_to_2(*number);
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::super::tests_common::{int, real, result, text};
    use super::*;

    fn score(gold: &[Vec<Value>], predicted: &[Vec<Value>], ordered: bool) -> f64 {
        let case = Case { ordered, ..Case::default() };
        Livesql.compare(&case, &Ok(result(gold)), &Ok(result(predicted))).score
    }

    #[test]
    fn rows_are_compared_as_in_ex_base() {
        let gold = [vec![real(2.0 / 3.0)], vec![int(1)]];
        // round(0.666…, 2) == 0.67; as sets duplicates and order do not count.
        let other = [vec![int(1)], vec![real(0.669)], vec![int(1)]];
        assert_eq!(score(&gold, &other, false), 1.0);
        // conditions.order: list equality.
        assert_eq!(score(&gold, &other, true), 0.0);
        assert_eq!(score(&gold, &[vec![real(0.67)], vec![real(1.0)]], true), 1.0);
        // round(0.125, 2) is 0.12 and round(0.1250001, 2) is 0.13.
        assert_eq!(score(&[vec![real(0.125)]], &[vec![real(0.125_000_1)]], false), 0.0);
        assert_eq!(score(&[vec![real(0.125)]], &[vec![real(0.12)]], false), 1.0);
        // A float that is rounded to a whole number equals the integer; a text is not touched.
        assert_eq!(score(&[vec![int(3)]], &[vec![real(3.001)]], false), 1.0);
        assert_eq!(score(&[vec![text("2024-01-05")]], &[vec![text("2024-01-05 10:00:00")]], false), 0.0);
        // An empty result on either side, or on both, is 0.
        assert_eq!([score(&[], &[], false), score(&gold, &[], false), score(&[], &gold, true)], [0.0; 3]);
    }

    #[test]
    fn rows_beyond_ten_thousand_are_not_seen() {
        let many = |count: i64| (0..count).map(|i| vec![int(i)]).collect::<Vec<_>>();
        assert_eq!(score(&many(10_001), &many(10_500), true), 1.0);
        assert_eq!(score(&many(9_999), &many(10_000), true), 0.0);
        let cut = |rows: i64| Ok(ResultSet { more: true, ..result(&many(rows)) });
        let compare = |gold, predicted| Livesql.compare(&Case::default(), &gold, &predicted).score;
        assert_eq!(compare(cut(10_000), Ok(result(&many(10_000)))), 1.0);
        assert_eq!(compare(cut(10), cut(10)), 0.0);
    }
}
