//! Reading the schema files of BIRD and Spider (`dev_tables.json`, `tables.json`).

use serde::Deserialize;

use super::schema::{Column, ForeignKey, Schema, Table};

/// One database of such a file.
#[derive(Deserialize)]
struct Database {
    db_id: String,
    table_names_original: Vec<String>,
    column_names_original: Vec<(i64, String)>,
    #[serde(default)]
    column_names: Vec<(i64, String)>,
    #[serde(default)]
    column_types: Vec<String>,
    #[serde(default)]
    primary_keys: Vec<Key>,
    #[serde(default)]
    foreign_keys: Vec<(usize, usize)>,
}

/// A primary key: one column, or several in BIRD's files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Key {
    One(usize),
    Several(Vec<usize>),
}

impl Schema {
    /// The schemas of a BIRD or Spider file of tables, by database name, in the order of the file.
    ///
    /// A column's name in words becomes its note where it says more than the name itself. Keys that
    /// point outside the list of columns are left out.
    pub fn from_bird_tables(json: &str) -> Result<Vec<(String, Schema)>, serde_json::Error> {
        let databases: Vec<Database> = serde_json::from_str(json)?;
        Ok(databases.into_iter().map(|d| (d.db_id.clone(), schema(&d))).collect())
    }
}

fn schema(database: &Database) -> Schema {
    let mut tables: Vec<Table> = database
        .table_names_original
        .iter()
        .map(|name| Table { name: name.clone(), ..Table::default() })
        .collect();
    let primary = |column: usize| {
        database.primary_keys.iter().any(|key| match key {
            Key::One(one) => *one == column,
            Key::Several(several) => several.contains(&column),
        })
    };
    for (i, (table, name)) in database.column_names_original.iter().enumerate() {
        let Some(table) = usize::try_from(*table).ok().and_then(|t| tables.get_mut(t)) else { continue };
        let words = database.column_names.get(i).map(|(_, words)| words.trim());
        table.columns.push(Column {
            name: name.clone(),
            declared_type: database.column_types.get(i).cloned().unwrap_or_default(),
            primary_key: primary(i),
            not_null: false,
            note: words.filter(|w| !w.is_empty() && !same_letters(w, name)).map(str::to_owned),
        });
    }
    let place = |column: usize| {
        let (table, name) = database.column_names_original.get(column)?;
        Some((usize::try_from(*table).ok()?, name.clone()))
    };
    for (from, to) in &database.foreign_keys {
        if let (Some((from_table, column)), Some((to_table, referenced_column))) = (place(*from), place(*to))
            && let Some(table) = database.table_names_original.get(to_table)
            && let Some(referring) = tables.get_mut(from_table)
        {
            referring.foreign_keys.push(ForeignKey { column, table: table.clone(), referenced_column });
        }
    }
    Schema { tables }
}

/// Whether two names hold the same letters and digits, in any case and with any marks between them.
fn same_letters(a: &str, b: &str) -> bool {
    let letters = |s: &str| -> String {
        s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(a) == letters(b)
}
