//! Lists of literals, which are masked as one.

use sqlparser::ast::{Expr, InTarget, Spanned, UnaryOperator, Value};

use crate::sql::literals::LiteralValue;
use crate::sql::scope::{Bare, Scope};
use crate::sql::skeleton::{Writer, quoted};

impl<'a> Writer<'a> {
    pub(super) fn in_target(&mut self, target: &'a InTarget, scope: &Scope<'_, 'a>) {
        match target {
            InTarget::List(items) => {
                self.push("(");
                match self.literal_list(items, scope) {
                    Some((masked, all)) => {
                        for item in items {
                            self.listed(item);
                        }
                        self.literal(masked, all);
                    }
                    None => {
                        for (i, item) in items.iter().enumerate() {
                            if i > 0 {
                                self.push(", ");
                            }
                            self.compared(item, scope);
                        }
                    }
                }
                self.push(")");
            }
            InTarget::Subquery(query) => self.subquery(query, scope),
            InTarget::Table { name, .. } => {
                self.seen(name.span());
                self.push(&name.to_string());
            }
            InTarget::Unnest(inner) => self.bracketed(inner, scope),
        }
    }

    /// One mask for a list of literals, with all of them separated by commas; None when it holds
    /// anything else.
    pub(crate) fn literal_list(
        &self,
        items: impl IntoIterator<Item = &'a Expr>,
        scope: &Scope<'_, 'a>,
    ) -> Option<(&'static str, String)> {
        let mut mask = None;
        let mut all = String::new();
        for item in items {
            let literal = self.plain_literal(item, scope)?;
            mask = mask.or(Some(if literal.starts_with('\'') { "'<val>'" } else { "<val>" }));
            if !all.is_empty() {
                all.push_str(", ");
            }
            all.push_str(&literal);
        }
        mask.map(|mask| (mask, all))
    }

    /// Notes an element of a list that is written as one mask.
    pub(crate) fn listed(&mut self, item: &Expr) {
        self.seen(item.span());
        match item {
            Expr::Value(value) => self.note_value(value, false),
            Expr::UnaryOp { expr: inner, .. } => {
                if let Expr::Value(value) = &**inner {
                    self.note_value(value, true);
                }
            }
            Expr::Identifier(name) => {
                self.note_use(name.span, false, LiteralValue::Text(name.value.clone()));
            }
            _ => {}
        }
    }

    fn plain_literal(&self, expr: &Expr, scope: &Scope<'_, 'a>) -> Option<String> {
        match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(number, _) => Some(number.clone()),
                Value::SingleQuotedString(text) => Some(quoted(text, '\'')),
                _ => None,
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match &**inner {
                Expr::Value(value) => match &value.value {
                    Value::Number(number, _) => Some(format!("-{number}")),
                    _ => None,
                },
                _ => None,
            },
            Expr::Identifier(name) if name.quote_style == Some('"') => match scope.bare(&name.value) {
                Bare::Missing | Bare::Unknown => Some(quoted(&name.value, '\'')),
                _ => None,
            },
            _ => None,
        }
    }
}
