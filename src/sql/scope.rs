//! Which table a name belongs to: the tables, CTEs and output aliases that a query block sees.

use sqlparser::ast::{
    Cte, Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, TableAlias, TableFactor, TableWithJoins, With,
};

use super::parse::leftmost;
use super::schema::{Schema, Table};

/// One table, view, CTE or derived table in a FROM clause.
#[derive(Debug, Clone)]
pub(crate) struct Source<'a> {
    /// The name that qualifies its columns in the block: its alias, else its own name.
    pub(crate) name: String,
    /// The name a skeleton gives it: the schema's spelling, a CTE's name, or a derived table's alias.
    pub(crate) shown: String,
    /// The schema table, when it is one.
    pub(crate) table: Option<&'a Table>,
    /// Columns of a CTE or derived table; None where they are unknown.
    pub(crate) columns: Option<Vec<String>>,
}

impl Source<'_> {
    /// The column's own spelling, or None when the source has no such column or its columns are unknown.
    pub(crate) fn column(&self, name: &str) -> Option<&str> {
        match (self.table, &self.columns) {
            (Some(table), _) => table.column(name).map(|c| c.name.as_str()),
            (None, Some(columns)) => {
                columns.iter().find(|c| c.eq_ignore_ascii_case(name)).map(String::as_str)
            }
            (None, None) => None,
        }
    }

    fn is_known(&self) -> bool {
        self.table.is_some() || self.columns.is_some()
    }
}

/// What one block of a query sees, with the blocks around it.
#[derive(Debug, Default)]
pub(crate) struct Scope<'s, 'a> {
    /// The block around this one, for correlated subqueries.
    pub(crate) parent: Option<&'s Scope<'s, 'a>>,
    /// CTEs defined here: name and columns, where these are known.
    pub(crate) ctes: Vec<(String, Option<Vec<String>>)>,
    /// The FROM clause in order.
    pub(crate) sources: Vec<Source<'a>>,
    /// Output aliases of the SELECT list.
    pub(crate) outputs: Vec<(String, &'a Expr)>,
    /// The SELECT list by position, for `ORDER BY 2`; None for `*`.
    pub(crate) positions: Vec<Option<&'a Expr>>,
}

/// What an unqualified name is.
#[derive(Debug)]
pub(crate) enum Bare<'r, 'a> {
    /// A column of this source.
    Column(&'r Source<'a>),
    /// An output alias; its expression.
    Output(&'a Expr),
    /// Several sources of a block have it.
    Ambiguous,
    /// No source has it, though some source's columns are unknown.
    Unknown,
    /// No source has it and all columns are known: in double quotes SQLite reads it as a string.
    Missing,
}

impl<'s, 'a> Scope<'s, 'a> {
    /// A block inside `parent` with nothing of its own yet.
    pub(crate) fn inside(parent: &'s Scope<'s, 'a>) -> Self {
        Scope { parent: Some(parent), ..Scope::default() }
    }

    /// The scope of a query's own CTEs.
    pub(crate) fn with_ctes(parent: &'s Scope<'s, 'a>, with: Option<&'a With>, schema: &'a Schema) -> Self {
        let mut scope = Scope::inside(parent);
        for cte in with.iter().flat_map(|w| &w.cte_tables) {
            scope.add_cte(cte, schema);
        }
        scope
    }

    /// A block inside `parent` that sees one more CTE.
    pub(crate) fn with_cte(parent: &'s Scope<'s, 'a>, cte: &'a Cte, schema: &'a Schema) -> Self {
        let mut scope = Scope::inside(parent);
        scope.add_cte(cte, schema);
        scope
    }

    /// Adds a CTE to those that this block sees.
    pub(crate) fn add_cte(&mut self, cte: &'a Cte, schema: &'a Schema) {
        let columns = alias_columns(&cte.alias).or_else(|| query_columns(&cte.query, schema, self));
        self.ctes.push((cte.alias.name.value.clone(), columns));
    }

    /// The scope of one SELECT.
    pub(crate) fn of_select(parent: &'s Scope<'s, 'a>, select: &'a Select, schema: &'a Schema) -> Self {
        let mut scope = Scope::inside(parent);
        for item in &select.from {
            add_sources(item, schema, parent, &mut scope.sources);
        }
        let mut counted = true; // What stands after a `*` has no position in the text.
        for item in &select.projection {
            let expr = match item {
                SelectItem::UnnamedExpr(expr) => Some(expr),
                SelectItem::ExprWithAlias { expr, alias } => {
                    scope.outputs.push((alias.value.clone(), expr));
                    Some(expr)
                }
                _ => None,
            };
            counted &= expr.is_some();
            scope.positions.push(expr.filter(|_| counted));
        }
        scope
    }

    fn chain(&self) -> impl Iterator<Item = &Scope<'s, 'a>> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }

    fn cte(&self, name: &str) -> Option<&(String, Option<Vec<String>>)> {
        // The last definition wins, so that a CTE sees those before it.
        self.chain().find_map(|s| s.ctes.iter().rev().find(|(n, _)| n.eq_ignore_ascii_case(name)))
    }

    /// The source that `qualifier` names, in this block or one around it.
    pub(crate) fn source(&self, qualifier: &str) -> Option<&Source<'a>> {
        self.chain().find_map(|s| s.sources.iter().find(|x| x.name.eq_ignore_ascii_case(qualifier)))
    }

    /// Position of a source in this block's own FROM clause.
    pub(crate) fn position(&self, source: &Source<'a>) -> Option<usize> {
        self.sources.iter().position(|s| std::ptr::eq(s, source))
    }

    /// The expression behind an output alias of this block.
    pub(crate) fn output(&self, name: &str) -> Option<&'a Expr> {
        self.outputs.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, expr)| *expr)
    }

    /// What an unqualified name is; output aliases are looked at after the block's own columns.
    pub(crate) fn bare(&self, name: &str) -> Bare<'_, 'a> {
        for scope in self.chain() {
            let mut having = scope.sources.iter().filter(|s| s.column(name).is_some());
            match (having.next(), having.next()) {
                (Some(source), None) => return Bare::Column(source),
                (Some(_), Some(_)) => return Bare::Ambiguous,
                _ => {}
            }
            if let Some(expr) = scope.output(name) {
                return Bare::Output(expr);
            }
            if scope.sources.iter().any(|s| !s.is_known()) {
                return Bare::Unknown;
            }
        }
        Bare::Missing
    }
}

/// The last part of a dotted name.
pub(crate) fn last_part(name: &ObjectName) -> Option<&Ident> {
    name.0.last().and_then(ObjectNamePart::as_ident)
}

fn alias_columns(alias: &TableAlias) -> Option<Vec<String>> {
    (!alias.columns.is_empty()).then(|| alias.columns.iter().map(|c| c.name.value.clone()).collect())
}

/// Appends the sources of one FROM item and its joins. `outer` is what subqueries in it see.
fn add_sources<'a>(
    item: &'a TableWithJoins,
    schema: &'a Schema,
    outer: &Scope<'_, 'a>,
    sources: &mut Vec<Source<'a>>,
) {
    let factors = std::iter::once(&item.relation).chain(item.joins.iter().map(|j| &j.relation));
    for factor in factors {
        match factor {
            TableFactor::NestedJoin { table_with_joins, alias: None } => {
                add_sources(table_with_joins, schema, outer, sources);
            }
            _ => sources.push(source(factor, schema, outer)),
        }
    }
}

fn source<'a>(factor: &'a TableFactor, schema: &'a Schema, outer: &Scope<'_, 'a>) -> Source<'a> {
    let unknown = |alias: &Option<TableAlias>| {
        let name = alias.as_ref().map_or(String::new(), |a| a.name.value.clone());
        Source { shown: name.clone(), name, table: None, columns: alias.as_ref().and_then(alias_columns) }
    };
    match factor {
        TableFactor::Table { name, alias, args, .. } => {
            let own = last_part(name).map_or_else(|| name.to_string(), |i| i.value.clone());
            let called = alias.as_ref().map_or_else(|| own.clone(), |a| a.name.value.clone());
            if args.is_some() {
                return Source { name: called.clone(), shown: called, table: None, columns: None };
            }
            let cte = if name.0.len() == 1 { outer.cte(&own) } else { None };
            if let Some((cte, columns)) = cte {
                return Source { name: called, shown: cte.clone(), table: None, columns: columns.clone() };
            }
            let table = schema.table(&own);
            let shown = table.map_or(own, |t| t.name.clone());
            Source { name: called, shown, table, columns: None }
        }
        TableFactor::Derived { subquery, alias, .. } => {
            let mut source = unknown(alias);
            source.columns = source.columns.or_else(|| query_columns(subquery, schema, outer));
            source
        }
        TableFactor::Function { name, alias, .. } => {
            let mut source = unknown(alias);
            if source.name.is_empty() {
                source.name = last_part(name).map_or(String::new(), |i| i.value.clone());
                source.shown = source.name.clone();
            }
            source
        }
        TableFactor::NestedJoin { alias, .. } | TableFactor::TableFunction { alias, .. } => unknown(alias),
        _ => unknown(&None),
    }
}

/// The output columns of a query, or None where a `*` over unknown columns hides them.
fn query_columns<'a>(query: &'a Query, schema: &'a Schema, outer: &Scope<'_, 'a>) -> Option<Vec<String>> {
    let scope = Scope::with_ctes(outer, query.with.as_ref(), schema);
    let select = match leftmost(&query.body) {
        SetExpr::Select(select) => select,
        SetExpr::Query(inner) => return query_columns(inner, schema, &scope),
        SetExpr::Values(values) => {
            let width = values.rows.first().map_or(0, |row| row.content.len());
            return Some((1..=width).map(|i| format!("column{i}")).collect());
        }
        _ => return None,
    };
    let mut sources = Vec::new();
    for item in &select.from {
        add_sources(item, schema, &scope, &mut sources);
    }
    let mut columns = Vec::new();
    let all = |source: &Source<'a>| -> Option<Vec<String>> {
        match source.table {
            Some(table) => Some(table.columns.iter().map(|c| c.name.clone()).collect()),
            None => source.columns.clone(),
        }
    };
    for item in &select.projection {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => columns.push(alias.value.clone()),
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => columns.push(name.value.clone()),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
                columns.extend(parts.last().map(|i| i.value.clone()));
            }
            SelectItem::UnnamedExpr(expr) => columns.push(expr.to_string()),
            SelectItem::Wildcard(_) => {
                for source in &sources {
                    columns.extend(all(source)?);
                }
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let name = last_part(name)?;
                columns.extend(all(sources.iter().find(|s| s.name.eq_ignore_ascii_case(&name.value))?)?);
            }
            _ => return None,
        }
    }
    Some(columns)
}
