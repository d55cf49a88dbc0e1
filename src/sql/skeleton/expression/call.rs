//! Calls of functions, with their windows and filters.

use sqlparser::ast::{
    DuplicateTreatment, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    Spanned, WindowFrameBound, WindowSpec, WindowType,
};

use crate::sql::literals::Operator;
use crate::sql::scope::Scope;
use crate::sql::skeleton::{Nested, Usage, Writer};

impl<'a> Writer<'a> {
    pub(super) fn function(&mut self, function: &'a Function, scope: &Scope<'_, 'a>) {
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

pub(super) fn argument_of(function: &str) -> Usage {
    Usage { operator: Operator::FunctionArgument, column: None, function: Some(function.to_owned()) }
}
