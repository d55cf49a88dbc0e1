//! The schema-aware context (section 4.1): column types, sample rows, keys. It comes first in every prompt and in the same
//! words, so that a server need not read it again.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::db::{QueryLimits, TableInfo, Value, quote_ident};
use crate::llm::tokens;
use crate::pipeline::direct::LeftOut;
use crate::pipeline::direct::schema_text::identifier;
use crate::ports::Execute;
use crate::retrieval::words::content_of_names;
use crate::sql::{Schema, Table};

/// Characters of a sample text that are shown, as in the released code.
const MOST_OF_A_TEXT: usize = 100;
/// Milliseconds that the samples of one table may take.
const SAMPLE_MS: u32 = 2_000;

/// Sample rows of each table, parallel to the schema's tables; empty where there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples(Vec<Vec<Vec<Value>>>);

impl Samples {
    /// The first `rows` rows of every table. Views are left out: their first row may take long.
    pub async fn read(schema: &Schema, rows: u32, db: &impl Execute, limits: QueryLimits) -> Self {
        let limits = QueryLimits { timeout_ms: limits.timeout_ms.min(SAMPLE_MS), ..limits };
        let mut all = Vec::with_capacity(schema.tables.len());
        for table in &schema.tables {
            let sql = format!("SELECT * FROM {} LIMIT {rows}", quote_ident(&table.name));
            let read = if table.view || rows == 0 { None } else { db.execute(&sql, limits).await.ok() };
            // A row that is not as wide as the declared table cannot be shown under its columns.
            let rows = read.map(|result| result.rows).unwrap_or_default();
            all.push(rows.into_iter().filter(|row| row.len() == table.columns.len()).collect());
        }
        Self(all)
    }

    fn of(&self, at: usize) -> &[Vec<Value>] {
        self.0.get(at).map_or(&[], Vec::as_slice)
    }
}

/// How much of a table is shown, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Rows,
    OneRow,
    Notes,
    Plain,
    Name,
}

const STEPS: [Detail; 5] = [Detail::Rows, Detail::OneRow, Detail::Notes, Detail::Plain, Detail::Name];

/// The schema within `room` tokens: of the tables that have nothing to do with the question rows, notes and columns are
/// left out first. Its order is the database's, whatever is asked.
pub(super) fn text(
    question: &str,
    schema: &Schema,
    tables: &[TableInfo],
    samples: &Samples,
    room: u32,
    left_out: &mut LeftOut,
) -> String {
    let texts: Vec<[String; 5]> = (0..)
        .zip(&schema.tables)
        .map(|(at, table): (usize, &Table)| {
            STEPS.map(|detail| one(table, tables.get(at), samples.of(at), detail))
        })
        .collect();
    let costs: Vec<[u32; 5]> =
        texts.iter().map(|texts| texts.each_ref().map(|text| tokens::estimate(text))).collect();
    let mut shown = vec![0_usize; texts.len()];
    let cost = |shown: &[usize]| -> u32 {
        shown.iter().zip(&costs).filter_map(|(step, costs)| costs.get(*step)).sum()
    };
    let asked = content_of_names(question);
    let mut order: Vec<(usize, usize)> =
        schema.tables.iter().map(|table| relevance(table, &asked)).zip(0..).collect();
    order.sort_by_key(|(relevance, at)| (*relevance, usize::MAX - at));
    'fit: for of_relevant in [false, true] {
        for step in 1..STEPS.len() {
            for (relevance, at) in &order {
                if cost(&shown) <= room {
                    break 'fit;
                }
                if let Some(shown) = shown.get_mut(*at).filter(|_| of_relevant || *relevance == 0) {
                    *shown = (*shown).max(step);
                }
            }
        }
    }
    left_out.still_too_long |= cost(&shown) > room;
    let (mut text, mut names) = (String::new(), Vec::new());
    for ((texts, step), table) in texts.iter().zip(&shown).zip(&schema.tables) {
        let (Some(shown), Some(full)) = (texts.get(*step), texts.first()) else { continue };
        match STEPS.get(*step) {
            Some(Detail::Name) => {
                left_out.tables.push(table.name.clone());
                names.push(identifier(&table.name));
            }
            _ => {
                if shown != full {
                    left_out.notes_of.push(table.name.clone());
                }
                text.push_str(shown);
            }
        }
    }
    if !names.is_empty() {
        let _ = writeln!(text, "-- Also there, without their columns: {}", names.join(", "));
    }
    text
}

/// Words of the question that a table has in its names and notes.
fn relevance(table: &Table, asked: &HashSet<String>) -> usize {
    let mut held: HashSet<String> = content_of_names(&table.name);
    for column in &table.columns {
        held.extend(content_of_names::<HashSet<String>>(&column.name));
        held.extend(column.note.as_deref().map(content_of_names::<HashSet<String>>).unwrap_or_default());
    }
    held.intersection(asked).count()
}

fn one(table: &Table, info: Option<&TableInfo>, rows: &[Vec<Value>], detail: Detail) -> String {
    if detail == Detail::Name {
        return identifier(&table.name);
    }
    let Table { name, columns, foreign_keys, view, .. } = table;
    let mut text = format!("CREATE {} {} (", if *view { "VIEW" } else { "TABLE" }, identifier(name));
    if let Some(count) = info.and_then(|info| info.rows) {
        let _ = write!(text, " -- {count} rows");
    }
    text.push('\n');
    let list = |names: &[&str]| names.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ");
    let keys: Vec<&str> = columns.iter().filter(|c| c.primary_key).map(|c| c.name.as_str()).collect();
    let mut constraints = Vec::new();
    if !keys.is_empty() {
        constraints.push(format!("  PRIMARY KEY ({})", list(&keys)));
    }
    for key in foreign_keys {
        constraints.push(format!(
            "  FOREIGN KEY ({}) REFERENCES {} ({})",
            identifier(&key.column),
            identifier(&key.table),
            identifier(&key.referenced_column)
        ));
    }
    for (place, column) in columns.iter().enumerate() {
        let _ = write!(text, "  {}", identifier(&column.name));
        if !column.declared_type.is_empty() {
            let _ = write!(text, " {}", column.declared_type);
        }
        if place + 1 < columns.len() || !constraints.is_empty() {
            text.push(',');
        }
        if let Some(note) = column.note.as_deref().filter(|note| !note.is_empty() && detail != Detail::Plain)
        {
            let _ = write!(text, " -- {}", note.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        text.push('\n');
    }
    if !constraints.is_empty() {
        text.push_str(&constraints.join(",\n"));
        text.push('\n');
    }
    text.push_str(");\n");
    let most = match detail {
        Detail::Rows => rows.len(),
        Detail::OneRow => rows.len().min(1),
        _ => 0,
    };
    if most > 0 {
        let heads: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let _ = writeln!(text, "/* Sample rows of {name}:\n{}", heads.join(" | ").replace("*/", "* /"));
        for row in rows.iter().take(most) {
            let row = row.iter().map(literal).collect::<Vec<_>>().join(" | ");
            let _ = writeln!(text, "{}", row.replace("*/", "* /"));
        }
        text.push_str("*/\n");
    }
    text
}

/// A value as SQL would write it, on one line, cut where it is long.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::InvalidText(bytes) | Value::Blob(bytes) => format!("a blob of {} bytes", bytes.len()),
        Value::Text(text) => {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let cut: String = line.chars().take(MOST_OF_A_TEXT).collect();
            let more = if cut.len() < line.len() { "…" } else { "" };
            format!("'{}{more}'", cut.replace('\'', "''"))
        }
    }
}
