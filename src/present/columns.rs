//! The columns of a result table: what each holds, how wide it is, and which are in view.

use std::ops::Range;

use super::cells;
use super::grid::ALL_UP_TO;
use crate::db::ResultSet;

/// Tables of at most this many columns are drawn whole, in the widths that the browser finds.
pub const WHOLE_UP_TO: usize = 40;

/// Width of a character of the table's face at its size, in pixels: six tenths of 12.
const CHAR: f64 = 7.2;
/// Room beside a cell's text, in pixels.
const PADDING: f64 = 24.0;

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values ([`cells::column_type`]).
    pub kind: &'static str,
    /// Its width in characters, from its head and the first 200 rows.
    pub chars: usize,
}

/// The columns of a result.
pub fn columns(result: &ResultSet) -> Vec<Column> {
    let column = |(i, column): (usize, &crate::db::ResultColumn)| {
        let seen = result.rows.iter().take(ALL_UP_TO).filter_map(|row| row.get(i));
        let widest = seen.map(|value| cells::short(value).chars().count()).max().unwrap_or(0);
        let kind = cells::column_type(result, i);
        // The head is set smaller: five of its characters take the room of four.
        let head = (column.name.chars().count() + 1 + kind.len()) * 4 / 5 + 2;
        Column { name: column.name.clone(), kind, chars: widest.max(head).clamp(4, 44) }
    };
    result.columns.iter().enumerate().map(column).collect()
}

/// Where each column begins, in pixels, and where the last ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places(Vec<f64>);

impl Places {
    /// Of columns in their order.
    pub fn new(columns: &[Column]) -> Self {
        let mut at = 0.0;
        let mut starts = vec![at];
        for column in columns {
            at += (column.chars as f64).mul_add(CHAR, PADDING).round();
            starts.push(at);
        }
        Self(starts)
    }

    /// Where a column begins; past the last, where that ends.
    pub fn start(&self, column: usize) -> f64 {
        self.0.get(column).or(self.0.last()).copied().unwrap_or_default()
    }

    /// The width of some columns.
    pub fn width(&self, columns: Range<usize>) -> f64 {
        self.start(columns.end) - self.start(columns.start)
    }

    /// The columns in a view `width` pixels wide, scrolled by `left`, with some before and after, in steps so that
    /// small scrolling redraws nothing.
    pub fn in_view(&self, left: f64, width: f64) -> Range<usize> {
        const STEP: usize = 8;
        let count = self.0.len().saturating_sub(1);
        let at = |x: f64| self.0.partition_point(|start| *start <= x).saturating_sub(1);
        let first = at(left.max(0.0)) / STEP * STEP;
        let last = at(left.max(0.0) + width.max(0.0)) / STEP * STEP + STEP;
        first.saturating_sub(STEP).min(count)..(last + STEP).min(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::db::{ResultColumn, Value};

    #[test]
    fn a_column_is_as_wide_as_its_head_or_its_values() {
        let name = |name: &str| ResultColumn { name: name.into() };
        let result = ResultSet {
            columns: vec![name("a"), name("a_rather_long_name"), name("c")],
            rows: vec![vec![Value::Integer(1), Value::Null, Value::Text("x".repeat(500))]],
            ..ResultSet::default()
        };
        let got = columns(&result);
        assert_eq!(got.iter().map(|c| c.kind).collect::<Vec<_>>(), ["INTEGER", "", "TEXT"]);
        assert_eq!(got.iter().map(|c| c.chars).collect::<Vec<_>>(), [9, 17, 44]);
    }

    fn places(chars: &[usize]) -> Places {
        let column = |chars: &usize| Column { name: String::new(), kind: "", chars: *chars };
        Places::new(&chars.iter().map(column).collect::<Vec<_>>())
    }

    #[test]
    fn few_of_many_columns_are_in_view() {
        let places = places(&[10; 2_000]);
        let range = places.in_view(0.0, 900.0);
        assert_eq!(range.start, 0);
        assert!(range.len() < 40, "{range:?}");
        assert_eq!(places.in_view(1e9, 900.0).end, 2_000);
        assert_eq!(places.width(0..2_000), 192_000.0);
        assert_eq!(Places::default().in_view(0.0, 900.0), 0..0);
    }

    proptest! {
        #[test]
        fn every_column_in_view_is_drawn(
            chars in prop::collection::vec(4usize..44, 1..300),
            left in 0.0f64..20_000.0,
            width in 0.0f64..2_000.0,
        ) {
            let places = places(&chars);
            let range = places.in_view(left, width);
            for i in 0..chars.len() {
                let seen = places.start(i) < left + width && places.start(i + 1) > left;
                prop_assert!(!seen || range.contains(&i), "{} not in {:?}", i, range);
            }
        }
    }
}
