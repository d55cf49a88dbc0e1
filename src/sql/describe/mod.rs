//! Words for components, made by rules: what a person would ask for, not how SQL says it.
//!
//! The texts are embedded and compared with phrases of questions, so they name columns by their words,
//! literals by their values, and leave SQL's own vocabulary out.

mod clause;
mod formula;
mod names;
mod predicate;
mod summary;
mod template;

use serde::{Deserialize, Serialize};
use sqlparser::ast::{Expr, Query, SelectItem, SetExpr};

use self::names::Words;
use super::components::{Component, ComponentType};
use super::lexer::{Lexeme, Lexer};
use super::tokens::is_keyword;
use super::{Schema, parse_query};

pub(crate) use names::split_name;
pub use summary::summarize;
pub(crate) use summary::summarize_as;
pub(crate) use template::Phrases;

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
    describe_as(component, &phrase(component, schema))
}

/// Describes a component whose phrase is known.
pub(crate) fn describe_as(component: &Component, phrase: &str) -> Description {
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
    let title = called.as_deref().unwrap_or(phrase);
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
fn phrase(component: &Component, schema: &Schema) -> String {
    let mut literals = component.literals.iter();
    let piece = filled(&component.skeleton, |_| literals.next().map_or("NULL", String::as_str));
    let read = (operators(&piece) <= MAX_OPERATORS).then(|| read(component.kind, &piece)).flatten();
    phrase_of(component, read.as_ref(), schema)
}

/// The phrase of a component that was read again; None where that failed.
fn phrase_of(component: &Component, piece: Option<&Piece>, schema: &Schema) -> String {
    let words = Words::new(schema);
    let spoken = piece.and_then(|piece| match (component.kind, piece) {
        (ComponentType::Condition, Piece::Expression(expr)) => Some(words.predicate(expr, false)),
        (_, Piece::Expression(expr)) => Some(words.formula(expr)),
        (ComponentType::Relation, Piece::Clause(query)) => words.relation(query, &component.tables),
        (ComponentType::Dimension, Piece::Clause(query)) => words.dimension(query),
        (_, Piece::Clause(query)) if component.skeleton.starts_with("SELECT") => words.distinct(query),
        (_, Piece::Clause(query)) => words.output(query),
    });
    // What cannot be read again is named by the columns it uses.
    spoken.unwrap_or_else(|| {
        let columns: Vec<String> =
            component.columns.iter().map(|(table, column)| words.column(table, column)).collect();
        if columns.is_empty() { component.skeleton.clone() } else { columns.join(", ") }
    })
}

/// A component read again by itself.
#[derive(Debug, Clone)]
enum Piece {
    /// A calculation or a condition.
    Expression(Box<Expr>),
    /// The query that holds nothing but this clause.
    Clause(Box<Query>),
}

/// Reads the text of a component.
fn read(kind: ComponentType, piece: &str) -> Option<Piece> {
    let sql = match kind {
        ComponentType::Calculation | ComponentType::Condition => format!("SELECT {piece}"),
        ComponentType::Relation => format!("SELECT * {piece}"),
        ComponentType::Dimension => {
            let keys = piece.strip_prefix("GROUP BY ").or_else(|| piece.strip_prefix("PARTITION BY "));
            format!("SELECT {}", keys.unwrap_or(piece))
        }
        ComponentType::Output if piece.starts_with("SELECT") => piece.to_owned(),
        ComponentType::Output => format!("SELECT 1 {piece}"),
    };
    let query = parse_query(&sql).ok()?;
    if !matches!(kind, ComponentType::Calculation | ComponentType::Condition) {
        return Some(Piece::Clause(Box::new(query)));
    }
    let SetExpr::Select(mut select) = *query.body else { return None };
    match (select.projection.pop(), select.projection.is_empty()) {
        (Some(SelectItem::UnnamedExpr(expr)), true) => Some(Piece::Expression(Box::new(expr))),
        _ => None,
    }
}

/// A skeleton with its holes filled; `fill` is told whether a hole stands in quotes, which it replaces.
fn filled<T: AsRef<str>>(skeleton: &str, mut fill: impl FnMut(bool) -> T) -> String {
    let mut out = String::with_capacity(skeleton.len());
    let mut rest = skeleton;
    while let Some(at) = rest.find("<val>") {
        let (before, after) = rest.split_at(at);
        let after = after.get("<val>".len()..).unwrap_or_default();
        let (before, after, quoted) = match (before.strip_suffix('\''), after.strip_prefix('\'')) {
            (Some(before), Some(after)) => (before, after, true),
            _ => (before, after, false),
        };
        out.push_str(before);
        let literal = fill(quoted);
        // Two signs in a row would begin a comment.
        if out.ends_with('-') && literal.as_ref().starts_with('-') {
            out.push(' ');
        }
        out.push_str(literal.as_ref());
        rest = after;
    }
    out.push_str(rest);
    out
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
