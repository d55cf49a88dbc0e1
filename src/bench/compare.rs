//! What comparing two results says, and why they differ.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::align;
use super::cell::Row;
pub(super) use super::cell::same_set;
use super::modes;
pub use super::modes::Mode;
use super::permutation::{self, Rows};
use super::sentence;
use crate::db::{DbError, ResultSet};

/// A result that no limit cut, the only kind that can be compared.
#[derive(Debug, Clone, Copy)]
pub struct Complete<'r>(&'r ResultSet);

impl<'r> Complete<'r> {
    /// None where rows beyond a limit exist.
    pub fn new(result: &'r ResultSet) -> Option<Self> {
        (!result.more).then_some(Self(result))
    }

    /// The result.
    pub fn get(self) -> &'r ResultSet {
        self.0
    }
}

/// What comparing a prediction with gold says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// Equal in this mode.
    Equal,
    /// Not equal, and why.
    Different(Diagnosis),
    /// A limit cut a result, so nothing can be said.
    Cut {
        /// Whether gold was cut.
        gold: bool,
        /// Whether the prediction was cut.
        predicted: bool,
    },
    /// Gold failed: wrong, but for `bird-orig` where the prediction fails alike.
    GoldFailed(DbError),
    /// The prediction failed: wrong.
    PredictedFailed(DbError),
    /// There is no prediction: wrong.
    Missing,
}

impl Verdict {
    /// Whether the task counts as solved.
    pub fn correct(&self) -> bool {
        *self == Self::Equal
    }
}

/// Compares two results as they are. What a mode does to the SQL before it runs, and with several databases, is done by
/// [`modes::judge`].
pub fn judge(
    mode: Mode,
    gold: &Result<ResultSet, DbError>,
    predicted: &Result<ResultSet, DbError>,
) -> Verdict {
    modes::compare(mode, gold, predicted).verdict
}

/// How two results differ. Counts are exact; a flag says that undoing this one difference makes them equal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Distinct gold rows that the prediction lacks.
    pub missing_rows: usize,
    /// Distinct predicted rows that gold lacks.
    pub extra_rows: usize,
    /// Same rows in another order.
    pub only_order: bool,
    /// Same set of rows, other multiplicities.
    pub only_duplicates: bool,
    /// Equal after some permutation of the predicted columns; holds that permutation: at place `i` the
    /// predicted column that is gold's column `i`.
    pub column_order: Option<Vec<usize>>,
    /// Equal when numbers are compared with a tolerance; holds how many cells differ.
    pub only_rounding: Option<usize>,
    /// Names of the predicted columns that differ, where every row has a partner and differs from it in cells only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_columns: Vec<String>,
    /// Numbers of columns (gold, predicted) when they differ.
    pub column_counts: Option<(usize, usize)>,
    /// One plain sentence for the page.
    pub sentence: String,
}

/// Says how two results differ, whether or not a mode calls them equal.
pub fn diagnose(gold: Complete<'_>, predicted: Complete<'_>) -> Diagnosis {
    let (gold, predicted) = (gold.0, predicted.0);
    let gold_set: HashSet<Row<'_>> = gold.rows.iter().map(|row| Row(row)).collect();
    let predicted_set: HashSet<Row<'_>> = predicted.rows.iter().map(|row| Row(row)).collect();
    let mut diagnosis = Diagnosis {
        missing_rows: gold_set.iter().filter(|row| !predicted_set.contains(row)).count(),
        extra_rows: predicted_set.iter().filter(|row| !gold_set.contains(row)).count(),
        ..Diagnosis::default()
    };
    let widths = (gold.columns.len(), predicted.columns.len());
    diagnosis.column_counts = (widths.0 != widths.1).then_some(widths);
    let alignment = align::pair(gold, predicted);
    if diagnosis.missing_rows == 0 && diagnosis.extra_rows == 0 {
        let whole = alignment.whole();
        diagnosis.only_duplicates = !whole;
        diagnosis.only_order = whole && gold.rows.iter().zip(&predicted.rows).any(|(a, b)| Row(a) != Row(b));
    } else if diagnosis.column_counts.is_none() {
        diagnosis.column_order = permutation::find(&gold.rows, &predicted.rows, widths.0, Rows::Set);
        diagnosis.only_rounding = alignment.rounded_cells(gold, predicted);
    }
    if diagnosis.column_counts.is_none() && diagnosis.column_order.is_none() {
        diagnosis.only_columns = alignment.changed_columns(predicted);
    }
    diagnosis.sentence = sentence::of(&diagnosis, &alignment, gold, predicted);
    diagnosis
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
