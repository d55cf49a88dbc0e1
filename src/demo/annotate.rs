//! Which pieces of a task's query occur in the history: `history_knowledge` of the BIRD-History format.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::{DemoError, SCHEMA};
use crate::sql::{Column, ComponentType, ForeignKey, Schema, Table, split};

/// A line of `history.jsonl`, as far as the annotation reads it.
#[derive(Debug, Deserialize)]
struct Logged {
    id: i64,
    sql: String,
}

/// A task in the BIRD-History format (Appendix A.1 of the paper), with the difficulty that BIRD has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Annotated {
    /// 30000 and up.
    pub question_id: i64,
    /// `norhaven`.
    pub db_id: String,
    /// `simple` (a query of the history with other values), `moderate` (pieces of several) or `challenging`.
    pub difficulty: String,
    /// The question, which leaves the conventions to the history.
    pub question: String,
    /// The reference query.
    #[serde(rename = "SQL")]
    pub sql: String,
    /// Skeleton to the ids of the historical queries that contain it.
    #[serde(default)]
    pub history_knowledge: BTreeMap<String, Vec<i64>>,
    /// Skeleton to its type.
    #[serde(default)]
    pub knowledge_types: BTreeMap<String, String>,
}

/// Fills `history_knowledge` and `knowledge_types` of every task: a piece of the task's query counts when the
/// history has one of the same type with an equal skeleton. Historical queries that do not parse hold nothing.
///
/// `tasks` is the text of a task file, `history` of a history in JSON lines; what comes back is the new task file.
/// A task whose own query does not parse is an error.
pub fn annotate(tasks: &str, history: &str) -> Result<String, DemoError> {
    let schema = schema()?;
    let mut occurs: BTreeMap<(ComponentType, String), Vec<i64>> = BTreeMap::new();
    for (i, line) in history.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let logged: Logged =
            serde_json::from_str(line).map_err(|e| format_error("history.jsonl", i + 1, &e.to_string()))?;
        for component in split(&logged.sql, &schema).unwrap_or_default() {
            let ids = occurs.entry((component.kind, component.skeleton)).or_default();
            if ids.last() != Some(&logged.id) {
                ids.push(logged.id);
            }
        }
    }
    let mut tasks: Vec<Annotated> =
        serde_json::from_str(tasks).map_err(|e| format_error("tasks.json", e.line(), &e.to_string()))?;
    for (i, task) in tasks.iter_mut().enumerate() {
        let components =
            split(&task.sql, &schema).map_err(|e| format_error("tasks.json", i + 1, &e.to_string()))?;
        task.history_knowledge.clear();
        task.knowledge_types.clear();
        for component in components {
            if let Some((key, ids)) = occurs.get_key_value(&(component.kind, component.skeleton)) {
                task.history_knowledge.insert(key.1.clone(), ids.clone());
                task.knowledge_types.insert(key.1.clone(), format!("{:?}", key.0));
            }
        }
    }
    let mut text = serde_json::to_string_pretty(&tasks)
        .map_err(|e| format_error("tasks.json", e.line(), &e.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// [`annotate`] on the files of a folder: reads `history.jsonl`, rewrites `tasks.json`.
pub fn annotate_file(folder: &Path) -> Result<(), DemoError> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|e| DemoError::file(&path, e))
    };
    let text = annotate(&read("tasks.json")?, &read("history.jsonl")?)?;
    let path = folder.join("tasks.json");
    std::fs::write(&path, text).map_err(|e| DemoError::file(&path, e))
}

fn format_error(path: &str, record: usize, message: &str) -> DemoError {
    DemoError::Format { path: path.to_owned(), record, message: message.to_owned() }
}

/// The demo's tables as SQLite reads them from [`SCHEMA`].
pub fn schema() -> Result<Schema, DemoError> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(SCHEMA)?;
    let names = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")?
        .query_map([], |row| row.get::<_, String>(0))?
        .collect::<Result<Vec<_>, _>>()?;
    let mut tables = Vec::new();
    for name in names {
        let columns = db
            .prepare("SELECT name, type, pk, \"notnull\" FROM pragma_table_info(?)")?
            .query_map([&name], |row| {
                Ok(Column {
                    name: row.get(0)?,
                    declared_type: row.get(1)?,
                    primary_key: row.get::<_, i64>(2)? > 0,
                    not_null: row.get(3)?,
                    note: None,
                })
            })?
            .collect::<Result<_, _>>()?;
        let foreign_keys = db
            .prepare("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?)")?
            .query_map([&name], |row| {
                Ok(ForeignKey { column: row.get(0)?, table: row.get(1)?, referenced_column: row.get(2)? })
            })?
            .collect::<Result<_, _>>()?;
        tables.push(Table { name, columns, foreign_keys, view: false });
    }
    Ok(Schema { tables })
}
