//! The literals of a query as slots to bind.

use std::ops::Range;

use super::values::ColumnName;
use crate::sql::Schema;
use crate::sql::literals::{LiteralValue, Operator, literals};

/// A literal of a historical query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    /// Bytes of the historical SQL.
    pub range: Range<usize>,
    /// As written there.
    pub sql: String,
    /// Without quotes.
    pub value: String,
    /// Whether it is a text literal.
    pub text: bool,
    /// The column it is compared with.
    pub column: Option<ColumnName>,
    /// What compares them.
    pub role: Role,
    /// The same, closer.
    pub operator: Operator,
    /// The function around the column.
    pub function: Option<String>,
}

impl Slot {
    /// Whether it is the lower end of what it is compared with (true) or the upper one.
    pub fn is_lower(&self) -> Option<bool> {
        match self.operator {
            Operator::Greater | Operator::GreaterOrEqual | Operator::BetweenLow => Some(true),
            Operator::Less | Operator::LessOrEqual | Operator::BetweenHigh => Some(false),
            _ => None,
        }
    }
}

/// What a literal is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A pattern of LIKE or GLOB.
    Pattern,
    /// A number of rows.
    Limit,
    /// Compared with a column or an expression.
    Compared,
    /// Anything else: part of a formula, a format, an argument.
    Other,
}

/// The literals of `sql` in order; none for a query that the parser cannot read, which then runs as it is.
pub(super) fn slots(sql: &str, schema: &Schema) -> Vec<Slot> {
    let found = literals(sql, schema).unwrap_or_default();
    let slots = found.into_iter().filter_map(|literal| {
        let written = sql.get(literal.range.clone())?.to_owned();
        let (text, value) = match literal.value {
            LiteralValue::Text(value) => (true, value),
            LiteralValue::Number(value) => (false, value),
        };
        let role = match literal.operator {
            Operator::Like => Role::Pattern,
            Operator::Limit => Role::Limit,
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual
            | Operator::BetweenLow
            | Operator::BetweenHigh
            | Operator::In => Role::Compared,
            Operator::Offset | Operator::FunctionArgument | Operator::Arithmetic | Operator::Other => {
                Role::Other
            }
        };
        let (operator, function) = (literal.operator, literal.function);
        let (range, column) = (literal.range, literal.column);
        Some(Slot { range, sql: written, value, text, column, role, operator, function })
    });
    slots.collect()
}

/// The pairs of slots that may be the two ends of one range, as (lower, upper).
pub(super) fn ranges(slots: &[Slot]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let Some(lower) = slot.is_lower() else { continue };
        let free = |at: usize| !pairs.iter().any(|(low, high)| *low == at || *high == at);
        let between = |slot: &Slot| matches!(slot.operator, Operator::BetweenLow | Operator::BetweenHigh);
        let partner = slots.iter().enumerate().skip(at + 1).find(|(next, other)| {
            other.is_lower() == Some(!lower)
                && free(*next)
                && other.column == slot.column
                && other.function == slot.function
                && between(other) == between(slot)
                && (*next == at + 1 || (slot.column.is_some() && !between(slot)))
        });
        if let Some((next, _)) = partner.filter(|_| free(at)) {
            pairs.push(if lower { (at, next) } else { (next, at) });
        }
    }
    pairs
}

/// Slots with the same column and value change together.
pub(super) fn groups(slots: &[Slot]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let same = |other: &Slot| {
            other.column == slot.column && other.value == slot.value && other.role == slot.role
        };
        match groups.iter_mut().find(|group| group.first().and_then(|&i| slots.get(i)).is_some_and(same)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The part of a LIKE pattern that is text, with the wildcards around it.
pub(super) fn pattern_parts(pattern: &str) -> (&str, &str, &str) {
    let wild = |c: char| matches!(c, '%' | '_' | '*');
    let body = pattern.trim_matches(wild);
    let lead = pattern.len() - pattern.trim_start_matches(wild).len();
    if body.is_empty() { (pattern, "", "") } else { (&pattern[..lead], body, &pattern[lead + body.len()..]) }
}
