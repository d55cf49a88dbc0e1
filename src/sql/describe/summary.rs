//! A whole query in one sentence.

use super::{capitalised, phrase};
use crate::sql::Schema;
use crate::sql::components::{Component, ComponentType};

/// Pieces of one type named at most.
const NAMED: usize = 5;

/// One sentence for a whole query, made from its components: what is computed, of what, under which
/// conditions, by what, in which order. Pieces inside other pieces are left out.
pub fn summarize(components: &[Component], schema: &Schema) -> String {
    let phrases: Vec<String> = components.iter().map(|c| phrase(c, schema)).collect();
    summarize_as(components, &phrases, schema)
}

/// Summarises components whose phrases are known, `phrases` one for each.
pub(crate) fn summarize_as(components: &[Component], phrases: &[String], schema: &Schema) -> String {
    let outermost: Vec<(&Component, &String)> =
        components.iter().zip(phrases).filter(|(c, _)| !is_inside(c, components)).collect();
    let of = |kind: ComponentType| -> Vec<&str> {
        let mut named: Vec<&str> = Vec::new();
        for (_, phrase) in outermost.iter().filter(|(c, _)| c.kind == kind) {
            if !named.contains(&phrase.as_str()) && named.len() < NAMED {
                named.push(phrase);
            }
        }
        named
    };
    let words = super::names::Words::new(schema);
    let mut tables: Vec<String> = Vec::new();
    let mut last = None;
    for table in components.iter().flat_map(|c| &c.tables) {
        // Most components read the table of the one before.
        if tables.len() < NAMED && last.replace(table) != Some(table) {
            let rows = words.rows(table);
            if !tables.contains(&rows) {
                tables.push(rows);
            }
        }
    }
    let mut sentence = of(ComponentType::Calculation).join(", ");
    let outputs = of(ComponentType::Output);
    if sentence.is_empty() {
        sentence =
            outputs.iter().find(|o| o.starts_with("distinct")).map_or_else(String::new, |o| (*o).to_owned());
    }
    if !tables.is_empty() {
        let named = tables.join(" and ");
        sentence = match sentence.is_empty() {
            true => named,
            false if sentence.contains(&named) => sentence,
            false => format!("{sentence} of {named}"),
        };
    }
    let conditions = of(ComponentType::Condition);
    if !conditions.is_empty() {
        sentence.push_str(if sentence.is_empty() { "where " } else { " where " });
        sentence.push_str(&conditions.join(" and "));
    }
    for piece in
        of(ComponentType::Dimension).iter().chain(outputs.iter().filter(|o| !o.starts_with("distinct")))
    {
        sentence.push_str(", ");
        sentence.push_str(piece);
    }
    if sentence.is_empty() {
        return "A query without a table.".into();
    }
    format!("{}.", capitalised(sentence.trim_start_matches(", ")))
}

fn is_inside(component: &Component, all: &[Component]) -> bool {
    let Some(range) = &component.range else { return false };
    all.iter()
        .filter_map(|other| other.range.as_ref())
        .any(|other| other != range && other.start <= range.start && range.end <= other.end)
}
