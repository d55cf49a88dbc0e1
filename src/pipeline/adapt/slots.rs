//! The literals of a query as slots to bind.

use super::bind::{Role, Slot};
use crate::sql::Schema;
use crate::sql::literals::{LiteralValue, Operator, literals};

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
        Some(Slot { range: literal.range, sql: written, value, text, column: literal.column, role })
    });
    slots.collect()
}
