//! Sorting the rows of a result as SQLite would, and saying so.

use std::cmp::Ordering;

use super::grid::Rows;
use crate::db::Value;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

impl Direction {
    /// Its name, as `aria-sort` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }
}

/// A column that rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub column: usize,
    /// Which way.
    pub direction: Direction,
}

/// What pressing the head of `column` leads to: ascending, descending, then the query's own order.
pub fn pressed(now: Option<Sort>, column: usize) -> Option<Sort> {
    let direction = match now {
        Some(Sort { column: same, direction: Direction::Ascending }) if same == column => {
            Direction::Descending
        }
        Some(Sort { column: same, direction: Direction::Descending }) if same == column => return None,
        _ => Direction::Ascending,
    };
    Some(Sort { column, direction })
}

/// The rows in the order of `sort`, by their places in the query's order. Rows that are equal stay in that order; a row
/// and its gold stay together, sorted by ours, or by gold where ours is missing.
pub fn order(rows: Rows<'_>, sort: Sort) -> Vec<u32> {
    let unsorted = Rows { order: None, ..rows };
    let value = |i: usize| unsorted.value(i, sort.column).unwrap_or(&Value::Null);
    let mut keyed: Vec<(&Value, u32)> = (0..unsorted.len()).map(value).zip(0..).collect();
    match sort.direction {
        Direction::Ascending => keyed.sort_by(|a, b| compare(a.0, b.0)),
        Direction::Descending => keyed.sort_by(|a, b| compare(b.0, a.0)),
    }
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// What the page says of sorted rows.
pub fn sentence(column: &str, direction: Direction, cut: bool) -> String {
    let among = if cut { " Only the rows that were read are sorted." } else { "" };
    format!("Sorted by {column}, {}, which is not the query’s order.{among}", direction.name())
}

/// SQLite's order: NULL, then numbers by their exact value, then text by its bytes, then blobs.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
        (Value::Integer(a), Value::Real(b)) => whole_and_real(*a, *b),
        (Value::Real(a), Value::Integer(b)) => whole_and_real(*b, *a).reverse(),
        _ => rank(a).cmp(&rank(b)).then_with(|| bytes(a).cmp(bytes(b))),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        // SQLite stores what is no number as NULL.
        Value::Real(x) if x.is_nan() => 0,
        Value::Integer(_) | Value::Real(_) => 1,
        Value::Text(_) | Value::InvalidText(_) => 2,
        Value::Blob(_) => 3,
    }
}

fn bytes(value: &Value) -> &[u8] {
    match value {
        Value::Text(text) => text.as_bytes(),
        Value::InvalidText(bytes) | Value::Blob(bytes) => bytes,
        Value::Null | Value::Integer(_) | Value::Real(_) => &[],
    }
}

/// An INTEGER beside a REAL, exactly: neither is rounded to the other's type where that would lose digits.
fn whole_and_real(whole: i64, real: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if real.is_nan() || real < -BEYOND {
        return Ordering::Greater;
    }
    if real >= BEYOND {
        return Ordering::Less;
    }
    let part = real.fract();
    whole.cmp(&(real as i64)).then(0.0_f64.partial_cmp(&part).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::db::{ResultColumn, ResultSet};
    use crate::present::grid::{Against, RowPair};

    fn set(values: Vec<Value>) -> ResultSet {
        ResultSet {
            columns: vec![ResultColumn { name: "a".into() }],
            rows: values.into_iter().map(|v| vec![v]).collect(),
            ..ResultSet::default()
        }
    }

    fn sorted(values: Vec<Value>, direction: Direction) -> Vec<u32> {
        order(Rows::of(&set(values)), Sort { column: 0, direction })
    }

    #[test]
    fn a_head_goes_up_down_and_back() {
        let up = pressed(None, 2);
        assert_eq!(up, Some(Sort { column: 2, direction: Direction::Ascending }));
        let down = pressed(up, 2);
        assert_eq!(down, Some(Sort { column: 2, direction: Direction::Descending }));
        assert_eq!(pressed(down, 2), None);
        assert_eq!(pressed(down, 1), Some(Sort { column: 1, direction: Direction::Ascending }));
    }

    #[test]
    fn kinds_stand_in_the_order_of_sqlite() {
        let values = vec![
            Value::Blob(vec![0]),
            Value::Text("a".into()),
            Value::InvalidText(vec![b'Z', 0xff]),
            Value::Real(1.5),
            Value::Integer(2),
            Value::Null,
        ];
        assert_eq!(sorted(values.clone(), Direction::Ascending), [5, 3, 4, 2, 1, 0]);
        assert_eq!(sorted(values, Direction::Descending), [0, 1, 2, 4, 3, 5]);
    }

    #[test]
    fn big_integers_are_compared_exactly() {
        let values = vec![
            Value::Integer(9_007_199_254_740_993),
            Value::Real(9_007_199_254_740_992.0),
            Value::Integer(9_007_199_254_740_992),
            Value::Integer(i64::MAX),
            Value::Real(9.3e18),
            Value::Integer(-1),
            Value::Real(-1.5),
        ];
        assert_eq!(sorted(values, Direction::Ascending), [6, 5, 1, 2, 0, 3, 4]);
    }

    #[test]
    fn equal_rows_keep_the_order_of_the_query_both_ways() {
        let values = vec![Value::Integer(1), Value::Integer(2), Value::Real(1.0), Value::Integer(2)];
        assert_eq!(sorted(values.clone(), Direction::Ascending), [0, 2, 1, 3]);
        assert_eq!(sorted(values, Direction::Descending), [1, 3, 0, 2]);
    }

    #[test]
    fn a_row_stays_with_its_gold() {
        let ours = set(vec![Value::Integer(5), Value::Integer(1)]);
        let gold = set(vec![Value::Integer(5), Value::Integer(3)]);
        let pair = |ours, gold| RowPair { ours, gold, copy: false };
        let rows = vec![pair(Some(0), Some(0)), pair(Some(1), None), pair(None, Some(1))];
        let against = Against { gold: Arc::new(gold), rows };
        let table = Rows { against: Some(&against), ..Rows::of(&ours) };
        let got = order(table, Sort { column: 0, direction: Direction::Ascending });
        // 1, gold's 3, 5 beside its gold.
        assert_eq!(got, [1, 2, 0]);
        let table = Rows { order: Some(&got), ..table };
        assert_eq!(table.row(1).map(|row| (row.number, row.cells[0].text.clone())), Some((None, "3".into())));
    }

    #[test]
    fn cut_rows_say_that_only_they_are_sorted() {
        let whole = sentence("seats", Direction::Ascending, false);
        assert_eq!(whole, "Sorted by seats, ascending, which is not the query’s order.");
        assert!(
            sentence("seats", Direction::Ascending, true)
                .ends_with("Only the rows that were read are sorted.")
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            (-4i64..4).prop_map(Value::Integer),
            any::<f64>().prop_map(Value::Real),
            (-8i32..8).prop_map(|n| Value::Real(f64::from(n) / 2.0)),
            "[a-c]{0,2}".prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 0..2).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in value(), b in value(), c in value()) {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            if compare(&a, &b) != Ordering::Greater && compare(&b, &c) != Ordering::Greater {
                prop_assert_ne!(compare(&a, &c), Ordering::Greater);
            }
        }
    }

    #[test]
    fn sqlite_itself_sorts_so() {
        #![allow(clippy::unwrap_used)]
        use crate::db::engine::service::tests::image;
        use crate::db::{Database, Host, QueryLimits};
        let literals = "(9007199254740993), (9007199254740992.0), (9007199254740992), (-9223372036854775808),
            (-9.3e18), (9.2233720368547758e18), (9223372036854775807), (NULL), ('b'), ('B'), ('aa'), (x'00'), (x''),
            (1), (1.5), (-0.5), (0), (''), (-1), (-1.25)";
        let db = Database::from_bytes(
            image(&format!("CREATE TABLE t(a); INSERT INTO t VALUES {literals}")),
            Host::default(),
        )
        .unwrap();
        let read = |sql: &str| db.execute(sql, QueryLimits::default()).unwrap();
        for (sql, direction) in [
            ("SELECT a FROM t ORDER BY a, rowid", Direction::Ascending),
            ("SELECT a FROM t ORDER BY a DESC, rowid", Direction::Descending),
        ] {
            let ours = read("SELECT a FROM t ORDER BY rowid");
            let got = order(Rows::of(&ours), Sort { column: 0, direction });
            let rows: Vec<_> = got.iter().map(|i| ours.rows[*i as usize].clone()).collect();
            assert_eq!(rows, read(sql).rows, "{sql}");
        }
    }
}
