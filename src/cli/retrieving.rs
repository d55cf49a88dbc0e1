//! Which queries of a history are retrieved for tasks: the options and the work that several commands share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Failure, inputs};
use crate::bench::task::{self, Task};
use crate::db::{Database, QueryLimits, Value, engine};
use crate::embedding::Encoder;
use crate::history::KnowledgeBase;
use crate::ports::Embed as _;
use crate::ports::blocking::block_on;
use crate::retrieval::retrievers::{
    Asked, By, DAIL_THRESHOLD, Gold, History, Links, Nothing, Questions, Retriever, Select, Similar,
};
use crate::retrieval::select::Choosing;
use crate::retrieval::{Index, Indexed, Level, Retrieved, Settings};
use crate::sql::Schema;

/// Options of retrieval.
#[derive(Debug, clap::Args)]
pub struct Retrieving {
    /// The history: of one database, or of several that its records name.
    #[arg(long)]
    pub history: PathBuf,
    /// What chooses the queries.
    #[arg(long, default_value = "history")]
    pub retriever: Named,
    /// What `history` searches: queries, components, or both.
    #[arg(long, default_value = "qc")]
    pub level: Searched,
    /// `history`: similarity that a phrase and a component must reach, 0.6 if not given; `dail`: likeness of skeletons,
    /// 0.85 if not given.
    #[arg(long, value_parser = likeness, allow_negative_numbers = true)]
    pub threshold: Option<f32>,
    /// First SQL for each task (`dail`), in the form of predictions.
    #[arg(long)]
    pub preliminary: Option<PathBuf>,
    /// Folder of the databases: DIR/db_id/db_id.sqlite, or DIR/db_id.sqlite.
    #[arg(long)]
    pub databases: Option<PathBuf>,
    /// Encoder: minilm, mpnet or tiny.
    #[arg(long, default_value = "minilm")]
    pub encoder: String,
}

/// A likeness from 0 to 1.
fn likeness(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

impl Retrieving {
    /// The first SQL of each task; None of any where the retriever needs none.
    ///
    /// # Errors
    /// When the retriever needs one and none is given, or the file cannot be read.
    pub fn preliminary(&self, tasks: &[Task]) -> Result<Vec<Option<String>>, Failure> {
        match &self.preliminary {
            Some(path) => task::read_predictions(&inputs::bytes(path)?, tasks)
                .map_err(|e| Failure::Failed(format!("{}: {e}", path.display()))),
            None if self.retriever == Named::Dail => Err(Failure::Usage(
                "dail needs a first SQL for each task; give predictions of any pipeline with --preliminary."
                    .to_owned(),
            )),
            None => Ok(vec![None; tasks.len()]),
        }
    }
}

/// Retrievers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Named {
    /// Queries and components, fused.
    History,
    /// The components that a question needs, and the queries that hold most of them.
    Select,
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
    /// Its name on the command line.
    pub fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Levels by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Searched {
    /// Queries.
    Q,
    /// Components.
    C,
    /// Both.
    Qc,
}

/// Distinct values read of a column.
const VALUES: usize = 20_000;
/// Milliseconds for the values of a column, and for a query that is tried.
const PATIENCE_MS: u32 = 30_000;

/// One database with its history.
pub struct Place {
    /// What its history holds.
    pub knowledge: KnowledgeBase,
    /// Its tables.
    pub schema: Schema,
    /// Itself, where it is at hand.
    pub database: Option<Database>,
}

impl Place {
    /// Opens a database, or takes its schema from `schemas`, and reads its history.
    ///
    /// # Errors
    /// When neither is there, or the history holds nothing of it.
    pub fn open(args: &Retrieving, db_id: &str, schemas: &BTreeMap<String, Schema>) -> Result<Self, Failure> {
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
        let texts = values.iter().filter_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        });
        Links::new(&self.schema, texts)
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

/// A retriever made ready for the history of one database.
pub enum Prepared {
    /// `none`.
    Nothing,
    /// `gold`.
    Gold,
    /// `history`, with its vectors.
    History(Box<Indexed>, Settings),
    /// `select`, with its vectors.
    Select(Box<Indexed>),
    /// `mqs`, `mqs-filter`, `mqs-qs`, and `dail` with its threshold.
    Similar(Links, Questions, By, Option<f32>),
}

impl Prepared {
    /// Embeds what the retriever compares questions with.
    ///
    /// # Errors
    /// When the texts cannot be embedded.
    pub fn new(args: &Retrieving, place: &Place, encoder: &Encoder) -> Result<Self, Failure> {
        let questions = |filtered: bool| {
            let links = place.links();
            let keep = |entry| !filtered || place.gives_a_row(entry);
            let questions = block_on(Questions::new(encoder, &place.knowledge, &links, keep));
            questions.map(|questions| (links, questions)).map_err(|e| Failure::Failed(e.to_string()))
        };
        let similar = |by, filtered| {
            questions(filtered).map(|(links, questions)| Self::Similar(links, questions, by, None))
        };
        match args.retriever {
            Named::None => Ok(Self::Nothing),
            Named::Gold => Ok(Self::Gold),
            Named::Mqs => similar(By::Masked, false),
            Named::MqsFilter => similar(By::Masked, true),
            Named::MqsQs => similar(By::MaskedOrPlain, false),
            Named::Dail => {
                let (links, questions) = questions(false)?;
                let threshold = Some(args.threshold.unwrap_or(DAIL_THRESHOLD));
                Ok(Self::Similar(links, questions, By::Masked, threshold))
            }
            Named::Select => {
                let without = Indexed::without_vectors(place.knowledge.clone());
                Ok(Self::Select(Box::new(inputs::indexed(without, encoder)?)))
            }
            Named::History => {
                let without = Indexed::without_vectors(place.knowledge.clone());
                let level = match args.level {
                    Searched::Q => Level::Query,
                    Searched::C => Level::Component,
                    Searched::Qc => Level::Both,
                };
                let threshold = args.threshold.unwrap_or(Settings::default().threshold);
                let settings = Settings { level, threshold, ..Settings::default() };
                Ok(Self::History(Box::new(inputs::indexed(without, encoder)?), settings))
            }
        }
    }

    /// At most `shots` queries for a task.
    ///
    /// # Errors
    /// When the question cannot be embedded.
    pub fn find(
        &self,
        place: &Place,
        encoder: &Encoder,
        (task, preliminary): (&Task, Option<&str>),
        shots: usize,
    ) -> Result<Retrieved, Failure> {
        let wanted: Vec<Vec<i64>> = task.knowledge.iter().map(|item| item.sources.clone()).collect();
        let asked = Asked { question: &task.question, preliminary, wanted: &wanted };
        let found = match self {
            Self::Nothing => block_on(Nothing.retrieve(encoder, asked)),
            Self::Gold => block_on(Gold { knowledge: &place.knowledge }.retrieve(encoder, asked)),
            Self::Similar(links, questions, by, skeletons) => {
                let similar = Similar { questions, links, by: *by, skeletons: *skeletons, shots };
                block_on(similar.retrieve(encoder, asked))
            }
            Self::Select(indexed) => {
                let index = embedded(indexed, encoder)?;
                let choosing = Choosing::default();
                block_on(Select { knowledge: &indexed.base, index, choosing, shots }.retrieve(encoder, asked))
            }
            Self::History(indexed, settings) => {
                let index = embedded(indexed, encoder)?;
                let settings = Settings { max_shots: shots, ..*settings };
                block_on(History { knowledge: &indexed.base, index, settings }.retrieve(encoder, asked))
            }
        };
        found.map_err(|e| Failure::Failed(e.to_string()))
    }
}

/// The index of a history that was just embedded.
fn embedded<'a>(indexed: &'a Indexed, encoder: &Encoder) -> Result<&'a Index, Failure> {
    let index = indexed.index_of(encoder.encoder());
    index.ok_or_else(|| Failure::Failed("The history holds no query.".to_owned()))
}
