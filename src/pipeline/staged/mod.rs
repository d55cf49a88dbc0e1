//! What pipelines of several requests share: a conversation with a model that is kept stage by stage, so that everything
//! that was asked, answered, tried and chosen can be read afterwards.

pub mod lenient;
pub mod prompt;
pub mod reduced;
pub mod same;

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::direct::{Answer, Attempt, Direct, LeftOut, Prompt, Trouble};
use crate::db::{DbError, QueryLimits, ResultSet};
use crate::llm::extract::Extracted;
use crate::llm::{self, Cancel, Completion, Delta, JsonFailure, LlmError, Message, Request};
use crate::ports::{Complete, Execute};
use crate::search::{Report, Search};

/// How the model is asked; the same for every pipeline.
pub use super::direct::Settings;

/// One request with what came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// What was sent, whole.
    pub messages: Vec<Message>,
    /// What came back.
    pub answer: Result<Completion, LlmError>,
}

/// A query that a stage proposed, with what it gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The SQL.
    pub sql: String,
    /// What it was made with, in a few words ("m-schema, tables only").
    pub from: String,
    /// Its rows; None where it was not run.
    pub result: Option<Result<ResultSet, DbError>>,
    /// Candidates that say the same.
    pub votes: u32,
}

/// A stage of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name in the pipeline's source ("extraction", "alignment").
    pub name: String,
    /// Requests it made, in their order.
    pub exchanges: Vec<Exchange>,
    /// Queries it proposed or changed.
    pub candidates: Vec<Candidate>,
    /// What it found, and what it had to do without, a sentence each.
    pub notes: Vec<String>,
    /// The tree that it searched.
    #[serde(default)]
    pub search: Option<Report>,
}

/// A question's way through a pipeline of several stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Staged {
    /// The stages that ran, in their order.
    pub stages: Vec<Stage>,
    /// The SQL that was chosen and its rows, or why there is none.
    pub answer: Result<Answer, Trouble>,
}

impl Staged {
    /// The requests of all stages.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.stages.iter().flat_map(|stage| &stage.exchanges)
    }

    /// The last exchange in the form of a pipeline of one request, for whoever shows one prompt and one answer.
    pub fn last(&self) -> Direct {
        let exchange = self.exchanges().last();
        let messages = exchange.map(|exchange| exchange.messages.clone()).unwrap_or_default();
        let tokens = messages.iter().map(Message::tokens).sum();
        let sql = self.answer.as_ref().ok().map(|answer| answer.sql.as_str()).or_else(|| self.last_sql());
        let attempt = Attempt {
            messages: messages.clone(),
            answer: exchange.and_then(|exchange| exchange.answer.as_ref().ok()).cloned(),
            extracted: sql.map(|sql| Extracted { sql: sql.to_owned(), others: Vec::new() }),
            trouble: self.answer.as_ref().err().cloned(),
            hints: Vec::new(),
        };
        let prompt = Prompt {
            messages,
            tokens,
            schema_tokens: 0,
            shot_tokens: 0,
            shots: Vec::new(),
            left_out: LeftOut::default(),
        };
        Direct { prompt, attempts: vec![attempt], answer: self.answer.clone() }
    }

    /// The last SQL that was proposed, right or not.
    pub fn last_sql(&self) -> Option<&str> {
        self.stages
            .iter()
            .rev()
            .find_map(|stage| stage.candidates.last())
            .map(|candidate| candidate.sql.as_str())
    }
}

/// What happens while a pipeline works.
#[derive(Debug)]
pub enum Heard<'a> {
    /// A stage begins.
    Stage(&'a str),
    /// A piece of an answer.
    Delta(&'a Delta),
    /// A tree search went on.
    Search(&'a Search),
}

/// How one request differs from the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sampling {
    /// In place of the settings' temperature.
    pub temperature: Option<f32>,
    /// The share of the probability that tokens are chosen from; None for the server's own.
    pub top_p: Option<f32>,
    /// Added to the settings' seed, so that samples of one prompt differ and can be repeated.
    pub sample: u32,
    /// In place of the settings' length of an answer.
    pub answer_tokens: Option<u32>,
}

/// A conversation with a model in stages.
pub struct Talk<'a, M> {
    model: &'a M,
    settings: &'a Settings,
    cancel: &'a Cancel,
    on_event: &'a dyn Fn(&Heard<'_>),
    stages: RefCell<Vec<Stage>>,
    /// Parameters that the server turned out to refuse.
    refused: RefCell<Vec<String>>,
}

impl<'a, M: Complete> Talk<'a, M> {
    /// Nothing is asked yet.
    pub fn new(
        model: &'a M,
        settings: &'a Settings,
        cancel: &'a Cancel,
        on_event: &'a dyn Fn(&Heard<'_>),
    ) -> Self {
        Self { model, settings, cancel, on_event, stages: RefCell::default(), refused: RefCell::default() }
    }

    /// How the model is asked.
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// Whether the user stopped.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Begins the next stage; what follows belongs to it.
    pub fn stage(&self, name: &str) {
        (self.on_event)(&Heard::Stage(name));
        self.stages.borrow_mut().push(Stage { name: name.to_owned(), ..Stage::default() });
    }

    fn with(&self, change: impl FnOnce(&mut Stage)) {
        let mut stages = self.stages.borrow_mut();
        if stages.is_empty() {
            stages.push(Stage::default());
        }
        if let Some(stage) = stages.last_mut() {
            change(stage);
        }
    }

    /// Keeps a sentence about the stage.
    pub fn note(&self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        self.with(|stage| stage.notes.push(sentence));
    }

    /// Tells how far a tree search is, and keeps it once it is over.
    pub fn searched(&self, search: &Search) {
        (self.on_event)(&Heard::Search(search));
        if search.ended().is_some() {
            self.with(|stage| stage.search = Some(Report::from(search)));
        }
    }

    /// Keeps a query that the stage proposed or changed.
    pub fn candidate(&self, candidate: Candidate) {
        self.with(|stage| stage.candidates.push(candidate));
    }

    fn request(&self, messages: Vec<Message>, sampling: Sampling) -> Request {
        let Settings { model, answer_tokens, temperature, seed, .. } = self.settings;
        Request {
            model: model.clone(),
            messages,
            temperature: sampling.temperature.unwrap_or(*temperature),
            max_tokens: sampling.answer_tokens.unwrap_or(*answer_tokens),
            seed: (seed.is_some() || sampling.sample > 0)
                .then(|| seed.unwrap_or_default().wrapping_add(sampling.sample.into())),
            top_p: sampling.top_p,
            leave_out: self.refused.borrow().clone(),
            ..Request::default()
        }
    }

    /// Asks once.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn ask(&self, messages: Vec<Message>, sampling: Sampling) -> Result<Completion, LlmError> {
        self.send(self.request(messages, sampling)).await
    }

    /// Asks once, with a request of one's own.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn send(&self, request: Request) -> Result<Completion, LlmError> {
        let mut request = Request { leave_out: self.refused.borrow().clone(), ..request };
        let heard = &mut |delta: &Delta| (self.on_event)(&Heard::Delta(delta));
        let answer = llm::send(self, &mut request, heard, self.cancel).await;
        self.refused.replace(request.leave_out);
        answer
    }

    /// Asks for a JSON object and checks it; an answer that does not pass is sent back once with the reason.
    ///
    /// # Errors
    /// When the model fails or its second answer does not pass either.
    pub async fn ask_json<T>(
        &self,
        messages: Vec<Message>,
        sampling: Sampling,
        check: impl Fn(&Json) -> Result<T, String>,
    ) -> Result<T, JsonFailure> {
        let mut request = self.request(messages, sampling);
        let answer = llm::ask_json(self, &mut request, check, self.cancel).await;
        self.refused.replace(request.leave_out);
        answer.map(|answer| answer.value)
    }

    /// Runs a query and keeps it as a candidate of the stage.
    pub async fn run(
        &self,
        sql: &str,
        from: &str,
        db: &impl Execute,
        limits: QueryLimits,
    ) -> Result<ResultSet, DbError> {
        let result = db.execute(sql, limits).await;
        self.candidate(Candidate {
            sql: sql.to_owned(),
            from: from.to_owned(),
            result: Some(result.clone()),
            votes: 1,
        });
        result
    }

    /// The end of the conversation.
    pub fn end(self, answer: Result<Answer, Trouble>) -> Staged {
        Staged { stages: self.stages.into_inner(), answer }
    }
}

/// Whatever asks through a conversation is kept in it.
impl<M: Complete> Complete for Talk<'_, M> {
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
        // A refused parameter is asked again without it; that is one request.
        if !matches!(answer, Err(LlmError::Parameter { .. })) {
            let exchange = Exchange { messages: request.said(), answer: answer.clone() };
            self.with(|stage| stage.exchanges.push(exchange));
        }
        answer
    }
}
