//! Asking a model in such a way that an answer without use is no end: the pipeline goes on by a rule, and says so.

use serde_json::Value as Json;

use super::{Sampling, Talk};
use crate::db::DbError;
use crate::llm::extract::without_thinking;
use crate::llm::{Completion, JsonFailure, LlmError, Message};
use crate::pipeline::direct::Trouble;
use crate::ports::{Complete, EmbedError};

/// Whether the pipeline has to end with this failure: the server fails for good, or the user stopped.
fn ends(error: &LlmError) -> bool {
    error.ends_a_job() || error.is_temporary()
}

impl<M: Complete> Talk<'_, M> {
    /// Asks once; None, and a note, where nothing usable came back.
    ///
    /// # Errors
    /// When the user stopped, or the server fails in such a way that further requests would fail too.
    pub async fn try_ask(
        &self,
        messages: Vec<Message>,
        sampling: Sampling,
    ) -> Result<Option<Completion>, Trouble> {
        if self.is_cancelled() {
            return Err(LlmError::Cancelled.into());
        }
        match self.ask(messages, sampling).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if ends(&error) => Err(error.into()),
            Err(error) => {
                self.note(error.to_string());
                Ok(None)
            }
        }
    }

    /// Asks for a JSON object, as [`Talk::ask_json`]; None, and a note, where no answer passes.
    ///
    /// # Errors
    /// As [`Talk::try_ask`].
    pub async fn try_json<T>(
        &self,
        messages: Vec<Message>,
        sampling: Sampling,
        check: impl Fn(&Json) -> Result<T, String>,
    ) -> Result<Option<T>, Trouble> {
        if self.is_cancelled() {
            return Err(LlmError::Cancelled.into());
        }
        match self.ask_json(messages, sampling, check).await {
            Ok(value) => Ok(Some(value)),
            Err(JsonFailure::Model(error)) if ends(&error) => Err(error.into()),
            Err(error) => {
                self.note(error.to_string());
                Ok(None)
            }
        }
    }
}

/// Whether no further query would succeed either: the user stopped, or there is no database.
pub fn ends_queries(error: &DbError) -> bool {
    matches!(error, DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))
}

/// The end of a pipeline whose texts cannot be embedded; None where it can go on without.
pub fn embedding_ended(error: &EmbedError) -> Option<Trouble> {
    matches!(error, EmbedError::Cancelled).then(|| LlmError::Cancelled.into())
}

/// The text of a field `#name:` of an answer, up to the next field; None where there is no such field. The last one
/// counts, for models repeat what they were shown.
pub fn field(answer: &str, name: &str) -> Option<String> {
    let (text, _) = without_thinking(answer);
    let mut found: Option<Vec<&str>> = None;
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_start_matches([' ', '*', '-', '\t']);
        let head = trimmed.strip_prefix('#').and_then(|rest| rest.trim_start_matches('#').split_once(':'));
        match head {
            Some((title, rest)) if title.trim().trim_matches('*').eq_ignore_ascii_case(name) => {
                found = Some(vec![rest.trim_start_matches('*')]);
                inside = true;
            }
            Some((title, _)) if title.len() < 30 => inside = false,
            _ => {
                if let (true, Some(lines)) = (inside, &mut found) {
                    lines.push(line);
                }
            }
        }
    }
    found.map(|lines| lines.join("\n").trim().to_owned())
}

/// The items of a list as a model writes one: a JSON array or object, lines with marks, or words between commas. Quotes
/// and marks are taken off; nothing is kept that is longer than `most` characters.
pub fn items(text: &str, most: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |item: &str| {
        let item = item.trim().trim_start_matches(['-', '*', '•', ' ']).trim();
        let item = item.trim_matches(['"', '\'', '`', '“', '”', '.', ' ']);
        let short = (1..=most).contains(&item.chars().count());
        if short && !found.iter().any(|known| known == item) {
            found.push(item.to_owned());
        }
    };
    let start = text.find('[').filter(|at| text.get(..*at).is_some_and(|before| !before.contains(',')));
    let listed = start.and_then(|at| {
        let rest = text.get(at..)?;
        serde_json::Deserializer::from_str(rest).into_iter::<Vec<Json>>().next()?.ok()
    });
    if let Some(listed) = listed {
        for item in &listed {
            match item {
                Json::String(text) => add(text),
                Json::Number(number) => add(&number.to_string()),
                _ => {}
            }
        }
        return found;
    }
    for line in text.lines() {
        for item in split(line) {
            add(item);
        }
    }
    found
}

/// Cuts at commas and semicolons outside quotes.
fn split(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut quote) = (0, None);
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            // An apostrophe inside a word opens nothing.
            (None, '"' | '`') => quote = Some(c),
            (None, '\'') if !before.is_alphanumeric() => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ',' | ';') => {
                pieces.push(line.get(from..at).unwrap_or_default());
                from = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    pieces.push(line.get(from..).unwrap_or_default());
    pieces
}
