//! The literals of a query with their places, for putting other values in.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::position::Text;
use super::scope::Scope;
use super::skeleton::Writer;
use super::{Schema, SqlError, parse_query};

/// The value of a literal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiteralValue {
    /// A string, without its quotes.
    Text(String),
    /// A number as written, with its sign.
    Number(String),
}

/// How a literal is used; comparisons read from the column (`5 < a` is Greater).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// First value of `BETWEEN`.
    BetweenLow,
    /// Second value of `BETWEEN`.
    BetweenHigh,
    /// One of the values of `IN`, negated or not.
    In,
    /// The pattern of `LIKE`, `GLOB` or `REGEXP`, negated or not.
    Like,
    /// `LIMIT`
    Limit,
    /// `OFFSET`
    Offset,
    /// An argument of the function named beside.
    FunctionArgument,
    /// An operand of `+ - * / %`.
    Arithmetic,
    /// Anything else.
    #[default]
    Other,
}

/// A literal of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundLiteral {
    /// Its bytes in the query's text, with quotes and sign.
    pub range: Range<usize>,
    /// Its value.
    pub value: LiteralValue,
    /// How it is used.
    pub operator: Operator,
    /// The schema column it is compared with, as (table, column).
    pub column: Option<(String, String)>,
    /// The function around that column (`STRFTIME`, `SUBSTR`, `CAST`), or the function that the literal
    /// is an argument of.
    pub function: Option<String>,
}

/// Every literal of a query, in the order of the text; ranges do not overlap.
///
/// A name in double quotes counts as a string where SQLite reads it as one, because no column has it.
pub fn literals(sql: &str, schema: &Schema) -> Result<Vec<BoundLiteral>, SqlError> {
    let query = parse_query(sql)?;
    let mut writer = Writer::tracking(schema);
    writer.query(&query, &Scope::default());
    let text = Text::new(sql);
    let mut found: Vec<BoundLiteral> = writer
        .uses
        .into_iter()
        .filter_map(|literal| {
            Some(BoundLiteral {
                range: text.literal(literal.start, literal.negative)?,
                value: literal.value,
                operator: literal.usage.operator,
                column: literal.usage.column,
                function: literal.usage.function,
            })
        })
        .collect();
    found.sort_by_key(|l| l.range.start);
    found.dedup_by(|next, kept| next.range.start < kept.range.end);
    Ok(found)
}
