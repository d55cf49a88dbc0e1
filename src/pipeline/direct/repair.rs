//! Why a query failed, said so that a model can mend it: the error, and the names nearest to an unknown one.

use serde::{Deserialize, Serialize};

use super::schema_text::identifier;
use crate::db::DbError;
use crate::llm::Message;
use crate::llm::extract::NoSql;
use crate::sql::Schema;
use crate::sql::nearest::distance;

/// Names offered for an unknown one at most.
const MOST_NEAREST: usize = 5;

/// What is known about a name that the database does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The name as the query has it.
    pub unknown: String,
    /// Names of the schema: for a column "table.column", for a table its name; best first.
    pub nearest: Vec<String>,
}

/// The nearest names for what SQLite says it does not know.
pub fn hints(error: &DbError, schema: &Schema) -> Vec<Hint> {
    let DbError::Sql { message, .. } = error else { return Vec::new() };
    let after =
        |start: &str| message.find(start).and_then(|at| message.get(at + start.len()..)).map(str::trim);
    if let Some(name) = after("no such column:") {
        // A string in double quotes is an unknown column, too.
        let name = name.split(" - ").next().unwrap_or(name).trim();
        return vec![Hint { unknown: name.to_owned(), nearest: columns(name, schema) }];
    }
    if let Some(name) = after("no such table:") {
        let tables =
            schema.tables.iter().map(|table| (distance(last(name), &table.name), identifier(&table.name)));
        return vec![Hint { unknown: name.to_owned(), nearest: best(tables.collect()) }];
    }
    if let Some(name) = after("ambiguous column name:") {
        return vec![Hint { unknown: name.to_owned(), nearest: columns(name, schema) }];
    }
    Vec::new()
}

/// Columns nearest to a name that may have a table before it. The same name in another table comes first.
fn columns(name: &str, schema: &Schema) -> Vec<String> {
    let wanted = last(name);
    let table = name.rsplit_once('.').map(|(table, _)| last(table).to_lowercase());
    let all = schema.tables.iter().flat_map(|t| {
        let here = table.as_deref() == Some(&t.name.to_lowercase());
        t.columns.iter().map(move |column| {
            // A half: of two equally near names the one of the named table wins.
            let near = 2 * distance(wanted, &column.name) + usize::from(!here);
            (near, format!("{}.{}", identifier(&t.name), identifier(&column.name)))
        })
    });
    best(all.collect())
}

/// The last part of a dotted name, without quotes.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '`', '[', ']', '\''])
}

fn best(mut names: Vec<(usize, String)>) -> Vec<String> {
    names.sort();
    names.into_iter().take(MOST_NEAREST).map(|(_, name)| name).collect()
}

/// Asks for a query without the error.
pub(in crate::pipeline) fn after_error(error: &DbError, hints: &[Hint]) -> Message {
    let mut text = match error {
        DbError::ReadOnly(what) => {
            format!("That was not run: the database is only read, and this is {what}.")
        }
        error => format!("SQLite says: {error}."),
    };
    for hint in hints.iter().filter(|hint| !hint.nearest.is_empty()) {
        text.push_str(&format!(
            " There is no {}; the nearest names are {}.",
            hint.unknown,
            hint.nearest.join(", ")
        ));
    }
    text.push_str(" Answer with one corrected SELECT statement in a ```sql block.");
    Message::user(text)
}

/// Asks for a query where there was none.
pub(in crate::pipeline) fn without_sql(why: NoSql) -> Message {
    Message::user(format!("{why} Answer with one SELECT statement in a ```sql block and nothing else."))
}
