//! What a scoring mode is made of: rewriting, comparing, and what it says about one task.

use std::borrow::Cow;

use serde::Serialize;

use crate::bench::compare::{self, Complete, Verdict};
use crate::db::{DbError, ResultSet};

/// What running a query gave.
pub type Outcome = Result<ResultSet, DbError>;

/// What is scored: one task and its prediction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Case<'a> {
    /// The reference query; in `wikisql-ex` a canonical query as JSON.
    pub gold: &'a str,
    /// The prediction, in the same form; None where there is none.
    pub predicted: Option<&'a str>,
    /// WikiSQL's table.
    pub table: Option<&'a str>,
    /// Whether LiveSQLBench's conditions say that the order of rows counts.
    pub ordered: bool,
}

/// What a prediction is worth, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// From 0 to 1; `r-ves` rewards a fast query with up to the square root of 1.25.
    pub score: f64,
    /// Right, wrong and why, or not to be said.
    pub verdict: Verdict,
    /// One sentence for people.
    pub why: String,
    /// `wikisql-ex`: whether the logical forms are equal.
    pub logical_form: Option<bool>,
    /// `r-ves`: gold's time divided by the prediction's, averaged without outliers.
    pub speed: Option<f64>,
}

impl Judged {
    /// A judgement whose sentence follows from its verdict.
    pub(in crate::bench) fn new(score: f64, verdict: Verdict) -> Self {
        let why = match &verdict {
            Verdict::Equal => "Equal.".to_owned(),
            Verdict::Different(diagnosis) => diagnosis.sentence.clone(),
            Verdict::Cut { .. } => "A result is too large to compare whole.".to_owned(),
            Verdict::GoldFailed(error) => format!("Gold does not run: {error}"),
            Verdict::PredictedFailed(error) => error.to_string(),
            Verdict::Missing => "There is no prediction.".to_owned(),
        };
        Self { score, verdict, why, logical_form: None, speed: None }
    }

    /// Right, with a sentence of its own.
    pub(super) fn right(why: &str) -> Self {
        Self { why: why.to_owned(), ..Self::new(1.0, Verdict::Equal) }
    }

    /// Wrong: two results that differ, and how.
    pub(super) fn different(gold: Complete<'_>, predicted: Complete<'_>) -> Self {
        Self::new(0.0, Verdict::Different(compare::diagnose(gold, predicted)))
    }
}

/// Which query of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Gold,
    Predicted,
}

/// How a source reads text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// Python's sqlite3 by itself: an error of the query.
    Strict,
    /// `decode(errors="ignore")`: the bytes that are no text are left out.
    Ignore,
}

/// The time that a source gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// Both queries of a task together.
    Together,
    /// Each query.
    Each,
}

/// A scoring mode.
pub(super) trait Rule {
    fn limit(&self) -> Limit {
        Limit::Each
    }

    fn text(&self) -> Text {
        Text::Strict
    }

    /// What stands in for a prediction that is missing; None where it is simply wrong.
    fn missing(&self) -> Option<Outcome> {
        None
    }

    /// Whether gold is asked where the prediction failed.
    fn asks_gold_of_failed(&self) -> bool {
        false
    }

    /// How often both queries are timed where the results are equal.
    fn repeats(&self) -> usize {
        0
    }

    /// A query to run first, whose rows [`Self::sql`] is given.
    fn lookup(&self, _case: &Case<'_>) -> Option<String> {
        None
    }

    /// The SQL that is run for one side, or why there is none.
    fn sql<'a>(&self, _side: Side, text: &'a str, _found: Option<&Outcome>) -> Result<Cow<'a, str>, DbError> {
        Ok(Cow::Borrowed(text))
    }

    /// Compares what both queries gave.
    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged;

    /// The score of equal results, by the ratios of gold's time to the prediction's.
    fn weigh(&self, judged: Judged, _ratios: &[f64]) -> Judged {
        judged
    }
}

/// Both results whole, or the judgement that one of them failed or was cut.
pub(super) fn both<'r>(
    gold: &'r Outcome,
    predicted: &'r Outcome,
) -> Result<(Complete<'r>, Complete<'r>), Box<Judged>> {
    match (gold, predicted) {
        (_, Err(error)) => Err(Box::new(Judged::new(0.0, Verdict::PredictedFailed(error.clone())))),
        (Err(error), _) => Err(Box::new(Judged::new(0.0, Verdict::GoldFailed(error.clone())))),
        (Ok(a), Ok(b)) => match (Complete::new(a), Complete::new(b)) {
            (Some(a), Some(b)) => Ok((a, b)),
            _ => Err(Box::new(Judged::new(0.0, Verdict::Cut { gold: a.more, predicted: b.more }))),
        },
    }
}

/// The judgement of a gold that fails, whatever the prediction does.
pub(super) fn gold_failed(error: &DbError) -> Judged {
    Judged::new(0.0, Verdict::GoldFailed(error.clone()))
}

/// The error of a query that cannot be made.
pub(super) fn unusable(message: impl Into<String>) -> DbError {
    DbError::Sql { message: message.into(), offset: None }
}
