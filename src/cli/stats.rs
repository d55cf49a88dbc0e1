//! `lab stats`: what a task file holds, and what in it does not fit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, inputs, json};
use crate::bench::check::Known;
use crate::bench::stats::{Stats, stats};
use crate::bench::task::{self, Task};
use crate::db::{Database, Host, QueryLimits};
use crate::history::import;
use crate::present::format;

/// Count a task file, and name what in it does not fit.
#[derive(Debug, clap::Args)]
pub struct Stat {
    /// The task file: BIRD-History, BIRD, Spider, LiveSQLBench or WikiSQL.
    #[arg(long)]
    tasks: PathBuf,
    /// Folder of the databases, DIR/db_id/db_id.sqlite or DIR/db_id.sqlite: runs every reference query.
    #[arg(long)]
    databases: Option<PathBuf>,
    /// The history whose queries the tasks name, in any form that `lab index` reads.
    #[arg(long)]
    history: Option<PathBuf>,
    /// Seconds that a reference query may take.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Problem {
    question_id: i64,
    db_id: String,
    problem: String,
}

#[derive(Serialize)]
struct Done<'a> {
    #[serde(flatten)]
    stats: &'a Stats,
    problems: &'a [Problem],
    /// Reference queries that ran.
    golds_run: usize,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read.
pub fn run(args: &Stat) -> Result<String, Failure> {
    let tasks = read(&args.tasks)?;
    let counted = stats(&tasks);
    let mut problems = Vec::new();
    let golds_run = match &args.databases {
        Some(folder) => golds(&tasks, folder, args.timeout, &mut problems)?,
        None => 0,
    };
    if let Some(history) = &args.history {
        known(args, history, &tasks, &mut problems)?;
    }
    if args.json {
        return json(&Done { stats: &counted, problems: &problems, golds_run });
    }
    let mut text = told(&counted);
    if args.databases.is_some() {
        let _ = writeln!(text, "\n{golds_run} reference queries run");
    }
    if args.databases.is_some() || args.history.is_some() {
        let does = if problems.len() == 1 { "thing does" } else { "things do" };
        let _ = writeln!(text, "{} {does} not fit", problems.len());
    }
    for Problem { question_id, db_id, problem } in &problems {
        let _ = writeln!(text, "{db_id} {question_id}: {problem}");
    }
    Ok(text)
}

fn read(path: &Path) -> Result<Vec<Task>, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    task::read_tasks(&inputs::bytes(path)?).map_err(|e| failed(&e))
}

/// Runs every reference query; a database that is missing is named once.
fn golds(tasks: &[Task], folder: &Path, timeout: u32, problems: &mut Vec<Problem>) -> Result<usize, Failure> {
    if !folder.is_dir() {
        return Err(Failure::Failed(format!("{} is not a folder.", folder.display())));
    }
    let mut by_database: BTreeMap<&str, Vec<&Task>> = BTreeMap::new();
    for task in tasks {
        by_database.entry(&task.db_id).or_default().push(task);
    }
    let limits = QueryLimits { timeout_ms: timeout.saturating_mul(1000), max_rows: usize::MAX };
    let mut ran = 0;
    for (db_id, tasks) in by_database {
        let opened = match inputs::database_of(folder, db_id) {
            Some(path) => Database::from_path(&path, Host::default()).map_err(|e| e.to_string()),
            None => Err(format!(
                "no database {db_id} in the folder ({})",
                format::counted(tasks.len(), "task", "tasks")
            )),
        };
        let database = match (opened, tasks.first()) {
            (Ok(database), _) => database,
            (Err(problem), Some(first)) => {
                problems.push(of(first, problem));
                continue;
            }
            (Err(_), None) => continue,
        };
        for task in tasks {
            match database.execute(&task.gold, limits) {
                Ok(_) => ran += 1,
                Err(error) => problems.push(of(task, format!("the reference query does not run: {error}"))),
            }
        }
    }
    Ok(ran)
}

/// Names what the tasks say of the history and the history does not hold. Pieces are looked up where the database is at
/// hand, since names are resolved by its schema.
fn known(args: &Stat, history: &Path, tasks: &[Task], problems: &mut Vec<Problem>) -> Result<(), Failure> {
    let bytes = inputs::bytes(history)?;
    let name = history.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{name}: {e}"));
    let mut plan = import::inspect(&name, &bytes).map_err(|e| failed(&e))?;
    let databases: BTreeSet<&str> = tasks.iter().map(|task| task.db_id.as_str()).collect();
    for db_id in databases {
        plan.database = plan.databases.iter().find(|(name, _)| name == db_id).map(|(name, _)| name.clone());
        let read = if plan.database.is_none() && !plan.databases.is_empty() {
            Vec::new()
        } else {
            import::read(&bytes, &plan).map_err(|e| failed(&e))?.records
        };
        let file = args.databases.as_deref().and_then(|folder| inputs::database_of(folder, db_id));
        let schema = file.and_then(|path| inputs::schema(&path).ok());
        let known = Known::of(read.iter().map(|record| (record.id, record.sql.as_str())), schema.as_ref());
        for task in tasks.iter().filter(|task| task.db_id == db_id) {
            problems.extend(known.misfits(task).into_iter().map(|problem| of(task, problem)));
        }
    }
    Ok(())
}

fn of(task: &Task, problem: String) -> Problem {
    Problem { question_id: task.question_id, db_id: task.db_id.clone(), problem }
}

fn told(stats: &Stats) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} on {}",
        format::counted(stats.tasks, "task", "tasks"),
        format::counted(stats.by_database.len(), "database", "databases")
    );
    for (name, count) in &stats.by_database {
        let _ = writeln!(text, "  {name:30} {count:6}");
    }
    if !stats.by_difficulty.is_empty() {
        let groups: Vec<String> = stats.by_difficulty.iter().map(|(name, n)| format!("{name} {n}")).collect();
        let _ = writeln!(text, "  by difficulty: {}", groups.join(", "));
    }
    let q = stats.queries;
    let _ = writeln!(text, "\na query has on average (table 1, {} parsed)", q.parsed);
    for (name, mean) in [
        ("tokens", q.tokens),
        ("functions", q.functions),
        ("subqueries", q.subqueries),
        ("JOIN length", q.join_length),
        ("nesting depth", q.depth),
    ] {
        let _ = writeln!(text, "  {name:30} {mean:6.2}");
    }
    if !stats.unparsed.is_empty() {
        let _ = writeln!(text, "  {} queries cannot be parsed and are not in it", stats.unparsed.len());
    }
    if stats.types.is_empty() {
        return text;
    }
    for (title, counts) in [("items", &stats.items_per_task), ("types", &stats.types_per_task)] {
        let table = if title == "items" { 8 } else { 9 };
        let _ = writeln!(text, "\n{title} a task (table {table})");
        for (count, tasks) in counts {
            let _ = writeln!(text, "  {count:2} {tasks:6} tasks");
        }
    }
    let _ = writeln!(text, "\ntype          items      %  per task (table 10)");
    for share in &stats.types {
        let _ = writeln!(
            text,
            "{:12} {:6} {:6.1} {:9.3}",
            share.kind, share.items, share.percent, share.per_task
        );
    }
    if stats.types_by_form > 0 {
        let items = if stats.types_by_form == 1 { "item names" } else { "items name" };
        let _ = writeln!(text, "{} {items} no type; it was told by their form", stats.types_by_form);
    }
    text
}
