//! Skeletons of expressions.

mod call;
mod chain;
mod literal;
mod order;

use sqlparser::ast::{CaseWhen, CastKind, CeilFloorKind, DataType, ExactNumberInfo, Expr, Spanned};

use super::{Nested, Usage, Writer};
use crate::sql::literals::Operator;
use crate::sql::scope::Scope;

pub(crate) use order::output_of;

use call::argument_of;

impl<'a> Writer<'a> {
    /// Writes an expression.
    pub(crate) fn expr(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        match expr {
            Expr::Identifier(name) => self.bare(name, scope, false),
            Expr::CompoundIdentifier(parts) => self.qualified(parts, scope),
            Expr::Value(value) => {
                self.seen(value.span);
                self.note_value(value, false);
                self.value(&value.value);
            }
            Expr::BinaryOp { .. } => self.chain(expr, scope),
            Expr::UnaryOp { op, expr: inner } => self.unary(*op, inner, scope),
            Expr::Nested(inner) => self.bracketed(inner, scope),
            Expr::IsNull(inner) => self.postfix(inner, " IS NULL", scope),
            Expr::IsNotNull(inner) => self.negated_postfix(inner, " IS NULL", scope),
            Expr::IsTrue(inner) => self.postfix(inner, " IS TRUE", scope),
            Expr::IsNotTrue(inner) => self.negated_postfix(inner, " IS TRUE", scope),
            Expr::IsFalse(inner) => self.postfix(inner, " IS FALSE", scope),
            Expr::IsNotFalse(inner) => self.negated_postfix(inner, " IS FALSE", scope),
            Expr::IsDistinctFrom(left, right) => self.infix(left, " IS DISTINCT FROM ", right, scope),
            Expr::IsNotDistinctFrom(left, right) => self.infix(left, " IS NOT DISTINCT FROM ", right, scope),
            Expr::In { expr: inner, target, negated, .. } => {
                self.negation(*negated);
                self.expr(inner, scope);
                self.push(" IN ");
                let usage = self.comparison(Operator::In, inner, scope);
                self.used_as(usage, |w| w.in_target(target, scope));
            }
            Expr::Between { expr: inner, negated, low, high } => {
                self.negation(*negated);
                self.expr(inner, scope);
                self.push(" BETWEEN ");
                let usage = self.comparison(Operator::BetweenLow, inner, scope);
                self.used_as(usage, |w| w.compared(low, scope));
                self.push(" AND ");
                let usage = self.comparison(Operator::BetweenHigh, inner, scope);
                self.used_as(usage, |w| w.compared(high, scope));
            }
            Expr::Like { negated, expr: inner, pattern, escape_char, .. } => {
                self.negation(*negated);
                self.expr(inner, scope);
                self.push(" LIKE ");
                let usage = self.comparison(Operator::Like, inner, scope);
                self.used_as(usage, |w| w.compared(pattern, scope));
                if let Some(escape) = escape_char {
                    self.push(" ESCAPE ");
                    self.expr(escape, scope);
                }
            }
            Expr::Exists { subquery, negated } => {
                self.negation(*negated);
                self.push("EXISTS");
                self.subquery(subquery, scope);
            }
            Expr::Subquery(query) => self.subquery(query, scope),
            Expr::Function(function) => self.function(function, scope),
            Expr::Cast { kind, expr: inner, data_type, .. } => {
                self.push(if *kind == CastKind::TryCast { "TRY_CAST(" } else { "CAST(" });
                self.inside_brackets(|w| w.expr(inner, scope));
                self.push(" AS ");
                self.data_type(data_type);
                self.push(")");
            }
            Expr::Case { case_token, end_token, operand, conditions, else_result } => {
                self.seen(case_token.0.span);
                self.used_as(Usage::default(), |w| {
                    w.case(operand.as_deref(), conditions, else_result.as_deref(), scope);
                });
                self.seen(end_token.0.span);
            }
            Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
                self.push("SUBSTRING(");
                self.used_as(argument_of("SUBSTR"), |w| {
                    w.inside_brackets(|w| {
                        w.expr(inner, scope);
                        for argument in [substring_from, substring_for].into_iter().flatten() {
                            w.push(", ");
                            w.expr(argument, scope);
                        }
                    });
                });
                self.push(")");
            }
            Expr::Trim { expr: inner, trim_what, trim_characters, .. } => {
                self.push("TRIM(");
                self.inside_brackets(|w| {
                    w.expr(inner, scope);
                    let characters = trim_characters.iter().flatten();
                    for argument in trim_what.iter().map(|b| &**b).chain(characters) {
                        w.push(", ");
                        w.expr(argument, scope);
                    }
                });
                self.push(")");
            }
            Expr::Ceil { expr: inner, field } => self.rounding("CEIL(", inner, field, scope),
            Expr::Floor { expr: inner, field } => self.rounding("FLOOR(", inner, field, scope),
            Expr::Collate { expr: inner, collation } => {
                self.expr(inner, scope);
                self.push(" COLLATE ");
                self.push(&collation.to_string().to_ascii_uppercase());
                self.seen(collation.span());
            }
            Expr::Tuple(items) => {
                self.push("(");
                self.inside_brackets(|w| w.list(items, scope));
                self.push(")");
            }
            other => {
                // Forms of other dialects keep the parser's own spelling.
                self.seen(other.span());
                self.note_uses_within(other);
                self.push(&other.to_string());
            }
        }
    }

    /// Writes a comma-separated list.
    pub(crate) fn list(&mut self, items: &'a [Expr], scope: &Scope<'_, 'a>) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.expr(item, scope);
        }
    }

    /// Writes an expression where a value is expected, see [`Writer::bare`].
    pub(super) fn compared(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        match expr {
            Expr::Identifier(name) => self.bare(name, scope, true),
            _ => self.expr(expr, scope),
        }
    }

    fn negation(&mut self, negated: bool) {
        if negated {
            self.push("NOT ");
        }
    }

    pub(super) fn postfix(&mut self, inner: &'a Expr, suffix: &str, scope: &Scope<'_, 'a>) {
        self.expr(inner, scope);
        self.push(suffix);
    }

    fn negated_postfix(&mut self, inner: &'a Expr, suffix: &str, scope: &Scope<'_, 'a>) {
        self.push("NOT ");
        self.postfix(inner, suffix, scope);
    }

    fn infix(&mut self, left: &'a Expr, operator: &str, right: &'a Expr, scope: &Scope<'_, 'a>) {
        self.expr(left, scope);
        self.push(operator);
        self.compared(right, scope);
    }

    pub(super) fn bracketed(&mut self, inner: &'a Expr, scope: &Scope<'_, 'a>) {
        self.push("(");
        self.inside_brackets(|w| w.expr(inner, scope));
        self.push(")");
    }

    /// Writes a subquery in brackets and notes it.
    pub(crate) fn subquery(&mut self, query: &'a sqlparser::ast::Query, scope: &Scope<'_, 'a>) {
        self.note_nested(Nested::Query(query));
        self.push("(");
        self.inside_brackets(|w| w.query(query, scope));
        self.push(")");
    }

    fn case(
        &mut self,
        operand: Option<&'a Expr>,
        conditions: &'a [CaseWhen],
        otherwise: Option<&'a Expr>,
        scope: &Scope<'_, 'a>,
    ) {
        self.push("CASE");
        if let Some(operand) = operand {
            self.push(" ");
            self.expr(operand, scope);
        }
        for when in conditions {
            self.push(" WHEN ");
            self.compared(&when.condition, scope);
            self.push(" THEN ");
            self.compared(&when.result, scope);
        }
        if let Some(otherwise) = otherwise {
            self.push(" ELSE ");
            self.compared(otherwise, scope);
        }
        self.push(" END");
    }

    pub(super) fn rounding(
        &mut self,
        name: &str,
        inner: &'a Expr,
        field: &'a CeilFloorKind,
        scope: &Scope<'_, 'a>,
    ) {
        self.push(name);
        self.inside_brackets(|w| w.expr(inner, scope));
        if let CeilFloorKind::Scale(scale) = field {
            self.push(", ");
            self.seen(scale.span);
            self.value(&scale.value);
        }
        self.push(")");
    }

    pub(super) fn data_type(&mut self, data_type: &DataType) {
        match data_type {
            DataType::Float(_) | DataType::Double(_) | DataType::DoublePrecision | DataType::Real => {
                self.push("REAL");
            }
            DataType::Int(None) | DataType::Integer(None) => self.push("INTEGER"),
            DataType::Decimal(ExactNumberInfo::None) => self.push("NUMERIC"),
            other => self.push(&other.to_string().to_ascii_uppercase()),
        }
    }
}
