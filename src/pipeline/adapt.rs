//! Pipeline `adapt`: the best historical query, bound to what the question names and edited in small ways.
//! No model is used.
//!
//! Every retrieved query is bound to the question: its literals take the values, numbers and dates that the
//! question names, or stay (see `bind`). Then conditions, outputs and directions may change, where the two questions
//! show how (see `conditions`, `outputs`, `directions`). The candidates are ranked by how likely each is right (see
//! `confidence`). The first that runs and finds rows is the answer; what was tried before it is kept with the reason. Where
//! only a query that is not near enough finds rows, a nearer one that finds none is the answer.

mod alike;
mod bind;
mod clauses;
mod conditions;
mod confidence;
mod dates;
mod directions;
mod form;
mod labels;
mod names;
mod numbers;
mod outputs;
mod periods;
mod question;
mod replace;
mod slots;
mod sources;
mod unread;
mod values;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use alike::{SchemaWords, WordWeights};
use bind::bind;
use clauses::{Clauses, Tables};
use conditions::{Conditions, Editable};
pub use confidence::{DIRECTIONS, LIKELY, NEAR, SIGNS, Signs};
use directions::Directions;
use form::{Form, PARTS};
use labels::Labels;
use outputs::Fit;
use question::Question;
use slots::Slot;
use values::{ColumnName, ColumnValues};

use crate::db::{DbError, QueryLimits, ResultSet};
use crate::history::{Entry, KnowledgeBase};
use crate::ports::Execute;
use crate::retrieval::Retrieved;
use crate::sql::{ComponentType, Schema};

/// Candidates run for one question at most.
const MOST_TRIED: usize = 8;
/// Questions of the history read to learn how common words are.
const MOST_WEIGHED: usize = 2000;
/// Milliseconds that looking up the values of one column may take.
const LOOK_UP_MS: u32 = 2_000;

/// One piece that was changed in the historical query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Byte range of the new piece in the adapted query.
    pub start: usize,
    /// End of the byte range, exclusive.
    pub end: usize,
    /// The piece of the historical query; empty where one was put in.
    pub before: String,
    /// The piece of the adapted query; empty where one was left out.
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
    /// The share of answers with such signs that were right on other databases, 0 to 1.
    pub confidence: f32,
    /// Candidates tried before, with what became of them.
    pub refused: Vec<(u32, Refusal)>,
    /// The rows.
    pub result: ResultSet,
}

impl Answer {
    /// Whether its query is near enough to be an answer; else it is only the nearest there is, and should be offered
    /// as that.
    pub fn is_near(&self) -> bool {
        self.confidence >= NEAR
    }

    /// Whether such answers are right often enough to be given without a warning.
    pub fn is_likely(&self) -> bool {
        self.confidence >= LIKELY
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum AdaptError {
    /// No historical query was retrieved.
    #[error(
        "Nothing in the history is close to this question. Ask in other words, or add a query that answers something like it."
    )]
    NothingRelevant,
    /// Every candidate failed, or found nothing and is not near enough.
    #[error("None of the {} closest queries answers this question: each failed or found no rows.", refused.len())]
    NoneAnswers {
        /// The candidates with what became of them.
        refused: Vec<(u32, Refusal)>,
    },
    /// The user stopped it, or the database is gone.
    #[error(transparent)]
    Database(#[from] DbError),
}

/// A historical query adapted to a question, not yet run.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The entry it comes from.
    pub entry: u32,
    /// The adapted query.
    pub sql: String,
    /// What was changed, in the order of the text.
    pub changes: Vec<Change>,
    /// What the question names and the query does not use, as the question writes it.
    pub unbound: Vec<String>,
    /// What speaks for and against it.
    pub signs: Signs,
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
    let candidates = candidates(question, knowledge, schema, retrieved, db, limits).await?;
    if candidates.is_empty() {
        return Err(AdaptError::NothingRelevant);
    }
    let mut refused = Vec::new();
    // The first that found nothing and is near enough: the question may be about what is not there.
    let mut empty: Option<Answer> = None;
    for candidate in candidates.into_iter().take(MOST_TRIED) {
        let Candidate { entry, sql, changes, unbound, signs } = candidate;
        match db.execute(&sql, limits).await {
            Ok(result) => {
                let (likeness, confidence) = (signs.likeness, signs.confidence());
                let refused_before = refused.clone();
                let found = !result.rows.is_empty();
                let answer = Answer {
                    sql,
                    entry,
                    changes,
                    unbound,
                    likeness,
                    confidence,
                    refused: refused_before,
                    result,
                };
                match empty {
                    Some(empty) if found && !answer.is_near() => return Ok(empty),
                    _ if found => return Ok(answer),
                    None if answer.is_near() => empty = Some(answer),
                    _ => {}
                }
                refused.push((entry, Refusal::Empty));
            }
            Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => {
                return Err(error.into());
            }
            Err(error) => refused.push((entry, Refusal::Error(error))),
        }
    }
    empty.ok_or(AdaptError::NoneAnswers { refused })
}

/// Every retrieved query adapted to `question`, the most likely first. Looks values up in `db`, each column within
/// `limits`.
///
/// # Errors
/// Only when the user stopped it, or the database is gone.
pub async fn candidates(
    question: &str,
    knowledge: &KnowledgeBase,
    schema: &Schema,
    retrieved: &Retrieved,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Vec<Candidate>, DbError> {
    let hits = retrieved.queries.iter().filter_map(|hit| {
        let entry = knowledge.entries.get(hit.entry as usize)?;
        Some((hit, entry, slots::slots(&entry.sql, schema)))
    });
    let hits: Vec<_> = hits.collect();
    let columns = columns(hits.iter().flat_map(|(.., slots)| slots), knowledge);
    let look_up_ms = LOOK_UP_MS.min(limits.timeout_ms);
    let values = ColumnValues::read(&columns, question, db, look_up_ms).await?;
    let labels = Labels::read(&values, schema, db, look_up_ms).await?;
    let texts = hits.iter().flat_map(|(.., slots)| slots).filter(|slot| slot.text);
    let words = SchemaWords::of(schema);
    let asked = Asked {
        question: Question::new(question, &values, &labels).with_names(&words),
        weights: word_weights(knowledge),
        words,
        form: Form::of_question(question),
        known: texts.map(|slot| slot.value.clone()).collect(),
        filtered: filtered(knowledge),
        schema,
    };
    let adapted = hits.iter().map(|(hit, entry, slots)| {
        let summary = knowledge.summaries.get(hit.entry as usize).map_or("", String::as_str);
        asked.candidate(entry, summary, slots, hit.similarity)
    });
    let mut candidates: Vec<Candidate> = adapted.collect();
    candidates.sort_by(|a, b| b.signs.rank().total_cmp(&a.signs.rank()));
    Ok(candidates)
}

/// A question with what the history and the database know of its words.
struct Asked<'a> {
    question: Question<'a>,
    weights: WordWeights,
    words: SchemaWords,
    form: Form,
    /// Text literals of the retrieved queries.
    known: HashSet<String>,
    /// Columns that conditions of the history read.
    filtered: HashSet<ColumnName>,
    schema: &'a Schema,
}

impl Asked<'_> {
    /// `entry` with its literals `slots` adapted.
    fn candidate(&self, entry: &Entry, summary: &str, slots: &[Slot], similarity: f32) -> Candidate {
        let old = entry.question.as_deref();
        let mut binding = bind(slots, old, &self.question);
        let (bound, rebound) = (binding.marks.len(), binding.changes.len());
        let (mut conditions, mut fit, mut directions): (Conditions, Fit, Directions) = Default::default();
        let mut moved = false;
        if let (Some(clauses), Some(sources)) = (Clauses::of(&entry.sql), Tables::of(&entry.sql, self.schema))
        {
            let (sql, filtered) = (entry.sql.as_str(), &self.filtered);
            let query = Editable { sql, clauses: &clauses, sources: &sources, slots, filtered };
            conditions = conditions::edit(&query, &self.question, &self.weights, &self.known, &mut binding);
            if let Some(old) = old {
                let questions = (old, self.question.text);
                fit = outputs::edit(sql, &clauses, &sources, questions, &mut binding);
                if fit != Fit::Changed && conditions.added == 0 {
                    moved = sources::edit(sql, &clauses, &sources, self.schema, questions, &mut binding);
                }
                directions = directions::edit(sql, &clauses, slots, questions, &mut binding);
            }
        }
        let (Conditions { dropped, added }, Directions { turned, stuck }) = (conditions, directions);
        let (sql, changes) = replace::apply(&entry.sql, binding.changes);

        let new = (self.question.text, binding.marks.as_slice());
        let used: Vec<_> = binding.marks.iter().map(|(range, _)| range.clone()).collect();
        let mut unbound = self.question.unclaimed(&used, &self.weights, &self.known);
        // Where the history's own question and query differ too, it is a convention, not another question.
        let (gives, asked_before) = (Form::of_query(&sql), old.map(Form::of_question));
        let differs = gives.differences(self.form);
        let as_before =
            asked_before.map_or([false; PARTS], |before| Form::of_query(&entry.sql).differences(before));
        let own = (old.unwrap_or(summary), binding.old_marks.as_slice());
        let like = self.weights.compare(new, own, &[own.0, summary, &entry.sql], &self.words, &sql);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let signs = Signs {
            likeness: like.likeness,
            explained: like.explained,
            missing: like.missing,
            wording: like.wording,
            pattern: like.pattern,
            questioned: old.is_some(),
            bound: count(bound),
            rebound: count(rebound),
            similarity,
            unbound: count(unbound.len()),
            unsupported: count(binding.unsupported.len() + binding.lost_dates),
            other_form: std::array::from_fn(|part| differs.get(part) != as_before.get(part)),
            lacking: count(like.lacking),
            needless: count(like.needless),
            same_outputs: fit == Fit::Same,
            new_outputs: fit == Fit::Changed,
            other_outputs: fit == Fit::Other,
            dropped: count(dropped),
            added: count(added),
            turned: count(turned),
            stuck,
            moved,
            misfit: self.form.is_misfit(gives, asked_before)
                || (old.is_none() && self.words.sets_apart(self.question.text, &sql)),
        };
        for named in unread::unread(self.question.text, &used, &sql, old, self.schema) {
            if !unbound.iter().any(|told| told.contains(&named)) {
                unbound.push(named);
            }
        }
        Candidate { entry: entry.id, sql, changes, unbound, signs }
    }
}

/// Columns that conditions of the history read.
fn filtered(knowledge: &KnowledgeBase) -> HashSet<ColumnName> {
    let conditions = knowledge.items.iter().filter(|item| item.kind == ComponentType::Condition);
    conditions.flat_map(|item| item.columns.iter().cloned()).collect()
}

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
