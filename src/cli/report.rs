//! `lab report`: runs side by side, with their scores.

use std::path::PathBuf;

use super::{Failure, inputs, score};
use crate::bench::modes::Mode;
use crate::bench::run::RunFile;
use crate::bench::run::table::{self, Row};
use crate::bench::task;

/// Show runs side by side, with their scores.
#[derive(Debug, clap::Args)]
pub struct Report {
    /// The run files.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// The task file that they answer; without it scores are those that the run files hold.
    #[arg(long, requires = "databases")]
    tasks: Option<PathBuf>,
    /// Folder of the databases: DIR/db_id/db_id.sqlite, or DIR/db_id.sqlite.
    #[arg(long, requires = "tasks")]
    databases: Option<PathBuf>,
    /// The scoring rule, as of `lab score`.
    #[arg(long, default_value = "bird-ex")]
    mode: String,
    /// How the table is written.
    #[arg(long, default_value = "md")]
    format: Written,
}

/// Formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Written {
    /// Markdown.
    Md,
    /// Comma separated values.
    Csv,
    /// JSON.
    Json,
    /// LaTeX.
    Latex,
}

impl From<Written> for table::Format {
    fn from(written: Written) -> Self {
        match written {
            Written::Md => Self::Markdown,
            Written::Csv => Self::Csv,
            Written::Json => Self::Json,
            Written::Latex => Self::Latex,
        }
    }
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a run is of other tasks, or a database is missing.
pub fn run(args: &Report) -> Result<String, Failure> {
    let mode: Mode = args.mode.parse().map_err(Failure::Usage)?;
    let rows = args.runs.iter().map(|path| {
        let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
        let run = RunFile::parse(&inputs::bytes(path)?).map_err(|e| failed(&e))?;
        let (Some(tasks), Some(databases)) = (&args.tasks, &args.databases) else {
            return Ok(Row::scored(&run));
        };
        let bytes = inputs::bytes(tasks)?;
        let all =
            task::read_tasks(&bytes).map_err(|e| Failure::Failed(format!("{}: {e}", tasks.display())))?;
        if inputs::sha256(&bytes) != run.header.tasks.sha256 {
            return Err(Failure::Usage(format!(
                "{} answers other tasks than {}.",
                path.display(),
                tasks.display()
            )));
        }
        let answered = run
            .outcomes
            .iter()
            .filter_map(|outcome| Some((all.get(outcome.place)?.clone(), outcome.sql.clone())));
        let (tasks, predictions) = answered.unzip();
        let report = score::scored(mode, tasks, predictions, databases)?;
        let row = Row::of(&run, report.overall.score().map(|score| (mode.to_string(), score)));
        Ok(if mode.is_accuracy() { row.sure(report.overall.correct, report.overall.total) } else { row })
    });
    let rows: Vec<Row> = rows.collect::<Result<_, Failure>>()?;
    table::write(&rows, args.format.into()).map_err(Failure::Failed)
}
