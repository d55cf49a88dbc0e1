//! The distinct values of a column, to check that what a question names is really there.

use super::service::Database;
use crate::db::overview::DistinctValues;
use crate::db::value::{DbError, QueryLimits};

/// At most `limit` distinct values of `table.column`; [`DbError::Timeout`] after `budget_ms`.
pub fn distinct_values(
    db: &Database,
    table: &str,
    column: &str,
    limit: usize,
    budget_ms: u32,
) -> Result<DistinctValues, DbError> {
    let (table, column) = (crate::db::quote_ident(table), crate::db::quote_ident(column));
    // Qualified, because SQLite takes an unknown "name" for the text 'name'.
    let sql = format!("SELECT DISTINCT t.{column} FROM {table} AS t WHERE t.{column} IS NOT NULL");
    let result = db.query(&sql, &[], QueryLimits { timeout_ms: budget_ms, max_rows: limit })?;
    Ok(DistinctValues { complete: !result.more, values: result.rows.into_iter().flatten().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Value;
    use crate::db::Host;
    use crate::db::engine::service::tests::image;

    fn db() -> Database {
        let script = "CREATE TABLE \"my piers\"(\"the name\"); INSERT INTO \"my piers\" VALUES
            ('Østerby'), ('ÉCOLE'), ('Ecole'), ('Østerby'), (NULL), (7), (2.5);";
        Database::from_bytes(image(script), Host::default()).unwrap()
    }

    #[test]
    fn values_are_found_without_case_and_with_accents() {
        let values = distinct_values(&db(), "my piers", "the name", 100, 1_000).unwrap();
        assert!(values.complete);
        assert_eq!(values.values.len(), 5);
        let found = |name: &str| values.named(name).cloned().collect::<Vec<_>>();
        assert_eq!(found("østerby"), [Value::Text("Østerby".into())]);
        assert_eq!(found("école"), [Value::Text("ÉCOLE".into())]);
        assert_eq!(found("7"), [Value::Integer(7)]);
        assert_eq!(found("2.50"), [Value::Real(2.5)]);
        assert!(found("oesterby").is_empty());
    }

    #[test]
    fn a_cut_is_said_and_an_unknown_column_is_an_error() {
        assert!(!distinct_values(&db(), "my piers", "the name", 2, 1_000).unwrap().complete);
        assert!(matches!(distinct_values(&db(), "my piers", "nme", 2, 1_000), Err(DbError::Sql { .. })));
    }
}
