//! `soft-f1`: precision and recall over cells, row by row.

use std::collections::HashSet;

use super::bird::blank;
use super::rule::{Case, Judged, Limit, Outcome, Rule, both};
use crate::bench::cell::{Cell, Row};
use crate::db::Value;

pub(super) struct SoftF1;

impl Rule for SoftF1 {
    fn limit(&self) -> Limit {
        Limit::Together
    }

    fn missing(&self) -> Option<Outcome> {
        Some(blank())
    }

    fn compare(&self, _: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        let (a, b) = match both(gold, predicted) {
            Ok(both) => both,
            Err(judged) => return *judged,
        };
        let score = f1(&a.get().rows, &b.get().rows);
        if score >= 1.0 {
            return Judged::right("Every cell of every row is met.");
        }
        let judged = Judged::different(a, b);
        Judged { score, why: format!("F1 {score:.2}. {}", judged.why), ..judged }
    }
}

/// Rows without those seen before, in their order.
fn distinct(rows: &[Vec<Value>]) -> Vec<&[Value]> {
    let mut seen = HashSet::new();
    rows.iter().map(Vec::as_slice).filter(|row| seen.insert(Row(row))).collect()
}

/// Row `i` is compared with row `i`, so order counts; a value is met where it occurs anywhere in the other row, so order
/// of columns does not, and a value that is repeated is counted each time.
fn f1(gold: &[Vec<Value>], predicted: &[Vec<Value>]) -> f64 {
    if gold.is_empty() && predicted.is_empty() {
        return 1.0;
    }
    let (gold, predicted) = (distinct(gold), distinct(predicted));
    let (mut met, mut only_predicted, mut only_gold) = (0.0, 0.0, 0.0);
    for i in 0..gold.len().max(predicted.len()) {
        match (gold.get(i), predicted.get(i)) {
            (Some(gold), Some(predicted)) => {
                let columns = gold.len() as f64;
                let common = share(predicted, gold) as f64;
                met += common / columns;
                only_predicted += (predicted.len() as f64 - common) / columns;
                only_gold += (columns - share(gold, predicted) as f64) / columns;
            }
            (Some(_), None) => only_gold += 1.0,
            (None, _) => only_predicted += 1.0,
        }
    }
    if met == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (met / (met + only_predicted), met / (met + only_gold));
    2.0 * precision * recall / (precision + recall)
}

/// How many values of `row` occur in `other`.
fn share(row: &[Value], other: &[Value]) -> usize {
    row.iter().filter(|value| other.iter().any(|seen| Cell::new(seen) == Cell::new(value))).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests_common::{any_rows, int, real, text};
    use super::*;

    fn near(got: f64, wanted: f64) -> bool {
        (got - wanted).abs() < 1e-12
    }

    #[test]
    fn cells_are_counted_as_in_evaluation_f1() {
        let gold = [vec![int(1), text("a")], vec![int(2), text("b")]];
        // Both empty: 1. One side empty: tp = 0, so 0.
        assert_eq!(f1(&[], &[]), 1.0);
        assert_eq!((f1(&gold, &[]), f1(&[], &gold)), (0.0, 0.0));
        // Columns in another order, and 1.0 for 1: `in` finds every value. Duplicate rows are dropped first.
        let turned = [vec![text("a"), real(1.0)], vec![text("a"), int(1)], vec![text("b"), int(2)]];
        assert_eq!(f1(&gold, &turned), 1.0);
        // Rows in another order: row 0 is compared with row 0, nothing is met.
        assert_eq!(f1(&gold, &[vec![int(2), text("b")], vec![int(1), text("a")]]), 0.0);
        // Row 0 whole (1), row 1 half: tp = 1.5, fp = 0.5, fn = 0.5; P = R = 0.75.
        assert!(near(f1(&gold, &[vec![int(1), text("a")], vec![int(2), text("c")]]), 0.75));
        // One row of two: tp = 1, fp = 0, fn = 1; P = 1, R = 1/2, F1 = 2/3. The other way round the same.
        assert!(near(f1(&gold, &gold[..1]), 2.0 / 3.0));
        assert!(near(f1(&gold[..1], &gold), 2.0 / 3.0));
        // A column more: row of 3 against 2: tp = 2/2, fp = 1/2, fn = 0; P = 2/3, R = 1, F1 = 0.8.
        assert!(near(f1(&gold[..1], &[vec![int(1), text("a"), int(9)]]), 0.8));
        // A column less: tp = 1/2, fp = 0, fn = 1/2; P = 1, R = 1/2.
        assert!(near(f1(&gold[..1], &[vec![text("a")]]), 2.0 / 3.0));
        // A repeated value is counted each time: tp = 3/2, fp = 0, fn = 1/2; P = 1, R = 3/4, F1 = 6/7.
        assert!(near(f1(&gold[..1], &[vec![int(1), int(1), real(1.0)]]), 6.0 / 7.0));
        // '1' is not 1: tp = 1/2, fp = 1/2, fn = 1/2.
        assert!(near(f1(&gold[..1], &[vec![text("1"), text("a")]]), 0.5));
        // NULL is in a row that has NULL.
        assert_eq!(f1(&[vec![Value::Null]], &[vec![Value::Null]]), 1.0);
    }

    proptest! {
        #[test]
        fn a_score_lies_between_0_and_1_and_is_1_for_equal_rows(a in any_rows(), b in any_rows()) {
            let score = f1(&a, &b);
            prop_assert!((0.0..=1.0).contains(&score), "{score}");
            prop_assert_eq!(f1(&a, &a), 1.0);
            // Where rows have the same width and no value twice, both sides count alike.
            let plain = |row: &Vec<Value>| share(row, row) == row.len()
                && row.iter().enumerate().all(|(i, v)| !row[..i].iter().any(|w| Cell::new(w) == Cell::new(v)));
            if a.iter().chain(&b).all(plain) && a.iter().chain(&b).all(|row| row.len() == a.first().map_or(0, Vec::len)) {
                prop_assert!(near(score, f1(&b, &a)));
            }
        }
    }
}
