//! `bird-ex` and `bird-orig`: sets of row tuples.

use super::rule::{Case, Judged, Limit, Outcome, Rule, both, unusable};
use crate::bench::compare::same_set;
use crate::db::{DbError, ResultSet, Value};

pub(super) struct Ex;

impl Rule for Ex {
    fn limit(&self) -> Limit {
        Limit::Together
    }

    fn missing(&self) -> Option<Outcome> {
        Some(blank())
    }

    fn compare(&self, _: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        match both(gold, predicted) {
            Err(judged) => *judged,
            Ok((a, b)) if same_set(&a.get().rows, &b.get().rows) => Judged::right("Same set of rows."),
            Ok((a, b)) => Judged::different(a, b),
        }
    }
}

/// What mini_dev makes of an entry that is not a text: it runs a blank, which gives no rows.
pub(super) fn blank() -> Outcome {
    Ok(ResultSet::default())
}

pub(super) struct Orig;

/// The row that stands for a failure.
fn sentinel(error: &DbError) -> &'static str {
    if matches!(error, DbError::Timeout(_)) { "timeout" } else { "error" }
}

impl Rule for Orig {
    fn missing(&self) -> Option<Outcome> {
        Some(Err(unusable("There is no prediction.")))
    }

    fn asks_gold_of_failed(&self) -> bool {
        true
    }

    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        let (a, b) = match (gold, predicted) {
            (Ok(_), Ok(_)) => return Ex.compare(case, gold, predicted),
            (Err(a), Err(b)) => (sentinel(a), sentinel(b)),
            (Err(error), Ok(rows)) | (Ok(rows), Err(error)) => {
                let word = sentinel(error);
                let only = |row: &Vec<Value>| *row == [Value::Text(word.to_owned())];
                let alike = !rows.more && !rows.rows.is_empty() && rows.rows.iter().all(only);
                (word, if alike { word } else { "" })
            }
        };
        if a == b {
            return Judged::right(&format!("Both are [('{a}',)], which bird-orig counts as equal."));
        }
        match both(gold, predicted) {
            Err(judged) => *judged,
            Ok((a, b)) => Judged::different(a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, compare};
    use super::*;
    use crate::bench::compare::Verdict;

    fn rows(values: &[&str]) -> Outcome {
        let rows = values.iter().map(|value| vec![Value::Text((*value).to_owned())]).collect();
        Ok(ResultSet { rows, ..ResultSet::default() })
    }

    fn late() -> Outcome {
        Err(DbError::Timeout(30_000))
    }

    fn broken() -> Outcome {
        Err(unusable("no such column: x"))
    }

    #[test]
    fn a_failure_is_a_result_in_the_first_script_and_wrong_in_mini_dev() {
        let score = |mode, gold: Outcome, predicted: Outcome| compare(mode, &gold, &predicted).score;
        // [('error',)] == [('error',)] and [('timeout',)] == [('timeout',)]: whatever the errors were.
        assert_eq!(score(Mode::BirdOrig, broken(), broken()), 1.0);
        assert_eq!(score(Mode::BirdOrig, broken(), Err(DbError::ReadOnly("DELETE".into()))), 1.0);
        assert_eq!(score(Mode::BirdOrig, late(), late()), 1.0);
        // [('error',)] != [('timeout',)], nor is either of them the rows of a query.
        assert_eq!(score(Mode::BirdOrig, late(), broken()), 0.0);
        assert_eq!(score(Mode::BirdOrig, rows(&["a"]), broken()), 0.0);
        assert_eq!(score(Mode::BirdOrig, late(), rows(&["a"])), 0.0);
        assert_eq!(score(Mode::BirdOrig, broken(), rows(&[])), 0.0);
        // A query whose only row is the text of the sentinel cannot be told from it.
        assert_eq!(score(Mode::BirdOrig, broken(), rows(&["error", "error"])), 1.0);
        assert_eq!(score(Mode::BirdOrig, rows(&["timeout"]), late()), 1.0);
        // mini_dev gives 0 in the handler of either failure.
        for (gold, predicted) in [(broken(), broken()), (late(), late()), (broken(), rows(&["error"]))] {
            assert_eq!(score(Mode::BirdEx, gold, predicted), 0.0);
        }
        // Otherwise both are set equality.
        for mode in [Mode::BirdEx, Mode::BirdOrig] {
            assert_eq!(score(mode, rows(&["a", "b", "b"]), rows(&["b", "a"])), 1.0);
            assert_eq!(score(mode, rows(&["a"]), rows(&["A"])), 0.0);
            assert_eq!(score(mode, rows(&[]), rows(&[])), 1.0);
        }
    }

    #[test]
    fn text_that_python_cannot_decode_is_an_error_of_the_query() {
        let invalid =
            || Ok(ResultSet { rows: vec![vec![Value::InvalidText(vec![0xff])]], ..Default::default() });
        let judged = compare(Mode::BirdEx, &invalid(), &invalid());
        assert!(matches!(judged.verdict, Verdict::PredictedFailed(_)), "{judged:?}");
        // In the first script both are then [('error',)].
        assert_eq!(compare(Mode::BirdOrig, &invalid(), &invalid()).score, 1.0);
    }
}
