//! Pipeline `sql-o1`: a tree search over the clauses of the query (arXiv:2502.11741), with a language model as its policy.
//!
//! The search itself is [`crate::search`], which says what follows the paper and what its released code. Here is what it
//! asks: a model that goes on with prefixes ([`Asking`]) after a schema-aware context, and the database where queries are
//! tried. Beyond the paper, each by itself: `parameters.guidance`, `parameters.vote` and `history`.

mod policy;
mod prompt;
mod schema;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};

pub use policy::Asking;
pub use prompt::Context;
pub use schema::Samples;

use self::policy::Policy;
use super::direct::{Answer, Inputs, Trouble};
use super::staged::{Candidate, Talk};
use crate::db::{DbError, QueryLimits, ResultSet, Value};
use crate::llm::LlmError;
use crate::llm::extract::NoSql;
use crate::ports::{Complete, Execute};
use crate::search::steps::Unusable;
use crate::search::{Ended, Given, Node, Outcome, Parameters, Search, Wanted};

/// How the pipeline works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SqlO1Settings {
    /// Of the search.
    pub parameters: Parameters,
    /// Where the prefix stands when the model is asked.
    pub asking: Asking,
    /// Sample rows of each table in the prompt; the released code shows 1 on BIRD and 3 on Spider.
    pub sample_rows: u32,
    /// Whether the retrieved queries are in the prompt, beyond the paper.
    pub history: bool,
}

impl Default for SqlO1Settings {
    /// As published.
    fn default() -> Self {
        Self { parameters: Parameters::default(), asking: Asking::default(), sample_rows: 3, history: false }
    }
}

/// Answers a question by a search. The tree is in the stage `search` of the talk, which hears of every step
/// ([`super::staged::Heard::Search`]). Where the model fails or the user stops in the middle, the best query so far is the
/// answer, and a note says why.
///
/// # Errors
/// When the model gives no usable query or no log probabilities, or the chosen query does not run.
pub async fn sql_o1<M: Complete>(
    inputs: &Inputs<'_>,
    settings: &SqlO1Settings,
    talk: &Talk<'_, M>,
    db: &impl Execute,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    talk.stage("search");
    let samples = Samples::read(inputs.schema, settings.sample_rows, db, limits).await;
    let asked = talk.settings();
    let room = asked.context_tokens.saturating_sub(asked.answer_tokens);
    let context = Context::new(inputs, &samples, settings.history, room);
    if let Some(sentence) = context.left_out.sentence() {
        talk.note(sentence);
    }
    let temperature = settings.parameters.temperature;
    let policy = Policy { context: &context, talk, asking: Cell::new(settings.asking), temperature };
    let mut search = Search::new(settings.parameters.clone());
    let mut results = Vec::new();
    let failed = searched(&mut search, &policy, db, limits, &mut results).await;
    talk.searched(&search);
    for note in notes(&search) {
        talk.note(note);
    }
    candidates(&search, &results, talk);
    let Some(best) = search.best() else {
        return Err(match failed {
            Some(error) => Trouble::Model(error),
            None if search.unusable().contains_key(&Unusable::Unfinished) => Trouble::NoSql(NoSql::Cut),
            None => Trouble::NoSql(NoSql::Prose),
        });
    };
    let known = results.into_iter().find(|(sql, _)| *sql == best.sql);
    let result = match known {
        Some((_, result)) => result,
        None => db.execute(&best.sql, limits).await,
    };
    let chosen = Candidate {
        sql: best.sql.clone(),
        from: format!("chosen, reward {:.2}", best.reward),
        result: Some(result.clone()),
        votes: best.votes.max(1),
    };
    talk.candidate(chosen);
    result.map(|result| Answer { sql: best.sql, result }).map_err(Trouble::Database)
}

/// Drives the search to its end; gives the failure of the model that stopped it.
async fn searched<M: Complete>(
    search: &mut Search,
    policy: &Policy<'_, '_, M>,
    db: &impl Execute,
    limits: QueryLimits,
    results: &mut Vec<(String, Result<ResultSet, DbError>)>,
) -> Option<LlmError> {
    let mut failed = None;
    loop {
        if policy.talk.is_cancelled() {
            search.stop("it was stopped");
        }
        let given = match search.wanted() {
            Wanted::Nothing(_) => return failed,
            Wanted::Continuations(ask) => {
                let (all, spent, error) = policy.go_on(&ask).await;
                let given = Given::Continuations(all, spent);
                if let Some(error) = error {
                    // What came before the failure still counts.
                    search.give(given);
                    search.stop(error.to_string());
                    failed = Some(error);
                    continue;
                }
                given
            }
            Wanted::Check { prefix, closed } => {
                let refused = db.execute(&never_run(&prefix), limits).await.err();
                Given::Checked(refused.and_then(|error| hopeless(error, closed)))
            }
            Wanted::Try(sql) => {
                let result = db.execute(&sql, limits).await;
                if matches!(result, Err(DbError::Cancelled)) {
                    search.stop("it was stopped");
                    continue;
                }
                let outcome = outcome(&result);
                results.push((sql, result));
                Given::Tried(outcome)
            }
        };
        search.give(given);
        policy.talk.searched(search);
    }
}

/// A query that has SQLite look at `prefix` without running it.
fn never_run(prefix: &str) -> String {
    // The line break keeps a comment at the end of the prefix from taking the bracket in. With LIMIT 0 nothing is evaluated;
    // behind `0 AND` SQLite would not even look at the names.
    format!("SELECT EXISTS (\n{prefix}\n) LIMIT 0")
}

/// Why nothing that follows can mend a prefix. A column may still come with a join, and a name with an alias, until the
/// FROM is closed.
fn hopeless(error: DbError, closed: bool) -> Option<String> {
    let DbError::Sql { message, .. } = error else { return None };
    let always = ["no such table", "no such function"].iter();
    let once_closed = ["no such column", "ambiguous column name"].iter().filter(|_| closed);
    always.chain(once_closed).any(|said| message.contains(said)).then_some(message)
}

fn outcome(result: &Result<ResultSet, DbError>) -> Outcome {
    match result {
        Err(error) => Outcome::Failed(error.to_string()),
        Ok(result) if result.rows.iter().flatten().all(|value| *value == Value::Null) => Outcome::Empty,
        Ok(result) => Outcome::Rows(same(&result.rows)),
    }
}

/// A number that is the same for the same set of rows, in any order, as BIRD's rule compares them.
fn same(rows: &[Vec<Value>]) -> u64 {
    let row = |row: &Vec<Value>| {
        let mut hash = DefaultHasher::new();
        for value in row {
            match value {
                Value::Null => 0_u8.hash(&mut hash),
                // 1 and 1.0 are equal.
                Value::Integer(number) => (1_u8, (*number as f64).to_bits()).hash(&mut hash),
                Value::Real(number) => (1_u8, number.to_bits()).hash(&mut hash),
                Value::Text(text) => (2_u8, text).hash(&mut hash),
                Value::InvalidText(bytes) | Value::Blob(bytes) => (3_u8, bytes).hash(&mut hash),
            }
        }
        hash.finish()
    };
    let set: BTreeSet<u64> = rows.iter().map(row).collect();
    let mut hash = DefaultHasher::new();
    set.hash(&mut hash);
    hash.finish()
}

/// What the search came to, a sentence each.
fn notes(search: &Search) -> Vec<String> {
    let spent = search.spent();
    let ended = match search.ended() {
        Some(Ended::Iterations) => "all iterations are done".to_owned(),
        Some(Ended::Exhausted) => "everything the model proposed was tried".to_owned(),
        Some(Ended::NothingLeft) => "nothing the model proposed can become a query".to_owned(),
        Some(Ended::Budget) => "the budget is used up".to_owned(),
        Some(Ended::Stopped(why)) => format!("stopped early: {}", why.trim_end_matches('.')),
        None => return Vec::new(),
    };
    let mut notes = vec![format!(
        "The search ended after {} iterations, {} finished queries and {} requests: {ended}.",
        search.iterations(),
        search.finished().len(),
        spent.requests
    )];
    for (why, count) in search.unusable() {
        let why = match why {
            Unusable::Unfinished => "did not end within the tokens of an answer",
            Unusable::NotSql => "were no SQL",
            Unusable::Restarted => "began a new query instead of going on",
        };
        notes.push(format!("{count} continuations were left out: they {why}."));
    }
    notes
}

/// Keeps every finished query as a candidate of the stage.
fn candidates<M: Complete>(
    search: &Search,
    results: &[(String, Result<ResultSet, DbError>)],
    talk: &Talk<'_, M>,
) {
    for &(leaf, reward) in search.finished() {
        let Some(Node { visits, .. }) = search.tree().get(leaf) else { continue };
        let sql = search.tree().prefix(leaf);
        let result = results.iter().find(|(tried, _)| *tried == sql).map(|(_, result)| result.clone());
        talk.candidate(Candidate { sql, from: format!("reward {reward:.2}"), result, votes: *visits });
    }
}
