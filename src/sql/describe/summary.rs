//! A whole query in one sentence.

use super::{capitalised, phrase};
use crate::sql::Schema;
use crate::sql::components::{Component, ComponentType};

/// Pieces of one type named at most.
const NAMED: usize = 5;

/// One sentence for a whole query, made from its components: what is computed, of what, under which
/// conditions, by what, in which order. Pieces inside other pieces are left out.
pub fn summarize(components: &[Component], schema: &Schema) -> String {
    let outermost: Vec<&Component> = components.iter().filter(|c| !is_inside(c, components)).collect();
    let of = |kind: ComponentType| -> Vec<String> {
        let mut phrases: Vec<String> = Vec::new();
        for component in outermost.iter().filter(|c| c.kind == kind) {
            let words = phrase(component, schema);
            if !phrases.contains(&words) && phrases.len() < NAMED {
                phrases.push(words);
            }
        }
        phrases
    };
    let mut tables: Vec<String> = Vec::new();
    for table in components.iter().flat_map(|c| &c.tables) {
        let rows = super::names::Words::new(schema).rows(table);
        if !tables.contains(&rows) && tables.len() < NAMED {
            tables.push(rows);
        }
    }
    let mut sentence = of(ComponentType::Calculation).join(", ");
    let outputs = of(ComponentType::Output);
    if sentence.is_empty() {
        sentence = outputs.iter().find(|o| o.starts_with("distinct")).cloned().unwrap_or_default();
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
