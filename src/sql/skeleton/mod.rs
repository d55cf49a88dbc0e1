//! Writing pieces of a query in one form: aliases resolved, literals masked, equal things spelled alike.
//!
//! - Aliases become table names, unqualified columns are qualified, names take the schema's spelling;
//!   names of CTEs and derived tables stay. Names that are no plain words stand in double quotes.
//! - Numbers become `<val>` (with their sign), strings `'<val>'`. A list of literals after IN is one
//!   value, and rows of literals after VALUES are one row.
//! - JOIN is INNER JOIN, `!=` and `==` are `<>` and `=`, negations stand in front (`NOT a IS NULL`),
//!   ASC is dropped, function names are in capitals, SUBSTR is SUBSTRING, CAST to FLOAT is CAST to REAL.
//! - The sides of `column = column` in ON follow the order of the tables in FROM.
//! - An output alias in WHERE, ORDER BY, GROUP BY or HAVING becomes its expression, as does a position.

mod expression;
mod query;
mod usage;

pub(crate) use expression::output_of;
pub(crate) use query::group_keys;
pub(crate) use usage::{Usage, Use};

use sqlparser::ast::{Expr, Ident, Query, Value, WindowSpec};
use sqlparser::tokenizer::{Location, Span};

use super::literals::LiteralValue;
use super::schema::Schema;
use super::scope::{Bare, Scope, Source};
use super::tokens;

/// A nested piece that is split on its own, in the scope of the piece around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Nested<'a> {
    /// A subquery.
    Query(&'a Query),
    /// What stands in `OVER (…)`.
    Window(&'a WindowSpec),
    /// The predicate of an aggregate's `FILTER (WHERE …)`.
    Filter(&'a Expr),
}

/// Writes the skeleton of one piece, and notes what it reads on the way.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    schema: &'a Schema,
    /// The skeleton so far.
    pub(crate) out: String,
    /// What each `<val>` stands for, in order.
    pub(crate) literals: Vec<String>,
    /// Schema tables read, in order of appearance.
    pub(crate) tables: Vec<String>,
    /// Schema columns read, in order of appearance.
    pub(crate) columns: Vec<(String, String)>,
    /// First and last position seen; None for a piece without names and literals.
    pub(crate) span: Option<(Location, Location)>,
    /// Positions inside brackets that the parser keeps no position of, innermost first.
    pub(crate) bracketed: Vec<(Location, Location)>,
    /// Nested pieces of the outermost level.
    pub(crate) nested: Vec<Nested<'a>>,
    /// Subqueries around the place that is being written.
    depth: u32,
    /// Output aliases around the place that is being written: their text stands elsewhere in the query.
    expanding: u32,
    /// Whether a join's ON is being written.
    in_on: bool,
    /// Whether output aliases can be named here: not in a SELECT list and not in FROM.
    pub(crate) aliases: bool,
    /// Whether to note what every literal is used for.
    track: bool,
    /// What the literal that comes next is used for.
    usage: Usage,
    /// Every literal of the text with its use, when these are tracked.
    pub(crate) uses: Vec<Use>,
    /// Columns that their table, or every table in sight, does not have, in order of appearance.
    pub(crate) missing: Vec<String>,
}

impl<'a> Writer<'a> {
    /// An empty skeleton.
    pub(crate) fn new(schema: &'a Schema) -> Self {
        Self {
            schema,
            out: String::new(),
            literals: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            span: None,
            bracketed: Vec::new(),
            nested: Vec::new(),
            depth: 0,
            expanding: 0,
            in_on: false,
            aliases: true,
            track: false,
            usage: Usage::default(),
            uses: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// An empty skeleton that also notes what every literal is used for.
    pub(crate) fn tracking(schema: &'a Schema) -> Self {
        Self { track: true, ..Self::new(schema) }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Notes a position of the text that belongs to the piece.
    pub(crate) fn seen(&mut self, span: Span) {
        if self.expanding > 0 || span.start.line == 0 {
            return;
        }
        let (start, end) = self.span.unwrap_or((span.start, span.end));
        self.span = Some((start.min(span.start), end.max(span.end)));
    }

    /// Writes what stands in brackets of the text, such as those of CAST.
    fn inside_brackets(&mut self, write: impl FnOnce(&mut Self)) {
        let before = self.span.take();
        write(self);
        if let Some(span) = self.span
            && self.expanding == 0
        {
            self.bracketed.push(span);
        }
        self.span = match (before, self.span) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }

    fn note_nested(&mut self, nested: Nested<'a>) {
        if self.depth == 0 && self.expanding == 0 {
            self.nested.push(nested);
        }
    }

    fn literal(&mut self, masked: &str, literal: String) {
        self.push(masked);
        self.literals.push(literal);
    }

    fn string(&mut self, text: &str) {
        self.literal("'<val>'", quoted(text, '\''));
    }

    /// Notes the use of a literal at `span`; one behind an output alias stands elsewhere in the text.
    fn note_use(&mut self, span: Span, negative: bool, value: LiteralValue) {
        if self.track && self.expanding == 0 && span.start.line > 0 {
            self.uses.push(Use { start: span.start, negative, value, usage: self.usage.clone() });
        }
    }

    /// Notes the uses of all plain literals inside a piece that is not looked into further.
    fn note_uses_within(&mut self, expr: &Expr) {
        if !self.track {
            return;
        }
        let _ = sqlparser::ast::visit_expressions(expr, |inner| {
            if let Expr::Value(value) = inner {
                self.note_value(value, false);
            }
            std::ops::ControlFlow::<()>::Continue(())
        });
    }

    fn note_value(&mut self, value: &sqlparser::ast::ValueWithSpan, negative: bool) {
        match &value.value {
            Value::Number(number, _) => {
                let sign = if negative { "-" } else { "" };
                self.note_use(value.span, negative, LiteralValue::Number(format!("{sign}{number}")));
            }
            Value::SingleQuotedString(text) => {
                self.note_use(value.span, false, LiteralValue::Text(text.clone()));
            }
            _ => {}
        }
    }

    /// Writes with the next literals used as `usage`.
    fn used_as(&mut self, usage: Usage, write: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.usage, usage);
        write(self);
        self.usage = before;
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Number(number, _) => self.literal("<val>", number.clone()),
            Value::SingleQuotedString(text) => self.string(text),
            Value::DoubleQuotedString(text) => self.name(text),
            Value::Null => self.push("NULL"),
            Value::Boolean(true) => self.push("TRUE"),
            Value::Boolean(false) => self.push("FALSE"),
            Value::Placeholder(_) => self.push("?"),
            other => self.literal("'<val>'", other.to_string()),
        }
    }

    /// Writes a name, in double quotes where it is not a plain word.
    pub(crate) fn name(&mut self, name: &str) {
        let mut bytes = name.bytes();
        let plain = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !is_reserved(name);
        if plain {
            self.push(name);
        } else {
            self.push(&quoted(name, '"'));
        }
    }

    fn note_table(&mut self, source: &Source<'a>) {
        if let Some(table) = source.table
            && !self.tables.contains(&table.name)
        {
            self.tables.push(table.name.clone());
        }
    }

    fn column_of(&mut self, source: &Source<'a>, column: &str) {
        self.note_table(source);
        let spelled = source.column(column).unwrap_or(column);
        match source.table {
            Some(table) if table.column(column).is_some() => {
                let pair = (table.name.clone(), spelled.to_owned());
                if !self.columns.contains(&pair) {
                    self.columns.push(pair);
                }
            }
            Some(table) => self.note_missing(format!("{}.{column}", table.name), column),
            None => {}
        }
        if !source.shown.is_empty() {
            self.name(&source.shown);
            self.push(".");
        }
        self.name(spelled);
    }

    /// Notes a column that is not there; every table of SQLite has its row's number under three names.
    fn note_missing(&mut self, name: String, column: &str) {
        let row = ["rowid", "oid", "_rowid_"].iter().any(|own| column.eq_ignore_ascii_case(own));
        if !row && !self.missing.contains(&name) {
            self.missing.push(name);
        }
    }

    /// Writes an unqualified name. `compared` says that it stands where a value is expected: without a
    /// schema, a name in double quotes is then taken for a string, as SQLite does when no column fits.
    fn bare(&mut self, ident: &Ident, scope: &Scope<'_, 'a>, compared: bool) {
        self.seen(ident.span);
        let quoted = ident.quote_style == Some('"');
        match scope.bare(&ident.value) {
            Bare::Column(source) => self.column_of(source, &ident.value),
            // An alias inside its own expression is a column the schema does not know.
            Bare::Output(_) if self.expanding > 0 || !self.aliases => self.name(&ident.value),
            Bare::Output(expr) => self.expand(expr, scope),
            Bare::Missing if quoted => self.quoted_string(ident),
            Bare::Unknown if quoted && compared => self.quoted_string(ident),
            Bare::Missing => {
                self.note_missing(ident.value.clone(), &ident.value);
                self.name(&ident.value);
            }
            Bare::Ambiguous | Bare::Unknown => self.name(&ident.value),
        }
    }

    fn quoted_string(&mut self, ident: &Ident) {
        self.note_use(ident.span, false, LiteralValue::Text(ident.value.clone()));
        self.string(&ident.value);
    }

    fn expand(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) {
        self.expanding += 1;
        self.expr(expr, scope);
        self.expanding -= 1;
    }

    fn qualified(&mut self, parts: &[Ident], scope: &Scope<'_, 'a>) {
        for part in parts {
            self.seen(part.span);
        }
        match parts {
            [.., qualifier, column] => match scope.source(&qualifier.value) {
                Some(source) => self.column_of(source, &column.value),
                None => {
                    self.name(&qualifier.value);
                    self.push(".");
                    self.name(&column.value);
                }
            },
            [column] => self.bare(column, scope, false),
            [] => {}
        }
    }

    /// The source a column belongs to, by its place in the block's own FROM clause.
    fn place(expr: &Expr, scope: &Scope<'_, 'a>) -> Option<usize> {
        let source = match expr {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., qualifier, _] => scope.source(&qualifier.value)?,
                _ => return None,
            },
            Expr::Identifier(name) => match scope.bare(&name.value) {
                Bare::Column(source) => source,
                _ => return None,
            },
            _ => return None,
        };
        scope.position(source)
    }
}

/// Words that cannot stand as bare names in every place of a query.
fn is_reserved(name: &str) -> bool {
    /// Keywords of the highlighter that SQLite still takes as names.
    const ALLOWED: &[&str] = &[
        "ANALYZE",
        "ATTACH",
        "BEGIN",
        "BY",
        "CAST",
        "CURRENT",
        "DESC",
        "END",
        "EXCLUDE",
        "EXPLAIN",
        "FALSE",
        "FILTER",
        "FIRST",
        "FOLLOWING",
        "GLOB",
        "GROUPS",
        "LAST",
        "LIKE",
        "MATCH",
        "MATERIALIZED",
        "NULLS",
        "OFFSET",
        "OTHERS",
        "OVER",
        "PARTITION",
        "PRAGMA",
        "PRECEDING",
        "RANGE",
        "RECURSIVE",
        "REGEXP",
        "REPLACE",
        "ROW",
        "ROWS",
        "TIES",
        "TRIGGER",
        "TRUE",
        "UNBOUNDED",
        "VIEW",
        "WINDOW",
        "WITH",
        "WITHOUT",
    ];
    tokens::is_keyword(name) && !ALLOWED.contains(&name.to_ascii_uppercase().as_str())
}

/// `text` between quotes, with quotes inside doubled.
pub(crate) fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        if c == quote {
            out.push(quote);
        }
        out.push(c);
    }
    out.push(quote);
    out
}

#[cfg(test)]
pub(crate) mod tests;
