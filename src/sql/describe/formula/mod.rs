//! Formulas in words; the shapes that people write again and again are recognised.

mod call;
mod ratio;
mod shape;
mod subquery;

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use super::names::Words;
use super::predicate::number;

pub(super) use shape::{function_arguments, function_name, simple_projection};

impl Words<'_> {
    /// A formula as a phrase: "average height", "percentage of heroes where gender is Female".
    pub(in crate::sql::describe) fn formula(&self, expr: &Expr) -> String {
        match expr {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., table, column] => self.column(&table.value, &column.value),
                _ => expr.to_string(),
            },
            Expr::Identifier(name) => super::names::split_name(&name.value).join(" "),
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => text.clone(),
                Value::Null => "nothing".into(),
                other => other.to_string(),
            },
            Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::Collate { expr: inner, .. } => {
                self.formula(inner)
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                format!("minus {}", self.formula(inner))
            }
            Expr::BinaryOp { left, op, right } => self.arithmetic(left, op, right),
            Expr::Function(function) => self.function(function),
            Expr::Case { .. } => self.choice(expr),
            Expr::Subquery(query) => self.subquery(query),
            Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
                self.part(inner, substring_from.as_deref(), substring_for.as_deref())
            }
            Expr::Trim { expr: inner, .. }
            | Expr::Ceil { expr: inner, .. }
            | Expr::Floor { expr: inner, .. } => self.formula(inner),
            Expr::Tuple(items) => items.iter().map(|i| self.formula(i)).collect::<Vec<_>>().join(", "),
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::In { .. }
            | Expr::Exists { .. }
            | Expr::UnaryOp { op: UnaryOperator::Not, .. } => {
                format!("whether {}", self.predicate(expr, false))
            }
            other => other.to_string(),
        }
    }

    pub(super) fn part(&self, inner: &Expr, from: Option<&Expr>, length: Option<&Expr>) -> String {
        let what = self.formula(inner);
        match (from.and_then(number), length.and_then(number)) {
            (Some("1" | "0"), Some("4")) => format!("year of {what}"),
            (Some("5" | "6"), Some("2")) => format!("month of {what}"),
            (Some("1" | "0"), Some(n)) => format!("first {n} characters of {what}"),
            (Some(n), _) => format!("{what} from character {n}"),
            _ => format!("part of {what}"),
        }
    }

    fn arithmetic(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> String {
        use BinaryOperator as B;
        match op {
            B::Divide | B::Multiply => self.ratio(left, op, right),
            B::Minus => match self.age(left, right) {
                Some(age) => age,
                None => format!("difference between {} and {}", self.formula(left), self.formula(right)),
            },
            B::Plus => format!("sum of {} and {}", self.formula(left), self.formula(right)),
            B::StringConcat => format!("{} and {} together", self.formula(left), self.formula(right)),
            B::Eq | B::NotEq | B::Gt | B::GtEq | B::Lt | B::LtEq | B::And | B::Or => {
                let whole = Expr::BinaryOp {
                    left: Box::new(left.clone()),
                    op: op.clone(),
                    right: Box::new(right.clone()),
                };
                format!("whether {}", self.predicate(&whole, false))
            }
            other => format!("{} {other} {}", self.formula(left), self.formula(right)),
        }
    }

    /// `STRFTIME('%Y', 'now') - STRFTIME('%Y', birthday)` and the like: "age".
    fn age(&self, left: &Expr, right: &Expr) -> Option<String> {
        let now = left.to_string().to_ascii_lowercase();
        let is_now = ["'now'", "current_timestamp", "current_date", "datetime()", "date()"]
            .iter()
            .any(|n| now.contains(n));
        let born = self.formula(right);
        is_now.then(|| if born.contains("birth") { "age".into() } else { format!("time since {born}") })
    }

    /// CASE outside an aggregate.
    fn choice(&self, expr: &Expr) -> String {
        let Expr::Case { operand, conditions, else_result, .. } = expr else { return expr.to_string() };
        let mut parts: Vec<String> = conditions
            .iter()
            .take(3)
            .map(|when| {
                let condition = match operand {
                    Some(operand) => {
                        format!("{} is {}", self.formula(operand), self.formula(&when.condition))
                    }
                    None => self.predicate(&when.condition, false),
                };
                format!("{} if {condition}", self.formula(&when.result))
            })
            .collect();
        if let Some(otherwise) = else_result {
            parts.push(format!("otherwise {}", self.formula(otherwise)));
        }
        parts.join(", ")
    }
}
