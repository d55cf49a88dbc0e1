//! Pipeline `adapt`: the best historical query with its literals re-bound to what the question names.
//! No model is used.

use serde::{Deserialize, Serialize};

use crate::db::{DbError, ResultSet};

/// One literal that was changed in the historical query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Byte range of the new literal in [`Answer::sql`].
    pub start: usize,
    /// End of the byte range, exclusive.
    pub end: usize,
    /// The literal in the historical query, as SQL.
    pub before: String,
    /// The literal in the answer, as SQL.
    pub after: String,
    /// Why, as one short sentence ("routes.code holds 'HL'; the question says Harbour Loop").
    pub reason: String,
}

/// What became of a candidate that was not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Refusal {
    /// It failed.
    Error(DbError),
    /// It ran and found nothing.
    Empty,
}

/// An answer without a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The SQL that was run.
    pub sql: String,
    /// The entry it was adapted from.
    pub entry: u32,
    /// What was changed, in the order of the text.
    pub changes: Vec<Change>,
    /// Candidates tried before, with what became of them.
    pub refused: Vec<(u32, Refusal)>,
    /// The rows.
    pub result: ResultSet,
}
