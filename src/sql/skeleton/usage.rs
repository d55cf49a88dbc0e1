//! What a literal is used for: the column it is compared with, and how.

use sqlparser::ast::{BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};
use sqlparser::tokenizer::Location;

use super::Writer;
use crate::sql::literals::{LiteralValue, Operator};
use crate::sql::scope::{Bare, Scope};

/// What the literals of a place are used for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Usage {
    /// How.
    pub(crate) operator: Operator,
    /// The schema column they are compared with.
    pub(crate) column: Option<(String, String)>,
    /// The function around that column, or the function they are an argument of.
    pub(crate) function: Option<String>,
}

impl Usage {
    /// A use without a column.
    pub(crate) fn plain(operator: Operator) -> Self {
        Self { operator, column: None, function: None }
    }
}

/// A literal of the text.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    /// Where its digits or quote begin.
    pub(crate) start: Location,
    /// Whether a sign stands before it.
    pub(crate) negative: bool,
    /// Its value.
    pub(crate) value: LiteralValue,
    /// What it is used for.
    pub(crate) usage: Usage,
}

impl<'a> Writer<'a> {
    /// The use of a literal that is compared with `other`.
    pub(super) fn comparison(&self, operator: Operator, other: &Expr, scope: &Scope<'_, 'a>) -> Usage {
        if !self.track {
            return Usage::default();
        }
        let (column, function) = self.compared_column(other, scope);
        Usage { operator, column, function }
    }

    /// The schema column of one side of a comparison, with the function around it.
    fn compared_column(
        &self,
        expr: &Expr,
        scope: &Scope<'_, 'a>,
    ) -> (Option<(String, String)>, Option<String>) {
        let inside = |inner: &Expr, name: &str| {
            let (column, function) = self.compared_column(inner, scope);
            // The outermost function says most, but CAST says least.
            let name =
                if name == "CAST" { function.unwrap_or_else(|| name.to_owned()) } else { name.to_owned() };
            (column, Some(name))
        };
        match expr {
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => self.compared_column(inner, scope),
            Expr::Cast { expr: inner, .. } => inside(inner, "CAST"),
            Expr::Substring { expr: inner, .. } => inside(inner, "SUBSTR"),
            Expr::Trim { expr: inner, .. } => inside(inner, "TRIM"),
            Expr::Function(function) => {
                let name = function.name.to_string().to_ascii_uppercase();
                let FunctionArguments::List(list) = &function.args else { return (None, Some(name)) };
                let column = list.args.iter().find_map(|argument| match argument {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)) => {
                        self.compared_column(inner, scope).0
                    }
                    _ => None,
                });
                (column, Some(name))
            }
            Expr::Identifier(name) => match scope.bare(&name.value) {
                Bare::Column(source) => (column_of(source, &name.value), None),
                Bare::Output(output) if !matches!(output, Expr::Identifier(inner) if inner.value == name.value) => {
                    self.compared_column(output, scope)
                }
                _ => (None, None),
            },
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., qualifier, column] => {
                    (scope.source(&qualifier.value).and_then(|s| column_of(s, &column.value)), None)
                }
                _ => (None, None),
            },
            _ => (None, None),
        }
    }
}

fn column_of(source: &crate::sql::scope::Source<'_>, column: &str) -> Option<(String, String)> {
    let table = source.table?;
    Some((table.name.clone(), table.column(column)?.name.clone()))
}

/// The operator between two operands, seen from the right one.
pub(super) fn operator(op: &BinaryOperator) -> Operator {
    use BinaryOperator as B;
    match op {
        B::Eq => Operator::Equal,
        B::NotEq => Operator::NotEqual,
        B::Lt => Operator::Less,
        B::LtEq => Operator::LessOrEqual,
        B::Gt => Operator::Greater,
        B::GtEq => Operator::GreaterOrEqual,
        B::Plus | B::Minus | B::Multiply | B::Divide | B::Modulo => Operator::Arithmetic,
        B::Regexp | B::Glob | B::Match => Operator::Like,
        _ => Operator::Other,
    }
}

/// The operator between two operands, seen from the left one.
pub(super) fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        other => other,
    }
}
