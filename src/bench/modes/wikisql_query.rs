//! WikiSQL's canonical queries: reading them, their SQL, and the equality of their logical forms.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::Value as Json;

use super::rule::unusable;
use crate::db::DbError;

const AGGREGATES: [&str; 6] = ["", "MAX", "MIN", "COUNT", "SUM", "AVG"];
/// The last is a gap in the source's list, which SQLite refuses.
const OPERATORS: [&str; 4] = ["=", ">", "<", "OP"];

/// A query of one table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Query {
    sel: Json,
    agg: usize,
    conds: Vec<(usize, usize, Json)>,
}

/// The table's name in the database.
pub(super) fn table_name(id: &str) -> String {
    if id.starts_with("table") { id.to_owned() } else { format!("table_{}", id.replace('-', "_")) }
}

/// Column types by name, read off a CREATE TABLE as the source reads them: what stands in its brackets, cut at commas,
/// a name and a type each.
pub(super) fn column_types(create: &str) -> Option<BTreeMap<&str, &str>> {
    let inside = create.get(create.find('(')? + 1..)?;
    let inside = inside.get(..inside.rfind(')')?)?;
    let column = |part| -> Option<(&str, &str)> {
        let words: Vec<&str> = str::split_whitespace(part).collect();
        if let [name, kind] = words[..] { Some((name, kind)) } else { None }
    };
    inside.split(", ").map(column).collect()
}

/// The SQL of a canonical query whose table is not at hand; every value is a text.
pub(in crate::bench) fn without_table(query: &str, id: &str) -> Result<String, DbError> {
    let query = Query::from_json(query)?;
    let names: Vec<String> = query.conds.iter().map(|(column, ..)| format!("col{column}")).collect();
    query.sql(&table_name(id), &names.iter().map(|name| (name.as_str(), "text")).collect())
}

impl Query {
    pub fn from_json(text: &str) -> Result<Self, DbError> {
        serde_json::from_str(text).map_err(|error| {
            unusable(format!(
                "This is no canonical query of WikiSQL, {{\"sel\", \"agg\", \"conds\"}}: {error}."
            ))
        })
    }

    /// The SQL that is run, with values in place of the source's parameters.
    pub fn sql(&self, table: &str, types: &BTreeMap<&str, &str>) -> Result<String, DbError> {
        let aggregate = AGGREGATES
            .get(self.agg)
            .ok_or_else(|| unusable(format!("There is no aggregate {}.", self.agg)))?;
        let mut selected = format!("col{}", said(&self.sel));
        if !aggregate.is_empty() {
            selected = format!("{aggregate}({selected})");
        }
        // Parameters are named by column, so of two conditions on one column both have the later value.
        let mut values: BTreeMap<usize, String> = BTreeMap::new();
        for (column, _, value) in &self.conds {
            let kind = types.get(format!("col{column}").as_str());
            let kind = kind.ok_or_else(|| unusable(format!("There is no column {column}.")))?;
            values.insert(*column, bound(value, *kind == "real")?);
        }
        let mut clauses = Vec::new();
        for (column, operator, _) in &self.conds {
            let sign = OPERATORS
                .get(*operator)
                .ok_or_else(|| unusable(format!("There is no operator {operator}.")))?;
            clauses.push(format!("col{column} {sign} {}", values.get(column).map_or("NULL", String::as_str)));
        }
        let filter =
            if clauses.is_empty() { String::new() } else { format!(" WHERE {}", clauses.join(" AND ")) };
        Ok(format!("SELECT {selected} AS result FROM {table}{filter}"))
    }

    /// Whether both say the same: column, aggregate, and the conditions with their values as lower-case text, as a set
    /// or in order.
    pub fn same(&self, other: &Self, ordered: bool) -> bool {
        let conditions = |query: &Self| -> Vec<(usize, usize, String)> {
            query
                .conds
                .iter()
                .map(|(column, sign, value)| (*column, *sign, said(value).to_lowercase()))
                .collect()
        };
        let (a, b) = (conditions(self), conditions(other));
        let set = |list: &[(usize, usize, String)]| -> HashSet<(usize, usize, String)> {
            list.iter().cloned().collect()
        };
        self.sel == other.sel && self.agg == other.agg && if ordered { a == b } else { set(&a) == set(&b) }
    }
}

/// `str(x)` of what Python reads from JSON.
fn said(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Null => "None".to_owned(),
        other => other.to_string(),
    }
}

/// The value of a condition as SQL: text in lower case, and for a real column a number.
fn bound(value: &Json, real: bool) -> Result<String, DbError> {
    match value {
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(flag) => Ok(i32::from(*flag).to_string()),
        Json::String(text) => {
            let text = text.to_lowercase();
            if !real {
                return Ok(format!("'{}'", text.replace('\'', "''")));
            }
            let number = decimal(&text).or_else(|| first_number(&text));
            let number =
                number.ok_or_else(|| unusable(format!("{text:?} holds no number for a real column.")))?;
            Ok(match number {
                n if n.is_nan() => "NULL".to_owned(),
                n if n.is_infinite() => if n > 0.0 { "9e999" } else { "-9e999" }.to_owned(),
                n => format!("{n:?}"),
            })
        }
        Json::Null if !real => Ok("NULL".to_owned()),
        _ => Err(unusable("A condition's value is neither a text nor a number.")),
    }
}

/// Babel's `parse_decimal` in English: commas group digits, the rest is a number of Python's Decimal.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.replace([',', '_'], "");
    let plain = plain.trim();
    let known = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    let named = ["inf", "infinity", "nan"].contains(&plain.trim_start_matches(['+', '-']));
    (named || plain.chars().all(known)).then(|| plain.parse().ok()).flatten()
}

/// The first match of `[-+]?\d*\.\d+|\d+`: a sign belongs to a number only where it has a point.
fn first_number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count())
    };
    (0..bytes.len()).find_map(|start| {
        let signed = usize::from(matches!(bytes.get(start), Some(b'-' | b'+')));
        let point = start + signed + digits(start + signed);
        let decimals = if bytes.get(point) == Some(&b'.') { digits(point + 1) } else { 0 };
        let end = if decimals > 0 { point + 1 + decimals } else { start + digits(start) };
        text.get(start..end).filter(|number| !number.is_empty())?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE table_1_2 (col0 text, col1 real, col2 text)";

    fn sql(query: &str) -> Result<String, String> {
        let types = column_types(CREATE).unwrap();
        let made = Query::from_json(query).and_then(|query| query.sql(&table_name("1-2"), &types));
        made.map_err(|error| error.to_string())
    }

    #[test]
    fn queries_are_made_as_in_dbengine() {
        let filter = |conditions: &str| {
            let made = sql(&format!(r#"{{"sel": 0, "agg": 0, "conds": [{conditions}]}}"#)).unwrap();
            made.strip_prefix("SELECT col0 AS result FROM table_1_2").unwrap().to_owned()
        };
        assert_eq!(
            sql(r#"{"sel": 2, "agg": 3, "conds": []}"#).unwrap(),
            "SELECT COUNT(col2) AS result FROM table_1_2"
        );
        // Text is lower-cased; for a text column it stays a text, whatever it looks like.
        assert_eq!(filter(r#"[0, 0, "Butler CC's"]"#), " WHERE col0 = 'butler cc''s'");
        assert_eq!(filter(r#"[2, 1, "21"]"#), " WHERE col2 > '21'");
        assert_eq!(filter(r#"[2, 0, 3]"#), " WHERE col2 = 3");
        // A real column parses numbers: 1,000.5 by babel; "10.5 kg", "-5 m" and "-.5x" by the pattern, whose sign
        // belongs to numbers with a point only, so "-5 m" is 5.
        for (text, number) in [
            ("1,000.5", "1000.5"),
            ("-7", "-7.0"),
            ("1e3", "1000.0"),
            ("10.5 kg", "10.5"),
            ("-5 m", "5.0"),
            ("-.5x", "-0.5"),
            ("no. 12.", "12.0"),
        ] {
            assert_eq!(filter(&format!(r#"[1, 2, "{text}"]"#)), format!(" WHERE col1 < {number}"), "{text}");
        }
        // where_map is keyed by column: both conditions have the later value.
        assert_eq!(filter(r#"[1, 1, 3], [1, 2, 9]"#), " WHERE col1 > 9 AND col1 < 9");
        for wrong in [
            r#"{"sel": 0, "agg": 6, "conds": []}"#,
            r#"{"sel": 0, "agg": 0, "conds": [[9, 0, "x"]]}"#,
            r#"{"sel": 0, "agg": 0, "conds": [[1, 0, "none"]]}"#,
            r#"{"sel": 0, "agg": 0, "conds": [[0, 4, "x"]]}"#,
            "SELECT 1",
        ] {
            assert!(sql(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn logical_forms_compare_their_conditions_as_sets() {
        let query = |text: &str| Query::from_json(text).unwrap();
        let gold = query(r#"{"sel": 1, "agg": 0, "conds": [[0, 0, "A"], [1, 1, 3]]}"#);
        let same = |text: &str| [gold.same(&query(text), false), gold.same(&query(text), true)];
        // Another order, case, and '3' for 3: str(3).lower() == '3'.
        assert_eq!(same(r#"{"sel": 1, "agg": 0, "conds": [[1, 1, "3"], [0, 0, "a"]]}"#), [true, false]);
        assert_eq!(same(r#"{"sel": 1, "agg": 0, "conds": [[0, 0, "a"], [1, 1, 3]]}"#), [true, true]);
        // str(3.0) is '3.0'.
        assert_eq!(same(r#"{"sel": 1, "agg": 0, "conds": [[0, 0, "a"], [1, 1, 3.0]]}"#), [false, false]);
        // A condition twice is one of a set, but two of a list.
        assert_eq!(
            same(r#"{"sel": 1, "agg": 0, "conds": [[0, 0, "a"], [1, 1, 3], [1, 1, 3]]}"#),
            [true, false]
        );
        assert_eq!(same(r#"{"sel": 1, "agg": 1, "conds": [[0, 0, "a"], [1, 1, 3]]}"#), [false, false]);
        assert_eq!(same(r#"{"sel": 2, "agg": 0, "conds": [[0, 0, "a"], [1, 1, 3]]}"#), [false, false]);
    }

    #[test]
    fn types_are_read_off_the_table() {
        let types = column_types(CREATE).unwrap();
        assert_eq!((types.len(), types["col1"]), (3, "real"));
        assert!(column_types("CREATE TABLE t (a, b text)").is_none());
        assert!(column_types("").is_none());
        assert_eq!(table_name("1-10015132-11"), "table_1_10015132_11");
        assert_eq!(table_name("table_1"), "table_1");
        let query = r#"{"sel": 1, "agg": 5, "conds": [[4, 0, "3"]]}"#;
        let made = without_table(query, "1-2").unwrap();
        assert_eq!(made, "SELECT AVG(col1) AS result FROM table_1_2 WHERE col4 = '3'");
    }
}
