//! Columns that a query names and its database does not have.

use sqlparser::ast::Query;

use super::schema::Schema;
use super::scope::Scope;
use super::skeleton::Writer;

/// Names of columns that `schema` does not have, in order of appearance, no duplicates: `table.column` where the query
/// says or implies the table, else the bare name. A name that may belong to something the schema does not tell about
/// (an unknown table, a function's rows) is not among them. Empty when nothing is known of the database.
pub(crate) fn missing_columns(query: &Query, schema: &Schema) -> Vec<String> {
    if schema.tables.is_empty() {
        return Vec::new();
    }
    let mut writer = Writer::new(schema);
    writer.query(query, &Scope::default());
    writer.missing
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sql::{Column, Table, parse_query};

    fn missing(sql: &str) -> Vec<String> {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.into(),
            columns: columns.iter().map(|c| Column { name: (*c).into(), ..Column::default() }).collect(),
            ..Table::default()
        };
        let tables = vec![table("piers", &["id", "name", "zone"]), table("trips", &["pier_id", "left_at"])];
        let schema = Schema { tables };
        missing_columns(&parse_query(sql).unwrap(), &schema)
    }

    #[test]
    fn a_column_that_no_table_in_sight_has_is_named() {
        assert_eq!(missing("SELECT nme FROM piers"), ["nme"]);
        assert_eq!(missing("SELECT p.nme, p.NAME FROM piers p WHERE p.nme > 1"), ["piers.nme"]);
        assert_eq!(
            missing("SELECT 1 FROM piers p JOIN trips t ON t.pier = p.id GROUP BY day"),
            ["trips.pier", "day"]
        );
        assert_eq!(missing("WITH a AS (SELECT id FROM piers) SELECT zone FROM a"), ["zone"]);
        assert_eq!(
            missing("SELECT 1 FROM piers WHERE EXISTS (SELECT 1 FROM trips WHERE pier_id = piers.no)"),
            ["piers.no"]
        );
    }

    #[test]
    fn what_sqlite_finds_or_may_find_is_not() {
        for sql in [
            "SELECT rowid, oid, p._rowid_ FROM piers p",
            "SELECT name AS label FROM piers WHERE label LIKE 'A%' GROUP BY label ORDER BY label",
            "SELECT \"no column\" FROM piers",
            "SELECT x FROM elsewhere, piers",
            "SELECT value, key FROM piers, json_each(piers.name)",
            "SELECT a FROM (SELECT name AS a FROM piers) UNION SELECT name FROM piers ORDER BY a",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
            "SELECT s.z FROM (SELECT *, 1 AS z FROM piers) s",
            "SELECT (SELECT COUNT(*) FROM trips WHERE pier_id = id) FROM piers",
            "SELECT column1 FROM (VALUES (1), (2))",
            "SELECT COUNT(*) FILTER (WHERE zone = 'A') OVER (PARTITION BY zone ORDER BY id) FROM piers",
            "SELECT * FROM piers JOIN trips ON id = pier_id ORDER BY left_at",
        ] {
            assert_eq!(missing(sql), [""; 0], "{sql}");
        }
        let query = parse_query("SELECT anything FROM piers").unwrap();
        assert_eq!(missing_columns(&query, &Schema::default()), [""; 0]);
    }
}
