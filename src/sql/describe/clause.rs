//! Whole clauses in words: relations, dimensions and outputs.

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, LimitClause, OrderByExpr, OrderByKind,
    OrderBySort, Query, Select, SelectItem, SetExpr,
};

use super::formula::{function_arguments, function_name};
use super::names::Words;
use super::predicate::number;

impl Words<'_> {
    /// `FROM a JOIN b ON …`: "superhero to publisher by publisher id".
    pub(super) fn relation(&self, query: &Query, tables: &[String]) -> Option<String> {
        let SetExpr::Select(select) = &*query.body else { return None };
        let names = self.tables_of(select);
        let names = if names.is_empty() { tables.to_vec() } else { names };
        let (first, rest) = names.split_first()?;
        if rest.is_empty() {
            return Some(format!("{} with another query", self.row(first)));
        }
        let linked: Vec<String> = rest.iter().map(|t| self.row(t)).collect();
        let mut words = format!("{} to {}", self.row(first), linked.join(" and "));
        let keys = self.join_keys(select);
        if !keys.is_empty() {
            words.push_str(" by ");
            words.push_str(&keys.join(" and "));
        }
        Some(words)
    }

    /// The columns that tie tables together, each named once by its more telling side.
    fn join_keys(&self, select: &Select) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        let mut add = |key: String| {
            if !keys.contains(&key) {
                keys.push(key);
            }
        };
        for join in select.from.iter().flat_map(|item| &item.joins) {
            let (JoinOperator::Join(constraint)
            | JoinOperator::Inner(constraint)
            | JoinOperator::Left(constraint)
            | JoinOperator::LeftOuter(constraint)
            | JoinOperator::Right(constraint)
            | JoinOperator::FullOuter(constraint)) = &join.join_operator
            else {
                continue;
            };
            match constraint {
                JoinConstraint::On(condition) => {
                    let mut open = vec![condition];
                    while let Some(expr) = open.pop() {
                        match expr {
                            Expr::Nested(inner) => open.push(inner),
                            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                                open.extend([&**right, &**left])
                            }
                            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                                match (column_parts(left), column_parts(right)) {
                                    (Some(l), Some(r)) => add(self.join_key(l, r)),
                                    _ => add(self.predicate(expr, false)),
                                }
                            }
                            other => add(self.predicate(other, false)),
                        }
                    }
                }
                JoinConstraint::Using(columns) => {
                    for column in columns {
                        add(super::names::split_name(&column.to_string()).join(" "));
                    }
                }
                _ => {}
            }
        }
        keys
    }

    /// A key is called by the column that refers: `superhero.publisher_id = publisher.id` by the first.
    fn join_key(&self, left: (&Ident, &Ident), right: (&Ident, &Ident)) -> String {
        let weak = |(_, column): (&Ident, &Ident)| column.value.eq_ignore_ascii_case("id");
        let (table, column) = if weak(left) && !weak(right) { right } else { left };
        let name = self.column(&table.value, &column.value);
        let same = left.1.value.eq_ignore_ascii_case(&right.1.value) || weak(left) || weak(right);
        if same { name } else { format!("{name} equal to {}", self.column(&right.0.value, &right.1.value)) }
    }

    /// The keys of GROUP BY: "by publisher and year of date".
    pub(super) fn dimension(&self, query: &Query) -> Option<String> {
        let keys = self.outputs(query)?;
        (!keys.is_empty()).then(|| format!("by {}", keys.join(" and ")))
    }

    /// `SELECT DISTINCT …`: "distinct race".
    pub(super) fn distinct(&self, query: &Query) -> Option<String> {
        let columns = self.outputs(query)?;
        Some(if columns.is_empty() {
            "distinct rows".into()
        } else {
            format!("distinct {}", columns.join(" and "))
        })
    }

    fn outputs(&self, query: &Query) -> Option<Vec<String>> {
        let SetExpr::Select(select) = &*query.body else { return None };
        let words = select.projection.iter().filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                Some(self.formula(expr))
            }
            _ => None,
        });
        Some(words.collect())
    }

    /// `ORDER BY … LIMIT n`: "top 10 by total consumption, largest first".
    pub(super) fn output(&self, query: &Query) -> Option<String> {
        let (limit, offset) = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                (limit.as_ref(), offset.as_ref().map(|o| &o.value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
            None => (None, None),
        };
        let skipped = offset.and_then(number).and_then(|n| n.parse::<u32>().ok()).filter(|n| *n > 0);
        let terms = match query.order_by.as_ref().map(|o| &o.kind) {
            Some(OrderByKind::Expressions(terms)) => terms.as_slice(),
            _ => &[],
        };
        let limit_words = limit.map(|l| self.formula(l));
        let Some(first) = terms.first() else {
            return limit_words.map(|n| format!("only {n} {}", if n == "1" { "row" } else { "rows" }));
        };
        let down = first.options.sort == Some(OrderBySort::Desc);
        let by = self.order_keys(terms);
        let dated = is_dated(&by);
        let order = match (down, dated) {
            (true, true) => "latest first",
            (false, true) => "earliest first",
            (true, false) => "largest first",
            (false, false) => "smallest first",
        };
        Some(match (limit_words.as_deref(), skipped) {
            (Some("1"), None) => match self.superlative(first, down, dated) {
                Some(words) if terms.len() == 1 => words,
                _ => format!("the first by {by}, {order}"),
            },
            (Some(n), None) => format!("{} {n} by {by}, {order}", if down { "top" } else { "lowest" }),
            (Some("1"), Some(skip)) => format!("number {} by {by}, {order}", skip + 1),
            (Some(n), Some(skip)) => format!("{n} rows after the first {skip} by {by}, {order}"),
            (None, _) => format!("sorted by {by}, {order}"),
        })
    }

    /// `ORDER BY x DESC LIMIT 1`: "the highest x", "the most x".
    fn superlative(&self, term: &OrderByExpr, down: bool, dated: bool) -> Option<String> {
        if let Expr::Function(function) = &term.expr
            && function_name(function) == "COUNT"
        {
            let counted = function_arguments(function).first().map_or_else(
                || "rows".to_owned(),
                |_| self.formula(&term.expr).trim_start_matches("number of ").to_owned(),
            );
            return Some(format!("the {} {counted}", if down { "most" } else { "fewest" }));
        }
        let degree = match (down, dated) {
            (true, true) => "latest",
            (false, true) => "earliest",
            (true, false) => "highest",
            (false, false) => "lowest",
        };
        Some(format!("the {degree} {}", self.formula(&term.expr)))
    }

    fn order_keys(&self, terms: &[OrderByExpr]) -> String {
        terms.iter().map(|t| self.formula(&t.expr)).collect::<Vec<_>>().join(" and then ")
    }

    /// The order of a window: "height, largest first".
    pub(super) fn order(&self, terms: &[OrderByExpr]) -> String {
        let down = terms.first().is_some_and(|t| t.options.sort == Some(OrderBySort::Desc));
        format!("{}, {}", self.order_keys(terms), if down { "largest first" } else { "smallest first" })
    }
}

fn column_parts(expr: &Expr) -> Option<(&Ident, &Ident)> {
    match expr {
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., table, column] => Some((table, column)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a phrase speaks of points in time.
fn is_dated(words: &str) -> bool {
    words.split(' ').any(|w| matches!(w, "date" | "year" | "month" | "day" | "time" | "birthday" | "dob"))
}
