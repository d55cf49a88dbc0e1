//! Words for components, made by rules: what a person would ask for, not how SQL says it.
//!
//! The texts are embedded and compared with phrases of questions, so they name columns by their words,
//! literals by their values, and leave SQL's own vocabulary out.

mod clause;
mod formula;
mod names;
mod predicate;
mod summary;

use serde::{Deserialize, Serialize};
use sqlparser::ast::{Query, SetExpr};

use self::names::Words;
use super::components::{Component, ComponentType};
use super::lexer::{Lexeme, Lexer};
use super::tokens::is_keyword;
use super::{Schema, parse_query};

pub(crate) use names::split_name;
pub use summary::summarize;

/// A component in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// A few words, for lists ("Average height by publisher").
    pub title: String,
    /// One sentence.
    pub sentence: String,
}

/// Longest title, in characters.
const TITLE_LENGTH: usize = 90;

/// Describes a component; the literals of this occurrence are named.
pub fn describe(component: &Component, schema: &Schema) -> Description {
    let phrase = phrase(component, schema);
    let called = component.alias.as_deref().and_then(names::alias_words);
    let sentence = match component.kind {
        ComponentType::Calculation => match &called {
            Some(name) => format!("{name}: {phrase}."),
            None => format!("{phrase}."),
        },
        ComponentType::Condition => format!("Only where {phrase}."),
        ComponentType::Relation => format!("Links {phrase}."),
        ComponentType::Dimension => format!("One result {phrase}."),
        ComponentType::Output if phrase.starts_with("distinct") => format!("Each only once: {phrase}."),
        ComponentType::Output => format!("Sorted and cut: {phrase}."),
    };
    let title = called.as_deref().unwrap_or(&phrase);
    Description { title: shortened(&capitalised(title)), sentence: capitalised(&sentence) }
}

/// Pieces with more operators are named by their columns: nobody asks in such words, and speaking
/// follows the operators one inside the other, which takes stack.
const MAX_OPERATORS: usize = 100;

/// Operators and keywords in a piece.
fn operators(piece: &str) -> usize {
    Lexer::new(piece)
        .filter(|&(kind, start, end)| {
            let text = piece.get(start..end).unwrap_or_default();
            match kind {
                Lexeme::Mark => !matches!(text, "(" | ")" | "," | "."),
                Lexeme::Word => is_keyword(text),
                _ => false,
            }
        })
        .count()
}

/// A component as a phrase without a capital or a full stop.
pub(super) fn phrase(component: &Component, schema: &Schema) -> String {
    let words = Words::new(schema);
    let piece = filled(&component.skeleton, &component.literals);
    let spoken = match component.kind {
        _ if operators(&piece) > MAX_OPERATORS => None,
        ComponentType::Calculation => {
            parsed(&format!("SELECT {piece}")).and_then(|q| with_expression(&q, |e| words.formula(e)))
        }
        ComponentType::Condition => parsed(&format!("SELECT {piece}"))
            .and_then(|q| with_expression(&q, |e| words.predicate(e, false))),
        ComponentType::Relation => {
            parsed(&format!("SELECT * {piece}")).and_then(|q| words.relation(&q, &component.tables))
        }
        ComponentType::Dimension => {
            let keys = piece.strip_prefix("GROUP BY ").or_else(|| piece.strip_prefix("PARTITION BY "));
            parsed(&format!("SELECT {}", keys.unwrap_or(&piece))).and_then(|q| words.dimension(&q))
        }
        ComponentType::Output if piece.starts_with("SELECT") => {
            parsed(&piece).and_then(|q| words.distinct(&q))
        }
        ComponentType::Output => parsed(&format!("SELECT 1 {piece}")).and_then(|q| words.output(&q)),
    };
    // What cannot be read again is named by the columns it uses.
    spoken.unwrap_or_else(|| {
        let columns: Vec<String> =
            component.columns.iter().map(|(table, column)| words.column(table, column)).collect();
        if columns.is_empty() { component.skeleton.clone() } else { columns.join(", ") }
    })
}

/// A skeleton with its literals put back in.
fn filled(skeleton: &str, literals: &[String]) -> String {
    let mut out = String::with_capacity(skeleton.len());
    let mut literals = literals.iter();
    let mut rest = skeleton;
    while let Some(at) = rest.find("<val>") {
        let (before, after) = rest.split_at(at);
        let after = after.get("<val>".len()..).unwrap_or_default();
        let (before, after) = match (before.strip_suffix('\''), after.strip_prefix('\'')) {
            (Some(before), Some(after)) => (before, after),
            _ => (before, after),
        };
        out.push_str(before);
        out.push_str(literals.next().map_or("NULL", String::as_str));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn parsed(sql: &str) -> Option<Query> {
    parse_query(sql).ok()
}

fn with_expression(query: &Query, speak: impl Fn(&sqlparser::ast::Expr) -> String) -> Option<String> {
    let SetExpr::Select(select) = &*query.body else { return None };
    match select.projection.as_slice() {
        [sqlparser::ast::SelectItem::UnnamedExpr(expr)] => Some(speak(expr)),
        _ => None,
    }
}

/// The first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// At most [`TITLE_LENGTH`] characters, cut between words.
fn shortened(text: &str) -> String {
    if text.chars().count() <= TITLE_LENGTH {
        return text.to_owned();
    }
    let head: String = text.chars().take(TITLE_LENGTH).collect();
    let cut = head.rfind(' ').unwrap_or(head.len());
    format!("{}…", head.get(..cut).unwrap_or(&head).trim_end_matches([',', ' ']))
}

#[cfg(test)]
mod tests;
