//! Skeletons of expressions.

use sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DataType, DuplicateTreatment, ExactNumberInfo, Expr,
    Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, InTarget, OrderByExpr,
    OrderBySort, Spanned, UnaryOperator, Value, WindowFrameBound, WindowSpec, WindowType,
};

use super::usage::{mirrored, operator};
use super::{Nested, Usage, Writer, quoted};
use crate::sql::literals::{LiteralValue, Operator};
use crate::sql::scope::{Bare, Scope};

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

    /// Writes an expression where a value is expected, see [`Writer::bare`].
    fn compared(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
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

    fn postfix(&mut self, inner: &'a Expr, suffix: &str, scope: &Scope<'_, 'a>) {
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

    /// Writes `a op b op c …`; the left side is followed in a loop, because a long chain is as deep.
    fn chain(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
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

    fn unary(&mut self, op: UnaryOperator, inner: &'a Expr, scope: &Scope<'_, 'a>) {
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

    fn bracketed(&mut self, inner: &'a Expr, scope: &Scope<'_, 'a>) {
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

    fn in_target(&mut self, target: &'a InTarget, scope: &Scope<'_, 'a>) {
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

    fn rounding(&mut self, name: &str, inner: &'a Expr, field: &'a CeilFloorKind, scope: &Scope<'_, 'a>) {
        self.push(name);
        self.inside_brackets(|w| w.expr(inner, scope));
        if let CeilFloorKind::Scale(scale) = field {
            self.push(", ");
            self.seen(scale.span);
            self.value(&scale.value);
        }
        self.push(")");
    }

    fn data_type(&mut self, data_type: &DataType) {
        match data_type {
            DataType::Float(_) | DataType::Double(_) | DataType::DoublePrecision | DataType::Real => {
                self.push("REAL");
            }
            DataType::Int(None) | DataType::Integer(None) => self.push("INTEGER"),
            DataType::Decimal(ExactNumberInfo::None) => self.push("NUMERIC"),
            other => self.push(&other.to_string().to_ascii_uppercase()),
        }
    }

    fn function(&mut self, function: &'a Function, scope: &Scope<'_, 'a>) {
        self.seen(function.name.span());
        let name = function.name.to_string().to_ascii_uppercase();
        self.push(if name == "SUBSTR" { "SUBSTRING" } else { &name });
        match &function.args {
            FunctionArguments::None => {}
            FunctionArguments::Subquery(query) => self.subquery(query, scope),
            FunctionArguments::List(list) => {
                self.push("(");
                if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
                    self.push("DISTINCT ");
                }
                self.used_as(argument_of(&name), |w| {
                    for (i, argument) in list.args.iter().enumerate() {
                        if i > 0 {
                            w.push(", ");
                        }
                        w.argument(argument, scope);
                    }
                });
                for clause in &list.clauses {
                    match clause {
                        FunctionArgumentClause::OrderBy(terms) => {
                            self.push(" ORDER BY ");
                            self.order_terms(terms, scope);
                        }
                        other => {
                            self.push(" ");
                            self.push(&other.to_string());
                        }
                    }
                }
                self.push(")");
            }
        }
        if let Some(filter) = &function.filter {
            self.note_nested(Nested::Filter(filter));
            self.push(" FILTER(WHERE ");
            self.expr(filter, scope);
            self.push(")");
        }
        match &function.over {
            Some(WindowType::WindowSpec(window)) => {
                self.note_nested(Nested::Window(window));
                self.push(" OVER (");
                self.window(window, scope);
                self.push(")");
            }
            Some(WindowType::NamedWindow(name)) => {
                self.seen(name.span);
                self.push(" OVER ");
                self.name(&name.value);
            }
            None => {}
        }
    }

    fn argument(&mut self, argument: &'a FunctionArg, scope: &Scope<'_, 'a>) {
        let (FunctionArg::Unnamed(value)
        | FunctionArg::Named { arg: value, .. }
        | FunctionArg::ExprNamed { arg: value, .. }) = argument;
        match value {
            FunctionArgExpr::Expr(expr) => self.compared(expr, scope),
            FunctionArgExpr::QualifiedWildcard(_)
            | FunctionArgExpr::Wildcard
            | FunctionArgExpr::WildcardWithOptions(_) => self.push("*"),
        }
    }

    /// Writes what stands between the brackets of OVER.
    fn window(&mut self, window: &'a WindowSpec, scope: &Scope<'_, 'a>) {
        let start = self.out.len();
        if let Some(name) = &window.window_name {
            self.seen(name.span);
            self.name(&name.value);
        }
        if !window.partition_by.is_empty() {
            self.space_after(start);
            self.push("PARTITION BY ");
            self.list(&window.partition_by, scope);
        }
        if !window.order_by.is_empty() {
            self.space_after(start);
            self.push("ORDER BY ");
            self.order_terms(&window.order_by, scope);
        }
        if let Some(frame) = &window.window_frame {
            self.space_after(start);
            self.push(&frame.units.to_string());
            self.push(" ");
            match &frame.end_bound {
                Some(end) => {
                    self.push("BETWEEN ");
                    self.frame_bound(&frame.start_bound, scope);
                    self.push(" AND ");
                    self.frame_bound(end, scope);
                }
                None => self.frame_bound(&frame.start_bound, scope),
            }
        }
    }

    fn space_after(&mut self, start: usize) {
        if self.out.len() > start {
            self.push(" ");
        }
    }

    fn frame_bound(&mut self, bound: &'a WindowFrameBound, scope: &Scope<'_, 'a>) {
        match bound {
            WindowFrameBound::CurrentRow => self.push("CURRENT ROW"),
            WindowFrameBound::Preceding(None) => self.push("UNBOUNDED PRECEDING"),
            WindowFrameBound::Following(None) => self.push("UNBOUNDED FOLLOWING"),
            WindowFrameBound::Preceding(Some(rows)) => self.postfix(rows, " PRECEDING", scope),
            WindowFrameBound::Following(Some(rows)) => self.postfix(rows, " FOLLOWING", scope),
        }
    }
}

fn argument_of(function: &str) -> Usage {
    Usage { operator: Operator::FunctionArgument, column: None, function: Some(function.to_owned()) }
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
