//! Which predicted row answers which gold row, for the page to colour cells.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::cell::{Cell, Row, close, decimals, rounded_to_zero};
use super::compare::Complete;
use crate::db::{ResultSet, Value};

/// Pairs of unmatched rows that are compared cell by cell at most.
const MAX_PAIRS: usize = 200_000;

/// What became of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowKind {
    /// Equal to its partner.
    Same,
    /// Paired with the gold row it is nearest to.
    Changed,
    /// One more copy of a row that the other side has too, which bird-ex ignores.
    Duplicate,
    /// Gold has it, the prediction lacks it.
    Missing,
    /// The prediction has it, gold lacks it.
    Extra,
}

/// One row of either side, or a pair of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignedRow {
    /// What became of it.
    pub kind: RowKind,
    /// Index of the gold row.
    pub gold: Option<usize>,
    /// Index of the predicted row.
    pub predicted: Option<usize>,
    /// Columns whose cells differ; only in [`RowKind::Changed`].
    pub differing: Vec<usize>,
}

/// Every row of both sides exactly once: predicted rows in their order, then gold rows without a partner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// The rows.
    pub rows: Vec<AlignedRow>,
}

/// Pairs the rows of two results column by column; rows of other widths are never paired.
pub fn align(gold: Complete<'_>, predicted: Complete<'_>) -> Alignment {
    pair(gold.get(), predicted.get())
}

impl Alignment {
    /// Names of the predicted columns that differ, where every row has a partner and some differ from it in cells.
    pub(super) fn changed_columns(&self, predicted: &ResultSet) -> Vec<String> {
        if self.rows.iter().any(|row| matches!(row.kind, RowKind::Missing | RowKind::Extra)) {
            return Vec::new();
        }
        let columns: BTreeSet<usize> =
            self.rows.iter().flat_map(|row| row.differing.iter().copied()).collect();
        columns.into_iter().filter_map(|i| predicted.columns.get(i)).map(|c| c.name.clone()).collect()
    }
}

pub(super) fn pair(gold: &ResultSet, predicted: &ResultSet) -> Alignment {
    let (gold_rows, predicted_rows) = (&gold.rows, &predicted.rows);
    let mut waiting: HashMap<Row<'_>, VecDeque<usize>> = HashMap::new();
    for (i, row) in gold_rows.iter().enumerate() {
        waiting.entry(Row(row)).or_default().push_back(i);
    }
    let mut partner: Vec<Option<usize>> = vec![None; predicted_rows.len()];
    let mut gold_used = vec![false; gold_rows.len()];
    let (mut copies, mut left_predicted) = (HashSet::new(), Vec::new());
    for (i, row) in predicted_rows.iter().enumerate() {
        match waiting.get_mut(&Row(row)).map(VecDeque::pop_front) {
            Some(Some(at)) => take(&mut partner, &mut gold_used, at, i),
            Some(None) => {
                copies.insert(i);
            }
            None => left_predicted.push(i),
        }
    }
    let known: HashSet<Row<'_>> = predicted_rows.iter().map(|row| Row(row)).collect();
    let copy_of_known = |i: usize| gold_rows.get(i).is_some_and(|row| known.contains(&Row(row)));
    let left_gold: Vec<usize> =
        (0..gold_rows.len()).filter(|i| !gold_used.get(*i).copied().unwrap_or(true)).collect();
    let unmatched: Vec<usize> = left_gold.iter().copied().filter(|i| !copy_of_known(*i)).collect();

    let mut changed = HashMap::new();
    if gold.columns.len() == predicted.columns.len() {
        let width = gold.columns.len();
        for (at, i) in nearest(gold_rows, predicted_rows, &unmatched, &left_predicted, width) {
            take(&mut partner, &mut gold_used, at, i);
            if let (Some(a), Some(b)) = (gold_rows.get(at), predicted_rows.get(i)) {
                changed.insert(i, differing(a, b));
            }
        }
    }
    let mut rows: Vec<AlignedRow> = Vec::with_capacity(gold_rows.len().max(predicted_rows.len()));
    for (i, at) in partner.iter().enumerate() {
        let differing = changed.remove(&i);
        let kind = match (at, &differing) {
            (Some(_), Some(_)) => RowKind::Changed,
            (Some(_), None) => RowKind::Same,
            (None, _) if copies.contains(&i) => RowKind::Duplicate,
            (None, _) => RowKind::Extra,
        };
        rows.push(AlignedRow {
            kind,
            gold: *at,
            predicted: Some(i),
            differing: differing.unwrap_or_default(),
        });
    }
    for i in left_gold {
        if !gold_used.get(i).copied().unwrap_or(true) {
            let kind = if copy_of_known(i) { RowKind::Duplicate } else { RowKind::Missing };
            rows.push(AlignedRow { kind, gold: Some(i), predicted: None, differing: Vec::new() });
        }
    }
    Alignment { rows }
}

fn take(partner: &mut [Option<usize>], gold_used: &mut [bool], gold: usize, predicted: usize) {
    if let (Some(place), Some(used)) = (partner.get_mut(predicted), gold_used.get_mut(gold)) {
        *place = Some(gold);
        *used = true;
    }
}

fn differing(a: &[Value], b: &[Value]) -> Vec<usize> {
    a.iter().zip(b).enumerate().filter(|(_, (a, b))| Cell::new(a) != Cell::new(b)).map(|(i, _)| i).collect()
}

/// Pairs (gold, predicted) among rows that are equal to none of the other side.
fn nearest(
    gold: &[Vec<Value>],
    predicted: &[Vec<Value>],
    left_gold: &[usize],
    left_predicted: &[usize],
    width: usize,
) -> Vec<(usize, usize)> {
    if left_gold.is_empty() || left_predicted.is_empty() {
        return Vec::new();
    }
    let (mut pairs, mut rest_gold, mut rest_predicted) =
        by_agreeing_columns(gold, predicted, left_gold, left_predicted, width);
    let good = |a: usize, b: usize| match (gold.get(a), predicted.get(b)) {
        (Some(x), Some(y)) => Some(likeness(x, y)).filter(|likeness| *likeness >= width),
        _ => None,
    };
    if rest_gold.len().saturating_mul(rest_predicted.len()) <= MAX_PAIRS {
        let mut scored: Vec<(usize, usize, usize)> = Vec::new();
        for &a in &rest_gold {
            scored.extend(rest_predicted.iter().filter_map(|&b| good(a, b).map(|likeness| (likeness, a, b))));
        }
        scored.sort_by_key(|&(likeness, a, b)| (std::cmp::Reverse(likeness), a.abs_diff(b), a));
        let (mut used_gold, mut used_predicted) = (HashSet::new(), HashSet::new());
        for (_, a, b) in scored {
            if !used_gold.contains(&a) && !used_predicted.contains(&b) {
                used_gold.insert(a);
                used_predicted.insert(b);
                pairs.push((a, b));
            }
        }
    } else if rest_gold.len() == rest_predicted.len() {
        // Too many to try every pair: sorted alike, rounded values meet their partners.
        sort(gold, &mut rest_gold);
        sort(predicted, &mut rest_predicted);
        pairs.extend(rest_gold.into_iter().zip(rest_predicted).filter(|&(a, b)| good(a, b).is_some()));
    }
    pairs
}

type Pairs = (Vec<(usize, usize)>, Vec<usize>, Vec<usize>);

/// Pairs rows by the columns whose values, as a multiset, are the same on both sides.
fn by_agreeing_columns(
    gold: &[Vec<Value>],
    predicted: &[Vec<Value>],
    left_gold: &[usize],
    left_predicted: &[usize],
    width: usize,
) -> Pairs {
    let column = |rows: &[Vec<Value>], left: &[usize], i: usize| {
        let mut sorted = left.to_vec();
        sorted.sort_by(|a, b| match (cell(rows, *a, i), cell(rows, *b, i)) {
            (Some(a), Some(b)) => a.order(&b),
            _ => std::cmp::Ordering::Equal,
        });
        sorted
    };
    let agreeing: Vec<usize> = (0..width)
        .filter(|&i| {
            left_gold.len() == left_predicted.len()
                && column(gold, left_gold, i)
                    .iter()
                    .zip(column(predicted, left_predicted, i))
                    .all(|(a, b)| cell(gold, *a, i) == cell(predicted, b, i))
        })
        .collect();
    if agreeing.is_empty() {
        return (Vec::new(), left_gold.to_vec(), left_predicted.to_vec());
    }
    let key = |rows: &'_ [Vec<Value>], row: usize| -> Vec<Value> {
        agreeing.iter().filter_map(|i| rows.get(row)?.get(*i).cloned()).collect()
    };
    let gold_keys: Vec<Vec<Value>> = left_gold.iter().map(|row| key(gold, *row)).collect();
    let predicted_keys: Vec<Vec<Value>> = left_predicted.iter().map(|row| key(predicted, *row)).collect();
    let mut waiting: HashMap<Row<'_>, VecDeque<usize>> = HashMap::new();
    for (row, key) in left_gold.iter().zip(&gold_keys) {
        waiting.entry(Row(key)).or_default().push_back(*row);
    }
    let (mut pairs, mut rest_predicted) = (Vec::new(), Vec::new());
    for (&b, key) in left_predicted.iter().zip(&predicted_keys) {
        match waiting.get_mut(&Row(key)).and_then(VecDeque::pop_front) {
            Some(a) => pairs.push((a, b)),
            None => rest_predicted.push(b),
        }
    }
    let mut rest_gold: Vec<usize> = waiting.into_values().flatten().collect();
    rest_gold.sort_unstable();
    (pairs, rest_gold, rest_predicted)
}

fn cell(rows: &[Vec<Value>], row: usize, column: usize) -> Option<Cell<'_>> {
    rows.get(row)?.get(column).map(Cell::new)
}

fn sort(rows: &[Vec<Value>], indices: &mut [usize]) {
    indices.sort_by(|a, b| {
        let (a, b) = (rows.get(*a), rows.get(*b));
        let cells = a.into_iter().flatten().zip(b.into_iter().flatten());
        cells
            .map(|(a, b)| Cell::new(a).order(&Cell::new(b)))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
}

/// Two for each equal cell, one for each that differs by rounding.
fn likeness(a: &[Value], b: &[Value]) -> usize {
    a.iter()
        .zip(b)
        .map(|(a, b)| if Cell::new(a) == Cell::new(b) { 2 } else { usize::from(close(a, b)) })
        .sum()
}

impl Alignment {
    /// Whether every row has an equal partner.
    pub(super) fn whole(&self) -> bool {
        self.rows.iter().all(|row| row.kind == RowKind::Same)
    }

    /// Number of differing cells, where every one differs by rounding only and no row lacks a partner.
    pub(super) fn rounded_cells(&self, gold: &ResultSet, predicted: &ResultSet) -> Option<usize> {
        let kept = |side: &ResultSet, column: usize| {
            let cells = side.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| if let Value::Real(number) = cell { decimals(*number) } else { 0 }).max()
        };
        let columns: BTreeSet<usize> =
            self.rows.iter().flat_map(|row| row.differing.iter().copied()).collect();
        let places: BTreeMap<usize, usize> = columns
            .into_iter()
            .map(|i| (i, kept(gold, i).min(kept(predicted, i)).unwrap_or_default()))
            .collect();
        let rounded = |column: usize, a: &Value, b: &Value| {
            close(a, b) || rounded_to_zero(a, b, places.get(&column).copied().unwrap_or_default())
        };
        let mut count = 0;
        for row in &self.rows {
            match row.kind {
                RowKind::Same | RowKind::Duplicate => {}
                RowKind::Missing | RowKind::Extra => return None,
                RowKind::Changed => {
                    let (a, b) = (gold.rows.get(row.gold?)?, predicted.rows.get(row.predicted?)?);
                    if !row
                        .differing
                        .iter()
                        .all(|i| matches!((a.get(*i), b.get(*i)), (Some(a), Some(b)) if rounded(*i, a, b)))
                    {
                        return None;
                    }
                    count += row.differing.len();
                }
            }
        }
        (count > 0).then_some(count)
    }
}
