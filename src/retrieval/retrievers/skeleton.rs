//! SQL skeletons as DAIL-SQL compares them (Gao et al. 2024; the rules of its published `sql2skeleton`).

use std::collections::HashMap;

use crate::sql::tokens::{TokenKind, tokenize};

/// The tokens of a query with names and literals as `_`, without aliases and join conditions, and with the pieces that
/// many queries share pulled together.
pub fn skeleton(sql: &str) -> Vec<String> {
    let mut tokens = masked(sql);
    explicit_order(&mut tokens);
    while RULES.iter().any(|(from, to)| replace(&mut tokens, from, to)) {}
    tokens
}

/// Shorter forms, tried until none applies. Conditions of joins go, joins and lists become one name, comparisons one
/// condition, conditions joined by AND and OR one.
const RULES: [(&[&str], &[&str]); 15] = [
    (&["_", "as", "_"], &["_"]),
    (&["on", "_", "=", "_"], &[]),
    (&["inner", "join"], &["join"]),
    (&["left", "join"], &["join"]),
    (&["_", "join", "_"], &["_"]),
    (&["_", ",", "_"], &["_"]),
    (&["_", "_"], &["_"]),
    (&["_", "=", "_"], &["_"]),
    (&["_", "!=", "_"], &["_"]),
    (&["_", ">", "_"], &["_"]),
    (&["_", ">=", "_"], &["_"]),
    (&["_", "<", "_"], &["_"]),
    (&["_", "<=", "_"], &["_"]),
    (&["where", "_", "and", "_"], &["where", "_"]),
    (&["where", "_", "or", "_"], &["where", "_"]),
];

/// Replaces the first occurrence; false when there is none.
fn replace(tokens: &mut Vec<String>, from: &[&str], to: &[&str]) -> bool {
    let found = tokens.windows(from.len()).position(|window| window.iter().zip(from).all(|(a, b)| a == b));
    if let Some(at) = found {
        tokens.splice(at..at + from.len(), to.iter().map(|&token| token.to_owned()));
    }
    found.is_some()
}

fn masked(sql: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for token in tokenize(sql) {
        let text = sql.get(token.start..token.end).unwrap_or_default();
        let one = match token.kind {
            TokenKind::Space | TokenKind::Comment => continue,
            TokenKind::Keyword | TokenKind::Function => text.to_lowercase(),
            TokenKind::Identifier | TokenKind::String | TokenKind::Number => "_".to_owned(),
            TokenKind::Operator if text == ";" => continue,
            TokenKind::Operator if text == "<>" => "!=".to_owned(),
            TokenKind::Operator => text.to_owned(),
        };
        // `t.c` is one name, and `t.*` is, too.
        let dotted = found.last().is_some_and(|last| last == ".");
        match one.as_str() {
            "_" | "*" if dotted => {
                found.pop();
            }
            "*" if found.last().is_none_or(|last| last != "_" && last != ")") => found.push("_".to_owned()),
            _ => found.push(one),
        }
    }
    found
}

/// Gives ORDER BY its direction, and one name for what it orders by.
fn explicit_order(tokens: &mut Vec<String>) {
    let mut at = 0;
    while let Some(found) =
        tokens.get(at..).and_then(|rest| rest.windows(2).position(|w| w == ["order", "by"]))
    {
        let start = at + found + 2;
        let (mut depth, mut end) = (0_i32, start);
        while let Some(token) = tokens.get(end) {
            match token.as_str() {
                "(" => depth += 1,
                ")" if depth == 0 => break,
                ")" => depth -= 1,
                "asc" | "desc" | "limit" | "union" | "intersect" | "except" if depth == 0 => break,
                _ => {}
            }
            end += 1;
        }
        let direction = match tokens.get(end).map(String::as_str) {
            Some("asc" | "desc") => None,
            _ => Some("asc".to_owned()),
        };
        tokens.splice(start..end, std::iter::once("_".to_owned()).chain(direction));
        at = start;
    }
}

/// How alike two skeletons are: the shared tokens among all of both, each as often as it occurs.
pub fn likeness(a: &[String], b: &[String]) -> f32 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for token in a {
        *left.entry(token).or_default() += 1;
    }
    let mut shared = 0;
    for token in b {
        if let Some(n) = left.get_mut(token.as_str()).filter(|n| **n > 0) {
            *n -= 1;
            shared += 1;
        }
    }
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(sql: &str) -> String {
        skeleton(sql).join(" ")
    }

    #[test]
    fn names_and_literals_are_blanks() {
        assert_eq!(text("SELECT name FROM t WHERE age > 3"), "select _ from _ where _");
        assert_eq!(
            text(
                "SELECT T1.a, b FROM x AS T1 INNER JOIN y AS T2 ON T1.id = T2.x WHERE T1.c = 'k' AND T2.d <> 4"
            ),
            "select _ from _ where _"
        );
        assert_eq!(text("SELECT COUNT(*) FROM t;"), "select count ( _ ) from _");
        assert_eq!(
            text("SELECT a FROM t GROUP BY a ORDER BY COUNT(b) LIMIT 3"),
            "select _ from _ group by _ order by _ asc limit _"
        );
        assert_eq!(text("SELECT a FROM t ORDER BY b DESC"), "select _ from _ order by _ desc");
        assert_eq!(
            text("SELECT a FROM t WHERE b IN (SELECT c FROM u ORDER BY d)"),
            "select _ from _ where _ in ( select _ from _ order by _ asc )"
        );
    }

    #[test]
    fn likeness_counts_each_token_as_often_as_it_occurs() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(likeness(&words("select _ from _"), &words("select _ from _")), 1.0);
        // Shared: select, _, from, _; of 4 + 6 - 4 = 6.
        assert_eq!(likeness(&words("select _ from _"), &words("select _ from _ where _")), 4.0 / 6.0);
        assert_eq!(likeness(&words("a"), &words("b")), 0.0);
        assert_eq!(likeness(&[], &[]), 1.0);
    }

    proptest! {
        #[test]
        fn any_text_has_a_skeleton(sql in "[a-zA-Z0-9_.,()'*=<> ]{0,60}", other in "[a-z_.,()'*=<> ]{0,60}") {
            let (a, b) = (skeleton(&sql), skeleton(&other));
            prop_assert!((likeness(&a, &b) - likeness(&b, &a)).abs() < 1e-6);
            prop_assert_eq!(likeness(&a, &a), 1.0);
        }
    }
}
