//! Reading query histories of any form.
//!
//! [`inspect`] looks at a file and says what it is, which columns it has and what they seem to hold, so
//! that a person can confirm or change that; [`read`] then takes the records out.
//!
//! | form | module |
//! |---|---|
//! | SQL scripts, comments as questions | `script` |
//! | lists of a query, a tab and a database name (Spider's gold files) | `gold` |
//! | JSON and JSON Lines, BIRD and Spider files among them | `json` |
//! | comma, semicolon, tab or bar separated values | `table` |

mod columns;
mod comments;
mod detect;
mod error;
mod gold;
mod json;
mod record;
mod rows;
mod script;
mod table;
mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::rows::Row;
use super::report::{Reason, Skip};

pub use columns::{Column, Mapping};
pub use detect::Format;
pub use error::ImportError;
pub use record::{RawHistory, RawRecord};

/// How a file will be read; a person may change the mapping and choose a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the file.
    pub name: String,
    /// Its form.
    pub format: Format,
    /// Its columns; empty for a script.
    pub columns: Vec<Column>,
    /// Which column holds what.
    pub mapping: Mapping,
    /// The databases that rows name, with their numbers of rows, most rows first.
    pub databases: Vec<(String, usize)>,
    /// Read only the rows of this database; None reads all.
    pub database: Option<String>,
    /// Number of statements or rows.
    pub records: usize,
}

impl Plan {
    /// Reads only the rows of the database that is open, where the file names several and this one among them.
    pub fn prefer(&mut self, open: &str) {
        let named = self.databases.iter().find(|(name, _)| name.eq_ignore_ascii_case(open.trim()));
        self.database = named.filter(|_| self.databases.len() > 1).map(|(name, _)| name.clone());
    }
}

/// Says what a file is and how it can be read; `name` (with its extension) decides where the content
/// allows several forms.
pub fn inspect(name: &str, bytes: &[u8]) -> Result<Plan, ImportError> {
    let text = text::decode(bytes)?;
    let format = detect::format(name, &text)?;
    let mut plan = Plan {
        name: name.to_owned(),
        format,
        columns: Vec::new(),
        mapping: Mapping::default(),
        databases: Vec::new(),
        database: None,
        records: 0,
    };
    if format == Format::Script {
        let records = script::records(&text).len();
        plan.records = records + usize::from(script::unread(&text, records).is_some());
    } else {
        let table = Table::open(format, &text)?;
        if table.columns.is_empty() {
            return Err(table.without_columns());
        }
        let mut survey = columns::Survey::new(&table.columns);
        let (mut broken, mut first) = (0, None);
        table.each(&mut |Row { line, cells, .. }| {
            plan.records += 1;
            match cells {
                Ok(cells) => survey.add(&cells),
                Err(why) => {
                    broken += 1;
                    first.get_or_insert(ImportError::NoRow { line, why });
                }
            }
        });
        (plan.columns, plan.mapping) = survey.finish();
        // Nobody can choose a column that has no cell to look at.
        if let Some(error) = first.filter(|_| broken == plan.records && plan.mapping.sql.is_none()) {
            return Err(error);
        }
        plan.databases = count_databases(&table, plan.mapping.db_id.as_deref());
        plan.format = detect::benchmark(format, &plan.mapping);
    }
    if plan.records == 0 { Err(ImportError::NoRecords) } else { Ok(plan) }
}

/// The databases that rows name in the column that `plan` maps to the database, with their numbers of
/// rows, most rows first; for when a person changed that mapping.
pub fn databases(bytes: &[u8], plan: &Plan) -> Result<Vec<(String, usize)>, ImportError> {
    let text = text::decode(bytes)?;
    if plan.format == Format::Script {
        return Ok(Vec::new());
    }
    let table = Table::open(plan.format, &text)?;
    Ok(count_databases(&table, plan.mapping.db_id.as_deref()))
}

/// Takes the records out of a file as `plan` says; `bytes` are those that were inspected.
pub fn read(bytes: &[u8], plan: &Plan) -> Result<RawHistory, ImportError> {
    let text = text::decode(bytes)?;
    let mut history = RawHistory { name: plan.name.clone(), ..RawHistory::default() };
    if plan.format == Format::Script {
        history.records = script::records(&text);
        history.skipped.extend(script::unread(&text, history.records.len()));
        return Ok(history);
    }
    let table = Table::open(plan.format, &text)?;
    let places = Places::new(&plan.mapping, &table.columns)?;
    let used = plan.mapping.columns();
    history.unused_columns = table.columns.iter().filter(|c| !used.contains(&c.as_str())).cloned().collect();
    table.each(&mut |row| places.take(row, plan, &mut history));
    Ok(history)
}

/// A file of rows, opened.
struct Table<'a> {
    text: &'a str,
    format: Format,
    columns: Vec<String>,
    /// Where the rows of a JSON file are.
    rows: Vec<std::ops::Range<usize>>,
}

impl<'a> Table<'a> {
    fn open(format: Format, text: &'a str) -> Result<Self, ImportError> {
        let rows = match format {
            Format::Json | Format::Bird | Format::Spider => {
                json::check(text)?;
                json::rows(text)
            }
            Format::JsonLines => json::lines(text),
            _ => Vec::new(),
        };
        let columns = match format {
            Format::Script => Vec::new(),
            Format::Gold => gold::COLUMNS.map(str::to_owned).to_vec(),
            Format::Table { delimiter } => table::columns(text, delimiter),
            _ => json::columns(text, &rows),
        };
        Ok(Self { text, format, columns, rows })
    }

    fn each(&self, take: &mut dyn FnMut(Row)) {
        match self.format {
            Format::Script => {}
            Format::Gold => gold::each(self.text, take),
            Format::Table { delimiter } => table::each(self.text, delimiter, &self.columns, take),
            _ => json::each(self.text, &self.rows, &self.columns, take),
        }
    }

    /// Why no row could be read: what is wrong with the first one.
    fn without_columns(&self) -> ImportError {
        let first = self.rows.first().and_then(|range| Some((range.start, self.text.get(range.clone())?)));
        match first.map(|(start, row)| (text::Lines::new(self.text).at(start), json::check(row))) {
            Some((row, Err(ImportError::Json { line, column, message }))) => {
                ImportError::Json { line: row as usize + line.saturating_sub(1), column, message }
            }
            _ => ImportError::NoRecords,
        }
    }

    fn place(&self, name: Option<&str>) -> Option<usize> {
        position(&self.columns, name)
    }
}

fn position(columns: &[String], name: Option<&str>) -> Option<usize> {
    columns.iter().position(|c| Some(c.as_str()) == name)
}

fn count_databases(table: &Table, column: Option<&str>) -> Vec<(String, usize)> {
    let Some(place) = table.place(column) else { return Vec::new() };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    table.each(&mut |row| {
        let cell = row.cells.ok().and_then(|cells| cells.into_iter().nth(place).flatten());
        if let Some(name) = cell.filter(|c| !c.trim().is_empty()) {
            *counts.entry(name).or_default() += 1;
        }
    });
    columns::by_rows(counts)
}

/// The mapping as positions in a row.
struct Places {
    sql: usize,
    question: Option<usize>,
    user: Option<usize>,
    time: Option<usize>,
    count: Option<usize>,
    id: Option<usize>,
    db_id: Option<usize>,
}

impl Places {
    fn new(mapping: &Mapping, columns: &[String]) -> Result<Self, ImportError> {
        let place = |name: &Option<String>| position(columns, name.as_deref());
        let sql =
            place(&mapping.sql).ok_or_else(|| ImportError::NoSqlColumn { columns: columns.to_vec() })?;
        Ok(Self {
            sql,
            question: place(&mapping.question),
            user: place(&mapping.user),
            time: place(&mapping.time),
            count: place(&mapping.count),
            id: place(&mapping.id),
            db_id: place(&mapping.db_id),
        })
    }

    /// Adds what a row holds to the history: one record for each statement in its SQL cell.
    fn take(&self, row: Row, plan: &Plan, history: &mut RawHistory) {
        let Row { line, number, cells, text } = row;
        let cells = match cells {
            Ok(cells) => cells,
            Err(why) => return history.skipped.push(Skip::new(line, number, Reason::Row(why), &text)),
        };
        let cell = |place: Option<usize>| {
            let value = cells.get(place?)?.as_deref()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        if plan.database.is_some() && self.db_id.is_some() && cell(self.db_id) != plan.database {
            history.other_databases += 1;
            return;
        }
        let sql = cells.get(self.sql).and_then(Option::as_deref).unwrap_or_default();
        let verbatim = matches!(plan.format, Format::Table { .. } | Format::Gold);
        let mut line = line;
        if verbatim {
            // Cells before it may hold line breaks of their own.
            let before =
                cells.iter().take(self.sql).flatten().map(|c| text::newlines(c.as_bytes())).sum::<usize>();
            line = line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
        }
        let statements = script::records(sql);
        if statements.is_empty() {
            let text = cell(self.question).unwrap_or_default();
            return history.skipped.push(Skip::new(line, number, Reason::Empty, &text));
        }
        for statement in statements {
            history.records.push(RawRecord {
                question: cell(self.question).or(statement.question),
                user: cell(self.user).or(statement.user),
                time: cell(self.time).or(statement.time),
                count: cell(self.count).and_then(|c| columns::count(&c)).or(statement.count),
                id: cell(self.id).and_then(|c| c.parse().ok()).or(statement.id),
                line: if verbatim { line.saturating_add(statement.line - 1) } else { line },
                sql: statement.sql,
                number,
                verbatim,
                within: statement.within,
                variables: statement.variables,
            });
        }
    }
}

#[cfg(test)]
mod tests;
