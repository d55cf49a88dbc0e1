//! `lab score`: predictions against the gold of a task file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Failure, inputs, json};
use crate::bench::compare::{Mode, Verdict};
use crate::bench::score::{self, score};
use crate::bench::task;
use crate::db::{DbError, QueryLimits};

/// Score predictions by execution accuracy.
#[derive(Debug, clap::Args)]
pub struct Score {
    /// The task file: BIRD-History, BIRD or Spider.
    #[arg(long)]
    tasks: PathBuf,
    /// Predictions: BIRD's JSON object, a JSON list, or one query a line.
    #[arg(long)]
    predictions: PathBuf,
    /// Folder of the databases: DIR/db_id/db_id.sqlite, or DIR/db_id.sqlite.
    #[arg(long)]
    databases: PathBuf,
    /// The scoring rule; there is bird-ex.
    #[arg(long, default_value = "bird-ex")]
    mode: String,
    /// Seconds that a query may take.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a task's database is missing or damaged, or a mode does not exist.
pub fn run(args: &Score) -> Result<String, Failure> {
    let mode: Mode = args.mode.parse().map_err(Failure::Usage)?;
    let failed = |path: &Path, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    let tasks = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| failed(&args.tasks, &e))?;
    let predictions = task::read_predictions(&inputs::bytes(&args.predictions)?, &tasks)
        .map_err(|e| failed(&args.predictions, &e))?;
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1000), ..score::limits() };
    let file_of = |db_id: &str| {
        let name = format!("{db_id}.sqlite");
        [args.databases.join(db_id).join(&name), args.databases.join(&name)]
            .into_iter()
            .find(|path| path.is_file())
    };
    // A missing file would make its tasks wrong, and the score with them.
    if let Some(task) = tasks.iter().find(|task| file_of(&task.db_id).is_none()) {
        let (id, folder) = (&task.db_id, args.databases.display());
        return Err(Failure::Failed(format!("{folder} holds neither {id}/{id}.sqlite nor {id}.sqlite.")));
    }
    // So would a damaged one: every gold fails on it.
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.db_id.as_str()).collect();
    for path in ids.iter().filter_map(|db_id| file_of(db_id)) {
        inputs::schema(&path)?;
    }
    let open = |db_id: &str| {
        let path = file_of(db_id).ok_or(DbError::NotOpen)?;
        inputs::database(&path).map_err(|e| DbError::Open(e.to_string()))
    };
    let report =
        score(mode, &tasks, &predictions, open, limits).map_err(|e| Failure::Failed(e.to_string()))?;
    for task in &report.tasks {
        if let Verdict::GoldFailed(error) | Verdict::PredictedFailed(error) = &task.verdict
            && error.is_damage()
        {
            let path = file_of(&task.db_id).unwrap_or_else(|| args.databases.clone());
            return Err(failed(&path, &format!("The database is damaged: {error}. Copy it again.")));
        }
    }
    if args.json {
        return json(&report);
    }
    let mut text = String::new();
    for task in report.tasks.iter().filter(|t| !t.verdict.correct()) {
        let _ = writeln!(text, "{} {}: {}", task.db_id, task.question_id, reason(&task.verdict));
    }
    let share = report.overall.share().unwrap_or(0.0) * 100.0;
    let _ = writeln!(
        text,
        "{mode}: {} of {} correct, {share:.1} %",
        report.overall.correct, report.overall.total
    );
    let golds = report.tasks.iter().filter(|task| matches!(task.verdict, Verdict::GoldFailed(_))).count();
    if golds > 0 {
        let words = if golds == 1 { "gold does not run and counts" } else { "golds do not run and count" };
        let _ = writeln!(text, "{golds} {words} as wrong");
    }
    if report.cut > 0 {
        let _ = writeln!(text, "{} could not be compared whole", report.cut);
    }
    Ok(text)
}

fn reason(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Equal => "equal".to_owned(),
        Verdict::Different(diagnosis) => diagnosis.sentence.clone(),
        Verdict::Cut { .. } => "a result was cut".to_owned(),
        Verdict::GoldFailed(error) => format!("gold does not run: {error}"),
        Verdict::PredictedFailed(error) => error.to_string(),
        Verdict::Missing => "no prediction".to_owned(),
    }
}
