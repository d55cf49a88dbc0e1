//! What is known of a database before any question: its schema, counts, samples, the values of a column.

use serde::{Deserialize, Serialize};

use super::value::Value;
use crate::sql::Schema;

/// Everything the page shows of a database before any question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// Tables, columns and keys.
    pub schema: Schema,
    /// Counts and samples, parallel to `schema.tables`.
    pub tables: Vec<TableInfo>,
    /// What the user should know: cut budgets, views that cannot be read, a missing log.
    pub notices: Vec<String>,
}

/// Counts and samples of one table or view.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Number of rows; None where counting did not end within the budget or failed.
    pub rows: Option<u64>,
    /// Samples, parallel to the table's columns.
    pub columns: Vec<ColumnInfo>,
}

/// What is known of a column's values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnInfo {
    /// "1 to 38,412", "A D X W", "2024-11-03" (the newest), or one example; empty when nothing is known.
    pub samples: String,
    /// Number of distinct values other than NULL, where the table is small enough to know.
    pub distinct: Option<u64>,
}

/// Distinct values of one column, without NULL.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DistinctValues {
    /// In the order SQLite meets them.
    pub values: Vec<Value>,
    /// Whether these are all of them; false where `limit` cut them.
    pub complete: bool,
}

impl DistinctValues {
    /// The values whose text is `wanted` without regard to case, accents kept, as the database spells them.
    pub fn named<'v>(&'v self, wanted: &str) -> impl Iterator<Item = &'v Value> {
        let wanted = wanted.trim().to_lowercase();
        self.values.iter().filter(move |value| match value {
            Value::Text(text) => text.trim().to_lowercase() == wanted,
            Value::Integer(number) => number.to_string() == wanted,
            Value::Real(number) => wanted.parse::<f64>().is_ok_and(|wanted| wanted == *number),
            Value::Null | Value::InvalidText(_) | Value::Blob(_) => false,
        })
    }
}
