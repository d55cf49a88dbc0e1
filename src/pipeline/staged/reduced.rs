//! A schema without what a stage found needless.

use std::collections::BTreeSet;

use crate::db::TableInfo;
use crate::sql::{Column, Schema, Table};

/// Columns by table and name, as the schema spells them.
pub type Columns = BTreeSet<(String, String)>;

/// A part of a schema, with what is known of its tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// The tables with the columns that were kept.
    pub schema: Schema,
    /// Row counts and samples, parallel to the schema's tables; empty where there were none.
    pub tables: Vec<TableInfo>,
}

/// The tables and columns that `keep` wants; a table without any is left out, and so is a foreign key that has lost an
/// end.
pub fn reduced(schema: &Schema, tables: &[TableInfo], keep: impl Fn(&Table, &Column) -> bool) -> Reduced {
    let mut part = Schema::default();
    let mut infos = Vec::new();
    for (at, table) in schema.tables.iter().enumerate() {
        let kept: Vec<(usize, &Column)> =
            table.columns.iter().enumerate().filter(|(_, column)| keep(table, column)).collect();
        if kept.is_empty() {
            continue;
        }
        if let Some(info) = tables.get(at) {
            let columns = kept.iter().map(|(at, _)| info.columns.get(*at).cloned().unwrap_or_default());
            infos.push(TableInfo { rows: info.rows, columns: columns.collect() });
        }
        let columns = kept.into_iter().map(|(_, column)| column.clone()).collect();
        part.tables.push(Table { columns, ..table.clone() });
    }
    let names: Columns = part
        .tables
        .iter()
        .flat_map(|t| t.columns.iter().map(|c| (t.name.to_lowercase(), c.name.to_lowercase())))
        .collect();
    for table in &mut part.tables {
        let has = |table: &str, column: &str| names.contains(&(table.to_lowercase(), column.to_lowercase()));
        let own = table.name.clone();
        table.foreign_keys.retain(|key| has(&own, &key.column) && has(&key.table, &key.referenced_column));
    }
    Reduced { schema: part, tables: infos }
}

/// Adds the keys of the tables that columns are kept of: primary keys, and both ends of foreign keys between kept
/// tables. Without them no join could be written.
pub fn with_keys(schema: &Schema, columns: &mut Columns) {
    let tables: BTreeSet<String> = columns.iter().map(|(table, _)| table.clone()).collect();
    for table in schema.tables.iter().filter(|table| tables.contains(&table.name)) {
        for column in table.columns.iter().filter(|column| column.primary_key) {
            columns.insert((table.name.clone(), column.name.clone()));
        }
        for key in &table.foreign_keys {
            let Some(other) = schema.table(&key.table).filter(|other| tables.contains(&other.name)) else {
                continue;
            };
            let ends = [(table, &key.column), (other, &key.referenced_column)];
            for (table, name) in ends {
                if let Some(column) = table.column(name) {
                    columns.insert((table.name.clone(), column.name.clone()));
                }
            }
        }
    }
}

/// The columns that a model's word for one may mean: `table.column` exactly, else every column of that name. Quotes are
/// taken off.
pub fn named(schema: &Schema, word: &str) -> Vec<(String, String)> {
    let clean = |part: &str| part.trim().trim_matches(['"', '`', '\'', '[', ']', ' ']).to_owned();
    // A name may hold a point of its own, so every place is tried.
    let pairs = word.match_indices('.').filter_map(|(at, _)| {
        let (table, column) = (word.get(..at)?, word.get(at + 1..)?);
        let table = schema.table(&clean(table))?;
        Some((table.name.clone(), table.column(&clean(column))?.name.clone()))
    });
    let exact: Vec<(String, String)> = pairs.take(1).collect();
    if !exact.is_empty() {
        return exact;
    }
    let name = clean(word);
    let every = schema.tables.iter().filter_map(|t| Some((t.name.clone(), t.column(&name)?.name.clone())));
    every.collect()
}
