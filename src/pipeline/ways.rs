//! One trait over the pipelines, so that the same question can be answered in several ways and compared.
#![allow(async_fn_in_trait)] // Every caller is single-threaded, as with the ports.

use serde::{Deserialize, Serialize};

use super::adapt::{self, AdaptError, adapt};
use super::ask::Sources;
use super::direct::{self, Direct, Event, Inputs, Shot, Shots, Trouble, direct};
use crate::db::{QueryLimits, ResultSet, TableInfo};
use crate::llm::Cancel;
use crate::ports::{Complete, Execute};
use crate::retrieval::Retrieved;

/// From a question and what was retrieved for it to SQL with its rows.
pub trait Pipeline {
    /// Answers one question.
    async fn answer(
        &self,
        question: &str,
        sources: Sources<'_>,
        retrieved: &Retrieved,
        db: &impl Execute,
        limits: QueryLimits,
    ) -> Answered;
}

/// An answer of either pipeline, with all that it tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answered {
    /// Without a model.
    Adapted(Result<adapt::Answer, AdaptError>),
    /// By a model.
    Direct(Box<Direct>),
}

/// Why there is no answer, whatever the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NoAnswer<'a> {
    /// Of `adapt`.
    #[error(transparent)]
    Adapt(&'a AdaptError),
    /// Of `direct`.
    #[error(transparent)]
    Direct(&'a Trouble),
}

impl Answered {
    /// The SQL with its rows, or why there is none.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn answer(&self) -> Result<(&str, &ResultSet), NoAnswer<'_>> {
        match self {
            Self::Adapted(Ok(answer)) => Ok((&answer.sql, &answer.result)),
            Self::Adapted(Err(error)) => Err(NoAnswer::Adapt(error)),
            Self::Direct(direct) => match &direct.answer {
                Ok(answer) => Ok((&answer.sql, &answer.result)),
                Err(trouble) => Err(NoAnswer::Direct(trouble)),
            },
        }
    }
}

/// Pipeline `adapt`.
#[derive(Debug, Clone, Copy)]
pub struct Adapt;

impl Pipeline for Adapt {
    async fn answer(
        &self,
        question: &str,
        sources: Sources<'_>,
        retrieved: &Retrieved,
        db: &impl Execute,
        limits: QueryLimits,
    ) -> Answered {
        Answered::Adapted(adapt(question, sources.knowledge, sources.schema, retrieved, db, limits).await)
    }
}

/// Pipeline `direct` with one model.
pub struct ByModel<'a, M> {
    /// The model's server.
    pub model: &'a M,
    /// How it is asked.
    pub settings: &'a direct::Settings,
    /// Row counts and samples, parallel to the schema's tables; may be empty.
    pub tables: &'a [TableInfo],
    /// Which of the retrieved queries the prompt shows.
    pub shots: Shots,
    /// Examples chosen otherwise (by a model), in place of `shots`.
    pub chosen: Option<&'a [Shot]>,
    /// Hears what happens.
    pub on_event: &'a dyn Fn(&Event<'_>),
    /// Stops it.
    pub cancel: &'a Cancel,
}

impl<M: Complete> Pipeline for ByModel<'_, M> {
    async fn answer(
        &self,
        question: &str,
        sources: Sources<'_>,
        retrieved: &Retrieved,
        db: &impl Execute,
        limits: QueryLimits,
    ) -> Answered {
        let shots = self.chosen.map_or_else(|| self.shots.of(retrieved), <[Shot]>::to_vec);
        let Sources { knowledge, schema, .. } = sources;
        let inputs = Inputs { question, schema, tables: self.tables, knowledge, shots: &shots };
        let Self { model, settings, on_event, cancel, .. } = self;
        let answered = direct(&inputs, settings, *model, db, limits, *on_event, cancel).await;
        Answered::Direct(Box::new(answered))
    }
}
