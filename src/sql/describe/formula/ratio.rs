//! Quotients in words: averages, percentages, shares and plain ratios.

use sqlparser::ast::{BinaryOperator, Expr};

use super::shape::{
    function_arguments, function_name, if_then, is_count, is_predicate, simple_projection, strip,
};
use crate::sql::describe::names::Words;
use crate::sql::describe::predicate::number;

impl Words<'_> {
    /// Quotients and products: averages, percentages and plain ratios.
    pub(super) fn ratio(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> String {
        let whole =
            Expr::BinaryOp { left: Box::new(left.clone()), op: op.clone(), right: Box::new(right.clone()) };
        let mut hundred = false;
        let Some((above, below)) = quotient(&whole, &mut hundred) else {
            return match (op, number(right)) {
                (BinaryOperator::Multiply, Some(n)) => format!("{} times {n}", self.formula(left)),
                (BinaryOperator::Divide, Some(n)) => format!("{} divided by {n}", self.formula(left)),
                (BinaryOperator::Multiply, _) => {
                    format!("{} times {}", self.formula(left), self.formula(right))
                }
                _ => format!("{} per {}", self.formula(left), self.formula(right)),
            };
        };
        if let Some((what, condition)) = self.conditional(above) {
            let plain_total = self.total_of(below);
            if plain_total.is_some() || hundred {
                let share = if hundred { "percentage" } else { "share" };
                // A count over another condition is a comparison of two groups, not a share of all.
                if let Some((_, other)) = self.conditional(below) {
                    return format!("{share} of {what} where {condition} to those where {other}");
                }
                return format!("{share} of {what} where {condition}");
            }
            if let Some((_, other)) = self.conditional(below) {
                return format!("ratio of {what} where {condition} to those where {other}");
            }
        }
        if !hundred && let (Some(total), true) = (self.summed(above), is_count(below)) {
            return format!("average {total}");
        }
        if let Some((a, b)) = difference(above) {
            let (a, b, base) = (self.formula(a), self.formula(b), self.formula(below));
            if hundred {
                return if base == b {
                    format!("percentage change from {b} to {a}")
                } else {
                    format!("difference between {a} and {b} as a percentage of {base}")
                };
            }
            return format!("difference between {a} and {b} per {base}");
        }
        let (a, b) = (self.formula(above), self.formula(below));
        if hundred { format!("{a} as a percentage of {b}") } else { format!("ratio of {a} to {b}") }
    }

    /// What an unconditional COUNT or SUM covers.
    fn total_of(&self, expr: &Expr) -> Option<String> {
        let inner = match strip(expr) {
            Expr::Subquery(query) => simple_projection(query)?,
            other => other,
        };
        let Expr::Function(function) = inner else { return None };
        let plain =
            function_arguments(function).first().is_none_or(|a| if_then(a).is_none() && !is_predicate(a));
        (matches!(function_name(function).as_str(), "COUNT" | "SUM" | "TOTAL") && plain)
            .then(|| self.aggregate(function))
    }

    /// The column of `SUM(column)`.
    fn summed(&self, expr: &Expr) -> Option<String> {
        let Expr::Function(function) = strip(expr) else { return None };
        match function_arguments(function).as_slice() {
            [argument] if function_name(function) == "SUM" && if_then(argument).is_none() => {
                Some(self.formula(argument))
            }
            _ => None,
        }
    }
}

/// The two sides of a quotient, seen through CAST, brackets, ROUND and factors of 100 and 1.0.
fn quotient<'e>(expr: &'e Expr, hundred: &mut bool) -> Option<(&'e Expr, &'e Expr)> {
    match strip(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
            if number(right).is_some() {
                return None;
            }
            Some((without_factor(left, hundred), strip(right)))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => {
            let (inner, factor) = match (number(left), number(right)) {
                (_, Some(n)) => (left, n),
                (Some(n), _) => (right, n),
                _ => return None,
            };
            *hundred |= is_hundred(factor);
            if is_hundred(factor) || is_one(factor) { quotient(inner, hundred) } else { None }
        }
        _ => None,
    }
}

fn without_factor<'e>(expr: &'e Expr, hundred: &mut bool) -> &'e Expr {
    if let Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } = strip(expr) {
        for (inner, factor) in [(left, right), (right, left)] {
            if let Some(n) = number(factor)
                && (is_hundred(n) || is_one(n))
            {
                *hundred |= is_hundred(n);
                return without_factor(inner, hundred);
            }
        }
    }
    strip(expr)
}

fn is_hundred(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(|n| n == 100.0)
}

fn is_one(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(|n| n == 1.0)
}

fn difference(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match strip(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::Minus, right } => Some((strip(left), strip(right))),
        _ => None,
    }
}
