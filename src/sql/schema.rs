//! The tables, columns and keys of one database, as SQLite declares them.

use serde::{Deserialize, Serialize};

/// Everything that splitting a query needs to know about a database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Tables and views in the order of the file.
    pub tables: Vec<Table>,
}

/// A table or view.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Name as declared.
    pub name: String,
    /// Columns in declaration order.
    pub columns: Vec<Column>,
    /// Declared foreign keys, one entry for each column pair.
    pub foreign_keys: Vec<ForeignKey>,
    /// Whether this is a view.
    pub view: bool,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Name as declared.
    pub name: String,
    /// Declared type, empty when none was declared.
    pub declared_type: String,
    /// Whether it is (part of) the primary key.
    pub primary_key: bool,
    /// Whether NULL is refused.
    pub not_null: bool,
    /// What the column means, where a note came with the database (BIRD's database_description).
    pub note: Option<String>,
}

/// One column that refers to another table's column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignKey {
    /// The referring column.
    pub column: String,
    /// The table referred to.
    pub table: String,
    /// The column referred to.
    pub referenced_column: String,
}

impl Schema {
    /// The table of that name; SQLite compares names without ASCII case.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|t| t.name.eq_ignore_ascii_case(name))
    }
}

impl Table {
    /// The column of that name; SQLite compares names without ASCII case.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name.eq_ignore_ascii_case(name))
    }
}
