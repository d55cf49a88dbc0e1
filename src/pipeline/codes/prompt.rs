//! The prompt: tables line by line, keys, matched values, examples, the question (section 6.3 of the source).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::filter::{Kept, Matched};
use super::values::ValueIndex;
use crate::history::KnowledgeBase;
use crate::llm::tokens;
use crate::pipeline::direct::{Inputs, LeftOut};
use crate::sql::{Column, Schema, Table};

/// Asks a chat model for what the source's models are trained to give.
const RULE: &str = "Answer the last question with one SQLite query. Write SQL only, no explanation.";

/// The prompt in at most `room` tokens, and what it had to leave out beside what the filter does: examples, the least
/// similar first, then columns, then tables.
pub(super) fn prompt(
    inputs: &Inputs<'_>,
    kept: Kept,
    values: &ValueIndex,
    matched: &Matched,
    room: u32,
) -> (String, LeftOut) {
    let pairs: Vec<String> = inputs.shots.iter().map(|shot| pair(inputs.knowledge, shot.entry())).collect();
    let ask = question(inputs.question);
    let fixed = tokens::estimate(RULE) + tokens::estimate(&ask) + tokens::PER_MESSAGE;
    let room = room.saturating_sub(fixed);
    let whole = kept.places(inputs.schema);
    let (tables, columns) = kept.size();
    let smaller =
        [(tables, columns / 2), (tables, columns / 4), (tables / 2, columns / 4), (1, columns / 4), (1, 1)];
    let mut places = whole.clone();
    let mut schema = schema_text(inputs.schema, &places, values, matched);
    for (tables, columns) in smaller {
        if tokens::estimate(&schema) <= room {
            break;
        }
        places = kept.cut(tables.max(1), columns.max(1)).places(inputs.schema);
        schema = schema_text(inputs.schema, &places, values, matched);
    }
    let mut remaining = room.saturating_sub(tokens::estimate(&schema));
    let mut shots = 0;
    for pair in &pairs {
        let cost = tokens::estimate(pair);
        if cost > remaining {
            break;
        }
        remaining -= cost;
        shots += 1;
    }
    let mut left_out = missing(inputs.schema, &whole, &places);
    left_out.shots = pairs.len() - shots;
    left_out.still_too_long = tokens::estimate(&schema) > room;
    let mut text = format!("{RULE}\n\n{schema}\n");
    // The most similar stands next to the question.
    for pair in pairs.iter().take(shots).rev() {
        text.push_str(pair);
    }
    text.push_str(&ask);
    (text, left_out)
}

type Places = BTreeMap<usize, BTreeSet<usize>>;

fn missing(schema: &Schema, whole: &Places, kept: &Places) -> LeftOut {
    let mut left_out = LeftOut::default();
    for (at, columns) in whole {
        let Some(table) = schema.tables.get(*at) else { continue };
        match kept.get(at) {
            None => left_out.tables.push(table.name.clone()),
            Some(own) if own.len() < columns.len() => {
                left_out.columns_of.push((table.name.clone(), columns.len() - own.len()));
            }
            Some(_) => {}
        }
    }
    left_out
}

fn schema_text(schema: &Schema, places: &Places, values: &ValueIndex, matched: &Matched) -> String {
    let mut text = "database schema :\n".to_owned();
    let (mut keys, mut contents) = (Vec::new(), Vec::new());
    let all = places.iter().filter_map(|(at, columns)| Some((*at, schema.tables.get(*at)?, columns)));
    for (at, table, columns) in all {
        let own = || columns.iter().filter_map(|place| Some((*place, table.columns.get(*place)?)));
        let lines: Vec<String> =
            own().map(|(place, column)| column_text(table, column, values.samples((at, place)))).collect();
        let _ = writeln!(text, "table {} , columns = [ {} ]", name(&table.name), lines.join(" , "));
        for (place, column) in own() {
            if let Some(found) = matched.get(&(at, place)) {
                contents.push(format!("{} ( {} )", full(table, &column.name), found.join(" , ")));
            }
        }
        for key in &table.foreign_keys {
            let other = places.keys().filter_map(|at| schema.tables.get(*at));
            if let Some(other) = other.into_iter().find(|other| other.name.eq_ignore_ascii_case(&key.table)) {
                keys.push(format!("{} = {}", full(table, &key.column), full(other, &key.referenced_column)));
            }
        }
    }
    for (head, lines) in [("foreign keys", keys), ("matched contents", contents)] {
        let _ = match lines.is_empty() {
            true => writeln!(text, "{head} : none"),
            false => writeln!(text, "{head} :\n{}", lines.join("\n")),
        };
    }
    text
}

/// One column: type, key, what it means, two of its values.
fn column_text(table: &Table, column: &Column, samples: &[String]) -> String {
    let mut parts = Vec::new();
    if !column.declared_type.is_empty() {
        parts.push(column.declared_type.to_lowercase());
    }
    if column.primary_key {
        parts.push("primary key".to_owned());
    }
    if let Some(note) = column.note.as_deref().map(str::trim).filter(|note| !note.is_empty()) {
        parts.push(format!("comment : {}", note.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    if !samples.is_empty() {
        parts.push(format!("values : {}", samples.join(" , ")));
    }
    format!("{} ( {} )", full(table, &column.name), parts.join(" | "))
}

fn full(table: &Table, column: &str) -> String {
    format!("{}.{}", name(&table.name), name(column))
}

/// A name, in back-ticks where SQL would not read it as one.
fn name(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && !crate::sql::tokens::is_keyword(text);
    if plain { text.to_owned() } else { format!("`{}`", text.replace('`', "``")) }
}

fn question(text: &str) -> String {
    format!("question : {}\nSQL :", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// One example, with an empty line after it.
fn pair(knowledge: &KnowledgeBase, entry: u32) -> String {
    let Some(query) = knowledge.entries.get(entry as usize) else { return String::new() };
    let summary = knowledge.summaries.get(entry as usize).map_or("", String::as_str);
    let asked = question(query.question.as_deref().unwrap_or(summary));
    format!("{asked} {}\n\n", query.sql.trim().trim_end_matches(';'))
}
