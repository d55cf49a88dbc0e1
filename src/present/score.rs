//! What the page says of a comparison with gold: how the rows stand to gold's, one sentence, and one line for each way
//! to differ.

use super::format::{count, counted};
use crate::bench::compare::{Diagnosis, Verdict};

/// How rows stand to gold's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// They are the same.
    Equal,
    /// They are not, or there are none.
    Different,
    /// Nothing can be said: gold does not run, or a result is too large.
    NotCompared,
}

impl Standing {
    /// How the rows stand by this verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Equal => Self::Equal,
            Verdict::Different(_) | Verdict::PredictedFailed(_) | Verdict::Missing => Self::Different,
            Verdict::GoldFailed(_) | Verdict::Cut { .. } => Self::NotCompared,
        }
    }

    /// In a word, where gold is known to be meant.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "Equal",
            Self::Different => "Different",
            Self::NotCompared => "Not compared",
        }
    }

    /// In words that name gold.
    pub fn to_gold(self) -> &'static str {
        match self {
            Self::Equal => "Equal to gold",
            Self::Different => "Different from gold",
            Self::NotCompared => "Not compared with gold",
        }
    }
}

/// The sentence of a verdict.
pub fn sentence(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Equal => "The rows are the same as gold's.".to_owned(),
        Verdict::Different(diagnosis) => diagnosis.sentence.clone(),
        Verdict::GoldFailed(error) => format!("The gold SQL does not run: {error}"),
        Verdict::PredictedFailed(error) => error.to_string(),
        Verdict::Cut { gold: true, predicted: false } => {
            "Gold's result is too large to compare whole.".to_owned()
        }
        Verdict::Cut { .. } => "The result is too large to compare whole.".to_owned(),
        Verdict::Missing => "There is no answer to compare.".to_owned(),
    }
}

/// Why there is no verdict yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unscored {
    /// No gold was chosen.
    NoGold,
    /// The answer or the query that ran last has no rows.
    NoRows,
    /// Its rows are still to come.
    Waiting,
}

impl Unscored {
    /// The sentence in its place.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoGold => {
                "Choose a task, or “Gold SQL”, in the list under the question to compare the rows with."
            }
            Self::NoRows => "There are no rows to compare.",
            Self::Waiting => "The comparison comes here.",
        }
    }
}

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

/// Why the rows cannot be put beside gold's, and what to do.
pub fn uncompared(rows: bool, chosen: bool) -> &'static str {
    match (rows, chosen) {
        (false, _) => "There are no rows to compare. Ask a question first.",
        (true, false) => "There is no gold to compare with. Choose one in the list under the question.",
        (true, true) => "The rows cannot be put beside gold's. Score says why.",
    }
}

/// The ways to differ that can be told apart: where rows are missing or extra, nothing is said of their order or of
/// rounding unless that is all there is.
pub fn ways(diagnosis: &Diagnosis) -> Vec<Way> {
    let Diagnosis { missing_rows: missing, extra_rows: extra, .. } = *diagnosis;
    // Where undoing one difference gives every row its partner, none is missing and none is extra.
    let paired = diagnosis.column_order.is_some()
        || diagnosis.only_rounding.is_some()
        || !diagnosis.only_columns.is_empty();
    let (missing, extra) = if paired { (0, 0) } else { (missing, extra) };
    let counts = match (missing, extra) {
        (0, 0) => "0".to_owned(),
        (missing, 0) => format!("{} missing", count(missing as u64)),
        (0, extra) => format!("{} extra", count(extra as u64)),
        (missing, extra) => format!("{} missing, {} extra", count(missing as u64), count(extra as u64)),
    };
    let none = missing + extra == 0;
    let same_rows = none && !paired;
    let rows = Way { same: none, name: "Rows missing or extra", said: counts };
    let order = match (diagnosis.only_order, diagnosis.only_duplicates) {
        (true, _) => Some((false, "only the order differs")),
        (_, true) => Some((false, "only duplicates differ")),
        _ => same_rows.then_some((true, "same")),
    };
    let order = order.map(|(same, said)| Way { same, name: "Order, duplicates", said: said.to_owned() });
    let (same, said) = match (diagnosis.column_counts, &diagnosis.column_order) {
        (Some((gold, ours)), _) => (false, format!("{ours}, gold has {gold}")),
        (None, Some(_)) => (false, "other order".to_owned()),
        // Rounding has a line of its own.
        (None, None) if !diagnosis.only_columns.is_empty() && diagnosis.only_rounding.is_none() => {
            let verb = if diagnosis.only_columns.len() == 1 { "differs" } else { "differ" };
            (false, format!("{} {verb}", diagnosis.only_columns.join(", ")))
        }
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
    use crate::bench::compare::{Complete, diagnose};
    use crate::db::{DbError, ResultColumn, ResultSet, Value};

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
        let wanted = [
            (true, "Rows missing or extra: 0".to_owned()),
            (true, "Columns: same".to_owned()),
            (false, "Float rounding: 2 cells differ".to_owned()),
        ];
        assert_eq!(rounding, wanted);
        let columns = said(&Diagnosis { column_counts: Some((2, 3)), ..Diagnosis::default() });
        assert!(columns.contains(&(false, "Columns: 3, gold has 2".to_owned())), "{columns:?}");
    }
    #[test]
    fn rows_that_differ_in_columns_only_are_neither_missing_nor_extra() {
        let rows = |columns: &[&str], a: i64, b: &str| ResultSet {
            columns: columns.iter().map(|name| ResultColumn { name: (*name).to_owned() }).collect(),
            rows: vec![
                vec![Value::Integer(a), Value::Text(b.to_owned())],
                vec![Value::Integer(9), Value::Text("z".to_owned())],
            ],
            ..ResultSet::default()
        };
        let of = |gold: &ResultSet, ours: &ResultSet| {
            let both = Complete::new(gold).zip(Complete::new(ours));
            both.map(|(gold, ours)| diagnose(gold, ours)).unwrap_or_default()
        };
        let (gold, ours) = (rows(&["n", "departs"], 1, "late"), rows(&["n", "departs"], 1, "soon"));
        let diagnosis = of(&gold, &ours);
        assert_eq!((diagnosis.missing_rows, diagnosis.extra_rows), (1, 1));
        assert!(diagnosis.sentence.starts_with("Same rows, only departs differs"), "{}", diagnosis.sentence);
        let wanted =
            [(true, "Rows missing or extra: 0".to_owned()), (false, "Columns: departs differs".to_owned())];
        assert_eq!(said(&diagnosis), wanted);
    }

    #[test]
    fn nothing_is_called_different_that_was_not_compared() {
        let broken =
            Verdict::GoldFailed(DbError::Sql { message: "no such column: nope".to_owned(), offset: None });
        assert_eq!(Standing::of(&broken), Standing::NotCompared);
        assert!(sentence(&broken).starts_with("The gold SQL does not run: "), "{}", sentence(&broken));
        let cut = Verdict::Cut { gold: true, predicted: false };
        assert_eq!(
            (Standing::of(&cut).name(), sentence(&cut).as_str()),
            ("Not compared", "Gold's result is too large to compare whole.")
        );
        let failed = Verdict::PredictedFailed(DbError::NotOpen);
        assert_eq!(Standing::of(&failed), Standing::Different);
        assert_eq!(Standing::of(&Verdict::Equal).to_gold(), "Equal to gold");
    }
}
