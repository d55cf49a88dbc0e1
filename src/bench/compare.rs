//! Execution accuracy in named modes, and why two results differ.

use serde::{Deserialize, Serialize};

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
    /// Equal after some permutation of the predicted columns; holds that permutation.
    pub column_order: Option<Vec<usize>>,
    /// Equal when numbers are compared with a tolerance; holds how many cells differ.
    pub only_rounding: Option<usize>,
    /// Numbers of columns (gold, predicted) when they differ.
    pub column_counts: Option<(usize, usize)>,
    /// One plain sentence for the page.
    pub sentence: String,
}
