//! Pipeline `adapt`: the best historical query with its literals re-bound to what the question names.
//! No model is used.
//!
//! Every retrieved query is bound to the question: its literals take the values, numbers and dates that the
//! question names, or stay (see `bind`). The bound queries are ranked by how alike the two questions are once
//! their values are set aside, by the retriever's similarity, and by how much of the question stays unused.
//! The first that runs and finds rows is the answer; what was tried before it is kept with the reason.

mod bind;
mod dates;
mod labels;
mod numbers;
mod question;
mod slots;
mod values;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use bind::{Binding, Slot, bind};
use labels::Labels;
use question::{Question, Shape, WordWeights};
use values::{ColumnName, ColumnValues};

use crate::db::{DbError, QueryLimits, ResultSet};
use crate::history::KnowledgeBase;
use crate::ports::Execute;
use crate::retrieval::{QueryHit, Retrieved};
use crate::sql::{ComponentType, Schema};

/// Candidates run for one question at most.
const MOST_TRIED: usize = 8;
/// Questions of the history read to learn how common words are.
const MOST_WEIGHED: usize = 2000;
/// Milliseconds that looking up the values of one column may take.
const LOOK_UP_MS: u32 = 2_000;

/// One literal that was changed in the historical query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Byte range of the new literal in [`Answer::sql`].
    pub start: usize,
    /// End of the byte range, exclusive.
    pub end: usize,
    /// The literal in the historical query, as SQL.
    pub before: String,
    /// The literal in the answer, as SQL.
    pub after: String,
    /// Why, as one short sentence ("routes.code holds 'HL'; the question says Harbour Loop").
    pub reason: String,
}

/// What became of a candidate that was not used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Refusal {
    /// It failed.
    Error(DbError),
    /// It ran and found nothing.
    Empty,
}

/// An answer without a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The SQL that was run.
    pub sql: String,
    /// The entry it was adapted from.
    pub entry: u32,
    /// What was changed, in the order of the text.
    pub changes: Vec<Change>,
    /// What the question names and the query does not use, as the question writes it.
    pub unbound: Vec<String>,
    /// How alike the question and the history's own are with their values set aside, 0 to 1.
    pub likeness: f32,
    /// Candidates tried before, with what became of them.
    pub refused: Vec<(u32, Refusal)>,
    /// The rows.
    pub result: ResultSet,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum AdaptError {
    /// No historical query was retrieved.
    #[error(
        "Nothing in the history is close to this question. Ask in other words, or add a query that answers something like it."
    )]
    NothingRelevant,
    /// Every candidate failed or found nothing.
    #[error("None of the {} closest queries answers this question: each failed or found no rows.", refused.len())]
    NoneAnswers {
        /// The candidates with what became of them.
        refused: Vec<(u32, Refusal)>,
    },
    /// The user stopped it, or the database is gone.
    #[error(transparent)]
    Database(#[from] DbError),
}

/// Answers `question` with the best of the retrieved queries, adapted; runs at most eight of them under `limits`.
pub async fn adapt(
    question: &str,
    knowledge: &KnowledgeBase,
    schema: &Schema,
    retrieved: &Retrieved,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Answer, AdaptError> {
    let hits = retrieved.queries.iter().filter_map(|hit| {
        let entry = knowledge.entries.get(hit.entry as usize)?;
        Some((hit, entry, slots::slots(&entry.sql, schema)))
    });
    let hits: Vec<_> = hits.collect();
    if hits.is_empty() {
        return Err(AdaptError::NothingRelevant);
    }
    let columns = columns(hits.iter().flat_map(|(.., slots)| slots), knowledge);
    let look_up_ms = LOOK_UP_MS.min(limits.timeout_ms);
    let columns = ColumnValues::read(&columns, question, db, look_up_ms).await?;
    let labels = Labels::read(&columns, schema, db, look_up_ms).await?;
    let question = Question::new(question, &columns, &labels);
    let weights = word_weights(knowledge);
    let shape = Shape::of_question(question.text);
    let texts = hits.iter().flat_map(|(.., slots)| slots).filter(|slot| slot.text);
    let filtered: HashSet<String> = texts.map(|slot| slot.value.clone()).collect();

    let mut candidates: Vec<Candidate<'_>> = hits
        .iter()
        .map(|(hit, entry, slots)| {
            let old = entry.question.as_deref();
            let binding = bind(slots, old, &question);
            let summary = knowledge.summaries.get(hit.entry as usize).map_or("", String::as_str);
            let likeness =
                weights.alike((question.text, &binding.marks), (old.unwrap_or(summary), &binding.old_marks));
            let used: Vec<_> = binding.marks.iter().map(|(range, _)| range.clone()).collect();
            let unbound = question.unclaimed(&used, &weights, &filtered);
            let explained =
                weights.explained((question.text, &binding.marks), &[old.unwrap_or(""), summary, &entry.sql]);
            let other_shape = Shape::of_query(&entry.sql) != shape;
            Candidate { hit, sql: &entry.sql, likeness, explained, other_shape, unbound, binding }
        })
        .collect();
    candidates.sort_by(|a, b| b.rank().total_cmp(&a.rank()));

    let mut refused = Vec::new();
    for candidate in candidates.into_iter().take(MOST_TRIED) {
        let (sql, changes) = bind::apply(candidate.sql, &candidate.binding.changes);
        let entry = candidate.hit.entry;
        match db.execute(&sql, limits).await {
            Ok(result) if !result.rows.is_empty() => {
                let Candidate { unbound, likeness, .. } = candidate;
                return Ok(Answer { sql, entry, changes, unbound, likeness, refused, result });
            }
            Ok(_) => refused.push((entry, Refusal::Empty)),
            Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => {
                return Err(error.into());
            }
            Err(error) => refused.push((entry, Refusal::Error(error))),
        }
    }
    Err(AdaptError::NoneAnswers { refused })
}

/// A historical query bound to the question.
struct Candidate<'a> {
    hit: &'a QueryHit,
    sql: &'a str,
    likeness: f32,
    /// How much of the question the history's question, summary or query words explain.
    explained: f32,
    /// Whether it gives a count where rows are asked for, and the like.
    other_shape: bool,
    unbound: Vec<String>,
    binding: Binding,
}

impl Candidate<'_> {
    /// What orders candidates, higher is better.
    fn rank(&self) -> f32 {
        W.likeness * self.likeness + W.explained * self.explained + W.similarity * self.hit.similarity
            - W.unbound * self.unbound.len() as f32
            - W.unsupported * self.binding.unsupported as f32
            - if self.other_shape { W.shape } else { 0.0 }
    }
}

/// Weights of the rank.
struct Weights {
    likeness: f32,
    explained: f32,
    similarity: f32,
    /// Lost for each thing that the question names and the query does not use.
    unbound: f32,
    /// Lost for each literal that the old question names and the new one does not.
    unsupported: f32,
    /// Lost when the query gives another kind of answer.
    shape: f32,
}

/// Chosen on superhero's questions, one held out at a time; not tuned further.
const W: Weights =
    Weights { likeness: 0.7, explained: 0.5, similarity: 0.5, unbound: 0.15, unsupported: 0.15, shape: 0.3 };

/// Columns whose values the question may name: those that the candidates filter by, then those that the rest
/// of the history filters by most.
fn columns<'a>(slots: impl Iterator<Item = &'a Slot>, knowledge: &KnowledgeBase) -> Vec<ColumnName> {
    let mut columns: Vec<ColumnName> = Vec::new();
    let own = slots.filter(|slot| slot.text).filter_map(|slot| slot.column.clone());
    let conditions = knowledge.items.iter().filter(|item| item.kind == ComponentType::Condition);
    let by_text = conditions.filter(|item| {
        let literals = item.occurrences.iter().flat_map(|occurrence| &occurrence.literals);
        literals.take(1).any(|literal| literal.starts_with('\''))
    });
    for column in own.chain(by_text.filter_map(|item| item.columns.first().cloned())) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// Word frequencies of the history's questions, or of the summaries of queries without one.
fn word_weights(knowledge: &KnowledgeBase) -> WordWeights {
    let step = knowledge.entries.len().div_ceil(MOST_WEIGHED).max(1);
    let texts = knowledge.entries.iter().enumerate().step_by(step).map(|(at, entry)| {
        entry.question.as_deref().unwrap_or_else(|| knowledge.summaries.get(at).map_or("", String::as_str))
    });
    WordWeights::new(texts)
}
