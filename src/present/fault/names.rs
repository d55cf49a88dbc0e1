//! What SQLite complains about, and which tables a query names.

use crate::sql::{Schema, Table, Token, TokenKind, tokenize};

/// What a message of SQLite is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Complaint<'m> {
    /// An unknown column.
    Column(&'m str),
    /// A column that several tables have.
    Ambiguous(&'m str),
    /// An unknown table.
    Table(&'m str),
    /// An unknown function.
    Function(&'m str),
    /// A token where none of its kind may stand.
    Syntax(&'m str),
    /// The text ends too early.
    Incomplete,
    /// Anything else.
    Other,
}

impl<'m> Complaint<'m> {
    /// Reads the message.
    pub fn read(message: &'m str) -> Self {
        let message = message.trim();
        // "no such column: "x" - should this be a string literal in single-quotes?"
        let name = |rest: &'m str| rest.split(" - ").next().unwrap_or(rest).trim();
        let after = |start: &str| message.strip_prefix(start).map(name);
        let near = || message.strip_prefix("near \"")?.rsplit_once("\": ").map(|(token, _)| token);
        None.or_else(|| after("no such column:").map(Self::Column))
            .or_else(|| after("ambiguous column name:").map(Self::Ambiguous))
            .or_else(|| after("no such table:").map(Self::Table))
            .or_else(|| after("no such function:").map(Self::Function))
            .or_else(|| near().map(Self::Syntax))
            .or_else(|| message.starts_with("incomplete input").then_some(Self::Incomplete))
            .unwrap_or(Self::Other)
    }

    /// The name or token it is about.
    pub fn name(&self) -> Option<&'m str> {
        match self {
            Self::Column(name) | Self::Ambiguous(name) | Self::Table(name) | Self::Function(name) => {
                Some(name)
            }
            Self::Syntax(token) => Some(token),
            Self::Incomplete | Self::Other => None,
        }
    }
}

/// The parts of a dotted name: what stands before the last point, and the last part without quotes. A point in quotes is
/// part of the name.
pub(super) fn parts(name: &str) -> (Option<&str>, &str) {
    let quoted = name.len() > 1 && name.starts_with('"') && name.ends_with('"');
    match name.rsplit_once('.').filter(|(_, last)| !quoted && !last.is_empty()) {
        Some((before, last)) => (Some(before), bare(last)),
        None => (None, bare(name)),
    }
}

/// The last part of a dotted name, without quotes.
pub(super) fn last(name: &str) -> &str {
    parts(name).1
}

/// A name without its quotes.
pub(super) fn bare(name: &str) -> &str {
    let inner = name.trim_matches(['"', '`', '[', ']', '\'']);
    if inner.is_empty() { name } else { inner }
}

/// Whether a token is this name, in any case and quoted or not.
pub(super) fn is(token: Option<&str>, name: &str) -> bool {
    token.is_some_and(|token| bare(token).eq_ignore_ascii_case(bare(name)))
}

/// Whether the token that starts at `start` is named as a table.
pub(super) fn after_from(sql: &str, tokens: &[Token], start: usize) -> bool {
    let before = tokens.iter().rfind(|t| t.end <= start && !is_blank(t));
    before.is_some_and(|t| {
        let word = sql.get(t.start..t.end).unwrap_or_default();
        ["FROM", "JOIN", ",", "."].iter().any(|w| w.eq_ignore_ascii_case(word))
    })
}

fn is_blank(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Space | TokenKind::Comment)
}

/// The tables that a query names after FROM and JOIN, each with the name that stands for it. Read off the tokens: the
/// query need not parse.
#[derive(Debug)]
pub(super) struct Tables<'s>(pub Vec<(String, &'s Table)>);

impl<'s> Tables<'s> {
    /// Of this query.
    pub fn of(sql: &str, schema: &'s Schema) -> Self {
        let all = tokenize(sql);
        let tokens: Vec<&Token> = all.iter().filter(|token| !is_blank(token)).collect();
        let text = |i: usize| tokens.get(i).and_then(|t| sql.get(t.start..t.end));
        let mut found = Vec::new();
        for (i, token) in tokens.iter().enumerate() {
            let Some(name) = text(i).map(bare) else { continue };
            let table = schema.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name));
            let Some(table) = table.filter(|_| after_from(sql, &all, token.start)) else { continue };
            let next = if is(text(i + 1), "AS") { i + 2 } else { i + 1 };
            let alias = tokens.get(next).filter(|t| t.kind == TokenKind::Identifier).and_then(|_| text(next));
            found.push((alias.map_or(name, bare).to_owned(), table));
        }
        Self(found)
    }

    /// Those that a qualifier stands for; all where there is none.
    pub fn meant(&self, qualifier: Option<&str>) -> Vec<&(String, &'s Table)> {
        let fits = |name: &str| qualifier.is_none_or(|q| q.eq_ignore_ascii_case(name));
        self.0.iter().filter(|(alias, table)| fits(alias) || fits(&table.name)).collect()
    }
}
