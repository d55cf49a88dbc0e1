//! Pipeline `direct`: schema, examples and question go to a language model; its SQL is run, and mended once.
//!
//! What was asked, what came back and what became of it is all part of the result.

mod prompt;
mod repair;
pub(super) mod schema_text;
mod shots;

#[cfg(test)]
mod tests;

pub use prompt::{Prompt, prompt};
pub use repair::{Hint, hints};
pub use schema_text::LeftOut;
pub use shots::{Shot, Shots};

use serde::{Deserialize, Serialize};

use crate::db::{DbError, QueryLimits, ResultSet, TableInfo};
use crate::history::KnowledgeBase;
use crate::llm::extract::{self, Extracted, NoSql};
use crate::llm::{self, Cancel, Completion, Delta, Finish, LlmError, Message, Request};
use crate::ports::{Complete, Execute};
use crate::sql::Schema;

/// How the model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The model's name at its server.
    pub model: String,
    /// Tokens of prompt and answer together at most; the prompt is shortened to fit.
    pub context_tokens: u32,
    /// Tokens of the answer at most.
    pub answer_tokens: u32,
    /// 0 for the most probable answer.
    pub temperature: f32,
    /// Makes sampling repeatable where the server can.
    pub seed: Option<u64>,
    /// Alternatives whose log probability is wanted; None for none.
    pub logprobs: Option<u8>,
}

impl Default for Settings {
    /// A context that every current model has, and no model's name.
    fn default() -> Self {
        Self {
            model: String::new(),
            context_tokens: 8_192,
            answer_tokens: 1_024,
            temperature: 0.0,
            seed: None,
            logprobs: None,
        }
    }
}

/// What a question is asked with.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The question.
    pub question: &'a str,
    /// The database's schema.
    pub schema: &'a Schema,
    /// Row counts and samples, parallel to the schema's tables; may be empty.
    pub tables: &'a [TableInfo],
    /// The history that the shots are of.
    pub knowledge: &'a KnowledgeBase,
    /// Examples, best first.
    pub shots: &'a [Shot],
}

/// Why an attempt did not give rows.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Trouble {
    /// The model gave no answer.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// Its answer has no SQL.
    #[error("{0}")]
    NoSql(NoSql),
    /// The database refused the SQL or did not finish it.
    #[error(transparent)]
    Database(#[from] DbError),
}

/// One request to the model and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What was sent, whole.
    pub messages: Vec<Message>,
    /// What came back.
    pub answer: Option<Completion>,
    /// The SQL in it.
    pub extracted: Option<Extracted>,
    /// Why there are no rows; None where there are.
    pub trouble: Option<Trouble>,
    /// The nearest names for those that the database does not know.
    pub hints: Vec<Hint>,
}

/// A question's way through the pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Direct {
    /// What was asked first.
    pub prompt: Prompt,
    /// Each request: one, or two where the first answer was to be mended.
    pub attempts: Vec<Attempt>,
    /// The SQL that was run, and its rows.
    pub answer: Result<Answer, Trouble>,
}

/// SQL with its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The SQL that was run.
    pub sql: String,
    /// Its rows.
    pub result: ResultSet,
}

/// What happens while a question is answered.
#[derive(Debug)]
pub enum Event<'a> {
    /// A pipeline of several stages begins one.
    Stage(&'a str),
    /// The prompt is written.
    Prompt(&'a Prompt),
    /// A piece of the answer of the attempt of that number, from 0.
    Delta(usize, &'a Delta),
    /// An attempt ended.
    Attempt(&'a Attempt),
}

/// Answers a question by a model. `on_event` hears what happens; `cancel` stops it.
pub async fn direct(
    inputs: &Inputs<'_>,
    settings: &Settings,
    model: &impl Complete,
    db: &impl Execute,
    limits: QueryLimits,
    on_event: &dyn Fn(&Event<'_>),
    cancel: &Cancel,
) -> Direct {
    let prompt = prompt(inputs, settings);
    on_event(&Event::Prompt(&prompt));
    let mut request = Request {
        model: settings.model.clone(),
        messages: prompt.messages.clone(),
        temperature: settings.temperature,
        max_tokens: settings.answer_tokens,
        seed: settings.seed,
        logprobs: settings.logprobs,
        leave_out: Vec::new(),
    };
    let mut attempts: Vec<Attempt> = Vec::new();
    loop {
        let number = attempts.len();
        let heard = &mut |delta: &Delta| on_event(&Event::Delta(number, delta));
        let messages = request.messages.clone();
        let answer = llm::send(model, &mut request, heard, cancel).await;
        let mut attempt =
            Attempt { messages, answer: None, extracted: None, trouble: None, hints: Vec::new() };
        let done = follow(&mut attempt, answer, db, limits).await;
        if let (None, Some(Trouble::Database(error))) = (&done, &attempt.trouble) {
            attempt.hints = hints(error, inputs.schema);
        }
        on_event(&Event::Attempt(&attempt));
        let repair = mend(&attempt).filter(|_| number == 0 && !cancel.is_cancelled());
        let said = attempt.answer.as_ref().map(|answer| answer.text.clone()).unwrap_or_default();
        let trouble = attempt.trouble.clone();
        attempts.push(attempt);
        match (done, repair, trouble) {
            (Some(answer), ..) => return Direct { prompt, attempts, answer: Ok(answer) },
            (None, Some(repair), _) => {
                if !said.is_empty() {
                    request.messages.push(Message::assistant(said));
                }
                request.messages.push(repair);
            }
            (None, None, trouble) => {
                let trouble = trouble.unwrap_or(Trouble::NoSql(NoSql::Empty));
                return Direct { prompt, attempts, answer: Err(trouble) };
            }
        }
    }
}

/// Takes the SQL out of an answer and runs it.
async fn follow(
    attempt: &mut Attempt,
    answer: Result<Completion, LlmError>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Option<Answer> {
    let trouble = match answer {
        Err(error) => Trouble::Model(error),
        Ok(answer) => {
            let found = extract::sql(&answer.text, answer.finish == Finish::Length);
            attempt.answer = Some(answer);
            match found {
                Err(why) => Trouble::NoSql(why),
                Ok(extracted) => {
                    let sql = extracted.sql.clone();
                    attempt.extracted = Some(extracted);
                    match db.execute(&sql, limits).await {
                        Ok(result) => return Some(Answer { sql, result }),
                        Err(error) => Trouble::Database(error),
                    }
                }
            }
        }
    };
    attempt.trouble = Some(trouble);
    None
}

/// What is said to a model so that it mends its answer; None where asking again makes no sense.
fn mend(attempt: &Attempt) -> Option<Message> {
    match attempt.trouble.as_ref()? {
        Trouble::NoSql(why @ (NoSql::Prose | NoSql::Empty)) => Some(repair::without_sql(*why)),
        Trouble::Database(error @ (DbError::Sql { .. } | DbError::ReadOnly(_))) => {
            Some(repair::after_error(error, &attempt.hints))
        }
        _ => None,
    }
}
