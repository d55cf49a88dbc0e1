//! One task through a retriever and a pipeline.

use std::cell::Cell;
use std::collections::HashMap;

use super::told::{first_sql, take_over};
use super::{By, Known, Prepared};
use crate::bench::retrieval_metrics::measure_queries;
use crate::bench::run::{Outcome, RetrievedQuery};
use crate::bench::task::Task;
use crate::db::{QueryLimits, TableInfo};
use crate::history::query_key;
use crate::llm::{Cancel, Completion, Delta, LlmError, Request};
use crate::pipeline::ask::CANDIDATES;
use crate::pipeline::codes::CodesSettings;
use crate::pipeline::dail_sql::DailSettings;
use crate::pipeline::direct::{self, Shots};
use crate::pipeline::opensearch_sql::OpensearchSettings;
use crate::pipeline::{Adapt, Answered, ByModel, Options, Pipeline as _, Sources, Way};
use crate::ports::{Complete, Embed, Execute};
use crate::retrieval::retrievers::Asked;
use crate::retrieval::{Index, Indexed, Retrieved};
use crate::sql::Schema;

/// What tasks are asked on.
pub struct Subject<'a, D> {
    /// The database.
    pub db: &'a D,
    /// Its schema.
    pub schema: &'a Schema,
    /// Row counts and samples, parallel to the schema's tables; may be empty.
    pub tables: &'a [TableInfo],
    /// The history.
    pub history: &'a Indexed,
}

/// How tasks are answered.
pub struct Answering<'a, D, E, M> {
    /// What on.
    pub subject: Subject<'a, D>,
    /// Embeds questions.
    pub embed: &'a E,
    /// The retriever.
    pub retriever: &'a Prepared,
    /// The pipeline.
    pub by: By,
    /// The model, where it asks one.
    pub model: Option<&'a M>,
    /// How the model is asked.
    pub settings: &'a direct::Settings,
    /// Queries handed on at most.
    pub shots: usize,
    /// Queries of the history, where a task's own is left out of it for that task.
    pub own: Option<&'a Queries>,
    /// What the pipeline knows of the database.
    pub known: &'a Known,
    /// Answers that the pipeline chooses among, where the caller says how many.
    pub samples: Option<u32>,
    /// Whether a first SQL is asked of the model where the retriever (`dail`) needs one and none is given.
    pub asks_first: bool,
    /// What a query may cost.
    pub limits: QueryLimits,
    /// Stops what is on its way.
    pub cancel: &'a Cancel,
    /// Milliseconds on the caller's clock.
    pub clock: &'a dyn Fn() -> f64,
}

/// Why a task has no outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Ended {
    /// It may be answered when it is asked again.
    #[error("{0}")]
    Failed(String),
    /// So would every other task.
    #[error("{0}")]
    Halted(String),
    /// A limit of the budget.
    #[error("{0}")]
    Budget(String),
    /// The user stopped.
    #[error("Stopped.")]
    Cancelled,
}

impl From<LlmError> for Ended {
    fn from(error: LlmError) -> Self {
        match error {
            LlmError::Cancelled => Self::Cancelled,
            LlmError::Budget(_) => Self::Budget(error.to_string()),
            error if error.ends_a_job() => Self::Halted(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl From<crate::ports::EmbedError> for Ended {
    fn from(error: crate::ports::EmbedError) -> Self {
        match error {
            crate::ports::EmbedError::Cancelled => Self::Cancelled,
            error => Self::Halted(error.to_string()),
        }
    }
}

/// The queries of a history by what makes two of them the same, to find a task's own.
#[derive(Debug, Clone, Default)]
pub struct Queries(HashMap<String, u32>);

impl Queries {
    /// Of a history; its entries differ, since equal ones were merged.
    pub fn of(history: &Indexed) -> Self {
        Self(history.base.entries.iter().map(|entry| (query_key(&entry.sql), entry.id)).collect())
    }

    /// The entry whose query is the task's gold.
    pub fn own(&self, task: &Task) -> Option<u32> {
        self.0.get(&query_key(&task.gold)).copied()
    }
}

impl<D: Execute, E: Embed, M: Complete> Answering<'_, D, E, M> {
    /// Answers a task; `preliminary` is a first SQL for it, of whatever made one.
    ///
    /// # Errors
    /// When there is no answer that could be kept.
    pub async fn answer(
        &self,
        place: usize,
        task: &Task,
        preliminary: Option<&str>,
    ) -> Result<Outcome, Ended> {
        let own = self.own.and_then(|queries| queries.own(task));
        let held = own.map(|entry| self.subject.history.without(entry)).transpose();
        let held = held.map_err(|error| Ended::Halted(error.to_string()))?;
        let history = held.as_ref().unwrap_or(self.subject.history);
        let mut outcome = Outcome {
            place,
            question_id: task.question_id,
            db_id: task.db_id.clone(),
            question: task.question.clone(),
            ..Outcome::default()
        };
        let began = (self.clock)();
        let wanted: Vec<Vec<i64>> = task.knowledge.iter().map(|item| item.sources.clone()).collect();
        let asked = Asked { question: &task.question, preliminary, wanted: &wanted };
        // adapt chooses among more than a model is shown.
        let wide = if self.by == By::Adapt { self.shots.max(CANDIDATES) } else { self.shots };
        // Without a first SQL `dail` finds what `mqs` finds.
        let mut found = self.retriever.find(history, own, self.embed, asked, wide).await?;
        if self.asks_first
            && preliminary.is_none()
            && matches!(self.retriever, Prepared::Similar(.., Some(_)))
        {
            let first = self.first(&mut outcome, task, history, &found).await?;
            let asked = Asked { preliminary: first.as_deref(), ..asked };
            found = self.retriever.find(history, own, self.embed, asked, wide).await?;
        }
        outcome.retrieve_ms = rounded((self.clock)() - began);
        let began = (self.clock)();
        let answered = self.answered(task, history, &found).await?;
        take_over(&mut outcome, &answered)?;
        // What was stopped half way is no answer; what its model said is remembered.
        if self.cancel.is_cancelled() {
            return Err(Ended::Cancelled);
        }
        outcome.answer_ms = rounded((self.clock)() - began);
        self.keep_retrieved(&mut outcome, task, own, &found);
        Ok(outcome)
    }

    async fn answered(&self, task: &Task, history: &Indexed, found: &Retrieved) -> Result<Answered, Ended> {
        let Subject { db, schema, .. } = self.subject;
        // Nothing that answers looks into the vectors.
        let nothing = Index::default();
        let sources = Sources { knowledge: &history.base, index: &nothing, schema };
        let way = match self.by {
            By::Adapt => return Ok(Adapt.answer(&task.question, sources, found, db, self.limits).await),
            By::Model(way) => way,
        };
        let near = match &self.known.codes {
            Some((_, vectors)) => Some(vectors.nearness(self.embed, &task.question).await?),
            None => None,
        };
        let usual = CodesSettings::default();
        let options = Options {
            dail: DailSettings { samples: self.samples.unwrap_or(DailSettings::default().samples) },
            codes: CodesSettings {
                candidates: self.samples.unwrap_or(usual.candidates),
                values: self.known.codes.as_ref().map(|(values, _)| values),
                near: near.as_ref(),
                ..usual
            },
            opensearch: OpensearchSettings {
                samples: self.samples.unwrap_or(OpensearchSettings::default().samples),
                ..OpensearchSettings::default()
            },
            index: self.known.index.as_ref(),
            ..Options::default()
        };
        self.ask(way, options, task, history, found).await
    }

    async fn ask(
        &self,
        way: Way,
        options: Options<'_>,
        task: &Task,
        history: &Indexed,
        found: &Retrieved,
    ) -> Result<Answered, Ended> {
        let Subject { db, schema, tables, .. } = self.subject;
        let Some(model) = self.model else {
            return Err(Ended::Halted(format!("The pipeline {way} needs a model.")));
        };
        let pipeline = ByModel {
            way,
            model,
            settings: self.settings,
            tables,
            shots: Shots::Queries(self.shots),
            chosen: None,
            options,
            embed: self.embed,
            on_event: &|_| {},
            cancel: self.cancel,
        };
        let nothing = Index::default();
        let sources = Sources { knowledge: &history.base, index: &nothing, schema };
        Ok(pipeline.answer(&task.question, sources, found, db, self.limits).await)
    }

    /// A first SQL for a task, as DAIL-SQL makes its preliminary one: with the examples of `mqs`.
    async fn first(
        &self,
        outcome: &mut Outcome,
        task: &Task,
        history: &Indexed,
        found: &Retrieved,
    ) -> Result<Option<String>, Ended> {
        let options = Options { dail: DailSettings::default(), ..Options::default() };
        let answered = self.ask(Way::DailSql, options, task, history, found).await?;
        Ok(first_sql(outcome, &answered)?)
    }

    /// Keeps what was handed on, in the numbers of the whole history.
    fn keep_retrieved(&self, outcome: &mut Outcome, task: &Task, own: Option<u32>, found: &Retrieved) {
        let knowledge = &self.subject.history.base;
        let whole = |entry: u32| entry + u32::from(own.is_some_and(|own| entry >= own));
        let hits: Vec<(u32, f32)> =
            found.queries.iter().take(self.shots).map(|hit| (whole(hit.entry), hit.score)).collect();
        let entries: Vec<u32> = hits.iter().map(|(entry, _)| *entry).collect();
        outcome.knowledge =
            (!task.knowledge.is_empty()).then(|| measure_queries(&task.knowledge, knowledge, &entries));
        let kept = hits.into_iter().filter_map(|(entry, score)| {
            let source_ids = knowledge.entries.get(entry as usize)?.source_ids.clone();
            Some(RetrievedQuery { entry, source_ids, score })
        });
        outcome.retrieved = kept.collect();
    }
}

/// A model that counts the answers that were not remembered.
pub struct Counted<'a, M> {
    model: &'a M,
    fresh: Cell<u32>,
}

impl<'a, M> Counted<'a, M> {
    /// Counts those of one task.
    pub fn new(model: &'a M) -> Self {
        Self { model, fresh: Cell::new(0) }
    }

    /// Answers that were asked for.
    pub fn fresh(&self) -> u32 {
        self.fresh.get()
    }
}

impl<M: Complete> Complete for Counted<'_, M> {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        let answer = self.model.complete(request, on_delta, cancel).await;
        if !answer.as_ref().is_ok_and(|answer| answer.cached) {
            self.fresh.set(self.fresh.get().saturating_add(1));
        }
        answer
    }
}

/// Milliseconds to the microsecond.
fn rounded(ms: f64) -> f64 {
    (ms * 1_000.0).round() / 1_000.0
}
