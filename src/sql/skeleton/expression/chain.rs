//! Operators: chains of them, join equalities and signs.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use crate::sql::literals::Operator;
use crate::sql::scope::Scope;
use crate::sql::skeleton::usage::{mirrored, operator};
use crate::sql::skeleton::{Usage, Writer};

impl<'a> Writer<'a> {
    /// Writes `a op b op c …`; the left side is followed in a loop, because a long chain is as deep.
    pub(super) fn chain(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        let mut operands = Vec::new();
        let mut first = expr;
        while let Expr::BinaryOp { left, op, right } = first {
            if self.in_on && *op == BinaryOperator::Eq {
                break;
            }
            operands.push((&**left, op, &**right));
            first = left;
        }
        match (first, operands.last()) {
            (Expr::BinaryOp { left, right, .. }, _) => self.join_equality(left, right, scope),
            (_, Some((_, op, right))) => {
                let usage = match mirrored(operator(op)) {
                    plain @ (Operator::Arithmetic | Operator::Other) => Usage::plain(plain),
                    compared => self.comparison(compared, right, scope),
                };
                self.used_as(usage, |w| w.expr(first, scope));
            }
            _ => self.expr(first, scope),
        }
        for (left, op, right) in operands.into_iter().rev() {
            self.push(" ");
            match op {
                BinaryOperator::Regexp => self.push("REGEXP"),
                other => self.push(&other.to_string()),
            }
            self.push(" ");
            let usage = match operator(op) {
                plain @ (Operator::Arithmetic | Operator::Other) => Usage::plain(plain),
                compared => self.comparison(compared, left, scope),
            };
            self.used_as(usage, |w| w.compared(right, scope));
        }
    }

    /// Writes `left = right` in ON, with two columns in the order of their tables.
    fn join_equality(&mut self, left: &'a Expr, right: &'a Expr, scope: &Scope<'_, 'a>) {
        let swap =
            matches!((Self::place(left, scope), Self::place(right, scope)), (Some(l), Some(r)) if l > r);
        let (first, second) = if swap { (right, left) } else { (left, right) };
        // What is inside the two sides is no join predicate of its own, and may be a chain of `=`.
        self.in_on = false;
        let usage = self.comparison(Operator::Equal, second, scope);
        self.used_as(usage, |w| w.expr(first, scope));
        self.push(" = ");
        let usage = self.comparison(Operator::Equal, first, scope);
        self.used_as(usage, |w| w.compared(second, scope));
        self.in_on = true;
    }

    pub(super) fn unary(&mut self, op: UnaryOperator, inner: &'a Expr, scope: &Scope<'_, 'a>) {
        if let (UnaryOperator::Minus, Expr::Value(value)) = (op, inner)
            && let Value::Number(number, _) = &value.value
        {
            self.seen(value.span);
            self.note_value(value, true);
            self.literal("<val>", format!("-{number}"));
            return;
        }
        match op {
            UnaryOperator::Not => self.push("NOT "),
            UnaryOperator::Plus => {}
            other => self.push(&other.to_string()),
        }
        self.expr(inner, scope);
    }
}
