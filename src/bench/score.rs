//! Scoring a file of predictions against its tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compare::{self, Mode, Verdict};
use super::task::Task;
use crate::db::{Database, DbError, QueryLimits, ResultSet};

/// What became of one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskScore {
    /// The task's identifier.
    pub question_id: i64,
    /// Its database.
    pub db_id: String,
    /// Right, wrong and why, or not to be said.
    pub verdict: Verdict,
    /// Milliseconds of the gold query; None where it did not run or failed.
    pub gold_ms: Option<f64>,
    /// Milliseconds of the prediction; None where it did not run or failed.
    pub predicted_ms: Option<f64>,
}

/// Solved and all tasks of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Solved tasks.
    pub correct: usize,
    /// All tasks, those that failed included.
    pub total: usize,
}

impl Tally {
    fn add(&mut self, correct: bool) {
        self.correct += usize::from(correct);
        self.total += 1;
    }

    /// Share of solved tasks; None without tasks.
    pub fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.correct as f64 / self.total as f64)
    }
}

/// The score of a file of predictions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreReport {
    /// The rules.
    pub mode: Mode,
    /// All tasks.
    pub overall: Tally,
    /// By database.
    pub by_database: BTreeMap<String, Tally>,
    /// By BIRD's difficulty, of the tasks that have one.
    pub by_difficulty: BTreeMap<String, Tally>,
    /// Tasks whose result a limit cut: counted as wrong, but not known to be.
    pub cut: usize,
    /// Every task in the order of the file.
    pub tasks: Vec<TaskScore>,
}

/// Limits for scoring: BIRD's 30 s for both queries of a task together, and no row limit.
pub fn limits() -> QueryLimits {
    QueryLimits { max_rows: usize::MAX, ..QueryLimits::default() }
}

/// Runs every prediction, then its gold, on the task's database and compares them.
///
/// Both queries share `limits.timeout_ms`, as in mini_dev. `predictions` is parallel to `tasks`; a
/// missing one is wrong. `open` is called once for each run of a database's tasks; a database that does
/// not open fails its tasks. Cancelling ends the scoring with [`DbError::Cancelled`].
pub fn score(
    mode: Mode,
    tasks: &[Task],
    predictions: &[Option<String>],
    mut open: impl FnMut(&str) -> Result<Database, DbError>,
    limits: QueryLimits,
) -> Result<ScoreReport, DbError> {
    let mut order: Vec<(usize, &Task)> = tasks.iter().enumerate().collect();
    order.sort_by_key(|(_, task)| task.db_id.as_str());
    let mut scores: Vec<(usize, TaskScore)> = Vec::with_capacity(tasks.len());
    let mut current: Option<(&str, Result<Database, DbError>)> = None;
    for (index, task) in order {
        if current.as_ref().is_none_or(|(name, _)| *name != task.db_id) {
            current = Some((&task.db_id, open(&task.db_id)));
        }
        let prediction = predictions.get(index).and_then(Option::as_deref);
        let (verdict, gold_ms, predicted_ms) = match &current {
            Some((_, Ok(db))) => one(mode, task, prediction, db, limits)?,
            Some((_, Err(error))) => (Verdict::GoldFailed(error.clone()), None, None),
            None => (Verdict::GoldFailed(DbError::NotOpen), None, None),
        };
        let score = TaskScore {
            question_id: task.question_id,
            db_id: task.db_id.clone(),
            verdict,
            gold_ms,
            predicted_ms,
        };
        scores.push((index, score));
    }
    scores.sort_by_key(|(index, _)| *index);
    let mut report = ScoreReport { mode, ..ScoreReport::default() };
    for ((_, score), task) in scores.into_iter().zip(tasks) {
        let correct = score.verdict.correct();
        report.overall.add(correct);
        report.by_database.entry(task.db_id.clone()).or_default().add(correct);
        if let Some(difficulty) = &task.difficulty {
            report.by_difficulty.entry(difficulty.clone()).or_default().add(correct);
        }
        report.cut += usize::from(matches!(score.verdict, Verdict::Cut { .. }));
        report.tasks.push(score);
    }
    Ok(report)
}

type Judged = (Verdict, Option<f64>, Option<f64>);

fn one(
    mode: Mode,
    task: &Task,
    prediction: Option<&str>,
    db: &Database,
    limits: QueryLimits,
) -> Result<Judged, DbError> {
    let Some(prediction) = prediction else { return Ok((Verdict::Missing, None, None)) };
    let predicted = db.execute(prediction, limits);
    let spent = predicted.as_ref().map_or(0.0, |result| result.elapsed_ms);
    // A prediction that failed is wrong whatever gold says.
    if let Err(error) = predicted {
        return if error == DbError::Cancelled {
            Err(error)
        } else {
            Ok((Verdict::PredictedFailed(error), None, None))
        };
    }
    let left = QueryLimits { timeout_ms: limits.timeout_ms.saturating_sub(spent as u32), ..limits };
    let gold = db.execute(&task.gold, left);
    if gold == Err(DbError::Cancelled) {
        return Err(DbError::Cancelled);
    }
    let elapsed = |result: &Result<ResultSet, DbError>| result.as_ref().ok().map(|result| result.elapsed_ms);
    let times = (elapsed(&gold), elapsed(&predicted));
    Ok((compare::judge(mode, &gold, &predicted), times.0, times.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Host;
    use crate::db::engine::service::tests::image;

    fn task(question_id: i64, db_id: &str, gold: &str) -> Task {
        Task { question_id, db_id: db_id.into(), gold: gold.into(), ..Task::default() }
    }

    #[test]
    fn every_outcome_is_counted() {
        let tasks = [
            task(1, "a", "SELECT v FROM t"),
            task(2, "gone", "SELECT 1"),
            task(3, "a", "SELECT v FROM t"),
            task(4, "a", "SELECT nothing_here FROM t"),
            task(5, "a", "SELECT v FROM t"),
            task(6, "a", "SELECT v FROM t"),
        ];
        let said = ["SELECT v FROM t ORDER BY v DESC", "SELECT 1", "SELECT 3", "SELECT 1", "DELETE FROM t"];
        let mut predictions: Vec<Option<String>> = said.iter().map(|sql| Some((*sql).to_owned())).collect();
        predictions.push(None);
        let mut opened = Vec::new();
        let open = |name: &str| {
            opened.push(name.to_owned());
            if name == "gone" {
                return Err(DbError::Open("There is no such file.".into()));
            }
            Database::from_bytes(image("CREATE TABLE t(v); INSERT INTO t VALUES (1), (2)"), Host::default())
        };
        let report = score(Mode::BirdEx, &tasks, &predictions, open, limits()).unwrap();
        assert_eq!(opened, ["a", "gone"]);
        assert_eq!(report.overall, Tally { correct: 1, total: 6 });
        assert_eq!(report.by_database["a"], Tally { correct: 1, total: 5 });
        let ids: Vec<i64> = report.tasks.iter().map(|task| task.question_id).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
        let verdicts: Vec<&Verdict> = report.tasks.iter().map(|task| &task.verdict).collect();
        assert!(matches!(verdicts[0], Verdict::Equal));
        assert!(matches!(verdicts[1], Verdict::GoldFailed(DbError::Open(_))));
        assert!(matches!(verdicts[2], Verdict::Different(why) if why.missing_rows == 2));
        assert!(matches!(verdicts[3], Verdict::GoldFailed(DbError::Sql { .. })));
        assert!(matches!(verdicts[4], Verdict::PredictedFailed(DbError::ReadOnly(_))));
        assert!(matches!(verdicts[5], Verdict::Missing));
    }
}
