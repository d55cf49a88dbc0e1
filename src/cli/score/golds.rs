//! Gold results in a file, so that they are computed once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::Failure;
use crate::bench::modes::{Golds, Outcome};
use crate::db::{DbError, Value};

const FORMAT: &str = "querylore-golds-1";
/// Bytes of one result that is kept at most, and of all of them.
const MOST: [usize; 2] = [16 << 20, 256 << 20];

type Key = [u8; 32];

/// What the file holds. A result depends on the engine, and whether there is one on the limit.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: String,
    engine: String,
    timeout_ms: u32,
    outcomes: BTreeMap<Key, Outcome>,
}

/// Results by database and SQL. A database is known by its path, size and time of change.
pub struct Kept {
    path: PathBuf,
    engine: String,
    timeout_ms: u32,
    held: Mutex<Held>,
    /// Why the file's results were not used.
    pub discarded: Option<String>,
}

#[derive(Default)]
struct Held {
    known: BTreeMap<Key, Arc<Outcome>>,
    files: HashMap<String, String>,
    bytes: usize,
    changed: bool,
    used: usize,
}

impl Kept {
    /// Reads the file, where there is one of this engine and limit.
    pub fn open(path: PathBuf, engine: &str, timeout_ms: u32) -> Self {
        let (mut held, mut discarded) = (Held::default(), None);
        if let Ok(bytes) = std::fs::read(&path) {
            match postcard::from_bytes::<Stored>(&bytes) {
                Ok(stored) if stored.format == FORMAT => {
                    if stored.engine != engine {
                        discarded = Some(format!("they are of SQLite {}, this is {engine}", stored.engine));
                    } else if stored.timeout_ms != timeout_ms {
                        let seconds = f64::from(stored.timeout_ms) / 1000.0;
                        discarded = Some(format!("they were computed with a limit of {seconds} s"));
                    } else {
                        held.known = stored.outcomes.into_iter().map(|(key, o)| (key, Arc::new(o))).collect();
                    }
                }
                _ => discarded = Some("the file is damaged or of another version".to_owned()),
            }
        }
        held.bytes = held.known.values().map(|outcome| size(outcome)).sum();
        Self { path, engine: engine.to_owned(), timeout_ms, held: Mutex::new(held), discarded }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many results came from the file.
    pub fn used(&self) -> usize {
        self.held().used
    }

    /// Writes the file, where something was added.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self) -> Result<(), Failure> {
        let held = self.held();
        if !held.changed {
            return Ok(());
        }
        let failed = |e: &dyn std::fmt::Display| {
            Failure::Failed(format!("{} cannot be written: {e}", self.path.display()))
        };
        let stored = Stored {
            format: FORMAT.to_owned(),
            engine: self.engine.clone(),
            timeout_ms: self.timeout_ms,
            outcomes: held.known.iter().map(|(key, outcome)| (*key, outcome.as_ref().clone())).collect(),
        };
        let bytes = postcard::to_stdvec(&stored).map_err(|e| failed(&e))?;
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| failed(&e))?;
        }
        // Beside it first, so that a run that is stopped leaves the old file whole.
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        std::fs::write(&beside, bytes).map_err(|e| failed(&e))?;
        std::fs::rename(&beside, &self.path).map_err(|e| failed(&e))
    }
}

impl Held {
    fn key(&mut self, database: &str, sql: &str) -> Key {
        let file = self.files.entry(database.to_owned()).or_insert_with(|| {
            let full = Path::new(database).canonicalize().unwrap_or_else(|_| database.into());
            let meta = std::fs::metadata(&full).ok();
            format!("{full:?} {:?}", meta.map(|meta| (meta.len(), meta.modified().ok())))
        });
        let mut hash = Sha256::new();
        hash.update(file.as_bytes());
        hash.update([0]);
        hash.update(sql.as_bytes());
        hash.finalize().into()
    }
}

impl Golds for Kept {
    fn known(&self, database: &str, sql: &str) -> Option<Arc<Outcome>> {
        let mut held = self.held();
        let key = held.key(database, sql);
        let found = held.known.get(&key).cloned()?;
        held.used += 1;
        Some(found)
    }

    fn keep(&self, database: &str, sql: &str, outcome: &Arc<Outcome>) {
        // Other errors are of this run, not of the query.
        let lasts = matches!(
            outcome.as_ref(),
            Ok(_) | Err(DbError::Sql { .. } | DbError::Timeout(_) | DbError::ReadOnly(_))
        );
        let mut held = self.held();
        let bytes = size(outcome);
        if lasts && bytes <= MOST[0] && held.bytes + bytes <= MOST[1] {
            held.bytes += bytes;
            held.changed = true;
            let key = held.key(database, sql);
            held.known.insert(key, outcome.clone());
        }
    }
}

/// About how many bytes an outcome takes.
fn size(outcome: &Outcome) -> usize {
    let value = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) | Value::InvalidText(bytes) => bytes.len(),
        _ => 8,
    };
    let rows = outcome.as_ref().map_or(&[][..], |result| &result.rows);
    64 + rows.iter().flatten().map(|v| value(v) + 24).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::ResultSet;

    #[test]
    fn results_are_read_again_by_the_same_engine_limit_and_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, database) = (folder.path().join("golds.bin"), folder.path().join("d.sqlite"));
        std::fs::write(&database, "one").unwrap();
        let name = database.to_str().unwrap();
        let rows = vec![vec![Value::Real(f64::INFINITY), Value::Blob(vec![0, 255]), Value::Null]];
        let outcome: Arc<Outcome> = Arc::new(Ok(ResultSet { rows, ..ResultSet::default() }));
        let kept = Kept::open(file.clone(), "3.50.0", 30_000);
        assert!(kept.known(name, "SELECT 1").is_none() && kept.discarded.is_none());
        kept.keep(name, "SELECT 1", &outcome);
        kept.keep(name, "SELECT 2", &Arc::new(Err(DbError::Timeout(30_000))));
        kept.keep(name, "SELECT 3", &Arc::new(Err(DbError::Worker("gone".into()))));
        kept.save().unwrap();

        let again = Kept::open(file.clone(), "3.50.0", 30_000);
        assert_eq!(again.known(name, "SELECT 1"), Some(outcome));
        assert_eq!(again.known(name, "SELECT 2").as_deref(), Some(&Err(DbError::Timeout(30_000))));
        assert!(again.known(name, "SELECT 3").is_none() && again.known("other", "SELECT 1").is_none());
        assert_eq!(again.used(), 2);

        // Another engine, limit or content, or a damaged file: nothing is known.
        for (engine, timeout_ms, why) in
            [("3.51.0", 30_000, "SQLite 3.50.0"), ("3.50.0", 60_000, "limit of 30 s")]
        {
            let other = Kept::open(file.clone(), engine, timeout_ms);
            assert!(other.known(name, "SELECT 1").is_none());
            assert!(other.discarded.unwrap().contains(why));
        }
        std::fs::write(&database, "another").unwrap();
        assert!(Kept::open(file.clone(), "3.50.0", 30_000).known(name, "SELECT 1").is_none());
        std::fs::write(&file, "damaged").unwrap();
        assert!(Kept::open(file, "3.50.0", 30_000).discarded.unwrap().contains("damaged"));
    }
}
