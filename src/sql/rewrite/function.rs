//! Functions that compute otherwise than was meant.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, InTarget, ObjectName,
    OrderByKind, Query, SelectItem, Value, visit_expressions_mut,
};

use super::{aggregates, bare, only_argument, select};
use crate::sql::scope::last_part;
use crate::sql::skeleton::group_keys;

/// `COUNT(CASE … THEN 1 ELSE 0 END)` counts the zeros too: `SUM`.
pub(super) fn counts(query: &mut Query, changes: &mut Vec<String>) {
    let _ = visit_expressions_mut(query, |expr| {
        let before = expr.to_string();
        let counts_zeros =
            only_argument(expr, &["COUNT"]).is_some_and(|(_, argument)| match bare(argument) {
                Expr::Case { else_result: Some(other), conditions, .. } => {
                    is_number(other, "0") && conditions.iter().all(|when| is_number(&when.result, "1"))
                }
                _ => false,
            });
        if counts_zeros && let Expr::Function(function) = expr {
            function.name = ObjectName::from(vec![Ident::new("SUM")]);
            changes.push(format!("{before} counts every row; SUM in place of COUNT."));
        }
        ControlFlow::<()>::Continue(())
    });
}

fn is_number(expr: &Expr, wanted: &str) -> bool {
    matches!(bare(expr), Expr::Value(value) if matches!(&value.value, Value::Number(n, _) if n == wanted))
}

/// Numbers compared with the text that STRFTIME gives are quoted.
pub(super) fn times(query: &mut Query, changes: &mut Vec<String>) {
    let _ = visit_expressions_mut(query, |expr| {
        let before = expr.to_string();
        let changed = match expr {
            Expr::BinaryOp { left, op, right } if compares(op) => {
                (is_strftime(left) && quote(right)) || (is_strftime(right) && quote(left))
            }
            Expr::Between { expr, low, high, .. } if is_strftime(expr) => {
                let low = quote(low);
                quote(high) || low
            }
            Expr::In { expr, target: InTarget::List(list), .. } if is_strftime(expr) => {
                // Every item, not only up to the first that changes.
                list.iter_mut().filter_map(|item| quote(item).then_some(())).count() > 0
            }
            _ => false,
        };
        if changed {
            changes.push(format!("{before} compares text with a number; the number is quoted."));
        }
        ControlFlow::<()>::Continue(())
    });
}

fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq)
}

fn is_strftime(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Function(function) => {
            last_part(&function.name).is_some_and(|name| name.value.eq_ignore_ascii_case("STRFTIME"))
        }
        _ => false,
    }
}

/// Makes a whole number of four digits and more a text.
fn quote(expr: &mut Expr) -> bool {
    if let Expr::Value(value) = expr
        && let Value::Number(digits, _) = &value.value
        && digits.len() >= 4
        && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        value.value = Value::SingleQuotedString(digits.clone());
        return true;
    }
    false
}

/// `ORDER BY MAX(x) DESC LIMIT n` without groups makes one group of all rows: `ORDER BY x DESC LIMIT n`.
pub(super) fn ordered_extremes(query: &mut Query, changes: &mut Vec<String>) {
    let Some(block) = select(query) else { return };
    let outputs = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => aggregates(expr),
        _ => false,
    };
    let grouped =
        group_keys(block).is_some() || block.having.is_some() || block.projection.iter().any(outputs);
    if grouped || query.limit_clause.is_none() {
        return;
    }
    let Some(order) = &mut query.order_by else { return };
    let OrderByKind::Expressions(keys) = &mut order.kind else { return };
    for key in keys {
        if only_argument(&key.expr, &["MIN", "MAX"]).is_none() {
            continue;
        }
        let before = key.expr.to_string();
        if let Expr::Function(function) = &key.expr
            && let FunctionArguments::List(list) = &function.args
            && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_slice()
        {
            key.expr = argument.clone();
            changes.push(format!("ORDER BY {before} without groups orders one row; ORDER BY {}.", key.expr));
        }
    }
}
