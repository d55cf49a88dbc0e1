//! The steps of BIRD-History's retriever that ask a language model (section 4): describing the history when it is
//! indexed, finding the key phrases of a question, filtering and reranking what was recalled.
//!
//! Each can be switched on alone. Each checks the model's JSON, asks once more with the reason where it does not
//! fit, and falls back to the rules then; the result says which it was.

pub mod describe;
mod phrases;
mod rerank;

#[cfg(test)]
mod tests;

pub use phrases::key_phrases;
pub use rerank::{Pick, rerank};

use serde::{Deserialize, Serialize};

use super::{Index, Level, Retrieved, Settings, history};
use crate::history::KnowledgeBase;
use crate::llm::{Cancel, JsonAnswer, JsonFailure, LlmError, Message, Request, Usage};
use crate::ports::{Complete, Embed, EmbedError};
use crate::sql::Schema;

/// A model for these steps.
#[derive(Debug)]
pub struct Asking<'a, M> {
    /// Its server.
    pub model: &'a M,
    /// Its name there.
    pub name: &'a str,
    /// Tokens of prompt and answer together at most.
    pub context_tokens: u32,
    /// Stops it.
    pub cancel: &'a Cancel,
}

// Not derived: the model itself need not be cloned.
impl<M> Clone for Asking<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Asking<'_, M> {}

impl<M> Asking<'_, M> {
    fn request(&self, rules: &str, task: String, answer_tokens: u32) -> Request {
        Request {
            model: self.name.to_owned(),
            messages: vec![Message::system(rules), Message::user(task)],
            max_tokens: answer_tokens,
            ..Request::default()
        }
    }
}

/// Which steps ask a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// Key phrases of the question.
    pub phrases: bool,
    /// Filter and rerank.
    pub rerank: bool,
}

/// Who did a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// The rules, as wanted.
    Rules,
    /// The model.
    Model {
        /// Requests that it took.
        requests: u32,
        /// Whether the answer was remembered.
        cached: bool,
    },
    /// The rules, because the model did not do it; one sentence why.
    Fallback(String),
}

impl By {
    /// One sentence about the step of that name ("Key phrases").
    pub fn sentence(&self, step: &str) -> String {
        match self {
            Self::Rules => format!("{step}: by rules."),
            Self::Model { cached: true, .. } => format!("{step}: by the model, remembered."),
            Self::Model { requests: 1, .. } => format!("{step}: by the model."),
            Self::Model { requests, .. } => format!("{step}: by the model, in {requests} requests."),
            Self::Fallback(why) => format!("{step}: by rules, because the model could not be used. {why}"),
        }
    }
}

/// What a question retrieved with a model's help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// As without a model; where it reranked, its picks come first.
    pub retrieved: Retrieved,
    /// What to use, best first: whole queries or pieces.
    pub picks: Vec<Pick>,
    /// Who found the phrases.
    pub phrases: By,
    /// Who filtered and reranked.
    pub rerank: By,
    /// Tokens used, where the server counts.
    pub usage: Usage,
}

/// Retrieves as [`super::retrieve_question`] does, with the steps that `steps` switches on done by a model.
///
/// # Errors
/// When the encoder fails, or everything was cancelled; a model that fails is a fall-back, not an error.
#[allow(clippy::too_many_arguments)] // One more than the retriever without a model.
pub async fn retrieve_with<M: Complete>(
    asking: Asking<'_, M>,
    steps: Steps,
    embed: &impl Embed,
    index: &Index,
    knowledge: &KnowledgeBase,
    schema: &Schema,
    question: &str,
    settings: Settings,
) -> Result<Found, EmbedError> {
    let mut usage = Usage::default();
    let (phrases, by_phrases) = match steps.phrases && settings.level != Level::Query {
        true => {
            let (phrases, by, used) = key_phrases(asking, schema, question).await;
            add(&mut usage, used);
            (phrases, by)
        }
        false => (super::phrases::phrases(question), By::Rules),
    };
    let retrieved = history::retrieve_phrases(embed, index, knowledge, question, phrases, settings).await?;
    let (retrieved, picks, by_rerank) = match steps.rerank {
        true => {
            let (retrieved, picks, by, used) = rerank(asking, knowledge, schema, question, retrieved).await;
            add(&mut usage, used);
            (retrieved, picks, by)
        }
        false => {
            let picks = rerank::by_rules(&retrieved);
            (retrieved, picks, By::Rules)
        }
    };
    if asking.cancel.is_cancelled() {
        return Err(EmbedError::Cancelled);
    }
    Ok(Found { retrieved, picks, phrases: by_phrases, rerank: by_rerank, usage })
}

fn add(sum: &mut Usage, used: Usage) {
    sum.prompt = sum.prompt.saturating_add(used.prompt);
    sum.completion = sum.completion.saturating_add(used.completion);
}

/// What came of asking for JSON: the value and who did it, or the reason for the rules.
fn outcome<T>(answer: Result<JsonAnswer<T>, JsonFailure>) -> (Option<T>, By, Usage) {
    match answer {
        Ok(JsonAnswer { value, requests, usage, cached }) => {
            (Some(value), By::Model { requests, cached }, usage)
        }
        Err(failure) => (None, By::Fallback(failure.to_string()), Usage::default()),
    }
}

/// Tables with their columns, one line each; all of them, or those that are named.
fn outline(schema: &Schema, named: Option<&[String]>) -> String {
    let mut text = String::new();
    let is_named = |name: &str| named.is_none_or(|named| named.iter().any(|n| n.eq_ignore_ascii_case(name)));
    for table in schema.tables.iter().filter(|table| is_named(&table.name)) {
        let columns = table.columns.iter().map(|column| match (&column.note, named) {
            // Notes are worth their length only where few tables are shown.
            (Some(note), Some(_)) => format!("{} ({note})", column.name),
            _ => column.name.clone(),
        });
        text.push_str(&format!("{}: {}\n", table.name, columns.collect::<Vec<_>>().join(", ")));
    }
    text
}

/// A text of JSON on one line, of at most so many characters.
fn short(json: Option<&serde_json::Value>, what: &str, most: usize) -> Result<String, String> {
    let text = json.and_then(serde_json::Value::as_str).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() {
        0 => Err(format!("“{what}” is missing or empty")),
        n if n > most => Err(format!("“{what}” has {n} characters; {most} are allowed")),
        _ => Ok(line),
    }
}

/// Whether a long job should end here.
fn ends(failure: &JsonFailure) -> Option<LlmError> {
    match failure {
        JsonFailure::Model(error) if error.ends_a_job() => Some(error.clone()),
        _ => None,
    }
}
