//! How large and how nested a query is.

use std::ops::ControlFlow;

use sqlparser::ast::{Query, SetExpr, Visit as _, Visitor};

use super::{SqlError, TokenKind, parse_query, tokenize};

/// Measures of one query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// Words, names, numbers, texts and marks; white space and comments are none.
    pub tokens: usize,
    /// Calls written with a name and brackets, CAST and window functions among them.
    pub functions: usize,
    /// Queries inside it: subqueries, common table expressions and bracketed parts of a set operation.
    pub subqueries: usize,
    /// Tables and subqueries in its longest FROM.
    pub join_length: usize,
    /// Levels of queries, itself included.
    pub depth: usize,
}

/// Measures a query.
///
/// # Errors
/// Where it cannot be parsed.
pub fn shape(sql: &str) -> Result<Shape, SqlError> {
    let mut nesting = Nesting::default();
    let _ = parse_query(sql)?.visit(&mut nesting);
    let tokens = tokenize(sql);
    let all = tokens.iter().filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment));
    Ok(Shape {
        tokens: all.count(),
        functions: tokens.iter().filter(|token| token.kind == TokenKind::Function).count(),
        subqueries: nesting.queries.saturating_sub(1),
        join_length: nesting.longest,
        depth: nesting.deepest,
    })
}

#[derive(Default)]
struct Nesting {
    queries: usize,
    depth: usize,
    deepest: usize,
    longest: usize,
}

impl Visitor for Nesting {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.queries += 1;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.longest = self.longest.max(longest(&query.body));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }
}

/// The longest FROM of a query's own blocks.
fn longest(body: &SetExpr) -> usize {
    match body {
        SetExpr::Select(select) => select.from.iter().map(|item| 1 + item.joins.len()).sum(),
        SetExpr::SetOperation { left, right, .. } => longest(left).max(longest(right)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_measured() {
        let of = |sql| {
            let Shape { tokens, functions, subqueries, join_length, depth } = shape(sql).unwrap();
            [tokens, functions, subqueries, join_length, depth]
        };
        assert_eq!(of("SELECT a FROM t -- all\n"), [4, 0, 0, 1, 1]);
        assert_eq!(of("SELECT COUNT(*) FROM t, u JOIN v ON u.a = v.a"), [19, 1, 0, 3, 1]);
        assert_eq!(of("SELECT a FROM t WHERE b = (SELECT MAX(b) FROM (SELECT b FROM u))"), [21, 1, 2, 1, 3]);
        let cte = "WITH c AS (SELECT a FROM t) SELECT a FROM c UNION SELECT CAST(a AS TEXT) FROM u";
        assert_eq!(of(cte)[1..], [1, 1, 1, 2]);
        assert!(shape("SELECT FROM WHERE").is_err());
    }
}
