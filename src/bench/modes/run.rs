//! Runs what a mode asks for, and judges.

use std::borrow::Cow;
use std::sync::Arc;

use super::rule::{Case, Judged, Limit, Outcome, Rule, Side, Text, unusable};
use super::{Mode, Options};
use crate::bench::compare::Verdict;
use crate::db::{DbError, QueryLimits, ResultSet, Value};
use crate::ports::Execute;
use crate::sql::{TokenKind, tokenize};

/// A database that queries run on, with the name under which its gold results are kept.
#[derive(Debug)]
pub struct On<E> {
    /// Its name.
    pub name: String,
    /// What runs queries.
    pub database: E,
}

/// Gold results that need not be computed again.
pub trait Golds {
    /// What `sql` gave on `database`, where that is known.
    fn known(&self, database: &str, sql: &str) -> Option<Arc<Outcome>>;

    /// Keeps what it gave.
    fn keep(&self, database: &str, sql: &str, outcome: &Arc<Outcome>);
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forgetful;

impl Golds for Forgetful {
    fn known(&self, _: &str, _: &str) -> Option<Arc<Outcome>> {
        None
    }

    fn keep(&self, _: &str, _: &str, _: &Arc<Outcome>) {}
}

/// What scoring is done with.
pub struct Bench<'a> {
    /// The rule.
    pub mode: Mode,
    /// What it leaves open.
    pub options: Options,
    /// What a query may cost.
    pub limits: QueryLimits,
    /// Known gold results.
    pub golds: &'a dyn Golds,
}

/// Times of both queries, in milliseconds; None where one did not run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Gold.
    pub gold: Option<f64>,
    /// The prediction.
    pub predicted: Option<f64>,
}

/// Judges one task on every database given, which are all that the mode asks: the first that is not right decides.
///
/// # Errors
/// [`DbError::Cancelled`] where the user stopped.
pub async fn judge<E: Execute>(
    bench: &Bench<'_>,
    case: &Case<'_>,
    on: &[On<E>],
) -> Result<(Judged, Times), DbError> {
    let rule = bench.mode.rule(bench.options);
    let (mut judged, mut times) = (Judged::new(0.0, Verdict::GoldFailed(DbError::NotOpen)), Times::default());
    for database in on {
        (judged, times) = Running { bench, rule: rule.as_ref(), case, on: database }.judged().await?;
        if !judged.verdict.correct() {
            if on.len() > 1 {
                judged.why = format!("On {}: {}", database.name, judged.why);
            }
            break;
        }
    }
    Ok((judged, times))
}

struct Running<'a, E> {
    bench: &'a Bench<'a>,
    rule: &'a dyn Rule,
    case: &'a Case<'a>,
    on: &'a On<E>,
}

impl<E: Execute> Running<'_, E> {
    async fn judged(&self) -> Result<(Judged, Times), DbError> {
        let missing = Judged::new(0.0, Verdict::Missing);
        if self.case.predicted.is_none() && self.rule.missing().is_none() {
            return Ok((missing, Times::default()));
        }
        let found = match self.rule.lookup(self.case) {
            Some(sql) => Some(self.run(&sql, self.bench.limits.timeout_ms).await?),
            None => None,
        };
        let predicted_sql = match self.case.predicted {
            Some(text) => self.rule.sql(Side::Predicted, text, found.as_ref()),
            None => Err(unusable("There is no prediction.")),
        };
        let predicted = match (&predicted_sql, self.case.predicted, self.rule.missing()) {
            (_, None, Some(outcome)) => outcome,
            (Ok(sql), ..) => self.run(sql, self.bench.limits.timeout_ms).await?,
            (Err(error), ..) => Err(error.clone()),
        };
        let predicted = read(self.rule.text(), &predicted);
        let mut times = Times { predicted: elapsed(&predicted), gold: None };
        if let Err(error) = &*predicted
            && !self.rule.asks_gold_of_failed()
        {
            return Ok((Judged::new(0.0, Verdict::PredictedFailed(error.clone())), times));
        }
        let gold_sql = self.rule.sql(Side::Gold, self.case.gold, found.as_ref());
        let gold = match &gold_sql {
            Ok(sql) => self.gold(sql).await?,
            Err(error) => Arc::new(Err(error.clone())),
        };
        let gold = read(self.rule.text(), &gold);
        times.gold = elapsed(&gold);
        let limit = self.bench.limits.timeout_ms;
        let spent = times.gold.unwrap_or_default() + times.predicted.unwrap_or_default();
        if self.rule.limit() == Limit::Together && gold.is_ok() && spent > f64::from(limit) {
            let why = format!("The query and gold together take more than {} s.", limit / 1000);
            let late = Judged::new(0.0, Verdict::PredictedFailed(DbError::Timeout(limit)));
            return Ok((Judged { why, ..late }, times));
        }
        let judged = self.rule.compare(self.case, &gold, &predicted);
        if judged.verdict.correct() && self.rule.repeats() > 0 {
            return Ok((self.timed(judged, &predicted_sql, &gold_sql).await?, times));
        }
        if self.case.predicted.is_none() && !judged.verdict.correct() {
            return Ok((missing, times));
        }
        Ok((judged, times))
    }

    async fn run(&self, sql: &str, timeout_ms: u32) -> Result<Outcome, DbError> {
        // Python's sqlite3 takes a text without a statement for one that gives nothing.
        if is_blank(sql) {
            return Ok(Ok(ResultSet::default()));
        }
        match self.on.database.execute(sql, QueryLimits { timeout_ms, ..self.bench.limits }).await {
            Err(DbError::Cancelled) => Err(DbError::Cancelled),
            outcome => Ok(outcome),
        }
    }

    async fn gold(&self, sql: &str) -> Result<Arc<Outcome>, DbError> {
        if let Some(known) = self.bench.golds.known(&self.on.name, sql) {
            return Ok(known);
        }
        let outcome = Arc::new(self.run(sql, self.bench.limits.timeout_ms).await?);
        self.bench.golds.keep(&self.on.name, sql, &outcome);
        Ok(outcome)
    }

    /// Both queries again and again, the prediction first, by the times that the engine reports
    /// ([`ResultSet::elapsed_ms`]); all of it ends at the limit times the number of repeats.
    async fn timed(
        &self,
        judged: Judged,
        predicted: &Result<Cow<'_, str>, DbError>,
        gold: &Result<Cow<'_, str>, DbError>,
    ) -> Result<Judged, DbError> {
        let limit = f64::from(self.bench.limits.timeout_ms);
        let mut left = limit * self.rule.repeats() as f64;
        let mut ratios = Vec::with_capacity(self.rule.repeats());
        let blank = Cow::Borrowed("");
        let (predicted, gold) = (predicted.as_ref().unwrap_or(&blank), gold.as_ref().unwrap_or(&blank));
        for _ in 0..self.rule.repeats() {
            let mut times = [0.0; 2];
            for (sql, time) in [predicted, gold].into_iter().zip(&mut times) {
                match self.run(sql, left.clamp(0.0, limit) as u32).await? {
                    Ok(result) => *time = result.elapsed_ms,
                    Err(error) => return Ok(Judged::new(0.0, Verdict::PredictedFailed(error))),
                }
                left -= *time;
            }
            let [predicted, gold] = times;
            ratios.push(gold / predicted);
        }
        Ok(self.rule.weigh(judged, &ratios))
    }
}

fn elapsed(outcome: &Outcome) -> Option<f64> {
    outcome.as_ref().ok().map(|result| result.elapsed_ms)
}

fn is_blank(sql: &str) -> bool {
    tokenize(sql).iter().all(|token| matches!(token.kind, TokenKind::Space | TokenKind::Comment))
}

/// The outcome as a source reads its text.
pub(super) fn read(how: Text, outcome: &Outcome) -> Cow<'_, Outcome> {
    let Ok(result) = outcome else { return Cow::Borrowed(outcome) };
    if !result.rows.iter().flatten().any(|value| matches!(value, Value::InvalidText(_))) {
        return Cow::Borrowed(outcome);
    }
    if how == Text::Strict {
        return Cow::Owned(Err(unusable(
            "The result holds text that is not UTF-8, which Python does not read.",
        )));
    }
    let mut result = result.clone();
    for value in result.rows.iter_mut().flatten() {
        if let Value::InvalidText(bytes) = value {
            *value = Value::Text(bytes.utf8_chunks().map(|chunk| chunk.valid()).collect());
        }
    }
    Cow::Owned(Ok(result))
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
