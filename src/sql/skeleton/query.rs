//! Skeletons of clauses and whole subqueries.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Join, JoinConstraint, JoinOperator, LimitClause, OrderByKind, Query, Select,
    SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Spanned, TableAlias, TableFactor, TableWithJoins,
    Values,
};

use super::{Usage, Writer};
use crate::sql::literals::Operator;
use crate::sql::parse::leftmost;
use crate::sql::scope::{Scope, last_part};

impl<'a> Writer<'a> {
    /// Writes a whole query that stands inside `outer`.
    pub(crate) fn query(&mut self, query: &'a Query, outer: &Scope<'_, 'a>) {
        self.depth += 1;
        let in_on = std::mem::take(&mut self.in_on);
        let aliases = std::mem::replace(&mut self.aliases, true);
        let usage = std::mem::take(&mut self.usage);
        let scope = Scope::with_ctes(outer, query.with.as_ref(), self.schema);
        if let Some(with) = &query.with {
            self.push(if with.recursive { "WITH RECURSIVE " } else { "WITH " });
            for (i, cte) in with.cte_tables.iter().enumerate() {
                if i > 0 {
                    self.push(", ");
                }
                self.seen(cte.alias.name.span);
                self.name(&cte.alias.name.value);
                self.push(" AS (");
                self.query(&cte.query, &scope);
                self.push(")");
            }
            self.push(" ");
        }
        match leftmost(&query.body) {
            SetExpr::Select(select) => {
                let inner = Scope::of_select(&scope, select, self.schema);
                self.body(&query.body, &scope, Some(&inner));
                self.tail(query, &inner);
            }
            _ => {
                self.body(&query.body, &scope, None);
                self.tail(query, &scope);
            }
        }
        self.in_on = in_on;
        self.aliases = aliases;
        self.usage = usage;
        self.depth -= 1;
    }

    /// Writes a chain of set operations; `first` is the scope of its first SELECT.
    fn body(&mut self, body: &'a SetExpr, scope: &Scope<'_, 'a>, first: Option<&Scope<'_, 'a>>) {
        let mut operands = Vec::new();
        let mut start = body;
        while let SetExpr::SetOperation { left, op, set_quantifier, right } = start {
            operands.push((op, set_quantifier, &**right));
            start = left;
        }
        self.operand(start, scope, first);
        for (op, quantifier, right) in operands.into_iter().rev() {
            let quantifier = quantifier.to_string();
            self.push(&format!(" {op} "));
            if !quantifier.is_empty() {
                self.push(&quantifier);
                self.push(" ");
            }
            self.operand(right, scope, None);
        }
    }

    fn operand(&mut self, body: &'a SetExpr, scope: &Scope<'_, 'a>, own: Option<&Scope<'_, 'a>>) {
        match body {
            SetExpr::Select(select) => match own {
                Some(own) => self.select(select, own),
                None => {
                    let own = Scope::of_select(scope, select, self.schema);
                    self.select(select, &own);
                }
            },
            SetExpr::Query(query) => {
                self.push("(");
                self.query(query, scope);
                self.push(")");
            }
            SetExpr::Values(values) => self.values(values, scope),
            SetExpr::SetOperation { .. } => self.body(body, scope, None),
            other => self.push(&other.to_string()),
        }
    }

    /// Rows of literals are written as one row, each mask standing for its whole column.
    fn values(&mut self, values: &'a Values, scope: &Scope<'_, 'a>) {
        self.push("VALUES ");
        let width = values.rows.first().map_or(0, |row| row.content.len());
        let columns: Option<Vec<_>> = (0..width)
            .map(|i| self.literal_list(values.rows.iter().filter_map(|row| row.content.get(i)), scope))
            .collect();
        if let Some(columns) = columns.filter(|c| !c.is_empty()) {
            self.push("(");
            for (i, (mask, all)) in columns.into_iter().enumerate() {
                if i > 0 {
                    self.push(", ");
                }
                self.literal(mask, all);
            }
            self.push(")");
            for value in values.rows.iter().flat_map(|row| &row.content) {
                self.listed(value);
            }
            return;
        }
        for (i, row) in values.rows.iter().enumerate() {
            self.push(if i > 0 { ", (" } else { "(" });
            self.list(&row.content, scope);
            self.push(")");
        }
    }

    fn select(&mut self, select: &'a Select, scope: &Scope<'_, 'a>) {
        self.seen(select.select_token.0.span);
        let aliases = std::mem::replace(&mut self.aliases, false);
        self.select_list(select, scope);
        if !select.from.is_empty() {
            self.push(" ");
            self.from(&select.from, scope);
        }
        self.aliases = true;
        if let Some(condition) = &select.selection {
            self.push(" WHERE ");
            self.expr(condition, scope);
        }
        if let Some(keys) = group_keys(select) {
            self.push(" ");
            self.group_by(keys, scope);
        }
        if let Some(condition) = &select.having {
            self.push(" HAVING ");
            self.expr(condition, scope);
        }
        self.aliases = aliases;
    }

    /// Writes `SELECT [DISTINCT] …`. In a subquery output aliases are kept, because blocks around it
    /// may use them.
    pub(crate) fn select_list(&mut self, select: &'a Select, scope: &Scope<'_, 'a>) {
        self.push("SELECT ");
        if matches!(select.distinct, Some(Distinct::Distinct)) {
            self.push("DISTINCT ");
        }
        for (i, item) in select.projection.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            match item {
                SelectItem::UnnamedExpr(expr) => self.expr(expr, scope),
                SelectItem::ExprWithAlias { expr, alias } => {
                    self.expr(expr, scope);
                    if self.depth > 0 {
                        self.push(" AS ");
                        self.name(&alias.value);
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    self.seen(name.span());
                    let name = last_part(name).map_or("", |i| i.value.as_str());
                    match scope.source(name) {
                        Some(source) => {
                            self.note_table(source);
                            self.name(&source.shown);
                        }
                        None => self.name(name),
                    }
                    self.push(".*");
                }
                other => {
                    self.seen(other.span());
                    self.push("*");
                }
            }
        }
    }

    /// Writes `GROUP BY …`.
    pub(crate) fn group_by(&mut self, keys: &'a [Expr], scope: &Scope<'_, 'a>) {
        self.push("GROUP BY ");
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            match key {
                Expr::Value(_) => self.sorted(key, scope),
                // Here a column comes before an alias of the same name; in ORDER BY it is the reverse.
                _ => self.expr(key, scope),
            }
        }
    }

    /// Writes `PARTITION BY …` of a window.
    pub(crate) fn partition_by(&mut self, keys: &'a [Expr], scope: &Scope<'_, 'a>) {
        self.push("PARTITION BY ");
        self.list(keys, scope);
    }

    /// Writes ` ORDER BY … LIMIT …` of a query.
    fn tail(&mut self, query: &'a Query, scope: &Scope<'_, 'a>) {
        let start = self.out.len();
        self.push(" ");
        let before = self.out.len();
        self.output(query, scope);
        if self.out.len() == before {
            self.out.truncate(start);
        }
    }

    /// Writes `ORDER BY … LIMIT …`, or what there is of it.
    pub(crate) fn output(&mut self, query: &'a Query, scope: &Scope<'_, 'a>) {
        let start = self.out.len();
        if let Some(OrderByKind::Expressions(terms)) = query.order_by.as_ref().map(|o| &o.kind) {
            self.push("ORDER BY ");
            self.order_terms(terms, scope);
        }
        let (limit, offset) = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                (limit.as_ref(), offset.as_ref().map(|o| &o.value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
            None => (None, None),
        };
        for (keyword, value, usage) in
            [("LIMIT ", limit, Operator::Limit), ("OFFSET ", offset, Operator::Offset)]
        {
            if let Some(value) = value {
                if self.out.len() > start {
                    self.push(" ");
                }
                self.push(keyword);
                self.used_as(Usage::plain(usage), |w| w.expr(value, scope));
            }
        }
    }

    /// Writes `FROM …` with its joins.
    pub(crate) fn from(&mut self, items: &'a [TableWithJoins], scope: &Scope<'_, 'a>) {
        self.push("FROM ");
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.joined(item, scope);
        }
    }

    fn joined(&mut self, item: &'a TableWithJoins, scope: &Scope<'_, 'a>) {
        self.factor(&item.relation, scope);
        for join in &item.joins {
            self.join(join, scope);
        }
    }

    fn factor(&mut self, factor: &'a TableFactor, scope: &Scope<'_, 'a>) {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                self.seen(name.span());
                let own = last_part(name).map_or("", |i| i.value.as_str());
                let called = alias.as_ref().map_or(own, |a| a.name.value.as_str());
                match scope.source(called) {
                    Some(source) => {
                        self.note_table(source);
                        self.name(&source.shown);
                    }
                    None => self.name(own),
                }
                self.alias_seen(alias.as_ref());
            }
            TableFactor::Derived { subquery, alias, .. } => {
                // What a derived table sees is the block around this one.
                self.subquery(subquery, scope.parent.unwrap_or(scope));
                if let Some(alias) = alias {
                    self.push(" AS ");
                    self.name(&alias.name.value);
                }
                self.alias_seen(alias.as_ref());
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                self.push("(");
                self.joined(table_with_joins, scope);
                self.push(")");
                self.alias_seen(alias.as_ref());
            }
            other => {
                self.seen(other.span());
                self.push(&other.to_string());
            }
        }
    }

    fn alias_seen(&mut self, alias: Option<&TableAlias>) {
        if let Some(alias) = alias {
            self.seen(alias.name.span);
        }
    }

    fn join(&mut self, join: &'a Join, scope: &Scope<'_, 'a>) {
        use JoinOperator as J;
        let (keyword, constraint) = match &join.join_operator {
            J::Join(c) | J::Inner(c) | J::StraightJoin(c) => ("INNER JOIN", Some(c)),
            J::Left(c) | J::LeftOuter(c) => ("LEFT JOIN", Some(c)),
            J::Right(c) | J::RightOuter(c) => ("RIGHT JOIN", Some(c)),
            J::FullOuter(c) => ("FULL JOIN", Some(c)),
            J::CrossJoin(c) => ("CROSS JOIN", Some(c)),
            J::Semi(c) | J::LeftSemi(c) | J::RightSemi(c) => ("SEMI JOIN", Some(c)),
            J::Anti(c) | J::LeftAnti(c) | J::RightAnti(c) => ("ANTI JOIN", Some(c)),
            J::AsOf { constraint, .. } => ("ASOF JOIN", Some(constraint)),
            J::ArrayJoin | J::LeftArrayJoin | J::InnerArrayJoin => ("ARRAY JOIN", None),
            J::CrossApply => ("CROSS APPLY", None),
            J::OuterApply => ("OUTER APPLY", None),
        };
        let natural = matches!(constraint, Some(JoinConstraint::Natural));
        self.push(if natural { " NATURAL " } else { " " });
        self.push(keyword);
        self.push(" ");
        self.factor(&join.relation, scope);
        match constraint {
            Some(JoinConstraint::On(condition)) => {
                self.push(" ON ");
                self.in_on = true;
                self.expr(condition, scope);
                self.in_on = false;
            }
            Some(JoinConstraint::Using(columns) | JoinConstraint::UsingAlias(columns, _)) => {
                self.push(" USING (");
                for (i, column) in columns.iter().enumerate() {
                    if i > 0 {
                        self.push(", ");
                    }
                    self.seen(column.span());
                    let name = last_part(column).map_or("", |i| i.value.as_str());
                    let spelled = scope.sources.iter().find_map(|s| s.column(name)).unwrap_or(name);
                    self.name(spelled);
                }
                self.push(")");
            }
            _ => {}
        }
    }
}

/// The keys of GROUP BY, when there is one.
pub(crate) fn group_keys(select: &Select) -> Option<&[Expr]> {
    match &select.group_by {
        GroupByExpr::Expressions(keys, _) if !keys.is_empty() => Some(keys),
        _ => None,
    }
}
