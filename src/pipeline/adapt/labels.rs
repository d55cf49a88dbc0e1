//! Labels of codes: a question says "Harbour Loop" where the query filters by `routes.code = 'HL'`. A row that
//! holds both says which code is meant.

use std::collections::{BTreeMap, HashSet};

use super::values::{ColumnName, ColumnValues};
use crate::db::{DbError, QueryLimits, Value, quote_ident};
use crate::ports::Execute;
use crate::sql::Schema;

/// A value of this many characters at most is taken for a code.
const LONGEST_CODE: usize = 8;
/// A value of this many characters at most is taken for a code even in small letters.
const SHORTEST_NAME: usize = 3;
/// Columns beside a code's that may hold its label.
const MOST_SIBLINGS: usize = 6;
/// Rows of a table in which labels are looked for: code tables are small.
const MOST_ROWS: usize = 3000;

/// For each column of codes, the labels beside them, each with its code.
#[derive(Debug, Default)]
pub(super) struct Labels(BTreeMap<ColumnName, Vec<(String, String)>>);

impl Labels {
    /// Reads the labels of those columns of `values` that hold codes. A table that cannot be read in time has no
    /// labels; only a stop or a lost database is an error.
    pub async fn read(
        values: &ColumnValues,
        schema: &Schema,
        db: &impl Execute,
        timeout_ms: u32,
    ) -> Result<Self, DbError> {
        let mut read = Self::default();
        for (column, codes) in values.columns() {
            let coded = !codes.is_empty() && codes.iter().all(|value| is_code(value));
            let Some(table) = schema.table(&column.0).filter(|_| coded) else { continue };
            let text = |c: &&crate::sql::Column| {
                let kind = c.declared_type.to_uppercase();
                !c.name.eq_ignore_ascii_case(&column.1)
                    && ["CHAR", "TEXT", "CLOB"].iter().any(|t| kind.contains(t))
            };
            let mut labels = Vec::new();
            for sibling in table.columns.iter().filter(text).take(MOST_SIBLINGS) {
                labels.extend(pairs(column, &sibling.name, db, timeout_ms).await?);
            }
            if !labels.is_empty() {
                read.0.insert(column.clone(), labels);
            }
        }
        Ok(read)
    }

    /// Labels of one column, each with its code.
    pub fn of(&self, column: &ColumnName) -> &[(String, String)] {
        self.0.get(column).map_or(&[], Vec::as_slice)
    }
}

/// Whether a value looks like a code: short, and without small letters unless it is very short. "Anna" names itself.
fn is_code(value: &str) -> bool {
    let length = value.chars().count();
    length <= SHORTEST_NAME || (length <= LONGEST_CODE && !value.chars().any(char::is_lowercase))
}

/// (label, code) from the rows of one table, where every label has one code, every code one label.
async fn pairs(
    column: &ColumnName,
    sibling: &str,
    db: &impl Execute,
    timeout_ms: u32,
) -> Result<Vec<(String, String)>, DbError> {
    let (label, code) = (quote_ident(sibling), quote_ident(&column.1));
    let sql = format!(
        "SELECT DISTINCT {label}, {code} FROM {} WHERE typeof({label}) = 'text' AND typeof({code}) = 'text' LIMIT {}",
        quote_ident(&column.0),
        MOST_ROWS + 1
    );
    let limits = QueryLimits { timeout_ms, max_rows: MOST_ROWS };
    let rows = match db.execute(&sql, limits).await {
        Ok(result) if !result.more => result.rows,
        Ok(_) => return Ok(Vec::new()),
        Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => return Err(error),
        Err(_) => return Ok(Vec::new()),
    };
    let mut found: Vec<(String, String)> = Vec::new();
    for row in rows {
        let [Value::Text(label), Value::Text(code)] = row.as_slice() else { continue };
        found.push((label.clone(), code.clone()));
    }
    // A column that repeats is another property of the rows, not the name of a code.
    let labels: HashSet<&String> = found.iter().map(|(label, _)| label).collect();
    let codes: HashSet<&String> = found.iter().map(|(_, code)| code).collect();
    if labels.len() != found.len() || codes.len() != found.len() {
        return Ok(Vec::new());
    }
    found.retain(|(label, code)| label.chars().count() > code.chars().count());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_codes() {
        assert!(["HL", "yes", "DEPOT-7", "m", "20241"].into_iter().all(is_code));
        assert!(!["Anna", "Harbour", "NORTH QUAY"].into_iter().any(is_code));
    }
}
