//! Queries on a thread of their own, so that one that SQLite cannot end does not hold up the rest.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::db::{Database, DbError, Host, QueryLimits, ResultSet};
use crate::ports::Execute;

/// What SQLite has beyond the limit to end a query by itself: it looks at the clock between its instructions, and only
/// inside one long function it does not.
const GRACE: Duration = Duration::from_millis(1_000);

type Answer = Result<ResultSet, DbError>;

/// A database on a thread. A query that is not back at its deadline is left behind with its thread, which ends when the
/// query does or the process; the next query opens the file anew.
pub struct Detached {
    path: PathBuf,
    worker: RefCell<Option<Worker>>,
    left: Rc<Cell<usize>>,
}

struct Worker {
    ask: Sender<(String, QueryLimits)>,
    answers: Receiver<Answer>,
}

impl Detached {
    /// A database file; `left` counts the queries that were left behind.
    pub fn new(path: PathBuf, left: Rc<Cell<usize>>) -> Self {
        Self { path, worker: RefCell::new(None), left }
    }

    fn started(&self) -> Worker {
        let (ask, asked) = channel::<(String, QueryLimits)>();
        let (answer, answers) = channel();
        let path = self.path.clone();
        thread::spawn(move || {
            let database = Database::from_path(&path, Host::default());
            for (sql, limits) in asked {
                let result = match &database {
                    Ok(database) => database.execute(&sql, limits),
                    Err(error) => Err(error.clone()),
                };
                if answer.send(result).is_err() {
                    break;
                }
            }
        });
        Worker { ask, answers }
    }
}

impl Execute for Detached {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Answer {
        let worker = self.worker.borrow_mut().take().unwrap_or_else(|| self.started());
        let gone = || DbError::Worker("The thread of the database ended.".to_owned());
        worker.ask.send((sql.to_owned(), limits)).map_err(|_| gone())?;
        let deadline = Duration::from_millis(limits.timeout_ms.into()) + GRACE;
        match worker.answers.recv_timeout(deadline) {
            Ok(answer) => {
                *self.worker.borrow_mut() = Some(worker);
                answer
            }
            Err(RecvTimeoutError::Timeout) => {
                self.left.set(self.left.get() + 1);
                Err(DbError::Timeout(limits.timeout_ms))
            }
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::db::engine::service::tests::image;
    use crate::ports::blocking::block_on;

    #[test]
    fn a_query_that_cannot_be_ended_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.sqlite");
        std::fs::write(&path, image("CREATE TABLE t(v); INSERT INTO t VALUES (7)")).unwrap();
        let left = Rc::new(Cell::new(0));
        let database = Detached::new(path, left.clone());
        let run =
            |sql: &str, timeout_ms| block_on(database.execute(sql, QueryLimits { timeout_ms, max_rows: 10 }));
        assert_eq!(run("SELECT v FROM t", 30_000).unwrap().rows.len(), 1);
        // SQLite looks up between the rows of a recursion, so this one it ends itself.
        let counting =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
        assert_eq!(run(counting, 50), Err(DbError::Timeout(50)));
        assert_eq!(left.get(), 0);
        let started = Instant::now();
        // Some seconds inside one call.
        let long = "SELECT instr(zeroblob(1200000), zeroblob(600000) || x'01')";
        assert_eq!(run(long, 50), Err(DbError::Timeout(50)));
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(left.get(), 1);
        assert_eq!(run("SELECT v FROM t", 30_000).unwrap().rows.len(), 1);
    }
}
