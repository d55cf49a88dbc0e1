//! Pipeline `codes`: CodeS (Li et al. 2024, "CodeS: Towards Building Open-source Language Models for Text-to-SQL",
//! sections 6 and 7) with any retriever's examples, as BIRD-History (section 5.1) runs it.
//!
//! ```text
//! value retrieval ─▶ schema filter ─▶ prompt with examples ─▶ candidates ─▶ the first that SQLite can plan ─▶ rows
//! ```
//!
//! Differences to the source, which trains models of its own: the schema filter is a trained classifier there and scores
//! words and vectors here ([`filter`]). Four candidates of a beam search become the most probable answer and, while none
//! before can be planned, up to three samples, because the API has no beam search; those after the first that can be
//! planned would not be used and are not asked for. Examples are of the same database, so that the schema is written
//! once. It is one message to a chat model with a line that asks for SQL only. Nothing is mended.

pub mod filter;
mod matching;
mod prompt;
mod values;

#[cfg(test)]
mod tests;

pub use self::filter::{Nearness, SchemaVectors};
pub use self::values::ValueIndex;

use self::filter::Kept;
use super::direct::{Answer, Inputs, Trouble};
use super::staged::{Candidate, Sampling, Talk};
use crate::db::{DbError, QueryLimits};
use crate::llm::extract::{self, NoSql};
use crate::llm::{Finish, LlmError, Message};
use crate::ports::{Complete, Execute};

/// The temperature of the candidates after the first.
const SAMPLING: f32 = 0.7;

/// What the pipeline leaves open.
#[derive(Debug, Clone, Copy)]
pub struct CodesSettings<'a> {
    /// Tables of a prompt at most.
    pub tables: usize,
    /// Columns of a table at most, keys that join the tables aside.
    pub columns: usize,
    /// Candidates at most.
    pub candidates: u32,
    /// The values of the database; None where they are to be read for this question alone.
    pub values: Option<&'a ValueIndex>,
    /// How near the question is to tables and columns by an encoder; None where words alone count.
    pub near: Option<&'a Nearness>,
}

impl Default for CodesSettings<'_> {
    /// The source's numbers for its trained models.
    fn default() -> Self {
        Self { tables: 6, columns: 10, candidates: 4, values: None, near: None }
    }
}

/// Answers a question as CodeS does.
///
/// # Errors
/// When the model gives no SQL, the SQL does not run, or the database cannot be read.
pub async fn codes<M: Complete>(
    inputs: &Inputs<'_>,
    settings: &CodesSettings<'_>,
    talk: &Talk<'_, M>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    talk.stage("value retrieval");
    let read;
    let values = match settings.values {
        Some(values) => values,
        None => {
            read = ValueIndex::read(inputs.schema, db, limits.timeout_ms).await?;
            &read
        }
    };
    let matched = values.matched(inputs.question);
    let named = |(at, found): (&(usize, usize), &Vec<String>)| {
        let (table, column) =
            (inputs.schema.tables.get(at.0)?, inputs.schema.tables.get(at.0)?.columns.get(at.1)?);
        Some(format!("{}.{}: {}", table.name, column.name, found.join(", ")))
    };
    matched.iter().filter_map(named).for_each(|note| talk.note(note));
    values.notes(inputs.schema).into_iter().for_each(|note| talk.note(note));

    talk.stage("schema filter");
    let kept = Kept::new(inputs, settings.near, &matched, settings.tables, settings.columns);
    talk.note(kept.sentence(inputs.schema));
    let (context, answer) = (talk.settings().context_tokens, talk.settings().answer_tokens);
    let (text, left_out) = prompt::prompt(inputs, kept, values, &matched, context.saturating_sub(answer));
    if let Some(sentence) = left_out.sentence() {
        talk.note(sentence);
    }

    talk.stage("generation");
    let sql = generated(&text, settings.candidates.max(1), talk, db, limits).await?;
    talk.stage("execution");
    let result = talk.run(&sql, "chosen", db, limits).await?;
    Ok(Answer { sql, result })
}

/// The first candidate that SQLite can plan; of none that it can, the first.
async fn generated<M: Complete>(
    text: &str,
    candidates: u32,
    talk: &Talk<'_, M>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<String, Trouble> {
    let mut first: Option<String> = None;
    let mut trouble = Trouble::NoSql(NoSql::Empty);
    for sample in 0..candidates {
        let sampling =
            Sampling { temperature: (sample > 0).then_some(SAMPLING), sample, ..Sampling::default() };
        let answer = match talk.ask(vec![Message::user(text)], sampling).await {
            Ok(answer) => answer,
            Err(error @ (LlmError::Empty { .. } | LlmError::Endless(_))) => {
                talk.note(format!("Candidate {} has no SQL: {error}", sample + 1));
                trouble = Trouble::Model(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let sql = match extract::sql(&answer.text, answer.finish == Finish::Length) {
            Ok(found) => found.sql,
            Err(why) => {
                talk.note(format!("Candidate {} has no SQL: {why}", sample + 1));
                trouble = Trouble::NoSql(why);
                continue;
            }
        };
        let planned = db.execute(&format!("EXPLAIN QUERY PLAN {sql}"), limits).await;
        let result = planned.as_ref().err().cloned().map(Err);
        talk.candidate(Candidate {
            sql: sql.clone(),
            from: format!("candidate {}", sample + 1),
            result,
            votes: 1,
        });
        match planned {
            Ok(_) => {
                talk.note(format!("Candidate {} is the first that SQLite can plan.", sample + 1));
                return Ok(sql);
            }
            Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => {
                return Err(error.into());
            }
            Err(_) => first = first.or(Some(sql)),
        }
    }
    if first.is_some() {
        talk.note("SQLite can plan none of the candidates; the first is the answer.");
    }
    first.ok_or(trouble)
}
