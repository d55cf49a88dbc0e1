//! One task through a pipeline.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::by_model::{by_model, first_sql};
use super::{By, Run};
use crate::bench::retrieval_metrics::measure_queries;
use crate::bench::run::{Outcome, RetrievedQuery};
use crate::bench::task::Task;
use crate::cli::Failure;
use crate::cli::model::Connected;
use crate::cli::retrieving::{Named, Place, Prepared};
use crate::db::{Database, QueryLimits, TableInfo, introspect};
use crate::embedding::Encoder;
use crate::llm::{Cancel, Patient};
use crate::pipeline::adapt::adapt;
use crate::pipeline::ask::CANDIDATES;
use crate::pipeline::codes::{CodesSettings, SchemaVectors, ValueIndex};
use crate::pipeline::dail_sql::DailSettings;
use crate::pipeline::direct::{self, Shots};
use crate::pipeline::opensearch_sql::{DatabaseIndex, MOST_VALUES, OpensearchSettings};
use crate::pipeline::{ByModel, Options, Pipeline as _, Sources, Way};
use crate::ports::blocking::block_on;
use crate::retrieval::{Index, Retrieved};

/// Requests of one answer at most while the server is busy.
const TRIES: u32 = 6;
/// Milliseconds for the row counts and samples that a model is shown.
const OVERVIEW_MS: u32 = 5_000;

/// How the model is asked.
pub(super) fn direct_settings(args: &Run, connected: Option<&Connected>) -> direct::Settings {
    let model = connected.map(|connected| connected.name.clone()).unwrap_or_default();
    direct::Settings { model, context_tokens: args.context, ..direct::Settings::default() }
}

fn limits(args: &Run) -> QueryLimits {
    QueryLimits { timeout_ms: args.timeout.saturating_mul(1_000), ..QueryLimits::default() }
}

/// A database with what a model is shown of it.
pub(super) struct Opened {
    place: Place,
    retriever: Prepared,
    tables: Vec<TableInfo>,
    /// What `codes` knows of it, which would be read for every task otherwise.
    codes: Option<(ValueIndex, SchemaVectors)>,
    /// Its names and values for `opensearch-sql`.
    index: Option<DatabaseIndex>,
}

impl Opened {
    /// Opens it and makes the retriever ready.
    ///
    /// # Errors
    /// When it or its history cannot be read.
    pub(super) fn new(args: &Run, db_id: &str, encoder: &Encoder) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
        let place = Place::open(&args.retrieving, db_id, &BTreeMap::new())?;
        let (mut tables, mut codes, mut index) = (Vec::new(), None, None);
        if let (Some(database), By::Model(way)) = (&place.database, args.pipeline) {
            if way == Way::Codes {
                let values = ValueIndex::read(&place.schema, database, limits(args).timeout_ms);
                let values = block_on(values).map_err(|e| failed(&e))?;
                let vectors = block_on(SchemaVectors::new(encoder, &place.schema)).map_err(|e| failed(&e))?;
                codes = Some((values, vectors));
            }
            if way == Way::OpensearchSql {
                let cancel = Cancel::default();
                let built = DatabaseIndex::build(
                    &place.schema,
                    database,
                    encoder,
                    MOST_VALUES,
                    limits(args),
                    &cancel,
                    &|_, _| {},
                );
                index = Some(block_on(built).map_err(|e| failed(&e))?);
            }
            tables = introspect::overview(database, OVERVIEW_MS).map_err(|e| failed(&e))?.tables;
        }
        let retriever = Prepared::new(&args.retrieving, &place, encoder)?;
        Ok(Self { place, retriever, tables, codes, index })
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
    (task, preliminary): (&Task, Option<&str>),
    encoder: &Encoder,
) -> Result<Outcome, Failure> {
    let Place { knowledge, schema, database } = &opened.place;
    let Some(database) = database else {
        return Err(Failure::Failed(format!("The database {} is not in --databases.", task.db_id)));
    };
    let shots = usize::from(args.max_shots);
    // adapt chooses among more than a model is shown.
    let wide = if args.pipeline == By::Adapt { shots.max(CANDIDATES) } else { shots };
    let mut outcome =
        Outcome { place, question_id: task.question_id, db_id: task.db_id.clone(), ..Outcome::default() };
    let clock = Instant::now();
    // Without a first SQL `dail` finds what `mqs` finds.
    let mut found = opened.retriever.find(&opened.place, encoder, (task, preliminary), wide)?;
    if let (Named::Dail, None, Some(connected)) = (args.retrieving.retriever, preliminary, connected) {
        let first = DailSettings::default();
        let options = Options { dail: first, ..Options::default() };
        let asked = ask(args, connected, opened, (Way::DailSql, options), task, &found, (database, encoder));
        let sql = first_sql(&mut outcome, &asked)?;
        found = opened.retriever.find(&opened.place, encoder, (task, sql.as_deref()), wide)?;
    }
    outcome.retrieve_ms = milliseconds(clock.elapsed());
    let clock = Instant::now();
    match (args.pipeline, connected) {
        (By::Adapt, _) | (_, None) => {
            match block_on(adapt(&task.question, knowledge, schema, &found, database, limits(args))) {
                Ok(answer) => outcome.sql = Some(answer.sql),
                Err(error) => outcome.error = Some(error.to_string()),
            }
        }
        (By::Model(way), Some(connected)) => {
            let near = match &opened.codes {
                Some((_, vectors)) => Some(
                    block_on(vectors.nearness(encoder, &task.question))
                        .map_err(|e| Failure::Failed(e.to_string()))?,
                ),
                None => None,
            };
            let usual = CodesSettings::default();
            let options = Options {
                dail: DailSettings { samples: args.samples.unwrap_or(DailSettings::default().samples) },
                codes: CodesSettings {
                    candidates: args.samples.unwrap_or(usual.candidates),
                    values: opened.codes.as_ref().map(|(values, _)| values),
                    near: near.as_ref(),
                    ..usual
                },
                opensearch: OpensearchSettings {
                    samples: args.samples.unwrap_or(OpensearchSettings::default().samples),
                    ..OpensearchSettings::default()
                },
                index: opened.index.as_ref(),
                ..Options::default()
            };
            let answered = ask(args, connected, opened, (way, options), task, &found, (database, encoder));
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

/// Asks the model with what was found.
fn ask(
    args: &Run,
    connected: &Connected,
    opened: &Opened,
    (way, options): (Way, Options<'_>),
    task: &Task,
    found: &Retrieved,
    (database, encoder): (&Database, &Encoder),
) -> crate::pipeline::Answered {
    let Place { knowledge, schema, .. } = &opened.place;
    let pipeline = ByModel {
        way,
        model: &Patient::new(&connected.server, TRIES, &std::thread::sleep),
        settings: &direct_settings(args, Some(connected)),
        tables: &opened.tables,
        shots: Shots::Queries(usize::from(args.max_shots)),
        chosen: None,
        options,
        embed: encoder,
        on_event: &|_| {},
        cancel: &Cancel::default(),
    };
    let sources = Sources { knowledge, schema, index: &Index::default() };
    block_on(pipeline.answer(&task.question, sources, found, database, limits(args)))
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
