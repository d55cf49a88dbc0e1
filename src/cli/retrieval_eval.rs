//! `lab retrieval-eval`: precision, recall and F1 of a retriever over the tasks of a file (BIRD-History, Table 3).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, encoder, inputs, json};
use crate::bench::retrieval_metrics::{Counts, RetrievalMetrics, measure_queries};
use crate::bench::task::{self, Task};
use crate::db::{Database, QueryLimits, Value, engine};
use crate::embedding::Encoder;
use crate::history::KnowledgeBase;
use crate::ports::blocking::block_on;
use crate::retrieval::retrievers::{
    Asked, By, DAIL_THRESHOLD, Dail, Gold, History, Links, Nothing, Questions, Retriever, Similar,
};
use crate::retrieval::{Level, Retrieved, Settings};
use crate::sql::{ComponentType, Schema};

/// Measure a retriever over the tasks of a file that names the knowledge they need.
#[derive(Debug, clap::Args)]
pub struct RetrievalEval {
    /// The history: of one database, or of several that its records name.
    #[arg(long)]
    history: PathBuf,
    /// The task file, in the form of BIRD-History.
    #[arg(long)]
    tasks: PathBuf,
    /// What chooses the queries.
    #[arg(long, default_value = "history")]
    retriever: Named,
    /// What `history` searches: queries, components, or both.
    #[arg(long, default_value = "qc")]
    level: Searched,
    /// Queries handed on at most; several numbers, with commas, are measured one after the other.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = clap::value_parser!(u16).range(1..))]
    max_shots: Vec<u16>,
    /// `history`: similarity that a phrase and a component must reach; `dail`: likeness of skeletons.
    #[arg(long)]
    threshold: Option<f32>,
    /// First SQL for each task (`dail`), in the form of predictions.
    #[arg(long)]
    preliminary: Option<PathBuf>,
    /// Folder of the databases: DIR/db_id/db_id.sqlite, or DIR/db_id.sqlite.
    #[arg(long)]
    databases: Option<PathBuf>,
    /// Schemas in the form of BIRD's and Spider's tables.json, for databases that are not in the folder.
    #[arg(long)]
    tables: Option<PathBuf>,
    /// Encoder: minilm, mpnet or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Retrievers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Named {
    /// Queries and components, fused.
    History,
    /// Masked question similarity.
    Mqs,
    /// The same, with the skeleton of a preliminary SQL.
    Dail,
    /// Masked question similarity over queries that run and give a row.
    MqsFilter,
    /// The larger similarity of masked and plain questions.
    MqsQs,
    /// The queries that the task names.
    Gold,
    /// Nothing.
    None,
}

impl Named {
    fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Levels by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Searched {
    /// Queries.
    Q,
    /// Components.
    C,
    /// Both.
    Qc,
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
    /// What makes the figures less than they could be.
    remarks: Vec<String>,
}

/// Distinct values read of a column.
const VALUES: usize = 20_000;
/// Milliseconds for the values of a column, and for a query that is tried.
const PATIENCE_MS: u32 = 30_000;

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a database's history or schema is missing, or no task names knowledge.
pub fn run(args: &RetrievalEval) -> Result<String, Failure> {
    let failed = |path: &Path, e: &dyn std::fmt::Display| Failure::Failed(format!("{}: {e}", path.display()));
    let spec = encoder::spec(&args.encoder)?;
    let all = task::read_tasks(&inputs::bytes(&args.tasks)?).map_err(|e| failed(&args.tasks, &e))?;
    let preliminary = match &args.preliminary {
        Some(path) => task::read_predictions(&inputs::bytes(path)?, &all).map_err(|e| failed(path, &e))?,
        None if args.retriever == Named::Dail => {
            return Err(Failure::Usage(
                "dail needs a first SQL for each task; give predictions of any pipeline with --preliminary."
                    .to_owned(),
            ));
        }
        None => vec![None; all.len()],
    };
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
    let databases: BTreeSet<&str> = tasks.iter().map(|(task, _)| task.db_id.as_str()).collect();
    for db_id in databases {
        let place = Place::open(args, db_id, &schemas, &mut remarks)?;
        let own: Vec<_> = tasks.iter().filter(|(task, _)| task.db_id == db_id).copied().collect();
        let found = retrieved(args, &place, &own, &model, usize::from(most))?;
        for ((task, _), found) in own.iter().zip(&found) {
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
        retriever: args.retriever.name(),
        encoder: spec.name.to_owned(),
        tasks: tasks.len(),
        without_knowledge: all.len() - tasks.len(),
        rows: measured.into_iter().map(row).collect(),
        remarks,
    };
    if args.json { json(&done) } else { Ok(told(&done)) }
}

/// One database with its history.
struct Place {
    knowledge: KnowledgeBase,
    schema: Schema,
    database: Option<Database>,
}

impl Place {
    fn open(
        args: &RetrievalEval,
        db_id: &str,
        schemas: &BTreeMap<String, Schema>,
        remarks: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let file = args.databases.as_ref().and_then(|folder| inputs::database_of(folder, db_id));
        let database = file.as_deref().map(inputs::database).transpose()?;
        let schema = match (&file, schemas.get(db_id)) {
            (Some(path), _) => inputs::schema(path)?,
            (None, Some(schema)) => schema.clone(),
            (None, None) => {
                return Err(Failure::Failed(format!(
                    "Nothing tells the schema of {db_id}: it is neither in --databases nor in --tables."
                )));
            }
        };
        if database.is_none() {
            remarks.push(format!(
                "{db_id}: no database, so no value of a question is linked and no query is tried"
            ));
        }
        let knowledge = inputs::history_of(&args.history, db_id, &schema)?;
        Ok(Self { knowledge, schema, database })
    }

    fn links(&self) -> Links {
        let mut values: Vec<Value> = Vec::new();
        if let Some(database) = &self.database {
            for table in self.schema.tables.iter().filter(|table| !table.view) {
                for column in &table.columns {
                    let found = engine::values::distinct_values(
                        database,
                        &table.name,
                        &column.name,
                        VALUES,
                        PATIENCE_MS,
                    );
                    values.extend(found.map(|found| found.values).unwrap_or_default());
                }
            }
        }
        Links::new(&self.schema, &values)
    }

    /// Whether a query runs and gives a row; where there is no database, nothing speaks against it.
    fn gives_a_row(&self, entry: u32) -> bool {
        let (Some(database), Some(entry)) = (&self.database, self.knowledge.entries.get(entry as usize))
        else {
            return true;
        };
        let limits = QueryLimits { timeout_ms: PATIENCE_MS, max_rows: 1 };
        database
            .execute(&entry.sql, limits)
            .is_ok_and(|result| result.rows.iter().flatten().any(|value| *value != Value::Null))
    }
}

fn retrieved(
    args: &RetrievalEval,
    place: &Place,
    tasks: &[(&Task, Option<&str>)],
    encoder: &Encoder,
    shots: usize,
) -> Result<Vec<Retrieved>, Failure> {
    let knowledge = &place.knowledge;
    let questions = |links: &Links, filtered: bool| {
        let keep = |entry| !filtered || place.gives_a_row(entry);
        block_on(Questions::new(encoder, knowledge, links, keep)).map_err(|e| Failure::Failed(e.to_string()))
    };
    let similar = |by, filtered| {
        let links = place.links();
        let questions = questions(&links, filtered)?;
        each(&Similar { questions: &questions, links: &links, by, shots }, tasks, encoder)
    };
    match args.retriever {
        Named::None => each(&Nothing, tasks, encoder),
        Named::Gold => each(&Gold { knowledge }, tasks, encoder),
        Named::Mqs => similar(By::Masked, false),
        Named::MqsFilter => similar(By::Masked, true),
        Named::MqsQs => similar(By::MaskedOrPlain, false),
        Named::Dail => {
            let links = place.links();
            let questions = questions(&links, false)?;
            let threshold = args.threshold.unwrap_or(DAIL_THRESHOLD);
            each(&Dail { questions: &questions, links: &links, threshold, shots }, tasks, encoder)
        }
        Named::History => {
            let without = crate::retrieval::Indexed::without_vectors(knowledge.clone());
            let indexed = inputs::indexed(without, encoder)?;
            let Some(index) = indexed.index_of(crate::ports::Embed::encoder(encoder)) else {
                return Err(Failure::Failed("The history holds no query.".to_owned()));
            };
            let level = match args.level {
                Searched::Q => Level::Query,
                Searched::C => Level::Component,
                Searched::Qc => Level::Both,
            };
            let threshold = args.threshold.unwrap_or(Settings::default().threshold);
            let settings = Settings { level, threshold, max_shots: shots };
            each(&History { knowledge: &indexed.base, index, settings }, tasks, encoder)
        }
    }
}

/// What a retriever finds for each task.
fn each(
    retriever: &impl Retriever,
    tasks: &[(&Task, Option<&str>)],
    encoder: &Encoder,
) -> Result<Vec<Retrieved>, Failure> {
    let found = tasks.iter().map(|(task, preliminary)| {
        let wanted: Vec<Vec<i64>> = task.knowledge.iter().map(|item| item.sources.clone()).collect();
        let asked = Asked { question: &task.question, preliminary: *preliminary, wanted: &wanted };
        block_on(retriever.retrieve(encoder, asked)).map_err(|e| Failure::Failed(e.to_string()))
    });
    found.collect()
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
    for remark in &done.remarks {
        let _ = writeln!(text, "{remark}");
    }
    text
}
