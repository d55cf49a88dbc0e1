//! Predicates in words.

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Query, SetExpr, UnaryOperator, Value};

use super::formula::{function_arguments, function_name, simple_projection};
use super::names::Words;

/// Values of IN named at most.
const NAMED_VALUES: usize = 4;

impl Words<'_> {
    /// A predicate as a phrase: "height is over 180".
    pub(super) fn predicate(&self, expr: &Expr, negated: bool) -> String {
        match expr {
            Expr::Nested(inner) => self.predicate(inner, negated),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => self.predicate(inner, !negated),
            Expr::IsNull(inner) => self.presence(inner, negated),
            Expr::IsNotNull(inner) => self.presence(inner, !negated),
            Expr::BinaryOp { left, op, right } => self.comparison(left, op, right, negated),
            Expr::Between { expr: inner, negated: not, low, high } => {
                let not = if *not != negated { "not " } else { "" };
                let (low, high) = (self.value(low), self.value(high));
                format!("{} is {not}between {low} and {high}", self.subject(inner))
            }
            Expr::Like { expr: inner, pattern, negated: not, .. } => {
                self.pattern(inner, pattern, *not != negated)
            }
            Expr::In { expr: inner, target, negated: not, .. } => {
                self.membership(inner, target, *not != negated)
            }
            Expr::Exists { subquery, negated: not } => {
                let there = if *not != negated { "there is no" } else { "there is a" };
                format!("{there} {}", self.matching(subquery))
            }
            other => {
                let not = if negated { "not " } else { "" };
                format!("{not}{}", self.formula(other))
            }
        }
    }

    /// The rows a subquery finds: "hero power where power name is Flight".
    fn matching(&self, query: &Query) -> String {
        let SetExpr::Select(select) = &*query.body else { return "matching row".into() };
        let tables = self.tables_of(select);
        let what = tables.first().map_or_else(|| "matching row".into(), |t| self.row(t));
        match self.plain_conditions(select.selection.as_ref()) {
            Some(conditions) => format!("{what} where {conditions}"),
            None => what,
        }
    }

    fn presence(&self, inner: &Expr, known: bool) -> String {
        format!("{} is {}", self.subject(inner), if known { "known" } else { "missing" })
    }

    fn comparison(&self, left: &Expr, op: &BinaryOperator, right: &Expr, negated: bool) -> String {
        use BinaryOperator as B;
        let words = match (op, negated) {
            (B::And, false) => {
                return format!("{} and {}", self.predicate(left, false), self.predicate(right, false));
            }
            (B::Or, false) => {
                return format!("{} or {}", self.predicate(left, false), self.predicate(right, false));
            }
            (B::And | B::Or, true) => {
                return format!(
                    "not ({} {op} {})",
                    self.predicate(left, false),
                    self.predicate(right, false)
                );
            }
            (B::Eq, false) | (B::NotEq, true) => "is",
            (B::NotEq, false) | (B::Eq, true) => "is not",
            (B::Gt, false) | (B::LtEq, true) => "is over",
            (B::GtEq, false) | (B::Lt, true) => "is at least",
            (B::Lt, false) | (B::GtEq, true) => "is under",
            (B::LtEq, false) | (B::Gt, true) => "is at most",
            _ => {
                return self.formula(&Expr::BinaryOp {
                    left: Box::new(left.clone()),
                    op: op.clone(),
                    right: Box::new(right.clone()),
                });
            }
        };
        if words == "is"
            && let Some(extreme) = self.extreme(left, right)
        {
            return extreme;
        }
        let subject = match dated(left, right) {
            Some(date) => format!("{} of {}", date.0, self.subject(date.1)),
            None => self.subject(left),
        };
        let relation = if is_date(right) {
            match words {
                "is over" => "is after",
                "is under" => "is before",
                "is at least" => "is from",
                "is at most" => "is up to",
                other => other,
            }
        } else {
            words
        };
        format!("{subject} {relation} {}", self.value(right))
    }

    /// `height = (SELECT MAX(height) FROM …)`: "height is the highest".
    fn extreme(&self, left: &Expr, right: &Expr) -> Option<String> {
        let Expr::Subquery(query) = right else { return None };
        let Expr::Function(function) = simple_projection(query)? else { return None };
        let degree = match function_name(function).as_str() {
            "MAX" => "highest",
            "MIN" => "lowest",
            _ => return None,
        };
        Some(format!("{} is the {degree}", self.subject(left)))
    }

    /// What a predicate speaks about; the name of a thing is called as the thing: "publisher is Marvel".
    fn subject(&self, expr: &Expr) -> String {
        let words = self.formula(expr);
        match words.strip_suffix(" name") {
            Some(thing) if !thing.is_empty() && matches!(expr, Expr::CompoundIdentifier(_)) => {
                thing.to_owned()
            }
            _ => words,
        }
    }

    /// A compared value; strings are named without quotes.
    fn value(&self, expr: &Expr) -> String {
        match expr {
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) if text.is_empty() => "empty".into(),
                Value::SingleQuotedString(text) => text.clone(),
                other => other.to_string(),
            },
            Expr::Subquery(query) => self.subquery(query),
            Expr::CompoundIdentifier(_) => format!("the {}", self.formula(expr)),
            other => self.formula(other),
        }
    }

    fn pattern(&self, inner: &Expr, pattern: &Expr, negated: bool) -> String {
        let subject = self.subject(inner);
        let Some(text) = string(pattern) else {
            let like = if negated { "is not like" } else { "is like" };
            return format!("{subject} {like} {}", self.formula(pattern));
        };
        let start = text.starts_with('%');
        let end = text.ends_with('%') && text.len() > 1;
        let core = text.trim_matches('%').replace(['%', '_'], " ");
        let core = core.trim();
        let words = match (start, end, negated) {
            (true, true, false) => "contains",
            (true, true, true) => "does not contain",
            (false, true, false) => "starts with",
            (false, true, true) => "does not start with",
            (true, false, false) => "ends with",
            (true, false, true) => "does not end with",
            (false, false, false) => "is like",
            (false, false, true) => "is not like",
        };
        format!("{subject} {words} {core}")
    }

    fn membership(&self, inner: &Expr, target: &InTarget, negated: bool) -> String {
        let subject = self.subject(inner);
        let is = if negated { "is not" } else { "is" };
        match target {
            InTarget::List(items) => {
                let mut named: Vec<String> = items.iter().take(NAMED_VALUES).map(|i| self.value(i)).collect();
                if items.len() > NAMED_VALUES {
                    named.push(format!("{} more", items.len() - NAMED_VALUES));
                }
                let last = named.pop().unwrap_or_default();
                if named.is_empty() {
                    format!("{subject} {is} {last}")
                } else {
                    format!("{subject} {is} {} or {last}", named.join(", "))
                }
            }
            InTarget::Subquery(query) => format!("{subject} {is} one of the {}", self.subquery(query)),
            _ => format!("{subject} {is} one of a list"),
        }
    }
}

/// The part of a date that a comparison with text looks at: `STRFTIME('%Y', d)`, `SUBSTR(d, 1, 4)`.
fn dated<'e>(left: &'e Expr, right: &Expr) -> Option<(&'static str, &'e Expr)> {
    let digits = string(right)?;
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return None;
    }
    match left {
        Expr::Substring { expr, substring_from: Some(from), substring_for: Some(length), .. } => {
            match (number(from)?, number(length)?) {
                ("1", "4") if digits.len() == 4 => Some(("year", expr)),
                ("1", "6") if digits.len() == 6 => Some(("month", expr)),
                ("1", "7") if digits.len() == 7 => Some(("month", expr)),
                ("5" | "6", "2") if digits.len() == 2 => Some(("month", expr)),
                _ => None,
            }
        }
        Expr::Function(function) if function_name(function) == "SUBSTRING" => {
            match function_arguments(function).as_slice() {
                [date, from, length] => match (number(from)?, number(length)?) {
                    ("1", "4") if digits.len() == 4 => Some(("year", date)),
                    ("1", "6") if digits.len() == 6 => Some(("month", date)),
                    ("1", "7") if digits.len() == 7 => Some(("month", date)),
                    ("5" | "6", "2") if digits.len() == 2 => Some(("month", date)),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_date(expr: &Expr) -> bool {
    string(expr).is_some_and(|text| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        matches!(text.len(), 4 | 7 | 10 | 19)
            && digits >= 4
            && text.bytes().all(|b| b.is_ascii_digit() || b"-/: T".contains(&b))
    })
}

/// The text of a string literal.
pub(super) fn string(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The digits of a number literal.
pub(super) fn number(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(digits),
            _ => None,
        },
        Expr::Nested(inner) => number(inner),
        _ => None,
    }
}
