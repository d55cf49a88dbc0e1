//! One trait over the pipelines, so that the same question can be answered in several ways and compared.
#![allow(async_fn_in_trait)] // Every caller is single-threaded, as with the ports.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::adapt::{self, AdaptError, adapt};
use super::ask::Sources;
use super::codes::{CodesSettings, codes};
use super::dail_sql::{DailSettings, dail_sql};
use super::direct::{self, Direct, Event, Inputs, Shot, Shots, Trouble, direct};
use super::n_rep::{NRepSettings, n_rep};
use super::opensearch_sql::{DatabaseIndex, OpensearchSettings, opensearch_sql};
use super::sql_o1::{SqlO1Settings, sql_o1};
use super::staged::{Heard, Staged, Talk};
use crate::db::{QueryLimits, ResultSet, TableInfo};
use crate::llm::Cancel;
use crate::ports::{Complete, Embed, Execute};
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

/// The pipelines that ask a model, by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Schema, examples and question; mended once.
    #[default]
    Direct,
    /// DAIL-SQL.
    DailSql,
    /// CodeS.
    Codes,
    /// OpenSearch-SQL.
    OpensearchSql,
    /// N-rep consistency.
    NRep,
    /// SQL-o1.
    SqlO1,
}

impl Way {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Direct, Self::DailSql, Self::Codes, Self::OpensearchSql, Self::NRep, Self::SqlO1];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::DailSql => "dail-sql",
            Self::Codes => "codes",
            Self::OpensearchSql => "opensearch-sql",
            Self::NRep => "n-rep",
            Self::SqlO1 => "sql-o1",
        }
    }

    /// Answers that it chooses among if nothing else is said; None where it does not choose.
    pub fn samples(self) -> Option<u32> {
        match self {
            Self::Direct | Self::NRep | Self::SqlO1 => None,
            Self::DailSql => Some(DailSettings::default().samples),
            Self::Codes => Some(CodesSettings::default().candidates),
            Self::OpensearchSql => Some(OpensearchSettings::default().samples),
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Direct => "a language model, asked once and mended once",
            Self::DailSql => "DAIL-SQL: declarations and pairs of question and SQL, completed by a model",
            Self::Codes => {
                "CodeS: filtered schema and matched values, the first candidate that can be planned"
            }
            Self::OpensearchSql => {
                "OpenSearch-SQL: extraction, 21 samples, alignment, refinement and a vote; many requests"
            }
            Self::NRep => "N-rep: five ways to show the schema, a vote, and a judge where it is close",
            Self::SqlO1 => {
                "SQL-o1: a tree search over clauses, by the model's own log probabilities; many requests"
            }
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|way| way.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("The pipeline {name} is not known; there are {names}.")
        })
    }
}

/// An answer of any pipeline, with all that it tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answered {
    /// Without a model.
    Adapted(Result<adapt::Answer, AdaptError>),
    /// By a model, asked once and mended once.
    Direct(Box<Direct>),
    /// By a model, in several stages.
    Staged(Box<Staged>),
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
    /// Of a pipeline of several stages.
    #[error(transparent)]
    Staged(&'a Trouble),
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
            Self::Staged(staged) => match &staged.answer {
                Ok(answer) => Ok((&answer.sql, &answer.result)),
                Err(trouble) => Err(NoAnswer::Staged(trouble)),
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

/// What single pipelines leave open.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Of `dail-sql`.
    pub dail: DailSettings,
    /// Of `codes`.
    pub codes: CodesSettings<'a>,
    /// Of `opensearch-sql`.
    pub opensearch: OpensearchSettings,
    /// Of `opensearch-sql`: the names and values of the database; None to go without.
    pub index: Option<&'a DatabaseIndex>,
    /// Of `n-rep`.
    pub n_rep: NRepSettings,
    /// Of `sql-o1`; None for the published ones.
    pub sql_o1: Option<&'a SqlO1Settings>,
}

/// A pipeline with one model.
pub struct ByModel<'a, M, E> {
    /// Which one.
    pub way: Way,
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
    /// What the pipeline leaves open.
    pub options: Options<'a>,
    /// The encoder, for pipelines that compare names and values.
    pub embed: &'a E,
    /// Hears what happens.
    pub on_event: &'a dyn Fn(&Event<'_>),
    /// Stops it.
    pub cancel: &'a Cancel,
}

impl<M: Complete, E: Embed> Pipeline for ByModel<'_, M, E> {
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
        let heard = |event: &Heard<'_>| match event {
            Heard::Stage(name) => on_event(&Event::Stage(name)),
            Heard::Delta(delta) => on_event(&Event::Delta(0, delta)),
            Heard::Search(search) => on_event(&Event::Search(search)),
        };
        let talk = Talk::new(*model, settings, cancel, &heard);
        match self.way {
            Way::DailSql => {
                let answer = dail_sql(&inputs, &self.options.dail, &talk, db, limits).await;
                Answered::Staged(Box::new(talk.end(answer)))
            }
            Way::Codes => {
                let answer = codes(&inputs, &self.options.codes, &talk, db, limits).await;
                Answered::Staged(Box::new(talk.end(answer)))
            }
            Way::OpensearchSql => {
                let none = DatabaseIndex::default();
                let index = self.options.index.unwrap_or(&none);
                let settings = &self.options.opensearch;
                let answer = opensearch_sql(&inputs, settings, &talk, index, self.embed, db, limits).await;
                Answered::Staged(Box::new(talk.end(answer)))
            }
            Way::NRep => {
                let answer = n_rep(&inputs, &self.options.n_rep, &talk, db, limits).await;
                Answered::Staged(Box::new(talk.end(answer)))
            }
            Way::SqlO1 => {
                let published = SqlO1Settings::default();
                let settings = self.options.sql_o1.unwrap_or(&published);
                let answer = sql_o1(&inputs, settings, &talk, db, limits).await;
                Answered::Staged(Box::new(talk.end(answer)))
            }
            Way::Direct => {
                let answered = direct(&inputs, settings, *model, db, limits, *on_event, cancel).await;
                Answered::Direct(Box::new(answered))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_and_read_alike() {
        for way in Way::ALL {
            assert_eq!(way.to_string().parse(), Ok(way));
        }
        assert!("dail".parse::<Way>().is_err_and(|error| error.contains("direct, dail-sql")));
    }
}
