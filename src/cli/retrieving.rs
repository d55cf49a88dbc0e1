//! Which queries of a history are retrieved for tasks: the options and the work that several commands share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::{Failure, inputs};
use crate::bench::task::{self, Task};
use crate::db::Database;
use crate::embedding::Encoder;
use crate::experiment::Prepared;
pub use crate::experiment::retriever::Named;
use crate::history::KnowledgeBase;
use crate::ports::blocking::block_on;
use crate::retrieval::retrievers::Asked;
use crate::retrieval::{Indexed, Level, Retrieved};
use crate::sql::Schema;

/// Options of retrieval.
#[derive(Debug, Clone, clap::Args)]
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
    /// First SQL for each task (`dail`), in the form of predictions; where a model answers and none is given, it is
    /// asked as dail-sql asks, with the examples of `mqs`.
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
    /// The first SQL of each task; None of any where the retriever needs none, or it `can_be_made`.
    ///
    /// # Errors
    /// When the retriever needs one and none is given, or the file cannot be read.
    pub fn preliminary(&self, tasks: &[Task], can_be_made: bool) -> Result<Vec<Option<String>>, Failure> {
        match &self.preliminary {
            Some(path) => task::read_predictions(&inputs::bytes(path)?, tasks)
                .map_err(|e| Failure::Failed(format!("{}: {e}", path.display()))),
            None if self.retriever == Named::Dail && !can_be_made => Err(Failure::Usage(
                "dail needs a first SQL for each task; give predictions of any pipeline with --preliminary, or let \
                 lab run ask a model for it with --llm."
                    .to_owned(),
            )),
            None => Ok(vec![None; tasks.len()]),
        }
    }
}

impl ValueEnum for Named {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
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

impl From<Searched> for Level {
    fn from(searched: Searched) -> Self {
        match searched {
            Searched::Q => Self::Query,
            Searched::C => Self::Component,
            Searched::Qc => Self::Both,
        }
    }
}

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
}

/// A database with a retriever made ready for its history.
pub struct Ready {
    /// The history, with vectors where the retriever searches them.
    pub history: Indexed,
    /// Its tables.
    pub schema: Schema,
    /// The database, where it is at hand.
    pub database: Option<Database>,
    /// The retriever.
    pub retriever: Prepared,
}

impl Ready {
    /// Embeds what the retriever compares questions with.
    ///
    /// # Errors
    /// When the texts cannot be embedded.
    pub fn new(args: &Retrieving, place: Place, encoder: &Encoder) -> Result<Self, Failure> {
        let Place { knowledge, schema, database } = place;
        let how = (Level::from(args.level), args.threshold);
        let made = Prepared::new(args.retriever, how, (&knowledge, &schema), encoder, database.as_ref());
        let retriever = block_on(made).map_err(|e| Failure::Failed(e.to_string()))?;
        let without = Indexed::without_vectors(knowledge);
        let history = match retriever {
            Prepared::History(_) | Prepared::Select => inputs::indexed(without, encoder)?,
            _ => without,
        };
        Ok(Self { history, schema, database, retriever })
    }

    /// At most `shots` queries for a task.
    ///
    /// # Errors
    /// When the question cannot be embedded.
    pub fn find(
        &self,
        encoder: &Encoder,
        (task, preliminary): (&Task, Option<&str>),
        shots: usize,
    ) -> Result<Retrieved, Failure> {
        let wanted: Vec<Vec<i64>> = task.knowledge.iter().map(|item| item.sources.clone()).collect();
        let asked = Asked { question: &task.question, preliminary, wanted: &wanted };
        let found = self.retriever.find(&self.history, None, encoder, asked, shots);
        block_on(found).map_err(|e| Failure::Failed(e.to_string()))
    }
}
