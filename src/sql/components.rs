//! Splitting a query into the five component types of BIRD-History, Appendix A.2, Table 7.

use serde::{Deserialize, Serialize};

use super::{Schema, SqlError};

/// The five types of knowledge in a query (BIRD-History, section 4 and Table 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentType {
    /// A formula in SELECT or ORDER BY.
    Calculation,
    /// One predicate of WHERE or HAVING.
    Condition,
    /// FROM with its JOIN chain.
    Relation,
    /// GROUP BY.
    Dimension,
    /// ORDER BY with LIMIT, LIMIT, DISTINCT.
    Output,
}

/// One piece of knowledge in a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its type.
    pub kind: ComponentType,
    /// The piece as written in the query, on one line, aliases and literals kept.
    pub sql: String,
    /// Aliases resolved to table names, unqualified columns qualified, literals replaced by `<val>`.
    pub skeleton: String,
    /// The literals that `<val>` replaced, in order, as SQL literals (`'AX'`, `60`).
    pub literals: Vec<String>,
    /// Names of the schema tables it reads, in order of appearance, no duplicates.
    pub tables: Vec<String>,
    /// Schema columns it reads as (table, column), in order of appearance, no duplicates.
    pub columns: Vec<(String, String)>,
    /// First and last line of the piece in the query's own text, 1-based and inclusive; None where
    /// the parser kept no position.
    pub lines: Option<(u32, u32)>,
}

/// Splits one query into its components, recursing into subqueries, CTEs, set operations and window
/// functions; components come in the order of the text, equal ones once for each place.
pub fn split(sql: &str, schema: &Schema) -> Result<Vec<Component>, SqlError> {
    let _ = (sql, schema);
    Err(SqlError::Empty)
}
