//! `lab score`: predictions against the gold of a task file.

use std::path::PathBuf;

use super::{Failure, inputs, print_json};
use crate::bench::compare::Mode;
use crate::bench::score::score;
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
    let predictions = task::read_predictions(&inputs::bytes(&args.predictions)?)
        .map_err(|e| failed(&args.predictions, &e))?;
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1000), max_rows: usize::MAX };
    let open = |db_id: &str| {
        let nested = args.databases.join(db_id).join(format!("{db_id}.sqlite"));
        let flat = args.databases.join(format!("{db_id}.sqlite"));
        let path = if nested.is_file() { nested } else { flat };
        inputs::database(&path).map_err(|e| DbError::Open(e.to_string()))
    };
    let report = score(mode, &tasks, &predictions, open, limits);
    if args.json {
        return print_json(&report);
    }
    for outcome in &report.outcomes {
        println!("{}", outcome.line());
    }
    println!("{}", report.summary());
    Ok(())
}
