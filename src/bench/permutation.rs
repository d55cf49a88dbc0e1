//! The permutation of columns that makes two results equal, as sets, bags or lists of rows.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::cell::{Cell, Row};
use crate::db::Value;

/// Cells looked at before the search gives up on results made to defeat it.
const BUDGET: usize = 50_000_000;

type Hashes = Vec<Vec<u64>>;

/// What makes two lists of rows the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// The same rows, however often.
    Set,
    /// The same rows equally often.
    Bag,
    /// The same rows in the same order.
    List,
}

/// At place `i` the predicted column that is gold's column `i`, after which both are the same; None where there is no
/// such permutation, and for sets where only the identity could be one.
///
/// Columns are matched by the multiset of their values, which is the same on both sides; a partial choice is kept only
/// while the multisets of partial rows agree. For lists a value is taken with its place.
pub(super) fn find(
    gold: &[Vec<Value>],
    predicted: &[Vec<Value>],
    width: usize,
    rows: Rows,
) -> Option<Vec<usize>> {
    let (gold, predicted) = match rows {
        Rows::Set => (distinct(gold), distinct(predicted)),
        _ => (gold.iter().map(Vec::as_slice).collect(), predicted.iter().map(Vec::as_slice).collect()),
    };
    if gold.len() != predicted.len() || gold.is_empty() || (width < 2 && rows == Rows::Set) {
        return None;
    }
    let (gold_hashes, predicted_hashes) = (hashes(&gold, width, rows), hashes(&predicted, width, rows));
    let sums: Vec<u64> = predicted_hashes.iter().map(|column| sum(column)).collect();
    let candidates: Vec<Vec<usize>> = gold_hashes
        .iter()
        .map(|column| {
            let wanted = sum(column);
            (0..width).filter(|i| sums.get(*i) == Some(&wanted)).collect()
        })
        .collect();
    if candidates.iter().any(Vec::is_empty) {
        return None;
    }
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by_key(|column| candidates.get(*column).map_or(0, Vec::len));
    // Equal columns are interchangeable: at each place one of them is tried.
    let mut first_equal: HashMap<&[u64], usize> = HashMap::new();
    let classes: Vec<usize> = predicted_hashes
        .iter()
        .enumerate()
        .map(|(i, column)| *first_equal.entry(column.as_slice()).or_insert(i))
        .collect();
    let mut search = Search {
        classes: &classes,
        gold: &gold_hashes,
        predicted: &predicted_hashes,
        candidates: &candidates,
        order: &order,
        chosen: vec![None; width],
        budget: BUDGET,
    };
    let start = vec![0_u64; gold.len()];
    if !search.extend(0, &start, &start) {
        return None;
    }
    let permutation: Vec<usize> = search.chosen.into_iter().collect::<Option<_>>()?;
    // Hashes led here; only the values themselves decide.
    let permuted: Option<Vec<Vec<Value>>> =
        predicted.iter().map(|row| permutation.iter().map(|i| row.get(*i).cloned()).collect()).collect();
    agree(&gold, &permuted?, rows).then_some(permutation)
}

fn agree(gold: &[&[Value]], predicted: &[Vec<Value>], rows: Rows) -> bool {
    if rows == Rows::List {
        return gold.iter().zip(predicted).all(|(a, b)| Row(a) == Row(b));
    }
    // Sets are distinct here, so for them, too, each row is met once.
    let mut left: HashMap<Row<'_>, usize> = HashMap::new();
    for row in gold {
        *left.entry(Row(row)).or_default() += 1;
    }
    predicted.iter().all(|row| match left.get_mut(&Row(row)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    })
}

struct Search<'a> {
    gold: &'a Hashes,
    predicted: &'a Hashes,
    candidates: &'a [Vec<usize>],
    /// The first predicted column that is equal to each.
    classes: &'a [usize],
    /// Gold columns, those with the fewest candidates first.
    order: &'a [usize],
    chosen: Vec<Option<usize>>,
    budget: usize,
}

impl Search<'_> {
    fn extend(&mut self, depth: usize, gold_rows: &[u64], predicted_rows: &[u64]) -> bool {
        let Some(&column) = self.order.get(depth) else { return true };
        let Some(gold_column) = self.gold.get(column) else { return false };
        let gold_next = join(gold_rows, gold_column);
        let wanted = sum(&gold_next);
        let mut tried = HashSet::new();
        for &candidate in self.candidates.get(column).map_or(&[][..], Vec::as_slice) {
            if self.chosen.contains(&Some(candidate)) || !tried.insert(self.classes.get(candidate).copied()) {
                continue;
            }
            let Some(left) = self.budget.checked_sub(gold_rows.len()) else { return false };
            self.budget = left;
            let Some(predicted_column) = self.predicted.get(candidate) else { continue };
            let next = join(predicted_rows, predicted_column);
            if sum(&next) != wanted {
                continue;
            }
            if let Some(place) = self.chosen.get_mut(column) {
                *place = Some(candidate);
            }
            if self.extend(depth + 1, &gold_next, &next) {
                return true;
            }
            if let Some(place) = self.chosen.get_mut(column) {
                *place = None;
            }
        }
        false
    }
}

fn distinct(rows: &[Vec<Value>]) -> Vec<&[Value]> {
    let mut seen = HashSet::new();
    rows.iter().map(Vec::as_slice).filter(|row| seen.insert(Row(row))).collect()
}

/// One column of hashes for each column of values, for lists of values with their places.
fn hashes(rows: &[&[Value]], width: usize, how: Rows) -> Hashes {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let place = |at: usize| if how == Rows::List { at } else { 0 };
    (0..width)
        .map(|column| {
            let cells = rows.iter().enumerate();
            cells.map(|(at, row)| hasher.hash_one((place(at), row.get(column).map(Cell::new)))).collect()
        })
        .collect()
}

fn join(rows: &[u64], column: &[u64]) -> Vec<u64> {
    rows.iter().zip(column).map(|(row, cell)| mix(row.wrapping_mul(31).wrapping_add(*cell))).collect()
}

/// The same for every order of the hashes.
fn sum(hashes: &[u64]) -> u64 {
    hashes.iter().fold(0, |total, hash| total.wrapping_add(mix(*hash)))
}

/// The finalizer of SplitMix64, so that sums of hashes do not cancel.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
