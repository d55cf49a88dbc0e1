//! A small database with its history, for tests of pipelines that ask a model.
#![allow(clippy::unwrap_used)]

use super::direct::{Answer, Inputs, Settings, Shot, Trouble};
use super::staged::{Staged, Talk};
use crate::db::engine::service::tests::image;
use crate::db::{Database, Host, Overview, introspect};
use crate::history::import::{RawHistory, RawRecord};
use crate::history::{Builder, KnowledgeBase};
use crate::llm::ask_tests::Scripted;
use crate::llm::{Cancel, LlmError};

/// A database, what is known of it, and queries on it.
pub(super) struct World {
    pub db: Database,
    pub overview: Overview,
    pub knowledge: KnowledgeBase,
}

impl World {
    /// From a script that makes the database, and questions with their SQL.
    pub fn new(script: &str, queries: &[(&str, &str)]) -> Self {
        let db = Database::from_bytes(image(script), Host::default()).unwrap();
        let overview = introspect::overview(&db, 5_000).unwrap();
        let record = |(line, (question, sql)): (u32, &(&str, &str))| RawRecord {
            sql: (*sql).into(),
            question: Some((*question).into()),
            line,
            number: line,
            ..RawRecord::default()
        };
        let records = (1..).zip(queries).map(record).collect();
        let history = RawHistory { name: "h".into(), records, ..RawHistory::default() };
        let knowledge = Builder::new(history, overview.schema.clone()).whole().0;
        Self { db, overview, knowledge }
    }

    /// What a question is asked with.
    pub fn inputs<'a>(&'a self, question: &'a str, shots: &'a [Shot]) -> Inputs<'a> {
        let Self { overview, knowledge, .. } = self;
        Inputs { question, schema: &overview.schema, tables: &overview.tables, knowledge, shots }
    }
}

/// A conversation with a scripted model, from its first request to what it ended with.
pub(super) async fn talked(
    model: &Scripted,
    settings: &Settings,
    pipeline: impl AsyncFnOnce(&Talk<'_, Scripted>) -> Result<Answer, Trouble>,
) -> Staged {
    let cancel = Cancel::default();
    let talk = Talk::new(model, settings, &cancel, &|_| {});
    let answer = pipeline(&talk).await;
    talk.end(answer)
}

/// A model that gives these answers and failures, the first first.
pub(super) fn scripted(answers: &[Result<&str, LlmError>]) -> Scripted {
    let answers = answers.iter().rev().map(|answer| answer.clone().map(str::to_owned)).collect();
    Scripted { answers: std::cell::RefCell::new(answers), ..Scripted::default() }
}
