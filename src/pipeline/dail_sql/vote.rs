//! Which of several queries say the same.

use crate::db::{ResultSet, Value};
use crate::pipeline::staged::same;
use crate::sql::{TokenKind, tokenize};

/// Groups of equal results by their places, the largest first, of equals the one that began first; a result that is
/// missing is in none.
pub(super) fn groups(
    results: &[Option<ResultSet>],
    alike: impl Fn(&ResultSet, &ResultSet) -> bool,
) -> Vec<Vec<usize>> {
    let there = results.iter().enumerate().filter_map(|(at, result)| Some((at, result.as_ref()?)));
    let (places, there): (Vec<usize>, Vec<&ResultSet>) = there.unzip();
    let mut groups = same::groups(there, alike);
    for at in groups.iter_mut().flatten() {
        *at = places.get(*at).copied().unwrap_or_default();
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// Whether two results hold the same rows, whatever the order of rows and columns, each row as often (`result_eq` of
/// Spider's evaluation, which the source calls). Columns are paired by the values they hold; two columns of one result
/// that hold the same values in different rows are paired in their order.
pub(super) fn same_rows(a: &ResultSet, b: &ResultSet) -> bool {
    a.rows.len() == b.rows.len() && (a.rows.is_empty() || (a.more == b.more && bag(a) == bag(b)))
}

/// The rows in an order of rows and columns that depends on what they hold only.
fn bag(result: &ResultSet) -> Vec<Vec<String>> {
    let width = result.rows.first().map_or(0, Vec::len);
    let mut columns: Vec<(Vec<String>, usize)> = (0..width)
        .map(|at| {
            let mut held: Vec<String> = result.rows.iter().filter_map(|row| row.get(at)).map(cell).collect();
            held.sort();
            (held, at)
        })
        .collect();
    columns.sort();
    let turned = |row: &Vec<Value>| columns.iter().filter_map(|(_, at)| row.get(*at)).map(cell).collect();
    let mut rows: Vec<Vec<String>> = result.rows.iter().map(turned).collect();
    rows.sort();
    rows
}

/// A value as Python compares it: 1 is 1.0, '1' is neither.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => format!("n{number}"),
        Value::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("n{number:.0}"),
        Value::Real(number) => format!("n{number}"),
        Value::Text(text) => format!("t{text}"),
        Value::InvalidText(bytes) => format!("i{bytes:?}"),
        Value::Blob(bytes) => format!("b{bytes:?}"),
    }
}

/// The SQL without its DISTINCT; None where it has none. That of `IS DISTINCT FROM` stays.
pub(super) fn without_distinct(sql: &str) -> Option<String> {
    let mut plain = String::with_capacity(sql.len());
    let (mut found, mut before) = (false, "");
    for token in tokenize(sql) {
        let text = sql.get(token.start..token.end).unwrap_or_default();
        let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
        if token.kind == TokenKind::Keyword && is(text, "DISTINCT") && !is(before, "IS") && !is(before, "NOT")
        {
            found = true;
            continue;
        }
        if token.kind != TokenKind::Space && token.kind != TokenKind::Comment {
            before = text;
        }
        plain.push_str(text);
    }
    found.then_some(plain)
}
