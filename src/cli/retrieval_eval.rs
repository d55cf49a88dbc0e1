//! `lab retrieval-eval`: precision, recall and F1 of a retriever over the tasks of a file (BIRD-History, Table 3).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::retrieving::{Place, Ready, Retrieving};
use super::{Failure, encoder, inputs, json};
use crate::bench::retrieval_metrics::{
    Counted, Counts, RetrievalMetrics, measure_queries, measure_retrieved,
};
use crate::bench::task::Task;
use crate::sql::{ComponentType, Schema};

/// Measure a retriever over the tasks of a file that names the knowledge they need.
#[derive(Debug, clap::Args)]
pub struct RetrievalEval {
    /// The task file, in the form of BIRD-History.
    #[arg(long)]
    tasks: PathBuf,
    #[command(flatten)]
    retrieving: Retrieving,
    /// Schemas in the form of BIRD's and Spider's tables.json, for databases that are not in the folder.
    #[arg(long)]
    tables: Option<PathBuf>,
    /// Queries handed on at most; several numbers, with commas, are measured one after the other.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = clap::value_parser!(u16).range(1..))]
    max_shots: Vec<u16>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Precision, recall and F1, in 0 to 1; absent where there is nothing to divide by.
#[derive(Debug, Serialize)]
struct Figures {
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
    #[serde(flatten)]
    counts: Counts,
}

impl From<Counts> for Figures {
    fn from(counts: Counts) -> Self {
        Self { precision: counts.precision(), recall: counts.recall(), f1: counts.f1(), counts }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    max_shots: u16,
    /// Queries handed on, on average.
    shots: f64,
    overall: Figures,
    by_type: BTreeMap<ComponentType, Figures>,
}

#[derive(Debug, Serialize)]
struct Done {
    retriever: String,
    encoder: String,
    tasks: usize,
    /// Tasks that name no knowledge, which are not measured.
    without_knowledge: usize,
    rows: Vec<Row>,
    /// Of the chosen components alone, where the retriever chooses any (`select`).
    components: Option<Figures>,
    /// What makes the figures less than they could be.
    remarks: Vec<String>,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a database's history or schema is missing, or no task names knowledge.
pub fn run(args: &RetrievalEval) -> Result<String, Failure> {
    let spec = encoder::spec(&args.retrieving.encoder)?;
    let (all, preliminary) = required(&args.tasks, &args.retrieving)?;
    let tasks: Vec<(&Task, Option<&str>)> =
        all.iter().zip(&preliminary).map(|(task, sql)| (task, sql.as_deref())).collect();
    let without_knowledge = inputs::tasks(&args.tasks)?.len() - tasks.len();
    let schemas = schemas(args.tables.as_deref())?;
    let model = encoder::load(spec)?;
    let most = args.max_shots.iter().copied().max().unwrap_or(1);
    let mut measured: BTreeMap<u16, (RetrievalMetrics, usize)> = BTreeMap::new();
    let mut remarks = Vec::new();
    let mut components: Option<RetrievalMetrics> = None;
    let databases: BTreeSet<&str> = tasks.iter().map(|(task, _)| task.db_id.as_str()).collect();
    for db_id in databases {
        let place = Place::open(&args.retrieving, db_id, &schemas)?;
        if place.database.is_none() {
            remarks.push(format!(
                "{db_id}: no database, so no value of a question is linked and no query is tried"
            ));
        }
        let ready = Ready::new(&args.retrieving, place, &model)?;
        for (task, preliminary) in tasks.iter().filter(|(task, _)| task.db_id == db_id) {
            let found = ready.find(&model, (task, *preliminary), most.into())?;
            if !found.chosen.is_empty() {
                let chosen: Vec<u32> = found.chosen.iter().map(|one| one.item).collect();
                let counted = Counted::Components;
                *components.get_or_insert_default() +=
                    &measure_retrieved(&task.knowledge, &ready.history.base, &[], &chosen, counted);
            }
            for &shots in &args.max_shots {
                let entries: Vec<u32> =
                    found.queries.iter().take(shots.into()).map(|hit| hit.entry).collect();
                let (sum, handed) = measured.entry(shots).or_default();
                *sum += &measure_queries(&task.knowledge, &ready.history.base, &entries);
                *handed += entries.len();
            }
        }
    }
    let row = |(max_shots, (sum, handed)): (u16, (RetrievalMetrics, usize))| Row {
        max_shots,
        shots: handed as f64 / tasks.len() as f64,
        overall: sum.overall.into(),
        by_type: sum.by_type.into_iter().map(|(kind, counts)| (kind, counts.into())).collect(),
    };
    let done = Done {
        retriever: args.retrieving.retriever.name().to_owned(),
        encoder: spec.name.to_owned(),
        tasks: tasks.len(),
        without_knowledge,
        components: components.map(|sum| sum.overall.into()),
        rows: measured.into_iter().map(row).collect(),
        remarks,
    };
    if args.json { json(&done) } else { Ok(told(&done)) }
}

/// The tasks that name the knowledge they need, each with the first SQL that was given for it.
///
/// # Errors
/// When a file cannot be read, or no task names knowledge.
pub(super) fn required(
    path: &Path,
    retrieving: &Retrieving,
) -> Result<(Vec<Task>, Vec<Option<String>>), Failure> {
    let all = inputs::tasks(path)?;
    let preliminary = retrieving.preliminary(&all, false)?;
    let both = all.into_iter().zip(preliminary).filter(|(task, _)| !task.knowledge.is_empty());
    let (tasks, preliminary): (Vec<Task>, Vec<Option<String>>) = both.unzip();
    if tasks.is_empty() {
        let path = path.display();
        return Err(Failure::Failed(format!(
            "{path}: No task names the knowledge it needs (history_knowledge)."
        )));
    }
    Ok((tasks, preliminary))
}

/// The schemas of a tables.json, by database; none where none is given.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn schemas(path: Option<&Path>) -> Result<BTreeMap<String, Schema>, Failure> {
    let Some(path) = path else { return Ok(BTreeMap::new()) };
    let text = String::from_utf8_lossy(&inputs::bytes(path)?).into_owned();
    let read = Schema::from_bird_tables(&text);
    Ok(read.map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?.into_iter().collect())
}

fn told(done: &Done) -> String {
    let mut text = format!("{} with {}, {} tasks", done.retriever, done.encoder, done.tasks);
    if done.without_knowledge > 0 {
        let _ = write!(text, " ({} more name no knowledge)", done.without_knowledge);
    }
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.1}", share * 100.0));
    let _ = writeln!(text, "\nmax shots  shots  precision  recall     F1");
    for row in &done.rows {
        let Figures { precision, recall, f1, .. } = &row.overall;
        let _ = writeln!(
            text,
            "{:9}  {:5.2}  {:>9}  {:>6}  {:>5}",
            row.max_shots,
            row.shots,
            percent(*precision),
            percent(*recall),
            percent(*f1)
        );
    }
    if let Some(Figures { precision, recall, f1, .. }) = &done.components {
        let [p, r, f] = [precision, recall, f1].map(|share| percent(*share));
        let _ = writeln!(text, "chosen components: precision {p}, recall {r}, F1 {f}");
    }
    for remark in &done.remarks {
        let _ = writeln!(text, "{remark}");
    }
    text
}
