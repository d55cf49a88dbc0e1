//! Variables of T-SQL scripts.

use std::collections::HashMap;

use super::placeholders::{fill_placeholders, has_placeholders};
use crate::sql::lexer::{Lexeme, Lexer, is_word_byte};

/// A variable of a script with the literal it was given.
pub type Variable = (String, String);

/// The variables of a script as they stand at one place in it, by their names in lower case.
#[derive(Debug, Default)]
pub(crate) struct Variables(HashMap<String, Variable>);

impl Variables {
    /// Takes in what a DECLARE or SET of T-SQL says of variables: those given a literal are known from here on, those
    /// given anything else are not. False when the statement is something else.
    pub(crate) fn declare(&mut self, statement: &str) -> bool {
        if !has_placeholders(statement) && !first_word(statement).is_some_and(declares) {
            return false;
        }
        let (filled, _) = fill_placeholders(statement);
        let pieces: Vec<(Lexeme, &str)> = Lexer::new(&filled)
            .filter(|(kind, ..)| !matches!(kind, Lexeme::Space | Lexeme::Comment))
            .filter_map(|(kind, start, end)| Some((kind, filled.get(start..end)?)))
            .collect();
        let word = pieces.first().map_or("", |(_, text)| *text);
        if !declares(word) || !pieces.get(1).is_some_and(|(_, text)| is_variable(text)) {
            return false;
        }
        let mut depth = 0_usize;
        let mut starts = Vec::new();
        for (at, (_, text)) in pieces.iter().enumerate() {
            match *text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                // A variable's own clause starts behind the first word or a comma.
                text if depth == 0
                    && is_variable(text)
                    && (at == 1 || pieces.get(at - 1).is_some_and(|p| p.1 == ",")) =>
                {
                    starts.push(at);
                }
                _ => {}
            }
        }
        for (i, &at) in starts.iter().enumerate() {
            let end = starts.get(i + 1).map_or(pieces.len(), |next| next - 1);
            let own = pieces.get(at..end).unwrap_or_default();
            let Some((_, name)) = own.first() else { continue };
            let equals = own.iter().position(|(_, text)| *text == "=");
            let value = equals.and_then(|equals| literal(own.get(equals + 1..).unwrap_or_default()));
            match value {
                Some(value) => self.0.insert(name.to_ascii_lowercase(), ((*name).to_owned(), value)),
                None => self.0.remove(&name.to_ascii_lowercase()),
            };
        }
        true
    }

    /// Those that a query names. A script may have as many variables as queries: each keeps only its own.
    pub(crate) fn named_in(&self, sql: &str) -> Vec<Variable> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let (filled, _) = fill_placeholders(sql);
        let mut found: Vec<Variable> = Vec::new();
        for (_, start, end) in Lexer::new(&filled).filter(|(kind, ..)| *kind == Lexeme::Parameter) {
            let name = filled.get(start..end).unwrap_or_default();
            if let Some(variable) = self.0.get(&name.to_ascii_lowercase())
                && !found.contains(variable)
            {
                found.push(variable.clone());
            }
        }
        found
    }
}

fn first_word(statement: &str) -> Option<&str> {
    let (_, start, end) =
        Lexer::new(statement).find(|(kind, ..)| !matches!(kind, Lexeme::Space | Lexeme::Comment))?;
    statement.get(start..end)
}

fn declares(word: &str) -> bool {
    ["DECLARE", "SET"].iter().any(|w| w.eq_ignore_ascii_case(word))
}

fn is_variable(text: &str) -> bool {
    text.strip_prefix('@').is_some_and(|name| name.bytes().next().is_some_and(is_word_byte))
}

/// A literal that stands alone.
fn literal(pieces: &[(Lexeme, &str)]) -> Option<String> {
    match pieces {
        [(Lexeme::Number | Lexeme::Text, text)] => Some((*text).to_owned()),
        [(Lexeme::Mark, "-"), (Lexeme::Number, text)] => Some(format!("-{text}")),
        [(Lexeme::Word, "N" | "n"), (Lexeme::Text, text)] => Some((*text).to_owned()),
        _ => None,
    }
}
