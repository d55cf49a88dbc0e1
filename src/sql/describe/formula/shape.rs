//! The shapes of expressions that have words of their own.

use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SelectItem,
    SetExpr, Value,
};

use crate::sql::describe::predicate::number;

/// The name of a function in capitals.
pub(in crate::sql::describe) fn function_name(function: &Function) -> String {
    function.name.to_string().to_ascii_uppercase()
}

/// The arguments of a function; `*` is none.
pub(in crate::sql::describe) fn function_arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    list.args
        .iter()
        .filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

/// The only output of a query.
pub(in crate::sql::describe) fn simple_projection(query: &Query) -> Option<&Expr> {
    let SetExpr::Select(select) = &*query.body else { return None };
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => Some(strip(expr)),
        _ => None,
    }
}

/// Without brackets, CAST and ROUND around it.
pub(super) fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => strip(inner),
        Expr::Function(function) if function_name(function) == "ROUND" => {
            function_arguments(function).first().map_or(expr, |inner| strip(inner))
        }
        other => other,
    }
}

pub(super) fn is_count(expr: &Expr) -> bool {
    matches!(strip(expr), Expr::Function(function) if function_name(function) == "COUNT")
}

pub(super) fn is_predicate(expr: &Expr) -> bool {
    use BinaryOperator as B;
    match strip(expr) {
        Expr::BinaryOp { op, .. } => {
            matches!(op, B::Eq | B::NotEq | B::Gt | B::GtEq | B::Lt | B::LtEq | B::And | B::Or)
        }
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Between { .. } | Expr::Like { .. } | Expr::In { .. } => {
            true
        }
        _ => false,
    }
}

/// `CASE WHEN c THEN x [ELSE 0 or NULL] END` or `IIF(c, x, 0)`: the condition and the result.
pub(super) fn if_then(expr: &Expr) -> Option<(&Expr, Option<&Expr>)> {
    let nothing = |e: &Expr| {
        matches!(number(e), Some("0" | "0.0")) || matches!(e, Expr::Value(v) if v.value == Value::Null)
    };
    match strip(expr) {
        Expr::Case { operand: None, conditions, else_result, .. } => match conditions.as_slice() {
            [when] if else_result.as_deref().is_none_or(nothing) => {
                Some((&when.condition, Some(&when.result)))
            }
            _ => None,
        },
        Expr::Function(function) if function_name(function) == "IIF" => {
            match function_arguments(function).as_slice() {
                [condition, then, otherwise] if nothing(otherwise) => Some((condition, Some(then))),
                _ => None,
            }
        }
        _ => None,
    }
}
