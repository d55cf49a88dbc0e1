//! Which results are the same, for pipelines that let their candidates vote.

use std::collections::HashMap;

use crate::db::cell::{Cell, same_set};
use crate::db::{ResultSet, Value};
use crate::sql::{TokenKind, tokenize};

/// Whether two results are the same set of rows, as BIRD compares them; a result that a limit cut equals only one that
/// the limit cut too.
pub fn same_rows(a: &ResultSet, b: &ResultSet) -> bool {
    a.more == b.more && same_set(&a.rows, &b.rows)
}

/// Whether two results are the same set of rows where numbers need not be exact: equal after rounding to eight decimals,
/// and relatively closer than 1e-9 (GenaSQL's comparison of executions).
pub fn nearly_same_rows(a: &ResultSet, b: &ResultSet) -> bool {
    a.more == b.more && within(&a.rows, &b.rows) && within(&b.rows, &a.rows)
}

/// Whether every row of one result is in the other.
fn within(rows: &[Vec<Value>], others: &[Vec<Value>]) -> bool {
    let mut known: HashMap<Vec<String>, Vec<&[Value]>> = HashMap::new();
    for other in others {
        known.entry(key(other)).or_default().push(other);
    }
    rows.iter()
        .all(|row| known.get(&key(row)).is_some_and(|alike| alike.iter().any(|other| near(row, other))))
}

/// A row with its numbers rounded.
fn key(row: &[Value]) -> Vec<String> {
    row.iter()
        .map(|value| match Cell::new(value) {
            Cell::Real(number) => format!("n{number:.8}"),
            Cell::Integer(number) => format!("n{number}.00000000"),
            other => format!("{other:?}"),
        })
        .collect()
}

fn near(a: &[Value], b: &[Value]) -> bool {
    let number = |value: &Value| match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        _ => None,
    };
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (number(a), number(b)) {
            (Some(x), Some(y)) => x == y || (x - y).abs() <= 1e-9 * x.abs().max(y.abs()),
            _ => Cell::new(a) == Cell::new(b),
        })
}

/// Puts results that are the same into groups; each group has the places of its members, in their order.
pub fn groups<'r>(
    results: impl IntoIterator<Item = &'r ResultSet>,
    same: impl Fn(&ResultSet, &ResultSet) -> bool,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&ResultSet, Vec<usize>)> = Vec::new();
    for (place, result) in results.into_iter().enumerate() {
        match groups.iter_mut().find(|(first, _)| same(first, result)) {
            Some((_, places)) => places.push(place),
            None => groups.push((result, vec![place])),
        }
    }
    groups.into_iter().map(|(_, places)| places).collect()
}

/// A query as one line of tokens without comments, so that equal queries are recognised however they are laid out.
pub fn one_line(sql: &str) -> String {
    let tokens = tokenize(sql.trim().trim_end_matches(';'));
    let kept = tokens.iter().filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment));
    kept.filter_map(|token| sql.trim().get(token.start..token.end)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(rows: &[&[Value]]) -> ResultSet {
        ResultSet { rows: rows.iter().map(|row| row.to_vec()).collect(), ..ResultSet::default() }
    }

    #[test]
    fn equal_queries_are_one_line() {
        assert_eq!(one_line(" SELECT a -- x\n FROM t;"), one_line("SELECT a FROM t"));
        assert_ne!(one_line("SELECT 'a  b'"), one_line("SELECT 'a b'"));
    }

    #[test]
    fn sets_of_rows_are_compared() {
        use Value::{Integer, Null, Real, Text};
        let a = result(&[&[Integer(1), Text("x".into())], &[Null, Null]]);
        let b = result(&[&[Null, Null], &[Real(1.0), Text("x".into())], &[Null, Null]]);
        assert!(same_rows(&a, &b) && nearly_same_rows(&a, &b));
        let cut = ResultSet { more: true, ..a.clone() };
        assert!(!same_rows(&a, &cut) && same_rows(&cut, &cut) && !nearly_same_rows(&cut, &a));
        let (x, y) = (result(&[&[Real(0.1 + 0.2)]]), result(&[&[Real(0.3)]]));
        assert!(!same_rows(&x, &y) && nearly_same_rows(&x, &y));
        // As close as this is not close enough for a small number, nor is a text a number.
        assert!(!nearly_same_rows(&result(&[&[Real(1e-10)]]), &result(&[&[Real(2e-10)]])));
        assert!(!nearly_same_rows(&result(&[&[Text("1".into())]]), &result(&[&[Integer(1)]])));
        assert!(!nearly_same_rows(&result(&[&[Integer(1)]]), &result(&[&[Integer(1), Integer(1)]])));
        assert_eq!(groups([&x, &a, &y, &b], nearly_same_rows), [vec![0, 2], vec![1, 3]]);
        assert_eq!(groups([&x, &a, &y, &b], same_rows), [vec![0], vec![1, 3], vec![2]]);
    }
}
