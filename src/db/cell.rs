//! Values under the equality and hash of Python, in which BIRD's evaluation compares rows.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::Value;

/// A value as Python's sqlite3 module would return it, in the form in which equal values are the same.
///
/// A float with a whole value becomes the integer that Python says it equals (1.0 == 1, -0.0 == 0), so
/// numbers compare exactly: 2**53 + 1 is not 9007199254740992.0. NaN equals nothing, itself included:
/// SQLite stores NaN as NULL, and two results never share one NaN object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'v> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'v str),
    Bytes(&'v [u8]),
    /// Text that Python refuses to decode.
    Invalid(&'v [u8]),
}

impl<'v> Cell<'v> {
    pub fn new(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(*number),
            // The bounds are exact floats: -2^63 is an i64, 2^63 is not.
            Value::Real(number)
                if number.fract() == 0.0
                    && *number >= -9_223_372_036_854_775_808.0
                    && *number < 9_223_372_036_854_775_808.0 =>
            {
                Self::Integer(*number as i64)
            }
            Value::Real(number) => Self::Real(*number),
            Value::Text(text) => Self::Text(text),
            Value::InvalidText(bytes) => Self::Invalid(bytes),
            Value::Blob(bytes) => Self::Bytes(bytes),
        }
    }

    /// Sorts kinds first, then values; NaN last among numbers.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let number = |cell: &Self| match cell {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        };
        let rank = |cell: &Self| match cell {
            Self::Null => 0,
            Self::Integer(_) | Self::Real(_) => 1,
            Self::Text(_) => 2,
            Self::Bytes(_) => 3,
            Self::Invalid(_) => 4,
        };
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) | (Self::Invalid(a), Self::Invalid(b)) => a.cmp(b),
            _ => match (number(self), number(other)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => rank(self).cmp(&rank(other)),
            },
        }
    }
}

impl PartialEq for Cell<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) | (Self::Invalid(a), Self::Invalid(b)) => a == b,
            _ => false,
        }
    }
}

// Hash tables only ever ask whether two cells are equal, so NaN is found nowhere, as in Python.
impl Eq for Cell<'_> {}

impl Hash for Cell<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => 0_u8.hash(state),
            Self::Integer(number) => (1_u8, number).hash(state),
            Self::Real(number) => (2_u8, number.to_bits()).hash(state),
            Self::Text(text) => (3_u8, text).hash(state),
            Self::Bytes(bytes) => (4_u8, bytes).hash(state),
            Self::Invalid(bytes) => (5_u8, bytes).hash(state),
        }
    }
}

/// A row whose equality and hash are those of a Python tuple.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'v>(pub &'v [Value]);

impl PartialEq for Row<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(other.0).all(|(a, b)| Cell::new(a) == Cell::new(b))
    }
}

impl Eq for Row<'_> {}

impl Hash for Row<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for value in self.0 {
            Cell::new(value).hash(state);
        }
    }
}

/// Whether both are the same set of rows.
pub(crate) fn same_set(gold: &[Vec<Value>], predicted: &[Vec<Value>]) -> bool {
    let set = |rows| -> HashSet<Row<'_>> { <[Vec<Value>]>::iter(rows).map(|row| Row(row)).collect() };
    let (gold, predicted) = (set(gold), set(predicted));
    gold.len() == predicted.len() && predicted.iter().all(|row| gold.contains(row))
}

/// Whether two values differ by rounding at most: relatively 1e-9, as sums in another order do, or one
/// is the other rounded to fewer decimals. A whole number stored as INTEGER is not a rounded float.
pub(crate) fn close(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Real(number) if number.is_finite() => Some(*number),
        _ => None,
    };
    let (Some(x), Some(y)) = (number(a), number(b)) else { return false };
    if (x - y).abs() <= 1e-9 * x.abs().max(y.abs()) {
        return true;
    }
    let (Value::Real(x), Value::Real(y)) = (a, b) else { return false };
    let places = decimals(*x).min(decimals(*y));
    let step = 10_f64.powi(-(places.min(300) as i32));
    (x - y).abs() <= step * 0.5 + 1e-9 * x.abs().max(y.abs()) && (*x != 0.0) == (*y != 0.0)
}

/// Whether one float is the other rounded to zero in a column that keeps `places` decimals.
pub(crate) fn rounded_to_zero(a: &Value, b: &Value, places: usize) -> bool {
    let (Value::Real(x), Value::Real(y)) = (a, b) else { return false };
    let step = 10_f64.powi(-(places.min(300) as i32));
    places > 0 && (*x == 0.0 || *y == 0.0) && (x - y).abs() <= step * 0.5
}

/// Decimals in the shortest text that reads back as this number.
pub(crate) fn decimals(number: f64) -> usize {
    let text = number.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}
