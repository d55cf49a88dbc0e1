//! Scoring the answers of a run, as they come or all again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::bench::modes::{Bench, Case, Golds, Judged, Mode, On, Options, Outcome as Ran, judge};
use crate::bench::run::{Outcome, Scored};
use crate::bench::score::limits;
use crate::bench::task::Task;
use crate::db::{DbError, QueryLimits, ResultSet};
use crate::ports::Execute;

/// The modes in which a page can score: `r-ves` wants times that a shared worker does not give.
pub const IN_PAGE: [Mode; 6] =
    [Mode::BirdEx, Mode::BirdOrig, Mode::SpiderTs, Mode::WikisqlEx, Mode::SoftF1, Mode::Livesql];

/// The modes that fit a task file: WikiSQL's tasks have a mode of their own, which fits no others.
pub fn fitting(tasks: &[Task]) -> Vec<Mode> {
    let wikisql = tasks.first().is_some_and(|task| task.table.is_some());
    IN_PAGE.into_iter().filter(|mode| (*mode == Mode::WikisqlEx) == wikisql).collect()
}

/// What each mode does, in a line.
pub fn about(mode: Mode) -> &'static str {
    match mode {
        Mode::BirdEx => "sets of rows are equal (BIRD mini_dev)",
        Mode::BirdOrig => "as bird-ex, and a query that fails as gold fails is right (BIRD's first script)",
        Mode::SpiderTs => "multisets of rows are equal in some order of columns (Spider's test suite)",
        Mode::WikisqlEx => "lists of values are equal (WikiSQL)",
        Mode::SoftF1 => "harmonic mean over cells, row by row (BIRD mini_dev)",
        Mode::RVes => "how fast beside gold (BIRD mini_dev); only in lab",
        Mode::Livesql => "after comments, DISTINCT and ROUND are removed (LiveSQLBench)",
    }
}

/// A database that is lent.
struct Lent<'a, D>(&'a D);

impl<D: Execute> Execute for Lent<'_, D> {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        self.0.execute(sql, limits).await
    }
}

/// Rows of a gold result that is kept; a larger one is computed again.
const MOST_ROWS: usize = 20_000;

/// What the queries of a kind gave, by database and text.
type Kept = HashMap<(String, String), Arc<Ran>>;

/// Gold results of an experiment, so that each is computed once for all its runs.
#[derive(Debug, Default)]
pub struct Remembered(RefCell<Kept>);

impl Golds for Remembered {
    fn known(&self, database: &str, sql: &str) -> Option<Arc<Ran>> {
        self.0.borrow().get(&(database.to_owned(), sql.to_owned())).cloned()
    }

    fn keep(&self, database: &str, sql: &str, outcome: &Arc<Ran>) {
        if outcome.as_ref().as_ref().is_ok_and(|result| result.rows.len() > MOST_ROWS) {
            return;
        }
        self.0.borrow_mut().insert((database.to_owned(), sql.to_owned()), outcome.clone());
    }
}

/// Judges one query for a task; `golds` keeps what gold gave.
///
/// # Errors
/// [`DbError::Cancelled`] where the user stopped.
pub async fn judge_one(
    mode: Mode,
    task: &Task,
    predicted: Option<&str>,
    db: &impl Execute,
    golds: &dyn Golds,
) -> Result<Judged, DbError> {
    let limits = QueryLimits { timeout_ms: mode.seconds().saturating_mul(1_000), ..limits() };
    let bench = Bench { mode, options: Options::default(), limits, golds };
    let case = Case { gold: &task.gold, predicted, table: task.table.as_deref(), ordered: task.ordered };
    let on = [On { name: task.db_id.clone(), database: Lent(db) }];
    judge(&bench, &case, &on).await.map(|(judged, _)| judged)
}

/// Judges one answer, as a run file keeps it.
///
/// # Errors
/// [`DbError::Cancelled`] where the user stopped.
pub async fn score_one(
    mode: Mode,
    task: &Task,
    outcome: &Outcome,
    db: &impl Execute,
    golds: &dyn Golds,
) -> Result<Scored, DbError> {
    let judged = judge_one(mode, task, outcome.sql.as_deref(), db, golds).await?;
    Ok(Scored { mode, score: judged.score, correct: judged.verdict.correct(), why: judged.why })
}

/// How scoring again compares with what a run file said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Again {
    /// Tasks that were scored by the same rule before.
    pub before: usize,
    /// Of those, tasks that are scored otherwise now.
    pub changed: usize,
    /// Tasks that were scored.
    pub scored: usize,
}

impl Again {
    /// Takes in one task.
    pub fn add(&mut self, before: Option<&Scored>, now: &Scored) {
        self.scored += 1;
        if let Some(before) = before.filter(|before| before.mode == now.mode) {
            self.before += 1;
            let same = before.correct == now.correct && (before.score - now.score).abs() < 1e-9;
            self.changed += usize::from(!same);
        }
    }

    /// What came of it, in one sentence.
    pub fn sentence(self, mode: Mode) -> String {
        let Self { before, changed, scored } = self;
        let tasks = |n: usize| if n == 1 { "1 task".to_owned() } else { format!("{n} tasks") };
        match (before, changed) {
            (0, _) => format!("{} scored by {mode}.", tasks(scored)),
            (_, 0) => format!("{} scored again by {mode}: the same numbers.", tasks(scored)),
            (_, changed) => format!(
                "{} scored again by {mode}: {changed} of {before} are judged otherwise now. The database or the engine is \
                 not the one of the run.",
                tasks(scored)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_said() {
        let scored = |mode, correct: bool| Scored {
            mode,
            correct,
            score: f64::from(u8::from(correct)),
            why: String::new(),
        };
        let (right, wrong) = (scored(Mode::BirdEx, true), scored(Mode::BirdEx, false));
        let mut again = Again::default();
        again.add(None, &right);
        assert_eq!(again.sentence(Mode::BirdEx), "1 task scored by bird-ex.");
        again.add(Some(&right), &right);
        again.add(Some(&scored(Mode::Livesql, true)), &wrong);
        assert_eq!(again, Again { before: 1, changed: 0, scored: 3 });
        assert!(again.sentence(Mode::BirdEx).ends_with("the same numbers."));
        again.add(Some(&right), &wrong);
        assert!(again.sentence(Mode::BirdEx).contains("1 of 2 are judged otherwise"));
    }

    #[test]
    fn wikisql_has_a_mode_of_its_own() {
        let wikisql = Task { table: Some("1-1".into()), ..Task::default() };
        assert_eq!(fitting(&[wikisql]), [Mode::WikisqlEx]);
        assert!(!fitting(&[Task::default()]).contains(&Mode::WikisqlEx));
        assert!(!fitting(&[]).contains(&Mode::RVes));
    }
}
