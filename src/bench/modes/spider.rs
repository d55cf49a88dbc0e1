//! `spider-ts`: equal as multisets of rows, or as lists where gold orders them, after some permutation of the columns.

use std::borrow::Cow;
use std::collections::HashSet;

use super::python::text_and_type;
use super::rule::{Case, Judged, Outcome, Rule, Side, Text, both, gold_failed};
use super::spider_text::rewritten;
use crate::bench::cell::Row;
use crate::bench::permutation::{self, Rows};
use crate::db::{DbError, ResultSet, Value};

pub(super) struct TestSuite {
    pub keep_distinct: bool,
}

impl Rule for TestSuite {
    fn text(&self) -> Text {
        Text::Ignore
    }

    // The source asks gold first and ends where it fails.
    fn asks_gold_of_failed(&self) -> bool {
        true
    }

    fn sql<'a>(&self, side: Side, text: &'a str, _: Option<&Outcome>) -> Result<Cow<'a, str>, DbError> {
        rewritten(side, text, self.keep_distinct).map(Cow::Owned)
    }

    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        // Reported before a failed prediction, as the source's assertion comes before.
        if let Err(error) = gold {
            return gold_failed(error);
        }
        let (a, b) = match both(gold, predicted) {
            Ok(both) => both,
            Err(judged) => return *judged,
        };
        // Looked for in the text, wherever it stands: a subquery's ORDER BY counts, one over two lines does not.
        let ordered = rewritten(Side::Gold, case.gold, self.keep_distinct)
            .is_ok_and(|sql| sql.to_lowercase().contains("order by"));
        if same(a.get(), b.get(), ordered) {
            let order = if ordered { "Same rows in the same order." } else { "Same rows." };
            return Judged::right(order);
        }
        let mut judged = Judged::different(a, b);
        if ordered && same(a.get(), b.get(), false) {
            judged.why = "Same rows in another order, and gold has ORDER BY.".to_owned();
        }
        judged
    }
}

fn same(gold: &ResultSet, predicted: &ResultSet, ordered: bool) -> bool {
    if gold.rows.is_empty() && predicted.rows.is_empty() {
        return true;
    }
    let width = gold.columns.len();
    if gold.rows.len() != predicted.rows.len() || predicted.columns.len() != width {
        return false;
    }
    let rows = if ordered { Rows::List } else { Rows::Bag };
    permutation::find(&gold.rows, &predicted.rows, width, rows).is_some()
        && not_rejected(&gold.rows, &predicted.rows, ordered)
}

/// The source's quick rejection: the rows, each sorted by what Python writes for its values, are equal.
///
/// Equal rows pass it but for one thing: 1 and 1.0 are equal and written differently, so that they may be sorted to
/// different places, and then equal rows are rejected. (1, 12) is sorted as (12, 1), and (1.0, 12) as (1.0, 12).
fn not_rejected(gold: &[Vec<Value>], predicted: &[Vec<Value>], ordered: bool) -> bool {
    let whole = |value: &Value| matches!(value, Value::Real(number) if number.fract() == 0.0);
    if !gold.iter().chain(predicted).flatten().any(whole) {
        return true;
    }
    let sorted = |rows: &[Vec<Value>]| -> Vec<Vec<Value>> {
        let row = |row: &Vec<Value>| {
            let mut row = row.clone();
            row.sort_by_cached_key(text_and_type);
            row
        };
        rows.iter().map(row).collect()
    };
    let (gold, predicted) = (sorted(gold), sorted(predicted));
    if ordered {
        gold.iter().zip(&predicted).all(|(a, b)| Row(a) == Row(b))
    } else {
        set_of(&gold) == set_of(&predicted)
    }
}

fn set_of(rows: &[Vec<Value>]) -> HashSet<Row<'_>> {
    rows.iter().map(|row| Row(row)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests_common::{any_rows, int, real, result, text};
    use super::*;

    fn equal(gold: &[Vec<Value>], predicted: &[Vec<Value>], ordered: bool) -> bool {
        same(&result(gold), &result(predicted), ordered)
    }

    #[test]
    fn rows_are_compared_as_in_exec_eval() {
        let gold = [vec![int(1), text("a")], vec![int(2), text("b")]];
        let turned = [vec![text("b"), int(2)], vec![text("a"), int(1)]];
        // A permutation of the columns makes them the same bag, but not the same list.
        assert!(equal(&gold, &turned, false) && !equal(&gold, &turned, true));
        let columns_only = [vec![text("a"), int(1)], vec![text("b"), int(2)]];
        assert!(equal(&gold, &columns_only, true));
        // The permutation is one for all rows: (1, 2), (3, 4) is not (1, 2), (4, 3).
        let two = |a, b| vec![int(a), int(b)];
        assert!(!equal(&[two(1, 2), two(3, 4)], &[two(1, 2), two(4, 3)], false));
        // Duplicates count: {1, 1, 2} is not {1, 2, 2}; nor is another number of rows equal.
        let one = |numbers: &[i64]| numbers.iter().map(|n| vec![int(*n)]).collect::<Vec<_>>();
        assert!(!equal(&one(&[1, 1, 2]), &one(&[1, 2, 2]), false));
        assert!(!equal(&one(&[1, 1]), &one(&[1]), false));
        assert!(equal(&one(&[2, 1, 2]), &one(&[2, 2, 1]), false));
        assert!(!equal(&one(&[2, 1, 2]), &one(&[2, 2, 1]), true));
        // Both empty: equal, whatever their columns.
        assert!(equal(&[], &[], true));
        // No tolerance; '1' is not 1; 1.0 is 1; NULL is NULL.
        assert!(!equal(&[vec![real(0.1 + 0.2)]], &[vec![real(0.3)]], false));
        assert!(!equal(&[vec![text("1")]], &[vec![int(1)]], false));
        assert!(equal(&[vec![real(1.0)]], &[vec![int(1)]], false));
        assert!(equal(&[vec![Value::Null]], &[vec![Value::Null]], false));
        // Other numbers of columns.
        assert!(!equal(&[two(1, 1)], &one(&[1]), false));
    }

    #[test]
    fn equal_rows_may_be_rejected_by_how_they_are_written() {
        // sorted((1, 12)) by str(x)+str(type(x)): "12<…" < "1<…", so (12, 1); sorted((1.0, 12)): "1.0<…" first.
        assert!(!equal(&[vec![int(1), int(12)]], &[vec![real(1.0), int(12)]], false));
        // (2, 12): "12<…" first, and "2.0<…" after it, too: both are (12, 2).
        assert!(equal(&[vec![int(2), int(12)]], &[vec![real(2.0), int(12)]], false));
    }

    #[test]
    fn the_order_counts_where_the_text_of_gold_says_order_by() {
        let rows = |numbers: &[i64]| Ok(result(&numbers.iter().map(|n| vec![int(*n)]).collect::<Vec<_>>()));
        let score = |gold: &str| {
            let case = Case { gold, ..Case::default() };
            TestSuite { keep_distinct: false }.compare(&case, &rows(&[1, 2]), &rows(&[2, 1])).score
        };
        assert_eq!(score("SELECT a FROM t"), 1.0);
        assert_eq!(score("SELECT a FROM t Order By a"), 0.0);
        // Two spaces are not 'order by'; a subquery's or a text's are.
        assert_eq!(score("SELECT a FROM t ORDER  BY a"), 1.0);
        assert_eq!(score("SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 2)"), 0.0);
    }

    proptest! {
        #[test]
        fn columns_and_rows_may_be_shuffled(a in any_rows(), turn in 0..3_usize, by in 0..6_usize) {
            // Whole floats aside, which the quick rejection may take apart.
            let a: Vec<Vec<Value>> = a.into_iter().map(|row| row.into_iter().map(|v| match v {
                Value::Real(n) if n.fract() == 0.0 => int(n as i64),
                v => v,
            }).collect()).collect();
            let mut shuffled = a.clone();
            for row in &mut shuffled {
                let width = row.len();
                row.rotate_left(turn % width);
            }
            prop_assert!(equal(&a, &shuffled, true));
            let count = shuffled.len();
            if count > 0 {
                shuffled.rotate_left(by % count);
            }
            prop_assert!(equal(&a, &shuffled, false));
        }

        #[test]
        fn the_rule_is_symmetric(a in any_rows(), b in any_rows()) {
            prop_assert_eq!(equal(&a, &b, false), equal(&b, &a, false));
            prop_assert_eq!(equal(&a, &b, true), equal(&b, &a, true));
            prop_assert!(!equal(&a, &b, true) || equal(&a, &b, false));
        }
    }
}
