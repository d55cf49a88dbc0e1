//! Terms of ORDER BY and GROUP BY, and the outputs that they name.

use sqlparser::ast::{Expr, OrderByExpr, OrderBySort, Spanned, Value};

use crate::sql::scope::Scope;
use crate::sql::skeleton::Writer;

impl<'a> Writer<'a> {
    /// Writes `ORDER BY` terms; ASC is the default and dropped.
    pub(crate) fn order_terms(&mut self, terms: &'a [OrderByExpr], scope: &Scope<'_, 'a>) {
        for (i, term) in terms.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.sorted(&term.expr, scope);
            if term.options.sort == Some(OrderBySort::Desc) {
                self.push(" DESC");
            }
            match term.options.nulls_first {
                Some(true) => self.push(" NULLS FIRST"),
                Some(false) => self.push(" NULLS LAST"),
                None => {}
            }
        }
    }

    /// Writes a term of ORDER BY or GROUP BY: output aliases and positions stand for their expression.
    pub(crate) fn sorted(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        let found = output_of(expr, scope);
        match found.filter(|_| self.expanding == 0) {
            Some(output) => {
                self.seen(expr.span());
                self.expand(output, scope);
            }
            None => self.expr(expr, scope),
        }
    }
}

/// The SELECT expression that a term of ORDER BY or GROUP BY names by alias or position.
pub(crate) fn output_of<'a>(expr: &Expr, scope: &Scope<'_, 'a>) -> Option<&'a Expr> {
    match expr {
        Expr::Identifier(name) => scope.output(&name.value),
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => {
                let position: usize = number.parse().ok()?;
                *scope.positions.get(position.checked_sub(1)?)?
            }
            _ => None,
        },
        _ => None,
    }
}
