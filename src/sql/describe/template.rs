//! Phrases of many components, where pieces that differ only in their literals are parsed once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use sqlparser::ast::{Expr, UnaryOperator, Value, Visit, VisitMut, Visitor, VisitorMut};

use super::{MAX_OPERATORS, Piece, filled, operators, phrase, phrase_of, read};
use crate::sql::Schema;
use crate::sql::components::{Component, ComponentType};
use crate::sql::lexer::{Lexeme, Lexer};

/// Parsed skeletons kept at most; each takes a few kilobytes.
const TEMPLATES: usize = 5000;

/// Stands for a literal in a parsed skeleton, followed by its number; no skeleton holds numbers of its own.
const MARK: &str = "0000.";

/// Makes phrases of the components of one schema, and remembers skeletons that came twice in parsed form.
#[derive(Default)]
pub(crate) struct Phrases {
    /// What is known of a skeleton, by type and skeleton; None after its first occurrence.
    known: HashMap<ComponentType, HashMap<String, Option<Template>>>,
    templates: usize,
}

impl Phrases {
    /// The component as a phrase, as [`describe`](super::describe()) uses it.
    pub(crate) fn phrase(&mut self, component: &Component, schema: &Schema) -> String {
        let known = self.known.entry(component.kind).or_default();
        let Some(seen) = known.get_mut(&component.skeleton) else {
            known.insert(component.skeleton.clone(), None);
            return phrase(component, schema);
        };
        if seen.is_none() && self.templates < TEMPLATES {
            self.templates += 1;
            *seen = Some(Template::new(component.kind, &component.skeleton));
        }
        match seen.as_ref().and_then(|template| template.with(&component.literals)) {
            Some(piece) => phrase_of(component, Some(&piece), schema),
            None => phrase(component, schema),
        }
    }
}

/// A skeleton in parsed form.
struct Template {
    /// The piece with a marked literal at each hole; None where the skeleton has to be read with its literals.
    piece: Option<Piece>,
    /// Whether each hole stands in quotes.
    quoted: Vec<bool>,
}

impl Template {
    fn new(kind: ComponentType, skeleton: &str) -> Self {
        let mut quoted = Vec::new();
        let text = filled(skeleton, |is_quoted| {
            let mark = format!("{MARK}{}", quoted.len());
            quoted.push(is_quoted);
            if is_quoted { format!("'{mark}'") } else { mark }
        });
        // A literal may bring one operator, its sign.
        let readable = operators(&text) + quoted.len() <= MAX_OPERATORS;
        let piece = readable.then(|| read(kind, &text)).flatten().filter(|piece| {
            let mut marks = Marks::default();
            let _ = match piece {
                Piece::Expression(expr) => Visit::visit(expr, &mut marks),
                Piece::Clause(query) => Visit::visit(query, &mut marks),
            };
            marks.0.sort_unstable();
            marks.0.into_iter().eq(0..quoted.len())
        });
        Self { piece, quoted }
    }

    /// The piece with these literals; None where one of them is not a plain number or string.
    fn with(&self, literals: &[String]) -> Option<Cow<'_, Piece>> {
        let piece = self.piece.as_ref().filter(|_| literals.len() == self.quoted.len())?;
        if literals.is_empty() {
            return Some(Cow::Borrowed(piece));
        }
        let values = literals.iter().zip(&self.quoted).map(|(literal, quoted)| value(literal, *quoted));
        let mut fill = Fill(values.collect::<Option<_>>()?);
        let mut piece = piece.clone();
        let _ = match &mut piece {
            Piece::Expression(expr) => VisitMut::visit(expr, &mut fill),
            Piece::Clause(query) => VisitMut::visit(query, &mut fill),
        };
        Some(Cow::Owned(piece))
    }
}

/// The number of a marked literal.
fn mark(expr: &Expr) -> Option<usize> {
    let Expr::Value(value) = expr else { return None };
    match &value.value {
        Value::Number(text, _) | Value::SingleQuotedString(text) => text.strip_prefix(MARK)?.parse().ok(),
        _ => None,
    }
}

/// What a literal is as an expression; None unless it is a number or a string, as `quoted` says.
fn value(literal: &str, quoted: bool) -> Option<Expr> {
    let (negative, digits) = match literal.strip_prefix('-').filter(|_| !quoted) {
        Some(digits) => (true, digits),
        None => (false, literal),
    };
    let (kind, _, end) = Lexer::new(digits).next()?;
    let plain = |value: Value| Expr::Value(value.with_empty_span());
    match kind {
        _ if end != digits.len() => None,
        Lexeme::Number if !quoted && !digits.contains(['x', 'X', '_']) => {
            let number = plain(Value::Number(digits.to_owned(), false));
            Some(match negative {
                true => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(number) },
                false => number,
            })
        }
        Lexeme::Text if quoted => {
            let text = digits.strip_prefix('\'')?.strip_suffix('\'')?;
            Some(plain(Value::SingleQuotedString(text.replace("''", "'"))))
        }
        _ => None,
    }
}

/// Collects the numbers of marked literals.
#[derive(Default)]
struct Marks(Vec<usize>);

impl Visitor for Marks {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.0.extend(mark(expr));
        ControlFlow::Continue(())
    }
}

/// Puts expressions in the place of marked literals.
struct Fill(Vec<Expr>);

impl VisitorMut for Fill {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(literal) = mark(expr).and_then(|number| self.0.get_mut(number)) {
            std::mem::swap(expr, literal);
        }
        ControlFlow::Continue(())
    }
}
