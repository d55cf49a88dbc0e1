//! Pipeline `dail-sql`: DAIL-SQL (Gao et al. 2024, "Text-to-SQL Empowered by Large Language Models: A Benchmark
//! Evaluation", sections 3 and 4) with any retriever's examples, as BIRD-History (section 5.1) runs it.
//!
//! Examples are pairs of question and SQL, the schema is its CREATE TABLE statements, and the model completes a query
//! that is begun. With several samples the answer is the first of the largest group whose rows are the same
//! (self-consistency). Nothing is mended.
//!
//! Differences to the source: it gives the text to a completion model as it is, here it is one message to a chat model
//! with a line that asks for SQL only; an answer in a code block or inside a sentence is understood, too. The source
//! gives up a prompt that is too long; here examples, then columns are left out, and a note says which. Its 200 tokens
//! for an answer are the caller's `answer_tokens`.

mod vote;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use self::vote::{groups, same_rows, without_distinct};
use super::direct::schema_text::{Fitted, Style, fitted};
use super::direct::{Answer, Inputs, LeftOut, Trouble};
use super::staged::{Candidate, Sampling, Talk};
use crate::db::{DbError, QueryLimits};
use crate::history::KnowledgeBase;
use crate::llm::extract::{self, NoSql};
use crate::llm::{Completion, Finish, LlmError, Message, tokens};
use crate::ports::{Complete, Execute};
use crate::sql::parse_query;

/// The temperature of samples that are compared (its script for self-consistency).
const SAMPLING: f32 = 1.0;
/// Asks a chat model for what a completion model does by itself.
const RULE: &str = "Complete the SQLite query at the end. Write SQL only, no explanation.";
/// Tokens for what is not counted line by line.
const SLACK: u32 = 20;
/// What the query begins with.
const BEGIN: &str = "SELECT ";

/// What the pipeline leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DailSettings {
    /// Answers to choose from; 1 for none but the most probable, 5 in the source's self-consistency.
    pub samples: u32,
}

impl Default for DailSettings {
    fn default() -> Self {
        Self { samples: 1 }
    }
}

/// Answers a question as DAIL-SQL does.
///
/// # Errors
/// When the model gives no SQL, or the SQL does not run.
pub async fn dail_sql<M: Complete>(
    inputs: &Inputs<'_>,
    settings: &DailSettings,
    talk: &Talk<'_, M>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    talk.stage("generation");
    let samples = settings.samples.max(1);
    let (context, answer) = (talk.settings().context_tokens, talk.settings().answer_tokens);
    let (text, left_out) = prompt(inputs, context.saturating_sub(answer));
    if let Some(sentence) = left_out.sentence() {
        talk.note(sentence);
    }
    let mut written: Vec<String> = Vec::new();
    let mut trouble = Trouble::NoSql(NoSql::Empty);
    for sample in 0..samples {
        let sampling =
            Sampling { temperature: (samples > 1).then_some(SAMPLING), sample, ..Sampling::default() };
        match talk.ask(vec![Message::user(text.as_str())], sampling).await {
            Ok(answer) => match completed(&answer) {
                Ok(sql) => written.push(sql),
                Err(why) => trouble = Trouble::NoSql(why),
            },
            // One empty answer of several is one vote less.
            Err(error @ (LlmError::Empty { .. } | LlmError::Endless(_))) => trouble = Trouble::Model(error),
            Err(error) => return Err(error.into()),
        }
    }
    if samples > 1 && written.len() < samples as usize {
        talk.note(format!("{} of {samples} answers had no SQL.", samples as usize - written.len()));
    }
    match written.as_slice() {
        [] => Err(trouble),
        [only] if samples == 1 => {
            let result = talk.run(only, "completion", db, limits).await?;
            Ok(Answer { sql: only.clone(), result })
        }
        several => chosen(several, talk, db, limits).await,
    }
}

/// The first query of the largest group with the same rows; of none that runs, the first.
async fn chosen<M: Complete>(
    written: &[String],
    talk: &Talk<'_, M>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    talk.stage("self-consistency");
    let (mut results, mut compared) = (Vec::new(), Vec::new());
    for sql in written {
        let result = db.execute(sql, limits).await;
        if let Err(error @ DbError::Cancelled) = result {
            return Err(error.into());
        }
        compared.push(match (&result, without_distinct(sql)) {
            (Ok(_), Some(plain)) => db.execute(&plain, limits).await.ok(),
            (result, _) => result.as_ref().ok().cloned(),
        });
        results.push(result);
    }
    let groups = groups(&compared, same_rows);
    for (at, (sql, result)) in written.iter().zip(&results).enumerate() {
        let votes = groups.iter().find(|group| group.contains(&at)).map_or(0, Vec::len);
        talk.candidate(Candidate {
            sql: sql.clone(),
            from: format!("sample {}", at + 1),
            result: Some(result.clone()),
            votes: u32::try_from(votes).unwrap_or(u32::MAX),
        });
    }
    let best = groups.first().and_then(|group| group.first()).copied();
    match best {
        Some(_) => talk.note(format!(
            "{} of {} queries that were written give the same rows.",
            groups.first().map_or(0, Vec::len),
            written.len()
        )),
        None => talk.note("None of the queries runs; the first is the answer."),
    }
    let at = best.unwrap_or_default();
    match (written.get(at), results.into_iter().nth(at)) {
        (Some(sql), Some(result)) => Ok(Answer { sql: sql.clone(), result: result? }),
        _ => Err(Trouble::NoSql(NoSql::Empty)),
    }
}

/// The prompt in at most `room` tokens, and what it had to leave out: examples, the nearest last, the schema, the
/// question, and the beginning of the query.
fn prompt(inputs: &Inputs<'_>, room: u32) -> (String, LeftOut) {
    let ask = format!("{}{BEGIN}", asked(inputs.question));
    let heads = "/* Queries that answer similar questions: */\n/* Tables of the database: */\n";
    let fixed =
        tokens::estimate(RULE) + tokens::estimate(&ask) + tokens::estimate(heads) + tokens::PER_MESSAGE;
    let pairs: Vec<String> = inputs.shots.iter().map(|shot| pair(inputs.knowledge, shot.entry())).collect();
    let fitted = fitted(inputs, Style::Declared, &pairs, room.saturating_sub(fixed + SLACK), 0);
    let Fitted { schema, shots, left_out } = fitted;
    let mut text = format!("{RULE}\n\n");
    if shots > 0 {
        text.push_str("/* Queries that answer similar questions: */\n");
        for pair in pairs.iter().take(shots).rev() {
            text.push_str(pair);
        }
    }
    let _ = write!(text, "/* Tables of the database: */\n{schema}\n{ask}");
    (text, left_out)
}

/// One example, with an empty line after it.
fn pair(knowledge: &KnowledgeBase, entry: u32) -> String {
    let Some(query) = knowledge.entries.get(entry as usize) else { return String::new() };
    let summary = knowledge.summaries.get(entry as usize).map_or("", String::as_str);
    let question = asked(query.question.as_deref().unwrap_or(summary));
    format!("{question}{}\n\n", query.sql.trim().trim_end_matches(';'))
}

/// A question as a comment of its own, which it cannot end.
fn asked(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    format!("/* Question: {line} */\n")
}

/// The query of an answer: what stands before the next comment, with the beginning that the prompt gave where the model
/// went on from it.
fn completed(answer: &Completion) -> Result<String, NoSql> {
    let (said, _) = extract::without_thinking(&answer.text);
    let mut rest = said.trim();
    while let Some((_, after)) = rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
        rest = after.trim_start();
    }
    let before = rest.split("/*").next().unwrap_or_default().trim();
    // In a code block a comment is part of the query.
    let text = match before.is_empty() || said.contains("```") {
        true => answer.text.as_str(),
        false => before,
    };
    let plain = text.split(';').next().unwrap_or_default().trim();
    let words = plain.to_ascii_uppercase();
    let begun = ["SELECT", "WITH", "VALUES"].iter().any(|word| words.starts_with(word));
    let goes_on = !begun && words.split_whitespace().any(|word| word == "FROM");
    let whole = format!("{BEGIN}{plain}");
    if goes_on && !said.contains("```") && parse_query(&whole).is_ok() {
        return Ok(whole);
    }
    extract::sql(text, answer.finish == Finish::Length).map(|found| found.sql)
}
