//! Reads the real files under the folder of benchmark data and says what became of every statement: shared by the
//! example that prints the table and the test that holds its facts firm.
#![allow(dead_code)] // Each of the two uses its part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use querylore::db::{Database, Host, Overview, QueryLimits, introspect};
use querylore::history::import;
use querylore::history::report::Reason;
use querylore::history::{Builder, Entry, KnowledgeBase, Report};
use querylore::sql::Schema;

/// The folder of benchmark data: `QUERYLORE_DATA`, else beside the repository.
pub fn data() -> PathBuf {
    std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

/// What became of the statements of one file, or of many.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub files: usize,
    /// Files that are no history, with the sentence that the user reads.
    pub refused: BTreeMap<String, usize>,
    pub read: usize,
    pub kept: usize,
    pub merged: usize,
    pub skipped: usize,
    /// Skipped statements by reason, without what differs from one to the next.
    pub reasons: BTreeMap<String, usize>,
    /// Remarks by kind.
    pub remarks: BTreeMap<String, usize>,
    /// Pieces of knowledge.
    pub items: usize,
    pub seconds: f64,
}

impl Tally {
    pub fn add(&mut self, report: &Report, base: &KnowledgeBase) {
        self.read += report.read;
        self.kept += report.kept;
        self.merged += report.merged;
        self.skipped += report.skipped.len();
        self.items += base.items.len();
        for skip in &report.skipped {
            *self.reasons.entry(kind(&skip.reason)).or_default() += 1;
        }
        for note in &report.notes {
            let kind = note.text.split(':').next().unwrap_or_default();
            let kind = kind.split("CREATE ").next().unwrap_or_default();
            *self.remarks.entry(kind.split("INSERT ").next().unwrap_or_default().to_owned()).or_default() +=
                1;
        }
    }
}

/// A reason without what is of one statement only.
fn kind(reason: &Reason) -> String {
    match reason {
        Reason::Syntax { message, .. } => {
            let message = message.split_once(", found").map_or(message.as_str(), |(wanted, _)| wanted);
            format!("syntax error: {}", message.trim_end_matches('.'))
        }
        Reason::TooLong { .. } => "too long".to_owned(),
        Reason::Row(_) => "unreadable row".to_owned(),
        other => other.to_string(),
    }
}

/// Reads one history; None, and the sentence in the tally, where the file is none.
pub fn read(
    name: &str,
    bytes: &[u8],
    database: Option<&str>,
    schema: &Schema,
    tally: &mut Tally,
) -> Option<(KnowledgeBase, Report)> {
    let start = Instant::now();
    tally.files += 1;
    let found = import::inspect(name, bytes).and_then(|mut plan| {
        plan.database = database.map(str::to_owned);
        import::read(bytes, &plan)
    });
    let built = match found {
        Ok(history) => {
            let (base, report) = Builder::new(history, schema.clone()).whole();
            assert_eq!(report.read, report.kept + report.merged + report.skipped.len(), "{name}");
            tally.add(&report, &base);
            Some((base, report))
        }
        Err(error) => {
            *tally.refused.entry(error.to_string()).or_default() += 1;
            None
        }
    };
    tally.seconds += start.elapsed().as_secs_f64();
    built
}

/// A database with what the page shows of it first.
pub struct Opened {
    pub database: Database,
    pub overview: Overview,
    pub seconds: f64,
}

pub fn open(path: &Path) -> Result<Opened, String> {
    let start = Instant::now();
    let database = Database::from_path(path, Host::default()).map_err(|e| e.to_string())?;
    let overview = introspect::overview(&database, 1_500).map_err(|e| e.to_string())?;
    Ok(Opened { database, overview, seconds: start.elapsed().as_secs_f64() })
}

/// How many of the entries run on the database, and the errors of the others.
pub fn run(database: &Database, entries: &[Entry]) -> (usize, Vec<String>) {
    let mut errors = Vec::new();
    for entry in entries {
        if let Err(error) = database.execute(&entry.sql, QueryLimits::default()) {
            errors.push(format!("#{}: {error}", entry.id));
        }
    }
    (entries.len() - errors.len(), errors)
}

/// The ten databases of Spider's development set with the most questions whose files are here.
pub fn spider_databases(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(bytes) = std::fs::read(folder.join("spider/dev.json")) else { return Vec::new() };
    let Ok(plan) = import::inspect("dev.json", &bytes) else { return Vec::new() };
    let path = |name: &str| folder.join(format!("spider/database/{name}/{name}.sqlite"));
    let mut found: Vec<(String, PathBuf)> = plan
        .databases
        .iter()
        .map(|(name, _)| (name.clone(), path(name)))
        .filter(|(_, p)| p.is_file())
        .collect();
    found.truncate(10);
    found
}

/// The .sql files of the bigquery-etl archive, in order of their paths; None where they cannot be unpacked.
pub fn archive(folder: &Path) -> Option<Vec<(String, Vec<u8>)>> {
    let packed = folder.join("history/bigquery-etl_sql.tar.xz");
    let unpacked = tempfile::tempdir().ok()?;
    let tar =
        std::process::Command::new("tar").arg("-xJf").arg(packed).arg("-C").arg(unpacked.path()).status();
    if !tar.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut found = Vec::new();
    let mut open = vec![unpacked.path().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).ok()? {
            let path = entry.ok()?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "sql") {
                let name = path.strip_prefix(unpacked.path()).ok()?.to_string_lossy().into_owned();
                found.push((name, std::fs::read(&path).ok()?));
            }
        }
    }
    found.sort();
    Some(found)
}
