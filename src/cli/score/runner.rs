//! Scoring on a thread that is left behind where SQLite cannot end a query.
//!
//! Queries run on the thread that scores, since a thread of their own would cost two switches each. The calling thread
//! looks whether the query in hand is past its deadline; if so, the thread is left behind with it, and another goes on
//! with the tasks that are not judged yet. What is left behind ends when its query does or the process.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::golds::Kept;
use crate::bench::modes::{Bench, Forgetful, Golds, Judged, Mode, On, Options, Times};
use crate::bench::score::{Progress, ScoreReport, score};
use crate::bench::task::Task;
use crate::db::{Database, DbError, Host, QueryLimits, ResultSet};
use crate::ports::{Execute, blocking::block_on};

/// What SQLite has beyond the limit to end a query by itself: it looks at the clock between its instructions, and only
/// inside one long function it does not.
const GRACE: Duration = Duration::from_millis(1_000);
/// How often the query in hand is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// What is scored, and how.
pub struct Job {
    pub mode: Mode,
    pub options: Options,
    pub limits: QueryLimits,
    pub tasks: Vec<Task>,
    pub predictions: Vec<Option<String>>,
    /// The files of each database.
    pub files: HashMap<String, Vec<PathBuf>>,
    pub kept: Option<Kept>,
}

/// What the scoring threads and the one that watches share.
#[derive(Default)]
struct Shared {
    /// Which thread scores; one that was left behind has a smaller number.
    thread: usize,
    /// The query in hand: its database, text and deadline.
    running: Option<(String, String, Instant)>,
    /// Queries that could not be ended.
    endless: Vec<(String, String)>,
    judged: HashMap<usize, (Judged, Times)>,
}

#[derive(Clone)]
struct Watch {
    shared: Arc<Mutex<Shared>>,
    thread: usize,
}

impl Watch {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Watch {
    fn known(&self, place: usize) -> Option<(Judged, Times)> {
        self.shared().judged.get(&place).cloned()
    }

    fn done(&self, place: usize, judged: &Judged, times: Times) {
        let mut shared = self.shared();
        if shared.thread == self.thread {
            shared.judged.insert(place, (judged.clone(), times));
        }
    }
}

/// A database whose query in hand is watched.
struct Watched {
    database: Database,
    name: String,
    watch: Watch,
}

impl Execute for Watched {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        let query = (self.name.clone(), sql.to_owned());
        {
            let mut shared = self.watch.shared();
            if shared.thread != self.watch.thread {
                return Err(DbError::Cancelled);
            }
            if shared.endless.contains(&query) {
                return Err(DbError::Timeout(limits.timeout_ms));
            }
            let end = Instant::now() + Duration::from_millis(limits.timeout_ms.into()) + GRACE;
            shared.running = Some((query.0, query.1, end));
        }
        let result = self.database.execute(sql, limits);
        let mut shared = self.watch.shared();
        if shared.thread != self.watch.thread {
            return Err(DbError::Cancelled);
        }
        shared.running = None;
        result
    }
}

/// Scores; also says how many queries were left behind.
///
/// # Errors
/// When a scoring thread ends unexpectedly.
pub fn run(job: &Arc<Job>) -> Result<(ScoreReport, usize), DbError> {
    let shared = Arc::<Mutex<Shared>>::default();
    loop {
        let thread = shared.lock().unwrap_or_else(PoisonError::into_inner).thread;
        let watch = Watch { shared: shared.clone(), thread };
        let (job, at_work, (send, done)) = (job.clone(), watch.clone(), channel());
        thread::spawn(move || {
            // Nobody listens any more to a thread that was left behind.
            let _ = send.send(scored(&job, &at_work));
        });
        loop {
            match done.recv_timeout(LOOK) {
                Ok(report) => return report.map(|report| (report, watch.shared().endless.len())),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DbError::Worker("Scoring ended unexpectedly.".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let mut shared = watch.shared();
            if let Some((database, sql, _)) = shared.running.take_if(|(.., end)| Instant::now() > *end) {
                shared.endless.push((database, sql));
                shared.thread += 1;
                break;
            }
        }
    }
}

fn scored(job: &Job, watch: &Watch) -> Result<ScoreReport, DbError> {
    let golds: &dyn Golds = job.kept.as_ref().map_or(&Forgetful, |kept| kept);
    let bench = Bench { mode: job.mode, options: job.options, limits: job.limits, golds };
    let open = |db_id: &str| {
        let files = job.files.get(db_id).map_or(&[][..], Vec::as_slice);
        let on = files.iter().map(|path| {
            let name = path.display().to_string();
            let database = Database::from_path(path, Host::default())?;
            let database = Watched { database, name: name.clone(), watch: watch.clone() };
            Ok(On { name, database })
        });
        on.collect::<Result<Vec<_>, DbError>>()
    };
    block_on(score(&bench, &job.tasks, &job.predictions, watch, open))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::compare::Verdict;
    use crate::bench::score::limits;
    use crate::db::engine::service::tests::image;

    #[test]
    fn a_query_that_cannot_be_ended_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.sqlite");
        std::fs::write(&path, image("CREATE TABLE t(v); INSERT INTO t VALUES (7)")).unwrap();
        let said = [
            "SELECT v FROM t",
            // SQLite looks up between the rows of a recursion, so this one it ends itself.
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
            // Some seconds inside one call.
            "SELECT instr(zeroblob(1200000), zeroblob(600000) || x'01')",
            "SELECT 7",
        ];
        let task = |id| Task { question_id: id, db_id: "t".into(), gold: said[0].into(), ..Task::default() };
        let job = Arc::new(Job {
            mode: Mode::BirdEx,
            options: Options::default(),
            limits: QueryLimits { timeout_ms: 2_000, ..limits() },
            tasks: (0..4).map(task).collect(),
            predictions: said.iter().map(|sql| Some((*sql).to_owned())).collect(),
            files: HashMap::from([("t".to_owned(), vec![path])]),
            kept: None,
        });
        let started = Instant::now();
        let (report, left) = run(&job).unwrap();
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        let late = Verdict::PredictedFailed(DbError::Timeout(2_000));
        let verdicts: Vec<Verdict> = report.tasks.into_iter().map(|task| task.judged.verdict).collect();
        assert_eq!(verdicts, [Verdict::Equal, late.clone(), late, Verdict::Equal]);
        assert_eq!(left, 1);
    }
}
