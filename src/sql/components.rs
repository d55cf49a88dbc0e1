//! Splitting a query into the five component types of BIRD-History, Appendix A.2, Table 7.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, JoinConstraint, JoinOperator, OrderByKind, Query, Select, SelectItem,
    SetExpr, TableFactor, TableWithJoins, UnaryOperator,
};

use super::parse::leftmost;
use super::position::Text;
use super::scope::Scope;
use super::skeleton::{Nested, Writer, group_keys, output_of};
use super::{Schema, SqlError, parse_query};

/// The five types of knowledge in a query (BIRD-History, section 4 and Table 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentType {
    /// A formula in SELECT or ORDER BY.
    Calculation,
    /// One predicate of WHERE or HAVING.
    Condition,
    /// FROM with its JOIN chain.
    Relation,
    /// GROUP BY.
    Dimension,
    /// ORDER BY with LIMIT, LIMIT, DISTINCT.
    Output,
}

/// One piece of knowledge in a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its type.
    pub kind: ComponentType,
    /// The piece as written in the query, on one line, aliases and literals kept.
    pub sql: String,
    /// Aliases resolved to table names, unqualified columns qualified, literals replaced by `<val>`.
    pub skeleton: String,
    /// What each `<val>` of the skeleton replaced, in order, as SQL literals (`'AX'`, `60`). A list after
    /// IN is one entry with its values separated by ", ".
    pub literals: Vec<String>,
    /// Names of the schema tables it reads, in order of appearance, no duplicates.
    pub tables: Vec<String>,
    /// Schema columns it reads as (table, column), in order of appearance, no duplicates.
    pub columns: Vec<(String, String)>,
    /// First and last line of the piece in the query's own text, 1-based and inclusive; None where
    /// the parser kept no position.
    pub lines: Option<(u32, u32)>,
    /// Bytes of the piece in the query's own text; None where the parser kept no position.
    #[serde(default)]
    pub range: Option<Range<usize>>,
    /// The name that SELECT gives to a calculation (`on_time_pct`): what its author calls it.
    #[serde(default)]
    pub alias: Option<String>,
}

/// Splits one query into its components, recursing into subqueries, CTEs, set operations and window
/// functions; components come in the order of the text, equal ones once for each place.
///
/// - Calculation: every expression of SELECT, ORDER BY and VALUES other than a bare column or a
///   constant, split at AND and OR. An alias in ORDER BY is not counted again.
/// - Condition: every predicate of WHERE, HAVING and an aggregate's FILTER, split at AND and OR.
/// - Relation: FROM with its whole JOIN chain, where a block reads two or more tables. Conditions of ON
///   stay in it.
/// - Dimension: GROUP BY, and PARTITION BY of a window.
/// - Output: ORDER BY with LIMIT, LIMIT, SELECT DISTINCT with its columns. The ORDER BY of a window
///   belongs to its calculation, because it does not order what comes out.
///
/// A piece that holds a subquery is a component, and so are the pieces of the subquery.
pub fn split(sql: &str, schema: &Schema) -> Result<Vec<Component>, SqlError> {
    Ok(split_query(&parse_query(sql)?, sql, schema))
}

/// Splits a query that was parsed from `sql`.
pub(crate) fn split_query(query: &Query, sql: &str, schema: &Schema) -> Vec<Component> {
    let mut splitter = Splitter { schema, text: Text::new(sql), found: Vec::new() };
    splitter.query(query, &Scope::default());
    let mut found = splitter.found;
    // A whole comes before its parts; a piece without a position keeps its place at the end.
    found.sort_by_key(|c| match &c.range {
        Some(range) => (range.start, usize::MAX - range.end),
        None => (usize::MAX, 0),
    });
    found
}

struct Splitter<'a> {
    schema: &'a Schema,
    text: Text<'a>,
    found: Vec<Component>,
}

impl<'a> Splitter<'a> {
    /// Writes one component and splits what is nested in it.
    fn add(
        &mut self,
        kind: ComponentType,
        keyword: Option<&str>,
        scope: &Scope<'_, 'a>,
        write: impl FnOnce(&mut Writer<'a>),
    ) {
        let mut writer = Writer::new(self.schema);
        write(&mut writer);
        let nested = std::mem::take(&mut writer.nested);
        let range = writer.span.and_then(|span| self.text.range(span, &writer.bracketed, keyword));
        self.found.push(Component {
            kind,
            sql: range.as_ref().map_or_else(|| writer.out.clone(), |range| self.text.one_line(range)),
            skeleton: writer.out,
            literals: writer.literals,
            tables: writer.tables,
            columns: writer.columns,
            lines: range.as_ref().map(|range| self.text.lines(range)),
            range,
            alias: None,
        });
        self.nested(nested, scope);
    }

    fn nested(&mut self, nested: Vec<Nested<'a>>, scope: &Scope<'_, 'a>) {
        for piece in nested {
            match piece {
                Nested::Query(query) => self.query(query, scope),
                Nested::Filter(condition) => self.conditions(condition, scope),
                Nested::Window(window) => {
                    if !window.partition_by.is_empty() {
                        self.add(ComponentType::Dimension, Some("PARTITION"), scope, |w| {
                            w.aliases = false;
                            w.partition_by(&window.partition_by, scope);
                        });
                    }
                    for term in &window.order_by {
                        self.calculations(&term.expr, scope, false);
                    }
                }
            }
        }
    }

    /// Splits what is nested in an expression that is no component itself.
    fn only_nested(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        let mut writer = Writer::new(self.schema);
        writer.expr(expr, scope);
        self.nested(writer.nested, scope);
    }

    fn query(&mut self, query: &'a Query, outer: &Scope<'_, 'a>) {
        let mut scope = Scope::inside(outer);
        for cte in query.with.iter().flat_map(|w| &w.cte_tables) {
            // A CTE sees those before it, and itself when it is recursive.
            self.query(&cte.query, &Scope::with_cte(&scope, cte, self.schema));
            scope.add_cte(cte, self.schema);
        }
        let first = leftmost(&query.body);
        let own = match first {
            SetExpr::Select(select) => Some(Scope::of_select(&scope, select, self.schema)),
            _ => None,
        };
        let mut operands = Vec::new();
        let mut body = &*query.body;
        while let SetExpr::SetOperation { left, right, .. } = body {
            operands.push(&**right);
            body = left;
        }
        match (first, &own) {
            (SetExpr::Select(select), Some(own)) => self.select(select, own),
            _ => self.operand(first, &scope),
        }
        for operand in operands.into_iter().rev() {
            self.operand(operand, &scope);
        }
        self.output(query, own.as_ref().unwrap_or(&scope));
    }

    fn operand(&mut self, body: &'a SetExpr, scope: &Scope<'_, 'a>) {
        match body {
            SetExpr::Select(select) => {
                let own = Scope::of_select(scope, select, self.schema);
                self.select(select, &own);
            }
            SetExpr::Query(query) => self.query(query, scope),
            SetExpr::SetOperation { left, right, .. } => {
                self.operand(left, scope);
                self.operand(right, scope);
            }
            SetExpr::Values(values) => {
                for expr in values.rows.iter().flat_map(|row| &row.content) {
                    self.calculations(expr, scope, false);
                }
            }
            _ => {}
        }
    }

    fn select(&mut self, select: &'a Select, scope: &Scope<'_, 'a>) {
        if matches!(select.distinct, Some(Distinct::Distinct)) {
            let mut writer = Writer::new(self.schema);
            writer.aliases = false;
            writer.select_list(select, scope);
            self.add(ComponentType::Output, Some("SELECT"), scope, |w| {
                *w = writer;
                w.nested.clear(); // The list's own calculations follow.
            });
        }
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(expr) => self.calculations(expr, scope, false),
                SelectItem::ExprWithAlias { expr, alias } => {
                    let first = self.found.len();
                    self.calculations(expr, scope, false);
                    // A formula with parts at AND or OR has a name for the whole, not for a part.
                    if operands(expr).len() == 1
                        && let Some(whole) = self.found.get_mut(first)
                    {
                        whole.alias = Some(alias.value.clone());
                    }
                }
                _ => {}
            }
        }
        self.relation(&select.from, scope);
        if let Some(condition) = &select.selection {
            self.conditions(condition, scope);
        }
        if let Some(keys) = group_keys(select) {
            self.add(ComponentType::Dimension, Some("GROUP"), scope, |w| w.group_by(keys, scope));
        }
        if let Some(condition) = &select.having {
            self.conditions(condition, scope);
        }
        for window in &select.named_window {
            if let sqlparser::ast::NamedWindowExpr::WindowSpec(spec) = &window.1 {
                self.nested(vec![Nested::Window(spec)], scope);
            }
        }
    }

    fn relation(&mut self, from: &'a [TableWithJoins], scope: &Scope<'_, 'a>) {
        if scope.sources.len() >= 2 {
            let mut inner = Vec::new();
            self.add(ComponentType::Relation, Some("FROM"), scope, |w| {
                w.aliases = false;
                w.from(from, scope);
                inner = std::mem::take(&mut w.nested);
            });
            // A derived table sees the block around this one; a subquery in ON sees this one. Names of
            // this block do not resolve differently for the former unless it misuses them.
            self.nested(inner, scope);
            return;
        }
        for item in from {
            self.derived(item, scope);
        }
    }

    fn derived(&mut self, item: &'a TableWithJoins, scope: &Scope<'_, 'a>) {
        for factor in std::iter::once(&item.relation).chain(item.joins.iter().map(|j| &j.relation)) {
            match factor {
                TableFactor::Derived { subquery, .. } => self.query(subquery, scope.parent.unwrap_or(scope)),
                TableFactor::NestedJoin { table_with_joins, .. } => self.derived(table_with_joins, scope),
                _ => {}
            }
        }
        for join in &item.joins {
            if let JoinOperator::Join(JoinConstraint::On(on))
            | JoinOperator::Inner(JoinConstraint::On(on))
            | JoinOperator::Left(JoinConstraint::On(on))
            | JoinOperator::LeftOuter(JoinConstraint::On(on)) = &join.join_operator
            {
                self.only_nested(on, scope);
            }
        }
    }

    /// Adds the predicates of a condition.
    fn conditions(&mut self, condition: &'a Expr, scope: &Scope<'_, 'a>) {
        for predicate in operands(condition) {
            self.add(ComponentType::Condition, None, scope, |w| w.expr(predicate, scope));
        }
    }

    /// Adds the formulas of one expression of SELECT or ORDER BY.
    fn calculations(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>, aliases: bool) {
        for operand in operands(expr) {
            if !is_simple(operand) {
                self.add(ComponentType::Calculation, None, scope, |w| {
                    w.aliases = aliases;
                    w.expr(operand, scope);
                });
            }
        }
    }

    fn output(&mut self, query: &'a Query, scope: &Scope<'_, 'a>) {
        if let Some(OrderByKind::Expressions(terms)) = query.order_by.as_ref().map(|o| &o.kind) {
            for term in terms.iter().filter(|t| output_of(&t.expr, scope).is_none()) {
                self.calculations(&term.expr, scope, true);
            }
        }
        let keyword = if query.order_by.is_some() { "ORDER" } else { "LIMIT" };
        if query.order_by.is_some() || query.limit_clause.is_some() {
            self.add(ComponentType::Output, Some(keyword), scope, |w| {
                w.output(query, scope);
                w.nested.clear(); // Subqueries of its formulas are split with these.
            });
        }
        if let Some(
            sqlparser::ast::LimitClause::LimitOffset { limit: Some(limit), .. }
            | sqlparser::ast::LimitClause::OffsetCommaLimit { limit, .. },
        ) = &query.limit_clause
        {
            self.only_nested(limit, scope);
        }
    }
}

/// The operands of a chain of AND and OR in the order of the text, without brackets around them.
fn operands(expr: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut open = vec![expr];
    while let Some(next) = open.pop() {
        match next {
            Expr::BinaryOp { left, op: BinaryOperator::And | BinaryOperator::Or, right } => {
                open.push(right);
                open.push(left);
            }
            // Brackets around a subquery are its own.
            Expr::Nested(inner) => open.push(inner),
            _ => found.push(next),
        }
    }
    found
}

/// Whether an expression is a bare column or a constant.
fn is_simple(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) | Expr::Wildcard(_) => true,
        Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } | Expr::Nested(expr) => {
            is_simple(expr)
        }
        _ => false,
    }
}
