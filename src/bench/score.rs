//! Scoring a file of predictions against its tasks.

use std::collections::BTreeMap;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::compare::Verdict;
use super::modes::{Bench, Case, Forgetful, Judged, Mode, On, Options, Times, judge};
use super::task::Task;
use crate::db::{DbError, QueryLimits};
use crate::ports::Execute;

/// Milliseconds above which a gold query is named: BIRD's limit.
const SLOW_MS: f64 = 30_000.0;

/// What became of one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskScore {
    /// The task's identifier.
    pub question_id: i64,
    /// Its database.
    pub db_id: String,
    /// BIRD's difficulty.
    pub difficulty: Option<String>,
    /// What the prediction is worth, and why.
    #[serde(flatten)]
    pub judged: Judged,
    /// Milliseconds of the gold query; None where it did not run or failed.
    pub gold_ms: Option<f64>,
    /// Milliseconds of the prediction; None where it did not run or failed.
    pub predicted_ms: Option<f64>,
}

/// Solved and all tasks of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Solved tasks.
    pub correct: usize,
    /// All tasks, those that failed included.
    pub total: usize,
    /// Sum of the scores.
    pub points: f64,
}

impl Tally {
    fn add(&mut self, correct: bool, score: f64) {
        self.correct += usize::from(correct);
        self.total += 1;
        self.points += score;
    }

    /// The mean score times 100; None without tasks. For an accuracy this is the percentage of solved tasks.
    pub fn score(self) -> Option<f64> {
        (self.total > 0).then(|| 100.0 * self.points / self.total as f64)
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Tally", 3)?;
        fields.serialize_field("correct", &self.correct)?;
        fields.serialize_field("total", &self.total)?;
        fields.serialize_field("score", &self.score())?;
        fields.end()
    }
}

/// A gold query that takes longer than BIRD's limit, or ended at the limit given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowGold {
    /// The task's identifier.
    pub question_id: i64,
    /// Its database.
    pub db_id: String,
    /// Seconds it took; None where it ended at the limit.
    pub seconds: Option<f64>,
}

/// The score of a file of predictions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreReport {
    /// The rules.
    pub mode: Mode,
    /// What was chosen about them.
    pub options: Options,
    /// Seconds that a query, or both of a task together, had.
    pub timeout_s: f64,
    /// All tasks.
    pub overall: Tally,
    /// By database.
    pub by_database: BTreeMap<String, Tally>,
    /// By BIRD's difficulty, of the tasks that have one.
    pub by_difficulty: BTreeMap<String, Tally>,
    /// `wikisql-ex`: tasks whose logical form is right.
    pub logical_form: Option<Tally>,
    /// Tasks whose result a limit cut: counted as wrong, but not known to be.
    pub cut: usize,
    /// Tasks whose gold does not run: counted as wrong.
    pub gold_failed: usize,
    /// Golds that are slow.
    pub slow_golds: Vec<SlowGold>,
    /// Every task in the order of the file.
    pub tasks: Vec<TaskScore>,
}

/// Limits for scoring: 30 s, and no row limit.
pub fn limits() -> QueryLimits {
    QueryLimits { max_rows: usize::MAX, ..QueryLimits::default() }
}

/// What is kept of each task while others are still to come, so that scoring that was broken off can go on.
pub trait Progress {
    /// What became of a task before, by its place in the file.
    fn known(&self, place: usize) -> Option<(Judged, Times)>;

    /// Hears that a task is judged.
    fn done(&self, place: usize, judged: &Judged, times: Times);
}

/// Keeps nothing: scoring is done in one go.
impl Progress for Forgetful {
    fn known(&self, _: usize) -> Option<(Judged, Times)> {
        None
    }

    fn done(&self, _: usize, _: &Judged, _: Times) {}
}

/// Judges every prediction on its task's database.
///
/// `predictions` is parallel to `tasks`. `open` is called once for each run of a database's tasks, and gives the files
/// that the mode asks; a database that does not open fails its tasks.
///
/// # Errors
/// [`DbError::Cancelled`] where the user stopped.
pub async fn score<E: Execute>(
    bench: &Bench<'_>,
    tasks: &[Task],
    predictions: &[Option<String>],
    progress: &dyn Progress,
    mut open: impl FnMut(&str) -> Result<Vec<On<E>>, DbError>,
) -> Result<ScoreReport, DbError> {
    let mut order: Vec<(usize, &Task)> = tasks.iter().enumerate().collect();
    order.sort_by_key(|(_, task)| task.db_id.as_str());
    let mut scores: Vec<(usize, TaskScore)> = Vec::with_capacity(tasks.len());
    type Opened<E> = Result<Vec<On<E>>, DbError>;
    let mut current: Option<(&str, Opened<E>)> = None;
    for (index, task) in order {
        let known = progress.known(index);
        if known.is_none() && current.as_ref().is_none_or(|(name, _)| *name != task.db_id) {
            current = Some((&task.db_id, open(&task.db_id)));
        }
        let case = Case {
            gold: &task.gold,
            predicted: predictions.get(index).and_then(Option::as_deref),
            table: task.table.as_deref(),
            ordered: task.ordered,
        };
        let (judged, times) = match (known, &current) {
            (Some(known), _) => known,
            (None, Some((_, Ok(on)))) => judge(bench, &case, on).await?,
            (None, Some((_, Err(error)))) => (unopened(error.clone()), Times::default()),
            (None, None) => (unopened(DbError::NotOpen), Times::default()),
        };
        progress.done(index, &judged, times);
        let score = TaskScore {
            question_id: task.question_id,
            db_id: task.db_id.clone(),
            difficulty: task.difficulty.clone(),
            judged,
            gold_ms: times.gold,
            predicted_ms: times.predicted,
        };
        scores.push((index, score));
    }
    scores.sort_by_key(|(index, _)| *index);
    Ok(report(bench, scores.into_iter().map(|(_, score)| score).collect()))
}

fn unopened(error: DbError) -> Judged {
    Judged::new(0.0, Verdict::GoldFailed(error))
}

fn report(bench: &Bench<'_>, tasks: Vec<TaskScore>) -> ScoreReport {
    let mut report = ScoreReport {
        mode: bench.mode,
        options: bench.options,
        timeout_s: f64::from(bench.limits.timeout_ms) / 1000.0,
        overall: Tally::default(),
        by_database: BTreeMap::new(),
        by_difficulty: BTreeMap::new(),
        logical_form: (bench.mode == Mode::WikisqlEx).then(Tally::default),
        cut: 0,
        gold_failed: 0,
        slow_golds: Vec::new(),
        tasks: Vec::new(),
    };
    for task in &tasks {
        let Judged { score, verdict, logical_form, .. } = &task.judged;
        let correct = verdict.correct();
        report.overall.add(correct, *score);
        report.by_database.entry(task.db_id.clone()).or_default().add(correct, *score);
        if let Some(difficulty) = &task.difficulty {
            report.by_difficulty.entry(difficulty.clone()).or_default().add(correct, *score);
        }
        if let Some(tally) = &mut report.logical_form {
            let same = *logical_form == Some(true);
            tally.add(same, if same { 1.0 } else { 0.0 });
        }
        report.cut += usize::from(matches!(verdict, Verdict::Cut { .. }));
        report.gold_failed += usize::from(matches!(verdict, Verdict::GoldFailed(_)));
        let late = matches!(verdict, Verdict::GoldFailed(DbError::Timeout(_)));
        if late || task.gold_ms.is_some_and(|ms| ms > SLOW_MS) {
            let seconds = task.gold_ms.map(|ms| ms / 1000.0);
            report.slow_golds.push(SlowGold {
                question_id: task.question_id,
                db_id: task.db_id.clone(),
                seconds,
            });
        }
    }
    report.tasks = tasks;
    report
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::db::engine::service::tests::image;
    use crate::db::{Database, Host};
    use crate::ports::blocking::block_on;

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
            let bytes = image("CREATE TABLE t(v); INSERT INTO t VALUES (1), (2)");
            Ok(vec![On { name: name.to_owned(), database: Database::from_bytes(bytes, Host::default())? }])
        };
        let bench =
            Bench { mode: Mode::BirdEx, options: Options::default(), limits: limits(), golds: &Forgetful };
        let report = block_on(score(&bench, &tasks, &predictions, &Forgetful, open)).unwrap();
        assert_eq!(opened, ["a", "gone"]);
        assert_eq!(report.overall, Tally { correct: 1, total: 6, points: 1.0 });
        assert_eq!(report.by_database["a"], Tally { correct: 1, total: 5, points: 1.0 });
        assert_eq!((report.by_database["a"].score(), report.gold_failed), (Some(20.0), 2));
        let ids: Vec<i64> = report.tasks.iter().map(|task| task.question_id).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
        let verdicts: Vec<&Verdict> = report.tasks.iter().map(|task| &task.judged.verdict).collect();
        assert!(matches!(verdicts[0], Verdict::Equal));
        assert!(matches!(verdicts[1], Verdict::GoldFailed(DbError::Open(_))));
        assert!(matches!(verdicts[2], Verdict::Different(why) if why.missing_rows == 2));
        assert!(matches!(verdicts[3], Verdict::GoldFailed(DbError::Sql { .. })));
        assert!(matches!(verdicts[4], Verdict::PredictedFailed(DbError::ReadOnly(_))));
        assert!(matches!(verdicts[5], Verdict::Missing));
    }
}
