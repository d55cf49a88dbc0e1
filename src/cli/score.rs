//! `lab score`: predictions against the gold of a task file, in a named mode.

mod golds;
mod runner;
mod told;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use self::golds::Kept;
use self::runner::Job;
use super::{Failure, inputs, json};
use crate::bench::compare::Verdict;
use crate::bench::modes::{Mode, Options};
use crate::bench::score::{self, ScoreReport};
use crate::bench::task::{self, Task};
use crate::db::QueryLimits;
use crate::db::engine::native::engine;

/// Score predictions by a named rule.
#[derive(Debug, clap::Args)]
pub struct Score {
    /// The task file: BIRD-History, BIRD, Spider, LiveSQLBench or WikiSQL.
    #[arg(long)]
    tasks: PathBuf,
    /// Predictions: BIRD's JSON object, a JSON list, WikiSQL's lines, or one query a line.
    #[arg(long)]
    predictions: PathBuf,
    /// Folder of the databases: DIR/db_id/db_id.sqlite, or DIR/db_id.sqlite; or one file for all tasks.
    #[arg(long)]
    databases: PathBuf,
    /// The scoring rule: bird-ex, bird-orig, spider-ts, wikisql-ex, soft-f1, r-ves or livesql.
    #[arg(long, default_value = "bird-ex")]
    mode: String,
    /// Seconds that a query may take (both queries of a task in bird-ex and soft-f1); the rule's own unless given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: Option<u32>,
    /// spider-ts: leave DISTINCT in the queries.
    #[arg(long)]
    keep_distinct: bool,
    /// wikisql-ex: the order of conditions counts in the logical form.
    #[arg(long)]
    ordered: bool,
    /// r-ves: how often both queries are timed [default: 100].
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    repeats: Option<u32>,
    /// Folder where gold results are kept for the next run; beside --out unless given, nowhere without it.
    #[arg(long, value_name = "DIR")]
    golds: Option<PathBuf>,
    /// Where to write the result as JSON.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// A report with what it was computed by.
#[derive(Serialize)]
struct Done<'a> {
    engine: &'a str,
    /// Gold results that were known from an earlier run.
    golds_known: usize,
    /// Queries that SQLite could not end at their deadline; they were left behind.
    left_behind: usize,
    #[serde(flatten)]
    report: &'a ScoreReport,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a task's database is missing or damaged, or a mode does not exist.
pub fn run(args: &Score) -> Result<String, Failure> {
    let mode: Mode = args.mode.parse().map_err(Failure::Usage)?;
    fits(args, mode)?;
    let failed = |path: &Path, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    let tasks = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| failed(&args.tasks, &e))?;
    let predictions = task::read_predictions(&inputs::bytes(&args.predictions)?, &tasks)
        .map_err(|e| failed(&args.predictions, &e))?;
    let timeout_ms = args.timeout.unwrap_or_else(|| mode.seconds()).saturating_mul(1000);
    let kept = golds_file(args).map(|path| Kept::open(path, engine(), timeout_ms));
    let options = Options {
        keep_distinct: args.keep_distinct,
        ordered_conditions: args.ordered,
        repeats: args.repeats.map_or(Options::default().repeats, |n| n as usize),
    };
    let job = Arc::new(job(mode, options, timeout_ms, (tasks, predictions), &args.databases, kept)?);
    let (report, left) = judged(&job, &args.databases)?;
    let known = job.kept.as_ref().map_or(0, Kept::used);
    if let Some(kept) = &job.kept {
        kept.save()?;
    }
    let done = Done { engine: engine(), golds_known: known, left_behind: left, report: &report };
    if let Some(out) = &args.out {
        let written = std::fs::write(out, json(&done)?);
        written.map_err(|e| Failure::Failed(format!("{} cannot be written: {e}", out.display())))?;
    }
    if args.json {
        return json(&done);
    }
    let mut text = told::report(&report);
    if let Some(why) = job.kept.as_ref().and_then(|kept| kept.discarded.as_ref()) {
        let _ = writeln!(text, "the kept gold results were computed anew: {why}");
    }
    if left > 0 {
        let words = if left == 1 { "query" } else { "queries" };
        let _ = writeln!(text, "{left} {words} could not be ended at the deadline (left behind)");
    }
    Ok(text)
}

/// The score of predictions by a rule as its source has it.
///
/// # Errors
/// When a task's database is missing or damaged, or the tasks are not of that rule's kind.
pub fn scored(
    mode: Mode,
    tasks: Vec<Task>,
    predictions: Vec<Option<String>>,
    databases: &Path,
) -> Result<ScoreReport, Failure> {
    let timeout_ms = mode.seconds().saturating_mul(1000);
    let job = job(mode, Options::default(), timeout_ms, (tasks, predictions), databases, None)?;
    judged(&Arc::new(job), databases).map(|(report, _)| report)
}

fn job(
    mode: Mode,
    options: Options,
    timeout_ms: u32,
    (tasks, predictions): (Vec<Task>, Vec<Option<String>>),
    databases: &Path,
    kept: Option<Kept>,
) -> Result<Job, Failure> {
    if let Some(task) = tasks.iter().find(|task| task.table.is_some() != (mode == Mode::WikisqlEx)) {
        let words = if task.table.is_some() { "are WikiSQL's; use wikisql-ex" } else { "are not WikiSQL's" };
        return Err(Failure::Usage(format!("{mode}: the tasks {words}.")));
    }
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.db_id.as_str()).collect();
    let files: HashMap<String, Vec<PathBuf>> =
        ids.iter().map(|id| ((*id).to_owned(), files_of(databases, id, mode))).collect();
    // A missing file would make its tasks wrong, and the score with them.
    if let Some(id) = ids.iter().find(|id| files.get(**id).is_none_or(Vec::is_empty)) {
        let folder = databases.display();
        return Err(Failure::Failed(format!("{folder} holds neither {id}/{id}.sqlite nor {id}.sqlite.")));
    }
    // So would a damaged one: every gold fails on it.
    for path in files.values().flatten().collect::<BTreeSet<_>>() {
        inputs::schema(path)?;
    }
    let limits = QueryLimits { timeout_ms, ..score::limits() };
    Ok(Job { mode, options, limits, tasks, predictions, files, kept })
}

/// Judges every prediction; also how many queries were left behind at their deadline.
fn judged(job: &Arc<Job>, databases: &Path) -> Result<(ScoreReport, usize), Failure> {
    let (report, left) = runner::run(job).map_err(|e| Failure::Failed(e.to_string()))?;
    for task in &report.tasks {
        if let Verdict::GoldFailed(error) | Verdict::PredictedFailed(error) = &task.judged.verdict
            && error.is_damage()
        {
            let path = job
                .files
                .get(&task.db_id)
                .and_then(|files| files.first())
                .map_or(databases, PathBuf::as_path);
            let damage = format!("The database is damaged: {error}. Copy it again.");
            return Err(Failure::Failed(format!("{}: {damage}", path.display())));
        }
    }
    Ok((report, left))
}

/// Options that would do nothing, and files that would be lost.
fn fits(args: &Score, mode: Mode) -> Result<(), Failure> {
    let of = [
        ("--keep-distinct", args.keep_distinct, Mode::SpiderTs),
        ("--ordered", args.ordered, Mode::WikisqlEx),
        ("--repeats", args.repeats.is_some(), Mode::RVes),
    ];
    if let Some((option, _, needed)) = of.iter().find(|(_, given, needed)| *given && mode != *needed) {
        return Err(Failure::Usage(format!("{option} is for --mode {needed}.")));
    }
    let Some(out) = &args.out else { return Ok(()) };
    let inputs =
        [("--tasks", &args.tasks), ("--predictions", &args.predictions), ("--databases", &args.databases)];
    match inputs.iter().find(|(_, path)| inputs::same(path, out)) {
        Some((name, _)) => Err(Failure::Usage(format!(
            "--out would overwrite {}, the file of {name}; choose another.",
            out.display()
        ))),
        None => Ok(()),
    }
}

fn golds_file(args: &Score) -> Option<PathBuf> {
    if let Some(folder) = &args.golds {
        return Some(folder.join("golds.bin"));
    }
    let mut beside = args.out.clone()?.into_os_string();
    beside.push(".golds");
    Some(beside.into())
}

/// The files of a database that the mode asks: the one of its name, or every `.sqlite` in its folder, that one first.
fn files_of(databases: &Path, db_id: &str, mode: Mode) -> Vec<PathBuf> {
    if databases.is_file() {
        return vec![databases.to_owned()];
    }
    let Some(own) = inputs::database_of(databases, db_id) else { return Vec::new() };
    let mut files = vec![own.clone()];
    let folder = own.parent().filter(|folder| *folder != databases);
    if let Some(folder) = folder.filter(|_| mode.asks_every_file()) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut others: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        // What SQLite itself writes beside a database is none.
        let is_database = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.contains(".sqlite") && !["-wal", "-shm", "-journal"].iter().any(|end| name.ends_with(end))
        };
        others.retain(|path| is_database(path) && *path != own);
        others.sort();
        files.extend(others);
    }
    files
}
