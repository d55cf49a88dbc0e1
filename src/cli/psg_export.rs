//! `lab psg-export`: known queries, whole and cut at keywords, as records to train a model on (SQL-o1, section 4.2).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, inputs, json};
use crate::bench::compare::Verdict;
use crate::bench::modes::{Bench, Forgetful, Mode, On, Options};
use crate::bench::score;
use crate::bench::task::{self, Task};
use crate::db::{Database, DbError, Host, QueryLimits, TableInfo, introspect};
use crate::history::KnowledgeBase;
use crate::llm::Message;
use crate::pipeline::direct::{Inputs, Settings};
use crate::pipeline::sql_o1::{Context, Samples};
use crate::ports::blocking::block_on;
use crate::present::format;
use crate::search::psg::{self, Chosen, Example, Known};
use crate::sql::Schema;

/// Milliseconds for the row counts that a prompt shows.
const OVERVIEW_MS: u32 = 5_000;
/// Examples that are printed.
const SHOWN: usize = 3;

/// Write records to train a model to go on with SQL: each reference query whole, and cut at keywords where a model errs or
/// the grammar is complex.
#[derive(Debug, clap::Args)]
pub struct PsgExport {
    /// The task file: BIRD-History, BIRD or Spider. Take training tasks: what is learned should not be measured.
    #[arg(long)]
    tasks: PathBuf,
    /// Folder of the databases, DIR/db_id/db_id.sqlite or DIR/db_id.sqlite.
    #[arg(long)]
    databases: PathBuf,
    /// What the model answers before it is trained, in any form that `lab score` reads; without it only complex queries
    /// are cut.
    #[arg(long)]
    predictions: Option<PathBuf>,
    /// Cuts of a query at most.
    #[arg(long, default_value_t = 1)]
    cuts: usize,
    /// Sample rows of each table.
    #[arg(long, default_value_t = 3)]
    sample_rows: u32,
    /// Tokens of a record at most, estimated; the schema is shortened to fit.
    #[arg(long, default_value_t = Settings::default().context_tokens)]
    context: u32,
    /// Where the cuts are, among those that are possible.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Seconds that a query may take.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// The file of records, JSON Lines of conversations ({"messages": [...]}).
    #[arg(long)]
    out: PathBuf,
    /// Print the counts as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Record {
    messages: Vec<Message>,
}

/// What was written.
#[derive(Debug, Default, Serialize)]
struct Counts {
    tasks: usize,
    records: usize,
    /// Records that are a whole query.
    whole: usize,
    /// Records that are the rest of a query.
    cut: usize,
    /// Queries that were cut since the model errs on them.
    model_errs: usize,
    /// Queries that were cut since they are complex.
    complex: usize,
    /// Cuts by the keyword that follows.
    by_keyword: BTreeMap<&'static str, usize>,
    /// Reference queries that cannot be read, by question id; left out.
    unread: Vec<i64>,
    /// Databases that are not in the folder, whose tasks are left out.
    no_database: Vec<String>,
    /// Records whose schema was shortened.
    shortened: usize,
}

/// What a prompt is written from.
struct Shown {
    schema: Schema,
    tables: Vec<TableInfo>,
    samples: Samples,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read or written, or no task has its database.
pub fn run(args: &PsgExport) -> Result<String, Failure> {
    let named = |path: &Path, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    if !args.databases.is_dir() {
        return Err(Failure::Failed(format!("{} is not a folder.", args.databases.display())));
    }
    let tasks = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| named(&args.tasks, &e))?;
    let right = match &args.predictions {
        Some(path) => {
            let read = task::read_predictions(&inputs::bytes(path)?, &tasks).map_err(|e| named(path, &e))?;
            right(args, &tasks, &read)?
        }
        None => vec![None; tasks.len()],
    };
    let mut counts = Counts { tasks: tasks.len(), ..Counts::default() };
    let mut databases: BTreeMap<&str, Option<Shown>> = BTreeMap::new();
    for task in &tasks {
        if !databases.contains_key(task.db_id.as_str()) {
            let shown = shown(args, &task.db_id)?;
            if shown.is_none() {
                counts.no_database.push(task.db_id.clone());
            }
            databases.insert(&task.db_id, shown);
        }
    }
    let kept: Vec<(&Task, Option<bool>)> = tasks
        .iter()
        .zip(right)
        .filter(|(task, _)| matches!(databases.get(task.db_id.as_str()), Some(Some(_))))
        .collect();
    if kept.is_empty() {
        return Err(Failure::Failed(format!(
            "{} has the database of no task; it is looked for as DB_ID/DB_ID.sqlite and DB_ID.sqlite.",
            args.databases.display()
        )));
    }
    let known: Vec<Known<'_>> =
        kept.iter().map(|(task, right)| Known { gold: &task.gold, model_right: *right }).collect();
    let made = psg::examples(&known, args.cuts, args.seed);
    counts.unread = made.unread.iter().filter_map(|of| Some(kept.get(*of)?.0.question_id)).collect();
    counts.model_errs = made.chosen.get(&Chosen::ModelErrs).copied().unwrap_or(0);
    counts.complex = made.chosen.get(&Chosen::Complex).copied().unwrap_or(0);
    counts.by_keyword = made.by_keyword.clone();
    let knowledge = KnowledgeBase::default();
    let mut lines = Vec::new();
    for example in &made.examples {
        let Some((task, _)) = kept.get(example.of) else { continue };
        let Some(Some(Shown { schema, tables, samples })) = databases.get(task.db_id.as_str()) else {
            continue;
        };
        let inputs = Inputs { question: &task.question, schema, tables, knowledge: &knowledge, shots: &[] };
        let length = crate::llm::tokens::estimate(&task.gold).saturating_mul(2);
        let context = Context::new(&inputs, samples, false, args.context.saturating_sub(length));
        counts.shortened += usize::from(!context.left_out.is_empty());
        match example.keyword {
            Some(_) => counts.cut += 1,
            None => counts.whole += 1,
        }
        let mut messages = context.asked(&example.prefix);
        messages.push(Message::assistant(format!("```sql\n{};\n```", example.completion.trim_start())));
        let line = serde_json::to_string(&Record { messages }).map_err(|e| Failure::Failed(e.to_string()))?;
        lines.push(line);
    }
    counts.records = lines.len();
    let mut text = lines.join("\n");
    text.push('\n');
    std::fs::write(&args.out, text)
        .map_err(|e| Failure::Failed(format!("{} cannot be written: {e}", args.out.display())))?;
    if args.json {
        return json(&counts);
    }
    Ok(told(args, &counts, &made.examples))
}

/// Whether each prediction is right by BIRD's rule; None where there is none or the reference does not run.
fn right(
    args: &PsgExport,
    tasks: &[Task],
    predictions: &[Option<String>],
) -> Result<Vec<Option<bool>>, Failure> {
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1_000), ..score::limits() };
    let bench = Bench { mode: Mode::BirdEx, options: Options::default(), limits, golds: &Forgetful };
    let open = |db_id: &str| {
        let path = inputs::database_of(&args.databases, db_id)
            .ok_or_else(|| DbError::Open(format!("There is no database {db_id}.")))?;
        let database = Database::from_path(&path, Host::default())?;
        Ok(vec![On { name: path.display().to_string(), database }])
    };
    let report = block_on(score::score(&bench, tasks, predictions, &Forgetful, open))
        .map_err(|e| Failure::Failed(e.to_string()))?;
    let known = |(task, predicted): (&score::TaskScore, &Option<String>)| {
        let verdict = &task.judged.verdict;
        let compared = predicted.is_some() && !matches!(verdict, Verdict::GoldFailed(_));
        compared.then(|| verdict.correct())
    };
    Ok(report.tasks.iter().zip(predictions).map(known).collect())
}

fn shown(args: &PsgExport, db_id: &str) -> Result<Option<Shown>, Failure> {
    let Some(path) = inputs::database_of(&args.databases, db_id) else { return Ok(None) };
    let database = inputs::database(&path)?;
    let overview = introspect::overview(&database, OVERVIEW_MS)
        .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
    let limits = QueryLimits::default();
    let samples = block_on(Samples::read(&overview.schema, args.sample_rows, &database, limits));
    Ok(Some(Shown { schema: overview.schema, tables: overview.tables, samples }))
}

fn told(args: &PsgExport, counts: &Counts, examples: &[Example]) -> String {
    let mut text = String::new();
    let count = |n: usize, one: &str, more: &str| format::counted(n, one, more);
    let _ = writeln!(
        text,
        "{} in {}: {} whole, {} cut",
        count(counts.records, "record", "records"),
        args.out.display(),
        counts.whole,
        counts.cut
    );
    let _ = writeln!(
        text,
        "cut: {} since the model errs, {} since the query is complex",
        count(counts.model_errs, "query", "queries"),
        counts.complex
    );
    if args.predictions.is_none() {
        let _ = writeln!(text, "no predictions were given, so where a model errs is not known");
    }
    for (keyword, n) in &counts.by_keyword {
        let _ = writeln!(text, "  before {keyword:10} {n:6}");
    }
    if counts.shortened > 0 {
        let _ = writeln!(
            text,
            "{} had the schema shortened to fit",
            count(counts.shortened, "record", "records")
        );
    }
    if !counts.unread.is_empty() {
        let ids: Vec<String> = counts.unread.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "left out, since the reference query cannot be read: {}", ids.join(", "));
    }
    if !counts.no_database.is_empty() {
        let _ = writeln!(text, "left out, since there is no database: {}", counts.no_database.join(", "));
    }
    let line = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    for example in examples.iter().filter(|example| example.keyword.is_some()).take(SHOWN) {
        let _ = writeln!(text, "\n  {}\n  → {}", line(&example.prefix), line(&example.completion));
    }
    text
}
