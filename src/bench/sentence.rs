//! One plain sentence about how two results differ.

use super::align::{Alignment, RowKind};
use super::cell::decimals;
use super::compare::Diagnosis;
use crate::db::{ResultSet, Value};

pub(super) fn of(
    diagnosis: &Diagnosis,
    alignment: &Alignment,
    gold: &ResultSet,
    predicted: &ResultSet,
) -> String {
    if let Some((wanted, got)) = diagnosis.column_counts {
        return format!("Gold has {}, the answer has {got}.", counted(wanted, "column"));
    }
    if diagnosis.only_duplicates {
        return "Same rows, but some appear more or less often.".to_owned();
    }
    if diagnosis.only_order {
        return "Same rows in another order.".to_owned();
    }
    if let Some(order) = &diagnosis.column_order {
        let names: Vec<&str> =
            order.iter().filter_map(|i| predicted.columns.get(*i)).map(|c| c.name.as_str()).collect();
        return format!("Same rows, only the columns come in another order; gold's is {}.", names.join(", "));
    }
    if diagnosis.missing_rows == 0 && diagnosis.extra_rows == 0 {
        return "Same rows in the same order.".to_owned();
    }
    match (gold.rows.len(), predicted.rows.len()) {
        (rows, 0) => return format!("The answer is empty, gold has {}.", counted(rows, "row")),
        (0, rows) => return format!("Gold is empty, the answer has {}.", counted(rows, "row")),
        _ => {}
    }
    changes(diagnosis, alignment, gold, predicted).unwrap_or_else(|| {
        match (diagnosis.missing_rows, diagnosis.extra_rows) {
            (missing, 0) => format!("{} missing, none is extra.", is(missing, "row")),
            (0, extra) => format!("{} extra, none is missing.", is(extra, "row")),
            (missing, extra) => format!("{} missing and {extra} extra.", is(missing, "row")),
        }
    })
}

/// Where every row has a partner: which columns differ and how.
fn changes(
    diagnosis: &Diagnosis,
    alignment: &Alignment,
    gold: &ResultSet,
    predicted: &ResultSet,
) -> Option<String> {
    let names = &diagnosis.only_columns;
    if names.is_empty() {
        return None;
    }
    let mut cells: Vec<(&Value, &Value)> = Vec::new();
    for row in &alignment.rows {
        if row.kind == RowKind::Changed {
            let (a, b) = (gold.rows.get(row.gold?)?, predicted.rows.get(row.predicted?)?);
            for &i in &row.differing {
                cells.push((a.get(i)?, b.get(i)?));
            }
        }
    }
    let verb = if names.len() == 1 { "differs" } else { "differ" };
    let how = if diagnosis.only_rounding.is_some() {
        rounding(&cells)
    } else if cells.iter().all(|(a, b)| is_text(a) && is_number(b)) {
        "gold holds text, the answer numbers".to_owned()
    } else if cells.iter().all(|(a, b)| is_number(a) && is_text(b)) {
        "gold holds numbers, the answer text".to_owned()
    } else {
        format!("{} of {}", cells.len(), counted(alignment.rows.len() * names.len(), "cell"))
    };
    let subject = if names.len() == predicted.columns.len() && names.len() == 1 {
        format!("Only {} {verb}", names.join(", "))
    } else {
        format!("Same rows, only {} {verb}", names.join(" and "))
    };
    Some(format!("{subject}: {how}."))
}

/// The decimals that each side keeps, or the tolerance where they keep the same.
fn rounding(cells: &[(&Value, &Value)]) -> String {
    let most = |side: fn(&(&Value, &Value)) -> f64| cells.iter().map(|pair| decimals(side(pair))).max();
    let (gold, predicted) = (most(|(a, _)| number(a)), most(|(_, b)| number(b)));
    match (gold, predicted) {
        (Some(gold), Some(predicted)) if gold != predicted && gold.min(predicted) <= 6 => {
            let kept = |places: usize| if places > 6 { "all".to_owned() } else { places.to_string() };
            format!("gold keeps {} decimals, the answer keeps {}", kept(gold), kept(predicted))
        }
        _ => format!("{} by rounding only", counted(cells.len(), "cell")),
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        _ => 0.0,
    }
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::Text(_))
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Real(_))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn is(count: usize, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "is" } else { "are" })
}
