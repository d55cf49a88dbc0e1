//! What would mend a query: the names nearest to an unknown one.

use std::ops::Range;

use super::Fix;
use super::names::{Complaint, Tables, bare, last, parts};
use crate::sql::nearest::distance;
use crate::sql::{Schema, TokenKind, tokenize};

/// Fixes offered at most.
const MOST: usize = 3;

/// Words that a query is made of, to mend a mistyped one.
const WORDS: &[&str] = &[
    "SELECT",
    "DISTINCT",
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "JOIN",
    "LEFT",
    "INNER",
    "CROSS",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "BETWEEN",
    "EXISTS",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "WITH",
    "LIKE",
    "NULL",
    "DESC",
    "AND",
    "ASC",
];

/// Functions of SQLite that queries use.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "coalesce",
    "count",
    "date",
    "datetime",
    "dense_rank",
    "first_value",
    "group_concat",
    "ifnull",
    "iif",
    "instr",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "lower",
    "ltrim",
    "max",
    "min",
    "ntile",
    "nullif",
    "printf",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "strftime",
    "substr",
    "substring",
    "sum",
    "time",
    "total",
    "trim",
    "typeof",
    "unixepoch",
    "upper",
];

/// What would mend `complaint` about the bytes in `range`, best first.
pub(super) fn fixes(
    sql: &str,
    range: Range<usize>,
    complaint: &Complaint<'_>,
    tables: &Tables<'_>,
    schema: &Schema,
) -> Vec<Fix> {
    let put = |text: String| Fix { range: range.clone(), text };
    match *complaint {
        Complaint::Column(name) => {
            let wanted = last(name);
            let mut columns = Vec::new();
            for (_, table) in tables.meant(qualifier(name)) {
                columns.extend(table.columns.iter().map(|column| column.name.as_str()));
            }
            let mut found: Vec<Fix> =
                named_like(wanted, columns).into_iter().map(|name| put(identifier(name))).collect();
            // A string in double quotes is read as a name; as a string it would run.
            if sql.get(range.clone()).is_some_and(|text| text.starts_with('"')) {
                found.push(put(format!("'{}'", wanted.replace('\'', "''"))));
            }
            if found.is_empty()
                && let Some(unknown) = qualifier(name)
            {
                found = aliases(sql, &range, unknown, tables);
            }
            found
        }
        Complaint::Ambiguous(name) => {
            let has =
                |table: &crate::sql::Table| table.column(last(name)).map(|column| identifier(&column.name));
            let named = tables.0.iter().filter_map(|(alias, table)| Some((alias, has(table)?)));
            named.take(MOST).map(|(alias, column)| put(format!("{}.{column}", identifier(alias)))).collect()
        }
        Complaint::Table(name) => {
            let names = schema.tables.iter().map(|table| table.name.as_str()).collect();
            named_like(last(name), names).into_iter().map(|name| put(identifier(name))).collect()
        }
        Complaint::Function(name) => {
            nearest(name, FUNCTIONS.to_vec()).into_iter().map(|name| put(name.to_uppercase())).collect()
        }
        Complaint::Syntax(_) | Complaint::Incomplete => mistyped(sql, &range, schema),
        Complaint::Other => Vec::new(),
    }
}

/// Where else an unknown column is.
pub(super) fn note(complaint: &Complaint<'_>, tables: &Tables<'_>, schema: &Schema) -> String {
    let Complaint::Column(name) = *complaint else { return String::new() };
    let wanted = last(name);
    let here =
        |name: &str| tables.meant(qualifier(name)).iter().any(|(_, t)| t.name.eq_ignore_ascii_case(name));
    let having = schema.tables.iter().filter(|table| table.column(wanted).is_some() && !here(&table.name));
    let names: Vec<&str> = having.map(|table| table.name.as_str()).take(MOST).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("The table {one} has a column of this name."),
        [rest @ .., last] => format!("The tables {} and {last} have a column of this name.", rest.join(", ")),
    }
}

/// What stands before the point of a dotted name.
fn qualifier(name: &str) -> Option<&str> {
    parts(name).0.map(last)
}

/// The names that the one before the point may have meant.
fn aliases(sql: &str, range: &Range<usize>, unknown: &str, tables: &Tables<'_>) -> Vec<Fix> {
    let tokens = tokenize(sql);
    let is_it = |text: &str| bare(text).eq_ignore_ascii_case(unknown);
    let before = tokens.iter().rev().filter(|token| token.end <= range.end);
    let Some(token) = before.take(4).find(|t| sql.get(t.start..t.end).is_some_and(is_it)) else {
        return Vec::new();
    };
    let names = tables.0.iter().map(|(alias, _)| alias.as_str()).collect();
    let put = |name: &str| Fix { range: token.start..token.end, text: identifier(name) };
    named_like(unknown, names).into_iter().map(put).collect()
}

/// A word of the language that was mistyped: SQLite stumbles over it, or over what follows, having read it as a name.
fn mistyped(sql: &str, range: &Range<usize>, schema: &Schema) -> Vec<Fix> {
    let tokens = tokenize(sql);
    let word = |kind| matches!(kind, TokenKind::Identifier | TokenKind::Function | TokenKind::Keyword);
    let until = tokens.iter().rev().filter(|token| token.start <= range.start && word(token.kind));
    let known = |text: &str| {
        let same = |name: &str| name.eq_ignore_ascii_case(text);
        schema.tables.iter().any(|table| same(&table.name) || table.column(text).is_some())
    };
    for token in until.take(2) {
        let text = sql.get(token.start..token.end).unwrap_or_default();
        // Two letters are an alias more often than a slip.
        if token.kind != TokenKind::Keyword && text.len() > 2 && !known(text) {
            let near = nearest(text, WORDS.to_vec());
            if !near.is_empty() {
                let put = |word: &str| Fix { range: token.start..token.end, text: word.to_owned() };
                return near.into_iter().map(put).collect();
            }
        }
    }
    Vec::new()
}

/// The words at most a slip or two away, best first.
fn nearest<'n>(wanted: &str, words: Vec<&'n str>) -> Vec<&'n str> {
    best(wanted, words, |_| false)
}

/// The names that were meant: a slip or two away, or one the beginning of the other.
fn named_like<'n>(wanted: &str, names: Vec<&'n str>) -> Vec<&'n str> {
    let wanted_lower = wanted.to_lowercase();
    best(wanted, names, |name| {
        let name = name.to_lowercase();
        let begins = name.starts_with(&wanted_lower) || wanted_lower.starts_with(&name);
        begins && name.len().min(wanted_lower.len()) > 2
    })
}

fn best<'n>(wanted: &str, names: Vec<&'n str>, also: impl Fn(&str) -> bool) -> Vec<&'n str> {
    let most = (wanted.chars().count() / 3).max(1);
    let measured = names.into_iter().map(|name| (distance(wanted, name), name));
    let mut near: Vec<(usize, &str)> =
        measured.filter(|(far, name)| *far > 0 && (*far <= most || also(name))).collect();
    near.sort();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// A name as it may stand in a query.
fn identifier(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let one = tokenize(name);
    if plain && one.first().is_some_and(|token| token.kind == TokenKind::Identifier) {
        name.to_owned()
    } else {
        crate::db::quote_ident(name)
    }
}
