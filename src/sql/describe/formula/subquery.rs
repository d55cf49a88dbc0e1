//! Subqueries in words.

use sqlparser::ast::{BinaryOperator, Expr, Query, Select, SelectItem, SetExpr, TableFactor};

use crate::sql::describe::names::Words;
use crate::sql::scope::last_part;

impl Words<'_> {
    /// A scalar subquery: its formula, and what narrows it.
    pub(in crate::sql::describe) fn subquery(&self, query: &Query) -> String {
        let SetExpr::Select(select) = &*query.body else { return "another query's result".into() };
        let mut words: Vec<String> = select
            .projection
            .iter()
            .filter_map(|item| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    Some(self.formula(expr))
                }
                _ => None,
            })
            .collect();
        if words.is_empty() {
            words.push("rows".into());
        }
        let mut phrase = words.join(" and ");
        if phrase == "number of rows"
            && let Some(table) = self.tables_of(select).first()
        {
            phrase = format!("number of {}", self.rows(table));
        }
        if let Some(conditions) = self.plain_conditions(select.selection.as_ref()) {
            phrase.push_str(" where ");
            phrase.push_str(&conditions);
        }
        if let Some(output) = self.output(query) {
            phrase.push_str(", ");
            phrase.push_str(&output);
        }
        phrase
    }

    /// The conditions of a WHERE in words, without those that only tie two tables together.
    pub(in crate::sql::describe) fn plain_conditions(&self, condition: Option<&Expr>) -> Option<String> {
        let mut spoken = Vec::new();
        let mut open = vec![condition?];
        while let Some(expr) = open.pop() {
            match expr {
                Expr::BinaryOp { left, op: BinaryOperator::And, right } => open.extend([&**right, &**left]),
                Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
                    if matches!(
                        (&**left, &**right),
                        (Expr::CompoundIdentifier(_), Expr::CompoundIdentifier(_))
                    ) => {}
                other => spoken.push(self.predicate(other, false)),
            }
        }
        (!spoken.is_empty()).then(|| spoken.join(" and "))
    }

    /// Names of the tables in a FROM clause.
    pub(in crate::sql::describe) fn tables_of(&self, select: &Select) -> Vec<String> {
        let factors = select
            .from
            .iter()
            .flat_map(|item| std::iter::once(&item.relation).chain(item.joins.iter().map(|j| &j.relation)));
        factors
            .filter_map(|factor| match factor {
                TableFactor::Table { name, .. } => last_part(name).map(|i| i.value.clone()),
                _ => None,
            })
            .collect()
    }
}
