//! One task through a pipeline.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::by_model::by_model;
use super::{By, Run};
use crate::bench::retrieval_metrics::measure_queries;
use crate::bench::run::{Outcome, RetrievedQuery};
use crate::bench::task::Task;
use crate::cli::Failure;
use crate::cli::model::Connected;
use crate::cli::retrieving::{Place, Prepared};
use crate::db::{QueryLimits, TableInfo, introspect};
use crate::embedding::Encoder;
use crate::llm::{Cancel, Patient};
use crate::pipeline::adapt::adapt;
use crate::pipeline::ask::CANDIDATES;
use crate::pipeline::direct::{self, Shots};
use crate::pipeline::{ByModel, Pipeline as _, Sources};
use crate::ports::blocking::block_on;
use crate::retrieval::Index;

/// Requests of one answer at most while the server is busy.
const TRIES: u32 = 6;
/// Milliseconds for the row counts and samples that a model is shown.
const OVERVIEW_MS: u32 = 5_000;

/// How the model is asked.
pub(super) fn direct_settings(args: &Run, connected: Option<&Connected>) -> direct::Settings {
    let model = connected.map(|connected| connected.name.clone()).unwrap_or_default();
    direct::Settings { model, context_tokens: args.context, ..direct::Settings::default() }
}

/// A database with what a model is shown of it.
pub(super) struct Opened {
    place: Place,
    retriever: Prepared,
    tables: Vec<TableInfo>,
}

impl Opened {
    /// Opens it and makes the retriever ready.
    ///
    /// # Errors
    /// When it or its history cannot be read.
    pub(super) fn new(args: &Run, db_id: &str, encoder: &Encoder) -> Result<Self, Failure> {
        let place = Place::open(&args.retrieving, db_id, &BTreeMap::new())?;
        let tables = match (&place.database, args.pipeline) {
            (Some(database), By::Model(_)) => {
                introspect::overview(database, OVERVIEW_MS)
                    .map_err(|e| Failure::Failed(e.to_string()))?
                    .tables
            }
            _ => Vec::new(),
        };
        let retriever = Prepared::new(&args.retrieving, &place, encoder)?;
        Ok(Self { place, retriever, tables })
    }
}

/// Answers a task.
///
/// # Errors
/// When its database is not there, or the model's server fails for good.
pub(super) fn answer(
    args: &Run,
    connected: Option<&Connected>,
    opened: &Opened,
    place: usize,
    task: (&Task, Option<&str>),
    encoder: &Encoder,
) -> Result<Outcome, Failure> {
    let Place { knowledge, schema, database } = &opened.place;
    let Some(database) = database else {
        return Err(Failure::Failed(format!("The database {} is not in --databases.", task.0.db_id)));
    };
    let shots = usize::from(args.max_shots);
    // adapt chooses among more than a model is shown.
    let wide = if args.pipeline == By::Adapt { shots.max(CANDIDATES) } else { shots };
    let clock = Instant::now();
    let found = opened.retriever.find(&opened.place, encoder, task, wide)?;
    let retrieve_ms = milliseconds(clock.elapsed());
    let task = task.0;
    let clock = Instant::now();
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1_000), ..QueryLimits::default() };
    let mut outcome = Outcome {
        place,
        question_id: task.question_id,
        db_id: task.db_id.clone(),
        retrieve_ms,
        ..Outcome::default()
    };
    match (args.pipeline, connected) {
        (By::Adapt, _) | (_, None) => {
            match block_on(adapt(&task.question, knowledge, schema, &found, database, limits)) {
                Ok(answer) => outcome.sql = Some(answer.sql),
                Err(error) => outcome.error = Some(error.to_string()),
            }
        }
        (By::Model(way), Some(connected)) => {
            let settings = direct_settings(args, Some(connected));
            let patient = Patient::new(&connected.server, TRIES, &std::thread::sleep);
            let pipeline = ByModel {
                way,
                model: &patient,
                settings: &settings,
                tables: &opened.tables,
                shots: Shots::Queries(shots),
                chosen: None,
                on_event: &|_| {},
                cancel: &Cancel::default(),
            };
            let sources = Sources { knowledge, schema, index: &Index::default() };
            let answered = block_on(pipeline.answer(&task.question, sources, &found, database, limits));
            by_model(&mut outcome, &answered)?;
        }
    }
    outcome.answer_ms = milliseconds(clock.elapsed());
    let entries: Vec<u32> = found.queries.iter().take(shots).map(|hit| hit.entry).collect();
    outcome.knowledge =
        (!task.knowledge.is_empty()).then(|| measure_queries(&task.knowledge, knowledge, &entries));
    let hits = found.queries.iter().take(shots);
    outcome.retrieved = hits
        .filter_map(|hit| {
            let entry = knowledge.entries.get(hit.entry as usize)?;
            Some(RetrievedQuery { entry: hit.entry, source_ids: entry.source_ids.clone(), score: hit.score })
        })
        .collect();
    Ok(outcome)
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
