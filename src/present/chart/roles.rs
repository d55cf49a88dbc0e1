//! What each column of a result can be in a chart.

use super::time::{self, Times};
use crate::db::{ResultSet, Value};

/// Larger numbers are not drawn: the distance of two could not be counted.
const LARGEST: f64 = 1e300;

/// What a column can be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Role {
    /// Text that names the row.
    Label,
    /// Text that is a code.
    Code,
    /// Moments, one for each row.
    Time(Times),
    /// Numbers; whether all are whole.
    Number {
        /// Whether all are INTEGER.
        whole: bool,
    },
    /// A number that only names something, or nothing but NULL: it is left out.
    Beside,
}

/// The roles of all columns; None where one cannot be charted and not left out either.
pub(super) fn roles(result: &ResultSet) -> Option<Vec<Role>> {
    let column = |(i, column): (usize, &crate::db::ResultColumn)| role(result, i, &column.name);
    result.columns.iter().enumerate().map(column).collect()
}

fn role(result: &ResultSet, column: usize, name: &str) -> Option<Role> {
    let values: Vec<&Value> = result.rows.iter().filter_map(|row| row.get(column)).collect();
    if values.iter().all(|value| **value == Value::Null) {
        return Some(Role::Beside);
    }
    let present = || values.iter().filter(|value| ***value != Value::Null);
    if let Some(times) = time::read(&values, &words(name)) {
        return Some(Role::Time(times));
    }
    if present().all(|value| matches!(value, Value::Text(_))) {
        return Some(if names_something(name) { Role::Code } else { Role::Label });
    }
    let fits = |value: &&&Value| number(value).is_some_and(|x| x.abs() <= LARGEST);
    if !present().all(|value| fits(&value)) {
        return None;
    }
    let whole = present().all(|value| matches!(value, Value::Integer(_)));
    Some(if names_something(name) { Role::Beside } else { Role::Number { whole } })
}

/// The number of a value.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(n) => Some(*n as f64),
        Value::Real(x) if x.is_finite() => Some(*x),
        _ => None,
    }
}

/// Whether a column of this name holds identifiers, codes or places, which cannot be added or compared.
fn names_something(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "id",
        "ids",
        "key",
        "code",
        "no",
        "nr",
        "uid",
        "uuid",
        "guid",
        "pk",
        "rowid",
        "zip",
        "postcode",
        "phone",
        "ref",
        "lat",
        "lon",
        "lng",
        "latitude",
        "longitude",
    ];
    // A formula has a name of its own: COUNT(DISTINCT vessel_id) is a number.
    !name.contains('(') && words(name).last().is_some_and(|last| ENDS.contains(&last.as_str()))
}

/// The words of a name, in lower case: `vesselId`, `vessel_id` and `Vessel ID` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_by_their_names() {
        for name in ["id", "vessel_id", "vesselId", "CustomerID", "trip no", "Zip", "route_code", "lat"] {
            assert!(names_something(name), "{name}");
        }
        for name in ["paid", "COUNT(vessel_id)", "num_trips", "grid", "code_count", "monkey", "", "()"] {
            assert!(!names_something(name), "{name}");
        }
    }
}
