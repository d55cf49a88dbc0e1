//! The rows of a result table: ours alone, or ours beside gold.

use std::ops::Range;
use std::sync::Arc;

use super::cells::{self, CellStyle};
use crate::bench::align::{AlignedRow, RowKind, align};
use crate::bench::compare::Complete;
use crate::db::{ResultSet, Value};

/// The values of one row, where there is one.
type Values<'a> = Option<&'a [Value]>;

/// One row of the table, by indices into ours and gold; one of them is always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPair {
    /// Row of our result; None for a row that only gold has.
    pub ours: Option<usize>,
    /// Row of gold; None for a row that only we have, and where no gold is compared.
    pub gold: Option<usize>,
    /// One more copy of a row that gold has too; bird-ex does not count copies.
    pub copy: bool,
}

/// Our result beside gold, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    /// The gold rows.
    pub gold: Arc<ResultSet>,
    /// The rows in the order they are shown.
    pub rows: Vec<RowPair>,
}

/// The fate of a row beside gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFate {
    /// In both, or not compared.
    Both,
    /// Only in gold.
    Missing,
    /// Only in ours.
    Extra,
}

/// A cell as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The value in one short line.
    pub text: String,
    /// How it looks.
    pub style: CellStyle,
    /// The size of a text too long for its cell.
    pub size: Option<String>,
    /// Gold's value, short, where it differs.
    pub gold: Option<String>,
}

/// A row as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number in our result, from 1; None for a missing row.
    pub number: Option<usize>,
    /// Its fate.
    pub fate: RowFate,
    /// Its cells, one for each column that is drawn.
    pub cells: Vec<Cell>,
}

/// The rows of a table: ours, or ours beside gold, in the query's order or a sorted one.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Our result.
    pub ours: &'a ResultSet,
    /// The same beside gold.
    pub against: Option<&'a Against>,
    /// Places in the query's order, in the order shown; None for the query's order.
    pub order: Option<&'a [u32]>,
}

/// Our rows beside gold's; None where a limit cut one of them.
pub fn against(gold: Arc<ResultSet>, ours: &ResultSet) -> Option<Against> {
    let aligned = align(Complete::new(&gold)?, Complete::new(ours)?);
    let pair = |row: &AlignedRow| RowPair {
        ours: row.predicted,
        gold: row.gold,
        copy: row.kind == RowKind::Duplicate,
    };
    // A copy that only gold has would be a row of its own that means nothing.
    let rows = aligned.rows.iter().map(pair).filter(|pair| pair.ours.is_some() || !pair.copy).collect();
    Some(Against { gold, rows })
}

impl<'a> Rows<'a> {
    /// Our rows alone, in the query's order.
    pub fn of(ours: &'a ResultSet) -> Self {
        Self { ours, against: None, order: None }
    }

    /// How many rows the table has.
    pub fn len(&self) -> usize {
        self.against.map_or(self.ours.rows.len(), |a| a.rows.len())
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows behind the one shown at `index`: ours and gold's.
    fn pair(&self, index: usize) -> Option<(RowPair, Values<'a>, Values<'a>)> {
        let index = match self.order {
            Some(order) => *order.get(index)? as usize,
            None => index,
        };
        let pair = match self.against {
            Some(against) => *against.rows.get(index)?,
            None => RowPair { ours: Some(index), gold: None, copy: false },
        };
        let ours = pair.ours.and_then(|i| self.ours.rows.get(i)).map(Vec::as_slice);
        let gold = self.against.zip(pair.gold).and_then(|(a, i)| a.gold.rows.get(i)).map(Vec::as_slice);
        (ours.is_some() || gold.is_some()).then_some((pair, ours, gold))
    }

    /// The value of a cell: ours, or gold's in a row that is missing.
    pub fn value(&self, index: usize, column: usize) -> Option<&'a Value> {
        let (_, ours, gold) = self.pair(index)?;
        ours.or(gold)?.get(column)
    }

    /// The row shown at `index`, whole; None past the end.
    pub fn row(&self, index: usize) -> Option<Row> {
        self.part(index, 0..self.ours.columns.len())
    }

    /// Some columns of the row shown at `index`; None past the end.
    pub fn part(&self, index: usize, columns: Range<usize>) -> Option<Row> {
        let (pair, ours, gold) = self.pair(index)?;
        let cell = |column: usize| {
            let value = ours.or(gold).and_then(|row| row.get(column)).unwrap_or(&Value::Null);
            let differs = match (ours.and_then(|r| r.get(column)), gold.and_then(|r| r.get(column))) {
                (Some(a), Some(b)) if !same(a, b) => Some(cells::short(b)),
                _ => None,
            };
            let (text, style) = (cells::short(value), cells::style(value));
            Cell { text, style, size: cells::size_note(value), gold: differs }
        };
        let fate = match (ours, gold) {
            (None, _) => RowFate::Missing,
            (Some(_), None) if self.against.is_some() && !pair.copy => RowFate::Extra,
            _ => RowFate::Both,
        };
        let columns = columns.start..columns.end.min(self.ours.columns.len());
        Some(Row { number: ours.and(pair.ours).map(|i| i + 1), fate, cells: columns.map(cell).collect() })
    }
}

/// Whether two values are equal as the scoring sees them: INTEGER 1 equals REAL 1.0, text equals text.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(i), Value::Real(r)) | (Value::Real(r), Value::Integer(i)) => *i as f64 == *r,
        _ => a == b,
    }
}

/// The rows to draw for a view scrolled to `top` pixels and `height` pixels high, of `count` rows of `row_height`:
/// those in view and some before and after, in steps so that small scrolling redraws nothing. At most `whole` rows are
/// drawn all at once.
pub fn window(count: usize, whole: usize, row_height: f64, top: f64, height: f64) -> Range<usize> {
    const STEP: usize = 20;
    if count <= whole || row_height <= 0.0 {
        return 0..count;
    }
    let first = (top.max(0.0) / row_height) as usize / STEP * STEP;
    let rows = (height.max(0.0) / row_height) as usize + 1;
    let from = first.saturating_sub(STEP).min(count);
    from..(first + rows + 2 * STEP).clamp(from, count)
}

/// Tables of at most this many rows are drawn whole.
pub const ALL_UP_TO: usize = 200;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::db::ResultColumn;

    fn set(values: &[f64]) -> ResultSet {
        ResultSet {
            columns: vec![ResultColumn { name: "a".into() }],
            rows: values.iter().map(|v| vec![Value::Real(*v)]).collect(),
            ..ResultSet::default()
        }
    }

    #[test]
    fn rows_stand_beside_gold() {
        let ours = set(&[94.9, 1.0]);
        let gold = set(&[94.89, 7.0]);
        let pair = |ours, gold| RowPair { ours, gold, copy: false };
        let rows = vec![pair(Some(0), Some(0)), pair(None, Some(1)), pair(Some(1), None)];
        let against = Against { gold: Arc::new(gold), rows };
        let table = Rows { against: Some(&against), ..Rows::of(&ours) };
        assert_eq!(table.len(), 3);
        let got: Vec<_> = (0..4).map(|i| table.row(i)).collect();
        let first = got[0].as_ref().map(|r| (r.number, r.fate, r.cells[0].gold.clone()));
        assert_eq!(first, Some((Some(1), RowFate::Both, Some("94.89".into()))));
        assert_eq!(got[1].as_ref().map(|r| (r.number, r.fate)), Some((None, RowFate::Missing)));
        assert_eq!(got[1].as_ref().map(|r| r.cells[0].text.clone()), Some("7.0".into()));
        assert_eq!(table.value(1, 0), Some(&Value::Real(7.0)));
        assert_eq!(got[2].as_ref().map(|r| (r.number, r.fate)), Some((Some(2), RowFate::Extra)));
        assert_eq!(got[3], None);
    }

    #[test]
    fn only_the_columns_asked_for_are_drawn() {
        let row = |n: i64| (0..5).map(|i| Value::Integer(n * 10 + i)).collect::<Vec<_>>();
        let columns = (0..5).map(|i| ResultColumn { name: i.to_string() }).collect();
        let ours = ResultSet { columns, rows: vec![row(1), row(2)], ..ResultSet::default() };
        let order = [1, 0];
        let table = Rows { order: Some(&order), ..Rows::of(&ours) };
        let part = table.part(0, 3..9);
        let texts = part.map(|row| row.cells.into_iter().map(|cell| cell.text).collect::<Vec<_>>());
        assert_eq!(texts, Some(vec!["23".to_owned(), "24".to_owned()]));
        assert_eq!(table.part(2, 0..1), None);
    }

    #[test]
    fn integers_equal_the_same_real() {
        assert!(same(&Value::Integer(1), &Value::Real(1.0)));
        assert!(!same(&Value::Integer(1), &Value::Text("1".into())));
    }

    proptest! {
        #[test]
        fn the_window_holds_every_row_in_view(count in 0usize..5000, top in 0.0f64..200_000.0, height in 0.0f64..2000.0) {
            let range = window(count, ALL_UP_TO, 24.0, top, height);
            prop_assert!(range.end <= count);
            let first = (top / 24.0) as usize;
            let last = ((top + height) / 24.0) as usize;
            for i in [first, last] {
                prop_assert!(i >= count || range.contains(&i));
            }
        }
    }
}
