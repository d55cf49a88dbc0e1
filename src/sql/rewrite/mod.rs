//! Rewriting queries to the style of a benchmark (OpenSearch-SQL v2, arXiv 2502.14913, section 3.4, "alignment").
//!
//! Two kinds of rules. Those of functions mend what SQLite computes otherwise than was meant; those of style say the
//! same in the form in which the benchmark's own queries say it. The source asks a model for several of them; here
//! all of them work on the parsed query, and a rule whose conditions do not hold leaves the query as it is.

mod function;
mod join;
mod style;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Select, SetExpr,
    VisitorMut, visit_expressions,
};

pub use join::join_alternatives;

use super::scope::{Bare, Scope, last_part};
use super::{Schema, SqlError, parse_query};

/// A query with what was rewritten in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The query; as it was where nothing was rewritten.
    pub sql: String,
    /// Each rewrite, a sentence.
    pub changes: Vec<String>,
}

/// Rewrites a query to the benchmark's style, in the order of the source's combined check.
///
/// - `COUNT(CASE … THEN 1 ELSE 0 END)` counts every row: `SUM` is meant.
/// - `ORDER BY MAX(x) … LIMIT` without groups: `ORDER BY x … LIMIT`.
/// - `STRFTIME(…) = 2019` compares text with a number: the number is quoted. Numbers of four digits and more only.
/// - `x = (SELECT MAX(x) FROM t)`: `ORDER BY x DESC LIMIT 1`, which gives one row of equal ones.
/// - `ORDER BY x LIMIT n` upwards gives NULL first: `x IS NOT NULL` is added.
/// - `a || ' ' || b` in the list of outputs: `a, b`.
/// - `t.*` in the list of outputs: the key of `t`.
///
/// # Errors
/// When the text is no query.
pub fn rewrite(sql: &str, schema: &Schema) -> Result<Rewritten, SqlError> {
    let mut query = parse_query(sql)?;
    let mut changes = Vec::new();
    function::counts(&mut query, &mut changes);
    function::times(&mut query, &mut changes);
    let mut blocks = Blocks { schema, changes: &mut changes };
    let _ = sqlparser::ast::VisitMut::visit(&mut query, &mut blocks);
    style::concatenated(&mut query, &mut changes);
    style::wildcards(&mut query, schema, &mut changes);
    let written = query.to_string();
    // What cannot be read again would be a mistake of the writer.
    if changes.is_empty() || parse_query(&written).is_err() {
        return Ok(Rewritten { sql: sql.to_owned(), changes: Vec::new() });
    }
    Ok(Rewritten { sql: written, changes })
}

/// The rules that look at one block of a query.
struct Blocks<'c, 's> {
    schema: &'s Schema,
    changes: &'c mut Vec<String>,
}

impl VisitorMut for Blocks<'_, '_> {
    type Break = ();

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        function::ordered_extremes(query, self.changes);
        style::nested_extremes(query, self.schema, self.changes);
        style::nulls_first(query, self.schema, self.changes);
        ControlFlow::Continue(())
    }
}

/// The one SELECT of a query that is no set operation.
fn select(query: &Query) -> Option<&Select> {
    match query.body.as_ref() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

fn select_mut(query: &mut Query) -> Option<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) => Some(select),
        _ => None,
    }
}

/// An expression without the brackets around it.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => bare(inner),
        other => other,
    }
}

/// The parts of a condition that AND ties together.
fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match bare(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![expr],
    }
}

/// Conditions tied together with AND, in brackets where OR is inside.
fn conjunction(parts: Vec<Expr>) -> Option<Expr> {
    let bracketed = |part: Expr| match part {
        part @ Expr::BinaryOp { op: BinaryOperator::Or, .. } => Expr::Nested(Box::new(part)),
        part => part,
    };
    let and = |left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    };
    let several = parts.len() > 1;
    parts.into_iter().map(|part| if several { bracketed(part) } else { part }).reduce(and)
}

/// A function with its only argument; None for windows, DISTINCT and the like.
fn only_argument<'e>(expr: &'e Expr, names: &[&str]) -> Option<(&'e Function, &'e Expr)> {
    let Expr::Function(function) = bare(expr) else { return None };
    let name = last_part(&function.name)?;
    let FunctionArguments::List(list) = &function.args else { return None };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_slice() else { return None };
    let plain = function.over.is_none()
        && function.filter.is_none()
        && list.duplicate_treatment.is_none()
        && list.clauses.is_empty();
    (plain && names.iter().any(|wanted| name.value.eq_ignore_ascii_case(wanted)))
        .then_some((function, argument))
}

/// Whether an expression aggregates rows or looks at other ones.
fn aggregates(expr: &Expr) -> bool {
    const AGGREGATES: [&str; 7] = ["COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL", "GROUP_CONCAT"];
    let found = visit_expressions(expr, |expr| {
        let found = match expr {
            Expr::Function(function) => {
                let name = last_part(&function.name).map_or("", |name| name.value.as_str());
                function.over.is_some() || AGGREGATES.iter().any(|known| known.eq_ignore_ascii_case(name))
            }
            _ => false,
        };
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found.is_break()
}

/// The schema's column that an expression is: table and column in the schema's spelling.
fn column<'a>(expr: &Expr, scope: &Scope<'_, 'a>) -> Option<(&'a str, &'a str)> {
    let (source, name) = match bare(expr) {
        Expr::Identifier(name) => match scope.bare(&name.value) {
            Bare::Column(source) => (source, &name.value),
            _ => return None,
        },
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., qualifier, column] => (scope.source(&qualifier.value)?, &column.value),
            _ => return None,
        },
        _ => return None,
    };
    let table = source.table?;
    Some((table.name.as_str(), table.column(name)?.name.as_str()))
}
