//! What a database holds: tables, columns, keys, row counts and sample values.

use super::samples;
use super::service::Database;
use crate::db::overview::{ColumnInfo, Overview, TableInfo};
use crate::db::value::{DbError, QueryLimits, Value};
use crate::sql::{Column, ForeignKey, Schema, Table};

/// A name in the catalogue.
struct Object {
    name: String,
    view: bool,
}

/// Reads the schema, then counts and samples until `budget_ms` is used up.
pub fn overview(db: &Database, budget_ms: u32) -> Result<Overview, DbError> {
    let deadline = db.now_ms() + f64::from(budget_ms);
    let mut notices = db.notices().to_vec();
    let schema = schema(db, &mut notices)?;
    let mut tables = Vec::with_capacity(schema.tables.len());
    let mut uncounted = Vec::new();
    for table in &schema.tables {
        let remaining = || (deadline - db.now_ms()).clamp(0.0, f64::from(budget_ms)) as u32;
        let rows = match count(db, &table.name, remaining()) {
            Ok(rows) => Some(rows),
            Err(DbError::Cancelled) => return Err(DbError::Cancelled),
            Err(DbError::Timeout(_)) => {
                uncounted.push(table.name.clone());
                None
            }
            // A table that cannot be read is already in the notices when its columns could not be.
            Err(error) => {
                if !table.columns.is_empty() {
                    notices.push(format!("{} cannot be read: {error}.", table.name));
                }
                None
            }
        };
        let columns = match rows {
            Some(rows) => samples::of_table(db, table, rows, &remaining)?,
            None => vec![ColumnInfo::default(); table.columns.len()],
        };
        tables.push(TableInfo { rows, columns });
    }
    if !uncounted.is_empty() {
        notices.push(format!(
            "Rows not counted within {} s: {}.",
            f64::from(budget_ms) / 1000.0,
            uncounted.join(", ")
        ));
    }
    Ok(Overview { schema, tables, notices })
}

fn count(db: &Database, table: &str, timeout_ms: u32) -> Result<u64, DbError> {
    let sql = format!("SELECT count(*) FROM {}", crate::db::quote_ident(table));
    let result = db.query(&sql, &[], QueryLimits { timeout_ms, max_rows: 1 })?;
    match result.rows.first().and_then(|row| row.first()) {
        Some(Value::Integer(rows)) => Ok(u64::try_from(*rows).unwrap_or(0)),
        _ => Ok(0),
    }
}

/// Tables, views and virtual tables in the order of the file; SQLite's own and the shadow tables of
/// virtual tables are left out. What cannot be read is kept without columns and named in `notices`.
pub fn schema(db: &Database, notices: &mut Vec<String>) -> Result<Schema, DbError> {
    let mut schema = Schema::default();
    for Object { name, view } in objects(db)? {
        let columns = match columns(db, &name) {
            Ok(columns) => columns,
            Err(DbError::Sql { message, .. }) => {
                let kind = if view { "View" } else { "Table" };
                notices.push(format!("{kind} {name} cannot be read: {message}."));
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let columns = columns.into_iter().map(|(column, _)| column).collect();
        schema.tables.push(Table { name, columns, foreign_keys: Vec::new(), view });
    }
    let keys: Vec<Vec<ForeignKey>> = schema
        .tables
        .iter()
        .map(|table| if table.view { Ok(Vec::new()) } else { foreign_keys(db, &schema, table, notices) })
        .collect::<Result<_, _>>()?;
    for (table, keys) in schema.tables.iter_mut().zip(keys) {
        table.foreign_keys = keys;
    }
    Ok(schema)
}

fn all() -> QueryLimits {
    QueryLimits { max_rows: usize::MAX, ..QueryLimits::default() }
}

fn objects(db: &Database) -> Result<Vec<Object>, DbError> {
    let sql = "SELECT name, type = 'view' FROM sqlite_schema AS s
        WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_'
          AND NOT EXISTS (SELECT 1 FROM pragma_table_list AS l
            WHERE l.schema = 'main' AND l.name = s.name AND l.type = 'shadow')
        ORDER BY s.rowid";
    let result = db.query(sql, &[], all())?;
    Ok(result
        .rows
        .iter()
        .filter_map(|row| match row.as_slice() {
            [name, view] => Some(Object { name: text(name), view: *view == Value::Integer(1) }),
            _ => None,
        })
        .collect())
}

/// Columns with their place in the primary key (0 outside it); hidden ones of virtual tables are left out.
fn columns(db: &Database, table: &str) -> Result<Vec<(Column, i64)>, DbError> {
    let sql = "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid";
    let result = db.query(sql, &[table], all())?;
    let column = |row: &Vec<Value>| match row.as_slice() {
        [name, declared, not_null, Value::Integer(key)] => {
            let column = Column {
                name: text(name),
                declared_type: text(declared),
                primary_key: *key > 0,
                not_null: *not_null == Value::Integer(1),
                note: None,
            };
            Some((column, *key))
        }
        _ => None,
    };
    Ok(result.rows.iter().filter_map(column).collect())
}

/// One entry for each column pair, in declaration order, names as the referred table declares them.
fn foreign_keys(
    db: &Database,
    schema: &Schema,
    table: &Table,
    notices: &mut Vec<String>,
) -> Result<Vec<ForeignKey>, DbError> {
    let sql =
        "SELECT seq, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id DESC, seq";
    let result = match db.query(sql, &[&table.name], all()) {
        Ok(result) => result,
        Err(DbError::Sql { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut keys = Vec::new();
    for row in &result.rows {
        let [Value::Integer(seq), target, from, to] = row.as_slice() else { continue };
        let (target, from) = (text(target), text(from));
        let Some(referred) = schema.table(&target) else {
            notices.push(format!("{}.{from} refers to table {target}, which does not exist.", table.name));
            continue;
        };
        let to = match to {
            // Without a column the key refers to the primary key, column by column.
            Value::Null => primary_key(db, &referred.name)?.get(usize::try_from(*seq).unwrap_or(0)).cloned(),
            to => Some(text(to)),
        };
        let Some(to) = to else {
            notices.push(format!("{}.{from} refers to {target}, which has no primary key.", table.name));
            continue;
        };
        let declared = referred.column(&to).map_or(to, |column| column.name.clone());
        let column = table.column(&from).map_or(from, |column| column.name.clone());
        keys.push(ForeignKey { column, table: referred.name.clone(), referenced_column: declared });
    }
    Ok(keys)
}

fn primary_key(db: &Database, table: &str) -> Result<Vec<String>, DbError> {
    let mut key: Vec<(i64, String)> = columns(db, table)?
        .into_iter()
        .filter(|(_, place)| *place > 0)
        .map(|(column, place)| (place, column.name))
        .collect();
    key.sort();
    Ok(key.into_iter().map(|(_, name)| name).collect())
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::InvalidText(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Host;
    use crate::db::engine::service::tests::image;

    fn read(script: &str) -> Overview {
        let db = Database::from_bytes(image(script), Host::default()).unwrap();
        overview(&db, 5_000).unwrap()
    }

    fn pairs(table: &Table) -> Vec<(&str, &str, &str)> {
        table
            .foreign_keys
            .iter()
            .map(|key| (key.column.as_str(), key.table.as_str(), key.referenced_column.as_str()))
            .collect()
    }

    #[test]
    fn keys_are_read_as_declared_and_implied() {
        let got = read(
            "CREATE TABLE route(line TEXT, no INT, PRIMARY KEY (no, line)) WITHOUT ROWID;
             CREATE TABLE pier(Id INTEGER PRIMARY KEY, twice INT GENERATED ALWAYS AS (Id * 2) VIRTUAL);
             CREATE TABLE trip(a INT REFERENCES PIER, b INT REFERENCES pier(id), l TEXT NOT NULL, n INT,
               gone INT REFERENCES nowhere(x), FOREIGN KEY (n, l) REFERENCES route);",
        );
        let [route, pier, trip] = got.schema.tables.as_slice() else { panic!("{got:?}") };
        assert!(route.columns.iter().all(|column| column.primary_key));
        assert_eq!(pier.columns.len(), 2);
        assert_eq!(
            pairs(trip),
            [("a", "pier", "Id"), ("b", "pier", "Id"), ("n", "route", "no"), ("l", "route", "line")]
        );
        assert!(trip.columns[2].not_null && !trip.columns[0].not_null);
        assert!(got.notices.iter().any(|notice| notice.contains("nowhere")), "{:?}", got.notices);
    }

    #[test]
    fn views_virtual_tables_and_odd_names_are_listed() {
        let got = read(
            "CREATE TABLE \"Größe \"\" [x]\"(\"order\" TEXT, \"ä b\" INT, \"\" INT);
             INSERT INTO \"Größe \"\" [x]\" VALUES ('q', 1, 2);
             CREATE VIEW fine AS SELECT \"order\" AS o FROM \"Größe \"\" [x]\";
             CREATE TABLE soon(a); CREATE VIEW broken AS SELECT a FROM soon; DROP TABLE soon;
             CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('x');
             CREATE TABLE auto(i INTEGER PRIMARY KEY AUTOINCREMENT);",
        );
        let names: Vec<&str> = got.schema.tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["Größe \" [x]", "fine", "broken", "notes", "auto"]);
        assert_eq!(
            got.tables.iter().map(|table| table.rows).collect::<Vec<_>>(),
            [Some(1), Some(1), None, Some(1), Some(0)]
        );
        assert!(got.schema.tables[1].view && got.schema.tables[2].columns.is_empty());
        assert_eq!(got.notices.len(), 1, "{:?}", got.notices);
        assert!(got.notices[0].starts_with("View broken cannot be read"), "{:?}", got.notices);
        assert_eq!(got.schema.tables[3].columns[0].name, "body");
    }

    #[test]
    fn a_budget_that_is_used_up_is_said() {
        let script = "CREATE TABLE n(i); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
            WHERE i < 3000) INSERT INTO n SELECT i FROM c;
            CREATE VIEW big AS SELECT a.i FROM n AS a, n AS b, n AS c;";
        let db = Database::from_bytes(image(script), Host::default()).unwrap();
        let got = overview(&db, 100).unwrap();
        assert_eq!(got.tables[0].rows, Some(3_000));
        assert_eq!(got.tables[1].rows, None);
        assert_eq!(got.notices, ["Rows not counted within 0.1 s: big."]);
    }
}
