//! The clauses of a query's outermost SELECT, by their places in the text.

use std::ops::Range;

use sqlparser::ast::{SetExpr, TableFactor};

use crate::sql::{Schema, Table, Token, TokenKind, parse_query, tokenize};

/// Where the clauses of the one SELECT of a query are; what is nested in brackets belongs to its clause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clauses {
    /// The word DISTINCT.
    pub distinct: Option<Range<usize>>,
    /// The expressions of SELECT.
    pub list: Range<usize>,
    /// What follows FROM.
    pub from: Range<usize>,
    /// WHERE with its condition.
    pub filter: Option<Range<usize>>,
    /// The condition of WHERE.
    pub condition: Option<Range<usize>>,
    /// Whether there is GROUP BY or HAVING.
    pub grouped: bool,
    /// The expressions of ORDER BY.
    pub order: Option<Range<usize>>,
    /// Whether there is LIMIT.
    pub limited: bool,
}

/// The tokens of `sql` in `range` that are neither space nor comment, each with its depth of brackets.
fn tokens_in(sql: &str, range: Range<usize>) -> Vec<(Token, usize)> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for token in tokenize(sql) {
        let text = sql.get(token.start..token.end).unwrap_or("");
        if token.start < range.start
            || token.end > range.end
            || matches!(token.kind, TokenKind::Space | TokenKind::Comment)
        {
            continue;
        }
        if text == ")" {
            depth = depth.saturating_sub(1);
        }
        found.push((token, depth));
        if text == "(" {
            depth += 1;
        }
    }
    found
}

impl Clauses {
    /// None for set operations, WITH, and a SELECT without FROM.
    pub fn of(sql: &str) -> Option<Self> {
        let tokens = tokens_in(sql, 0..sql.len());
        let word = |at: usize| {
            let (token, depth) = tokens.get(at)?;
            let keyword = *depth == 0 && token.kind == TokenKind::Keyword;
            keyword.then(|| sql[token.start..token.end].to_ascii_uppercase())
        };
        if word(0)? != "SELECT" {
            return None;
        }
        let mut clauses = Self::default();
        let mut first = 1;
        if word(1).as_deref() == Some("DISTINCT") {
            clauses.distinct = tokens.get(1).map(|(token, _)| token.start..token.end);
            first = 2;
        }
        // (keyword, place of the keyword) of every clause, then the end.
        let mut starts: Vec<(String, usize)> = vec![("SELECT".to_owned(), first - 1)];
        for at in first..tokens.len() {
            match word(at).as_deref() {
                Some("UNION" | "INTERSECT" | "EXCEPT" | "WITH" | "VALUES" | "WINDOW") => return None,
                Some(clause @ ("FROM" | "WHERE" | "GROUP" | "HAVING" | "ORDER" | "LIMIT")) => {
                    starts.push((clause.to_owned(), at));
                }
                _ => {}
            }
        }
        let last = tokens.iter().rposition(|(token, _)| sql.get(token.start..token.end) != Some(";"))? + 1;
        let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([last]).collect::<Vec<_>>();
        for ((clause, keyword), end) in starts.iter().zip(ends) {
            let by = usize::from(matches!(clause.as_str(), "GROUP" | "ORDER"));
            let (Some((open, _)), Some((inner, _)), Some((close, _))) =
                (tokens.get(*keyword), tokens.get(keyword + 1 + by), tokens.get(end.checked_sub(1)?))
            else {
                return None;
            };
            if inner.start > close.start {
                return None;
            }
            let range = inner.start..close.end;
            match clause.as_str() {
                "SELECT" => clauses.list = range,
                "FROM" => clauses.from = range,
                "WHERE" => {
                    clauses.filter = Some(open.start..close.end);
                    clauses.condition = Some(range);
                }
                "ORDER" => clauses.order = Some(range),
                "LIMIT" => clauses.limited = true,
                _ => clauses.grouped = true,
            }
        }
        (!clauses.from.is_empty()).then_some(clauses)
    }

    /// The predicates of WHERE that AND joins; None where an OR stands beside them.
    pub fn conjuncts(&self, sql: &str) -> Option<Vec<Range<usize>>> {
        let Some(range) = self.condition.clone() else { return Some(Vec::new()) };
        let (mut found, mut open): (Vec<Range<usize>>, Option<Range<usize>>) = (Vec::new(), None);
        let (mut between, mut cases) = (false, 0usize);
        for (token, depth) in tokens_in(sql, range) {
            let keyword = (depth == 0 && token.kind == TokenKind::Keyword)
                .then(|| sql[token.start..token.end].to_ascii_uppercase());
            match keyword.as_deref() {
                Some("CASE") => cases += 1,
                Some("END") => cases = cases.saturating_sub(1),
                Some("OR") if cases == 0 => return None,
                Some("BETWEEN") => between = true,
                Some("AND") if cases == 0 && !between => {
                    found.push(open.take()?);
                    continue;
                }
                Some("AND") if between => between = false,
                _ => {}
            }
            open = Some(open.map_or(token.start, |range| range.start)..token.end);
        }
        found.push(open?);
        Some(found)
    }

    /// The pieces of a list that commas separate.
    pub fn pieces(sql: &str, list: Range<usize>) -> Vec<Range<usize>> {
        let (mut found, mut open): (Vec<Range<usize>>, Option<Range<usize>>) = (Vec::new(), None);
        for (token, depth) in tokens_in(sql, list) {
            if depth == 0 && &sql[token.start..token.end] == "," {
                found.extend(open.take());
            } else {
                open = Some(open.map_or(token.start, |range| range.start)..token.end);
            }
        }
        found.extend(open);
        found
    }

    /// The words and marks of a piece.
    pub fn words(sql: &str, piece: Range<usize>) -> Vec<&str> {
        tokens_in(sql, piece).into_iter().filter_map(|(token, _)| sql.get(token.start..token.end)).collect()
    }
}

/// The tables that the outermost SELECT reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables<'a> {
    tables: Vec<(&'a Table, String)>,
}

impl<'a> Tables<'a> {
    /// None where FROM holds anything but tables of the schema.
    pub fn of(sql: &str, schema: &'a Schema) -> Option<Self> {
        let query = parse_query(sql).ok()?;
        let SetExpr::Select(select) = &*query.body else { return None };
        let mut tables = Vec::new();
        for from in &select.from {
            for factor in std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
            {
                let TableFactor::Table { name, alias, args: None, .. } = factor else { return None };
                let own = name.0.last()?.as_ident()?.value.clone();
                let shown = alias.as_ref().map_or_else(|| own.clone(), |alias| alias.name.value.clone());
                tables.push((schema.table(&own)?, shown));
            }
        }
        Some(Self { tables })
    }

    /// The tables, in order.
    pub fn tables(&self) -> impl Iterator<Item = &'a Table> {
        self.tables.iter().map(|(table, _)| *table)
    }

    /// How the query writes a column of a table that it reads once.
    pub fn write(&self, table: &str, column: &str) -> Option<String> {
        let mut holders = self.tables.iter().filter(|(held, _)| held.name.eq_ignore_ascii_case(table));
        let (Some((held, shown)), None) = (holders.next(), holders.next()) else { return None };
        let column = name(&held.column(column)?.name);
        Some(if self.tables.len() > 1 { format!("{}.{column}", name(shown)) } else { column })
    }

    /// The schema column that a query means by `column` or `qualifier.column`.
    pub fn resolve(&self, qualifier: Option<&str>, column: &str) -> Option<(String, String)> {
        let mut holders = self.tables.iter().filter(|(table, shown)| {
            qualifier.is_none_or(|qualifier| shown.eq_ignore_ascii_case(qualifier))
                && table.column(column).is_some()
        });
        let (Some((table, _)), None) = (holders.next(), holders.next()) else { return None };
        Some((table.name.clone(), table.column(column)?.name.clone()))
    }
}

/// A name as SQL writes it, quoted where it must be.
pub(super) fn name(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && tokenize(name).first().is_some_and(|token| token.kind == TokenKind::Identifier);
    if plain { name.to_owned() } else { crate::db::quote_ident(name) }
}

/// A name without its quotes.
pub(super) fn unquoted(name: &str) -> &str {
    let inside = |open: char, close: char| name.strip_prefix(open)?.strip_suffix(close);
    inside('"', '"').or_else(|| inside('`', '`')).or_else(|| inside('[', ']')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn conjuncts(sql: &str) -> Option<Vec<&str>> {
        let ranges = Clauses::of(sql).unwrap().conjuncts(sql)?;
        Some(ranges.into_iter().map(|range| &sql[range]).collect())
    }

    #[test]
    fn finds_the_clauses_of_the_outermost_select() {
        let sql = "SELECT DISTINCT a, (SELECT MAX(x) FROM u WHERE y = 1) FROM t -- from\n WHERE b IN (SELECT c FROM v ORDER BY c) \
                   GROUP BY a HAVING COUNT(*) > 1 ORDER BY a DESC, d LIMIT 3;";
        let found = Clauses::of(sql).unwrap();
        assert_eq!(&sql[found.distinct.clone().unwrap()], "DISTINCT");
        assert_eq!(&sql[found.list.clone()], "a, (SELECT MAX(x) FROM u WHERE y = 1)");
        assert_eq!(&sql[found.from.clone()], "t");
        assert_eq!(&sql[found.condition.clone().unwrap()], "b IN (SELECT c FROM v ORDER BY c)");
        assert_eq!(&sql[found.order.clone().unwrap()], "a DESC, d");
        assert!(found.grouped && found.limited);
        let pieces: Vec<&str> =
            Clauses::pieces(sql, found.list).into_iter().map(|range| &sql[range]).collect();
        assert_eq!(pieces, ["a", "(SELECT MAX(x) FROM u WHERE y = 1)"]);
    }

    #[test]
    fn other_shapes_have_no_clauses() {
        for sql in [
            "SELECT a FROM t UNION SELECT b FROM u",
            "WITH c AS (SELECT 1) SELECT * FROM c",
            "SELECT 1",
            "VALUES (1)",
            "SELECT a FROM",
            "",
            "SELECT",
        ] {
            assert_eq!(Clauses::of(sql), None, "{sql}");
        }
    }

    #[test]
    fn and_parts_conditions_but_not_inside_others() {
        assert_eq!(conjuncts("SELECT a FROM t"), Some(vec![]));
        assert_eq!(
            conjuncts(
                "SELECT a FROM t WHERE b BETWEEN 1 AND 2 AND (c = 1 OR d = 2) AND CASE WHEN e AND f THEN 1 END"
            ),
            Some(vec!["b BETWEEN 1 AND 2", "(c = 1 OR d = 2)", "CASE WHEN e AND f THEN 1 END"])
        );
        assert_eq!(conjuncts("SELECT a FROM t WHERE b = 1 OR c = 2 AND d = 3"), None);
    }
}
