//! How a result differs from gold, one line for each way to differ.

use super::format::{count, counted};
use crate::bench::compare::Diagnosis;

/// One way to differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// Whether it makes no difference here.
    pub same: bool,
    /// What is compared.
    pub name: &'static str,
    /// How it differs.
    pub said: String,
}

/// The ways to differ that can be told apart: where rows are missing or extra, nothing is said of their order or of
/// rounding unless that is all there is.
pub fn ways(diagnosis: &Diagnosis) -> Vec<Way> {
    let Diagnosis { missing_rows: missing, extra_rows: extra, .. } = *diagnosis;
    let counts = match (missing, extra) {
        (0, 0) => "0".to_owned(),
        (missing, 0) => format!("{} missing", count(missing as u64)),
        (0, extra) => format!("{} extra", count(extra as u64)),
        (missing, extra) => format!("{} missing, {} extra", count(missing as u64), count(extra as u64)),
    };
    let same_rows = missing + extra == 0;
    let rows = Way { same: same_rows, name: "Rows missing or extra", said: counts };
    let order = match (diagnosis.only_order, diagnosis.only_duplicates) {
        (true, _) => Some((false, "only the order differs")),
        (_, true) => Some((false, "only duplicates differ")),
        _ => same_rows.then_some((true, "same")),
    };
    let order = order.map(|(same, said)| Way { same, name: "Order, duplicates", said: said.to_owned() });
    let (same, said) = match (diagnosis.column_counts, &diagnosis.column_order) {
        (Some((gold, ours)), _) => (false, format!("{ours}, gold has {gold}")),
        (None, Some(_)) => (false, "other order".to_owned()),
        (None, None) => (true, "same".to_owned()),
    };
    let columns = Way { same, name: "Columns", said };
    let rounding = match diagnosis.only_rounding {
        Some(cells) => Some((false, format!("{} differ", counted(cells, "cell", "cells")))),
        None => same_rows.then(|| (true, "same".to_owned())),
    };
    let rounding = rounding.map(|(same, said)| Way { same, name: "Float rounding", said });
    [Some(rows), order, Some(columns), rounding].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(diagnosis: &Diagnosis) -> Vec<(bool, String)> {
        ways(diagnosis).into_iter().map(|way| (way.same, format!("{}: {}", way.name, way.said))).collect()
    }

    #[test]
    fn missing_rows_leave_nothing_to_say_of_order_and_rounding() {
        let diagnosis = Diagnosis { missing_rows: 1_200, extra_rows: 1, ..Diagnosis::default() };
        let wanted = [
            (false, "Rows missing or extra: 1,200 missing, 1 extra".to_owned()),
            (true, "Columns: same".to_owned()),
        ];
        assert_eq!(said(&diagnosis), wanted);
    }

    #[test]
    fn a_difference_of_one_kind_stands_beside_what_is_the_same() {
        let order = said(&Diagnosis { only_order: true, ..Diagnosis::default() });
        assert_eq!(order.iter().map(|(same, _)| *same).collect::<Vec<_>>(), [true, false, true, true]);
        assert_eq!(order[1].1, "Order, duplicates: only the order differs");
        let rounding = said(&Diagnosis {
            missing_rows: 2,
            extra_rows: 2,
            only_rounding: Some(2),
            ..Diagnosis::default()
        });
        assert_eq!(rounding.last(), Some(&(false, "Float rounding: 2 cells differ".to_owned())));
        let columns = said(&Diagnosis { column_counts: Some((2, 3)), ..Diagnosis::default() });
        assert!(columns.contains(&(false, "Columns: 3, gold has 2".to_owned())), "{columns:?}");
    }
}
