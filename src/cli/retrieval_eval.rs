//! `lab retrieval-eval`: precision, recall and F1 of a retriever over the tasks of a file (BIRD-History, Table 3).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::retrieving::{Place, Prepared, Retrieving};
use super::{Failure, encoder, inputs, json};
use crate::bench::retrieval_metrics::{
    Counted, Counts, RetrievalMetrics, measure_queries, measure_retrieved,
};
use crate::bench::task::{self, Task};
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
    /// Of the chosen components alone, where the retriever chooses any (`history`, `select`).
    components: Option<Figures>,
    /// What makes the figures less than they could be.
    remarks: Vec<String>,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a database's history or schema is missing, or no task names knowledge.
pub fn run(args: &RetrievalEval) -> Result<String, Failure> {
    let failed = |path: &Path, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    let spec = encoder::spec(&args.retrieving.encoder)?;
    let all = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| failed(&args.tasks, &e))?;
    let preliminary = args.retrieving.preliminary(&all)?;
    let tasks: Vec<(&Task, Option<&str>)> = all
        .iter()
        .zip(&preliminary)
        .filter(|(task, _)| !task.knowledge.is_empty())
        .map(|(task, sql)| (task, sql.as_deref()))
        .collect();
    if tasks.is_empty() {
        return Err(failed(&args.tasks, &"No task names the knowledge it needs (history_knowledge)."));
    }
    let schemas = match &args.tables {
        Some(path) => {
            let text = String::from_utf8_lossy(&inputs::bytes(path)?).into_owned();
            Schema::from_bird_tables(&text).map_err(|e| failed(path, &e))?.into_iter().collect()
        }
        None => BTreeMap::new(),
    };
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
        let retriever = Prepared::new(&args.retrieving, &place, &model)?;
        for (task, preliminary) in tasks.iter().filter(|(task, _)| task.db_id == db_id) {
            let found = retriever.find(&place, &model, (task, *preliminary), most.into())?;
            if !found.chosen.is_empty() {
                let chosen: Vec<u32> = found.chosen.iter().map(|one| one.item).collect();
                let counted = Counted::Components;
                *components.get_or_insert_default() +=
                    &measure_retrieved(&task.knowledge, &place.knowledge, &[], &chosen, counted);
            }
            for &shots in &args.max_shots {
                let entries: Vec<u32> =
                    found.queries.iter().take(shots.into()).map(|hit| hit.entry).collect();
                let (sum, handed) = measured.entry(shots).or_default();
                *sum += &measure_queries(&task.knowledge, &place.knowledge, &entries);
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
        retriever: args.retrieving.retriever.name(),
        encoder: spec.name.to_owned(),
        tasks: tasks.len(),
        without_knowledge: all.len() - tasks.len(),
        components: components.map(|sum| sum.overall.into()),
        rows: measured.into_iter().map(row).collect(),
        remarks,
    };
    if args.json { json(&done) } else { Ok(told(&done)) }
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
