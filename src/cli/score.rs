//! `lab score`: predictions against the gold of a task file.

use std::path::PathBuf;

use super::{Failure, inputs, print_json};
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
    /// The scoring rule.
    #[arg(long, default_value = "bird-ex")]
    mode: String,
    /// Seconds that a query may take.
    #[arg(long, default_value_t = 30)]
    timeout: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or a mode does not exist.
pub fn run(args: &Score) -> Result<(), Failure> {
    let mode: Mode = args.mode.parse().map_err(|e| Failure::Usage(format!("{e}")))?;
    let failed =
        |path: &PathBuf, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    let tasks = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| failed(&args.tasks, &e))?;
    let predictions = task::read_predictions(&inputs::bytes(&args.predictions)?, &tasks)
        .map_err(|e| failed(&args.predictions, &e))?;
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1000), ..score::limits() };
    let open = |db_id: &str| {
        let nested = args.databases.join(db_id).join(format!("{db_id}.sqlite"));
        let flat = args.databases.join(format!("{db_id}.sqlite"));
        let path = if nested.is_file() { nested } else { flat };
        inputs::database(&path).map_err(|e| DbError::Open(e.to_string()))
    };
    let report = score(mode, &tasks, &predictions, open, limits).map_err(|e| Failure::Failed(e.to_string()))?;
    if args.json {
        return print_json(&report);
    }
    for task in report.tasks.iter().filter(|t| !t.verdict.correct()) {
        println!("{} {}: {}", task.db_id, task.question_id, reason(&task.verdict));
    }
    let share = report.overall.share().unwrap_or(0.0) * 100.0;
    println!("{mode}: {} of {} correct, {share:.1} %", report.overall.correct, report.overall.total);
    if report.cut > 0 {
        println!("{} could not be compared whole", report.cut);
    }
    Ok(())
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
