//! What tasks are answered with: databases, their histories, the model within its budget.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use super::file::cannot_write;
use super::{Run, inputs};
use crate::cli::Failure;
use crate::cli::model::Connected;
use crate::cli::retrieving::{Place, Ready};
use crate::db::{Database, QueryLimits, TableInfo, introspect};
use crate::embedding::Encoder;
use crate::experiment::{Known, Queries};
use crate::llm::answer_log::{self, Log};
use crate::llm::budget::{Limits, Price, Spent};
use crate::llm::{Cache, Cancel, Completion, Request};
use crate::pipeline::direct;
use crate::ports::blocking::block_on;

/// Milliseconds for the row counts and samples that a model is shown.
const OVERVIEW_MS: u32 = 5_000;

/// What a run may use of its model.
#[derive(Debug, clap::Args)]
pub struct Budget {
    /// Requests at most, those of earlier parts of this run included.
    #[arg(long, value_name = "N", requires = "llm")]
    max_requests: Option<u64>,
    /// Tokens of prompts and answers at most.
    #[arg(long, value_name = "N", requires = "llm")]
    max_tokens: Option<u64>,
    /// Dollars at most, by the two prices.
    #[arg(long, value_name = "DOLLARS", value_parser = money, requires = "prices")]
    max_cost: Option<f64>,
    /// Dollars for a million tokens of prompts.
    #[arg(long, value_name = "DOLLARS", value_parser = money, group = "prices", requires = "llm")]
    price_prompt: Option<f64>,
    /// Dollars for a million tokens of answers.
    #[arg(long, value_name = "DOLLARS", value_parser = money, group = "prices", requires = "llm")]
    price_answer: Option<f64>,
}

fn money(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give dollars, such as 0.60".to_owned())
}

impl Budget {
    pub(super) fn limits(&self) -> Limits {
        Limits { requests: self.max_requests, tokens: self.max_tokens, cost: self.max_cost }
    }

    pub(super) fn price(&self) -> Price {
        Price { prompt: self.price_prompt.unwrap_or_default(), answer: self.price_answer.unwrap_or_default() }
    }
}

/// How the model is asked.
pub(super) fn asked_with(args: &Run, connected: Option<&Connected>) -> direct::Settings {
    let model = connected.map(|connected| connected.name.clone()).unwrap_or_default();
    direct::Settings { model, context_tokens: args.context, ..direct::Settings::default() }
}

/// A database with its history and what a model is shown of it.
pub(super) struct Opened {
    pub ready: Ready,
    pub database: Database,
    pub tables: Vec<TableInfo>,
    pub queries: Option<Queries>,
    /// What the pipeline knows of it.
    pub known: Known,
}

impl Opened {
    /// Opens it and makes the retriever ready.
    ///
    /// # Errors
    /// When it or its history cannot be read.
    pub(super) fn new(args: &Run, db_id: &str, encoder: &Encoder) -> Result<Self, Failure> {
        let place = Place::open(&args.retrieving, db_id, &BTreeMap::new())?;
        let mut ready = Ready::new(&args.retrieving, place, encoder)?;
        let Some(database) = ready.database.take() else {
            return Err(Failure::Failed(format!("The database {db_id} is not in --databases.")));
        };
        let tables = if args.pipeline.asks() {
            let overview = introspect::overview(&database, OVERVIEW_MS);
            overview.map_err(|e| Failure::Failed(e.to_string()))?.tables
        } else {
            Vec::new()
        };
        let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1_000), ..QueryLimits::default() };
        let cancel = Cancel::default();
        let known = Known::read(args.pipeline, &ready.schema, &database, encoder, limits, &cancel);
        let known = block_on(known).map_err(Failure::Failed)?;
        let queries = args.own_left_out.then(|| Queries::of(&ready.history));
        Ok(Self { ready, database, tables, queries, known })
    }
}

/// Answers of the model, kept in a file beside the run file as they come.
pub(super) struct Answers {
    pub cache: RefCell<Cache>,
    /// What those of earlier parts of the run cost.
    pub spent: Spent,
    file: RefCell<File>,
    path: PathBuf,
    /// Why an answer could not be kept.
    pub trouble: RefCell<Option<Failure>>,
}

impl Answers {
    /// Those of the run file at `out`.
    ///
    /// # Errors
    /// When their file cannot be used.
    pub(super) fn open(args: &Run) -> Result<Self, Failure> {
        let mut name = args.out.clone().into_os_string();
        name.push(".answers");
        let path = PathBuf::from(name);
        let cannot = |e: std::io::Error| cannot_write(&path, &e);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(cannot)?;
        let bytes = inputs::bytes(&path)?;
        let Log { cache, spent, whole } = answer_log::read(&bytes).map_err(|line| {
            let path = path.display();
            Failure::Failed(format!(
                "{path}: line {line} is no answer. Remove the file; answers are asked for again."
            ))
        })?;
        file.set_len(whole as u64).map_err(cannot)?;
        Ok(Self { cache: cache.into(), spent, file: file.into(), path, trouble: RefCell::default() })
    }

    /// Keeps an answer, whole and on the disk.
    pub(super) fn keep(&self, key: &str, request: &Request, answer: &Completion) {
        let line = answer_log::line(key, request, answer).map_err(std::io::Error::other);
        let mut file = self.file.borrow_mut();
        if let Err(error) = line.and_then(|line| file.write_all(&line)).and_then(|()| file.sync_data()) {
            self.trouble.replace(Some(cannot_write(&self.path, &error)));
        }
    }
}

/// Lets time pass while other tasks go on.
pub(super) async fn wait(time: Duration) {
    let (done, waiting) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        std::thread::sleep(time);
        let _ = done.send(());
    });
    let _ = waiting.await;
}
