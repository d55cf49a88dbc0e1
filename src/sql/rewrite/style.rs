//! The same said in the form that the benchmark's own queries have.

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, OrderBySort,
    Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Value,
};

use super::{aggregates, bare, column, conjunction, conjuncts, only_argument, select, select_mut};
use crate::sql::scope::{Bare, Scope, last_part};
use crate::sql::skeleton::group_keys;
use crate::sql::{Schema, Table};

/// `x = (SELECT MAX(x) FROM t)` as `ORDER BY x DESC LIMIT 1`, where the block has neither groups nor an order of its
/// own and the inner query has no condition that the block lacks.
pub(super) fn nested_extremes(query: &mut Query, schema: &Schema, changes: &mut Vec<String>) {
    let Some(found) = nested_extreme(query, schema) else { return };
    let Some(block) = select_mut(query) else { return };
    let Some(selection) = &block.selection else { return };
    let mut rest: Vec<Expr> = conjuncts(selection).into_iter().cloned().collect();
    if found.at >= rest.len() {
        return;
    }
    let before = rest.remove(found.at);
    let (sort, name) = if found.largest { (OrderBySort::Desc, "DESC") } else { (OrderBySort::Asc, "ASC") };
    changes.push(format!("{before} as ORDER BY {} {name} LIMIT 1.", found.expr));
    block.selection = conjunction(rest);
    let key = OrderByExpr {
        expr: found.expr,
        options: OrderByOptions { sort: Some(sort), nulls_first: None },
        with_fill: None,
    };
    query.order_by = Some(OrderBy { kind: OrderByKind::Expressions(vec![key]), interpolate: None });
    query.limit_clause = Some(LimitClause::LimitOffset {
        limit: Some(Expr::value(Value::Number("1".to_owned(), false))),
        offset: None,
        limit_by: Vec::new(),
    });
}

/// The condition that asks for an extreme.
struct Extreme {
    /// Its place among the conditions that AND ties together.
    at: usize,
    /// What is extreme.
    expr: Expr,
    largest: bool,
}

fn nested_extreme(query: &Query, schema: &Schema) -> Option<Extreme> {
    let block = select(query)?;
    let outputs_rows = block.projection.iter().all(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => !aggregates(expr),
        _ => true,
    });
    let plain = query.order_by.is_none()
        && query.limit_clause.is_none()
        && group_keys(block).is_none()
        && block.having.is_none()
        && block.distinct.is_none();
    if !plain || !outputs_rows {
        return None;
    }
    let outer = Scope::default();
    let ctes = Scope::with_ctes(&outer, query.with.as_ref(), schema);
    let scope = Scope::of_select(&ctes, block, schema);
    let parts = conjuncts(block.selection.as_ref()?);
    parts.iter().enumerate().find_map(|(at, part)| {
        let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = bare(part) else { return None };
        let (expr, inner) = match (bare(left), bare(right)) {
            (expr, Expr::Subquery(inner)) | (Expr::Subquery(inner), expr) => (expr, inner),
            _ => return None,
        };
        let wanted = column(expr, &scope)?;
        let (extreme, largest) = plain_extreme(inner)?;
        let inner_block = select(inner)?;
        let inner_scope = Scope::of_select(&ctes, inner_block, schema);
        let others: Vec<String> = parts.iter().map(|other| other.to_string()).collect();
        let shared = inner_block.selection.as_ref().is_none_or(|selection| {
            conjuncts(selection).iter().all(|condition| others.contains(&condition.to_string()))
        });
        (column(extreme, &inner_scope) == Some(wanted) && shared).then(|| Extreme {
            at,
            expr: expr.clone(),
            largest,
        })
    })
}

/// What a query takes the extreme of, when it does nothing else, and whether it is the largest.
fn plain_extreme(query: &Query) -> Option<(&Expr, bool)> {
    let block = select(query)?;
    let [SelectItem::UnnamedExpr(output) | SelectItem::ExprWithAlias { expr: output, .. }] =
        block.projection.as_slice()
    else {
        return None;
    };
    let one_table = matches!(block.from.as_slice(), [from] if from.joins.is_empty());
    let plain = query.with.is_none() && one_table && group_keys(block).is_none() && block.having.is_none();
    if !plain {
        return None;
    }
    let (function, argument) = only_argument(output, &["MIN", "MAX"])?;
    Some((argument, last_part(&function.name)?.value.eq_ignore_ascii_case("MAX")))
}

/// `ORDER BY x LIMIT n` upwards begins with NULL: `x IS NOT NULL` is added, where x is not aggregated and may be NULL.
pub(super) fn nulls_first(query: &mut Query, schema: &Schema, changes: &mut Vec<String>) {
    let Some(condition) = missing_condition(query, schema) else { return };
    let Some(block) = select_mut(query) else { return };
    changes.push(format!("ORDER BY upwards begins with NULL; {condition} is added."));
    let mut parts: Vec<Expr> = block.selection.iter().flat_map(|s| conjuncts(s)).cloned().collect();
    parts.push(condition);
    block.selection = conjunction(parts);
}

fn missing_condition(query: &Query, schema: &Schema) -> Option<Expr> {
    let block = select(query)?;
    query.limit_clause.as_ref()?;
    let OrderByKind::Expressions(keys) = &query.order_by.as_ref()?.kind else { return None };
    let key = keys.first()?;
    let upwards = matches!(key.options.sort, None | Some(OrderBySort::Asc));
    if !upwards || key.options.nulls_first.is_some() || block.from.is_empty() {
        return None;
    }
    let outer = Scope::default();
    let ctes = Scope::with_ctes(&outer, query.with.as_ref(), schema);
    let scope = Scope::of_select(&ctes, block, schema);
    let expr = match bare(&key.expr) {
        Expr::Value(_) => return None,
        Expr::Identifier(name) => match scope.bare(&name.value) {
            Bare::Output(output) => output,
            _ => &key.expr,
        },
        _ => &key.expr,
    };
    // With groups, what is not aggregated is a key or a value of some row.
    if aggregates(expr) || matches!(bare(expr), Expr::Value(_)) {
        return None;
    }
    let aggregated_whole = group_keys(block).is_none() && outputs_aggregate(block);
    let declared = column(expr, &scope).and_then(|(table, name)| schema.table(table)?.column(name));
    if aggregated_whole || declared.is_some_and(|column| column.not_null || column.primary_key) {
        return None;
    }
    let operand = match bare(expr) {
        expr
        @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_) | Expr::Cast { .. }) => {
            expr.clone()
        }
        expr => Expr::Nested(Box::new(expr.clone())),
    };
    let condition = Expr::IsNotNull(Box::new(operand));
    let text = condition.to_string();
    let known = block.selection.iter().flat_map(|s| conjuncts(s)).any(|part| bare(part).to_string() == text);
    (!known).then_some(condition)
}

fn outputs_aggregate(block: &Select) -> bool {
    block.projection.iter().any(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => aggregates(expr),
        _ => false,
    })
}

/// `a || ' ' || b` among the outputs of the whole query as `a, b`.
pub(super) fn concatenated(query: &mut Query, changes: &mut Vec<String>) {
    let after = format!(
        "{} {} {}",
        query.order_by.as_ref().map_or_else(String::new, ToString::to_string),
        select(query).map_or_else(String::new, |block| block.group_by.to_string()),
        select(query).and_then(|block| block.having.as_ref()).map_or_else(String::new, ToString::to_string),
    );
    let Some(block) = select_mut(query) else { return };
    let mut outputs = Vec::with_capacity(block.projection.len());
    for item in block.projection.drain(..) {
        let parts = match &item {
            SelectItem::UnnamedExpr(expr) => spaced(expr),
            // A name that is used further on has to stay.
            SelectItem::ExprWithAlias { expr, alias } if !after.contains(&alias.value) => spaced(expr),
            _ => Vec::new(),
        };
        if parts.len() > 1 {
            changes.push(format!("{item} as outputs of their own."));
            outputs.extend(parts.into_iter().map(SelectItem::UnnamedExpr));
        } else {
            outputs.push(item);
        }
    }
    block.projection = outputs;
}

/// What stands between the spaces of a concatenation.
fn spaced(expr: &Expr) -> Vec<Expr> {
    fn pieces<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
        match bare(expr) {
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                pieces(left, found);
                pieces(right, found);
            }
            other => found.push(other),
        }
    }
    let mut found = Vec::new();
    pieces(expr, &mut found);
    let is_space = |expr: &Expr| matches!(expr, Expr::Value(value) if matches!(&value.value, Value::SingleQuotedString(text) if text == " "));
    let joined = |left: Expr, right: Expr| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::StringConcat,
        right: Box::new(right),
    };
    found
        .split(|piece| is_space(piece))
        .filter_map(|part| part.iter().map(|piece| (*piece).clone()).reduce(joined))
        .collect()
}

/// `t.*` among the outputs of the whole query as the key of t; it stays where t has no one key.
pub(super) fn wildcards(query: &mut Query, schema: &Schema, changes: &mut Vec<String>) {
    let SetExpr::Select(block) = query.body.as_ref() else { return };
    let outer = Scope::default();
    let ctes = Scope::with_ctes(&outer, query.with.as_ref(), schema);
    let scope = Scope::of_select(&ctes, block, schema);
    let keys: Vec<Option<Expr>> = block
        .projection
        .iter()
        .map(|item| {
            let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
            else {
                return None;
            };
            let qualifier = last_part(name)?;
            let key = key_of(scope.source(&qualifier.value)?.table?)?;
            let plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !crate::sql::tokens::is_keyword(key);
            let key = if plain { Ident::new(key) } else { Ident::with_quote('"', key) };
            Some(Expr::CompoundIdentifier(vec![qualifier.clone(), key]))
        })
        .collect();
    let Some(block) = select_mut(query) else { return };
    for (item, key) in block.projection.iter_mut().zip(keys) {
        if let Some(key) = key {
            changes.push(format!("{item} as {key}, the key."));
            *item = SelectItem::UnnamedExpr(key);
        }
    }
}

/// The column that stands for a row: the key where it is one column, else the one called id.
fn key_of(table: &Table) -> Option<&str> {
    let mut keys = table.columns.iter().filter(|column| column.primary_key);
    match (keys.next(), keys.next()) {
        (Some(key), None) => Some(&key.name),
        _ => table.column("id").map(|column| column.name.as_str()),
    }
}
