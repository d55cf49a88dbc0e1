//! The database as the tree shows it.

use std::collections::BTreeSet;

use crate::db::Overview;

/// A column of the tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnNode {
    /// Its name.
    pub name: String,
    /// Its declared type.
    pub declared_type: String,
    /// Whether it is (part of) the primary key.
    pub primary_key: bool,
    /// The table it refers to.
    pub refers_to: Option<String>,
    /// Sample values or the range, as shown.
    pub sample: String,
    /// What it means, as a tooltip.
    pub note: Option<String>,
}

/// A table of the tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableNode {
    /// Its name.
    pub name: String,
    /// Its number of rows; None while it is counted, and for views that are not.
    pub rows: Option<u64>,
    /// Whether it is a view.
    pub view: bool,
    /// Its columns.
    pub columns: Vec<ColumnNode>,
}

/// Names the answer in view uses, in lower case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Used {
    /// Tables.
    pub tables: BTreeSet<String>,
    /// (Table, column).
    pub columns: BTreeSet<(String, String)>,
}

impl Used {
    /// From the columns of the components in view.
    pub fn new<'a>(
        tables: impl IntoIterator<Item = &'a String>,
        columns: impl IntoIterator<Item = &'a (String, String)>,
    ) -> Self {
        let mut used = Self {
            tables: tables.into_iter().map(|t| t.to_lowercase()).collect(),
            columns: columns.into_iter().map(|(t, c)| (t.to_lowercase(), c.to_lowercase())).collect(),
        };
        used.tables.extend(used.columns.iter().map(|(table, _)| table.clone()));
        used
    }
}

/// Columns of an open table shown at first, and with each press for more.
pub const COLUMNS_AT_ONCE: usize = 200;

/// What stands below the columns that are shown: how many come next, and how many there are.
pub fn more_columns(shown: usize, all: usize) -> Option<String> {
    let left = all.checked_sub(shown).filter(|left| *left > 0)?;
    let count = |n: usize| super::format::count(n as u64);
    Some(match left {
        left if left <= COLUMNS_AT_ONCE => format!("Show {} more columns", count(left)),
        left => format!("Show {} of {} more columns", count(COLUMNS_AT_ONCE), count(left)),
    })
}

/// The tables of an overview, views after tables.
pub fn nodes(overview: &Overview) -> Vec<TableNode> {
    let mut out: Vec<TableNode> = overview
        .schema
        .tables
        .iter()
        .enumerate()
        .map(|(i, table)| {
            let info = overview.tables.get(i);
            let column = |(j, column): (usize, &crate::sql::Column)| ColumnNode {
                name: column.name.clone(),
                declared_type: column.declared_type.clone(),
                primary_key: column.primary_key,
                refers_to: table
                    .foreign_keys
                    .iter()
                    .find(|key| key.column.eq_ignore_ascii_case(&column.name))
                    .map(|key| key.table.clone()),
                sample: info
                    .and_then(|info| info.columns.get(j))
                    .map(|c| c.samples.clone())
                    .unwrap_or_default(),
                note: column.note.clone(),
            };
            TableNode {
                name: table.name.clone(),
                rows: info.and_then(|info| info.rows),
                view: table.view,
                columns: table.columns.iter().enumerate().map(column).collect(),
            }
        })
        .collect();
    out.sort_by_key(|table| table.view);
    out
}

/// How much a database holds: `9 tables · 24,117 rows`. A table whose rows could not be counted is not passed over.
pub fn size(tables: &[TableNode]) -> String {
    use super::format::{count, counted};
    let rows: u64 = tables.iter().filter_map(|table| table.rows).sum();
    let uncounted = tables.iter().filter(|table| !table.view && table.rows.is_none()).count();
    let rows = match uncounted {
        0 => format!("{} rows", count(rows)),
        n => format!("{} rows, {} not counted", count(rows), counted(n, "table", "tables")),
    };
    format!("{} · {rows}", counted(tables.len(), "table", "tables"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{ColumnInfo, TableInfo};
    use crate::sql::{Column, ForeignKey, Schema, Table};

    #[test]
    fn a_table_that_was_not_counted_is_said() {
        let table = |rows, view| TableNode { rows, view, ..TableNode::default() };
        assert_eq!(size(&[table(Some(1_200), false), table(None, true)]), "2 tables · 1,200 rows");
        assert_eq!(
            size(&[table(Some(5), false), table(None, false)]),
            "2 tables · 5 rows, 1 table not counted"
        );
    }

    #[test]
    fn columns_carry_their_keys_and_samples() {
        let column = |name: &str, primary_key| Column { name: name.into(), primary_key, ..Column::default() };
        let view = Table { name: "v".into(), view: true, ..Table::default() };
        let table = Table {
            name: "t".into(),
            columns: vec![column("id", true), column("Vessel", false)],
            foreign_keys: vec![ForeignKey {
                column: "vessel".into(),
                table: "vessels".into(),
                referenced_column: "id".into(),
            }],
            view: false,
        };
        let info = TableInfo {
            rows: Some(7),
            columns: vec![ColumnInfo { samples: "1 to 7".into(), ..ColumnInfo::default() }],
        };
        let overview = Overview {
            schema: Schema { tables: vec![view, table] },
            tables: vec![TableInfo::default(), info],
            ..Overview::default()
        };
        let got = nodes(&overview);
        assert_eq!(
            got.iter().map(|t| (t.name.as_str(), t.rows)).collect::<Vec<_>>(),
            [("t", Some(7)), ("v", None)]
        );
        assert_eq!(got[0].columns[0].sample, "1 to 7");
        assert_eq!(got[0].columns[1].refers_to.as_deref(), Some("vessels"));
        assert_eq!(got[0].columns[1].sample, "");
    }

    #[test]
    fn a_very_wide_table_is_shown_in_pieces() {
        assert_eq!(more_columns(COLUMNS_AT_ONCE, 2_000).as_deref(), Some("Show 200 of 1,800 more columns"));
        assert_eq!(more_columns(1_900, 2_000).as_deref(), Some("Show 100 more columns"));
        assert_eq!(more_columns(COLUMNS_AT_ONCE, 200), None);
        assert_eq!(more_columns(COLUMNS_AT_ONCE, 3), None);
    }

    #[test]
    fn a_used_column_uses_its_table() {
        let used = Used::new([], [&("Sailings".to_owned(), "State".to_owned())]);
        assert!(used.tables.contains("sailings"));
        assert!(used.columns.contains(&("sailings".to_owned(), "state".to_owned())));
    }
}
