//! Results for the tests of the modes.

use proptest::prelude::*;

use crate::db::{ResultColumn, ResultSet, Value};

pub(super) fn int(number: i64) -> Value {
    Value::Integer(number)
}

pub(super) fn real(number: f64) -> Value {
    Value::Real(number)
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A result of these rows, with as many columns as the first has.
pub(super) fn result(rows: &[Vec<Value>]) -> ResultSet {
    let width = rows.first().map_or(0, Vec::len);
    let columns = (0..width).map(|i| ResultColumn { name: format!("c{i}") }).collect();
    ResultSet { columns, rows: rows.to_vec(), ..ResultSet::default() }
}

pub(in crate::bench) fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (-3..4_i64).prop_map(Value::Integer),
        (-3..4_i64).prop_map(|n| Value::Real(n as f64 / 2.0)),
        "[ab1]{0,2}".prop_map(Value::Text),
        "[ab]{0,1}".prop_map(|s| Value::Blob(s.into_bytes())),
    ]
}

/// Rows of one width.
pub(super) fn any_rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
    (1..4_usize)
        .prop_flat_map(|width| proptest::collection::vec(proptest::collection::vec(any_value(), width), 0..6))
}
