//! One question through retrieval and pipeline `adapt`: what the page and the command line call.

use super::adapt::{AdaptError, Answer, adapt};
use crate::db::QueryLimits;
use crate::history::KnowledgeBase;
use crate::ports::{Embed, EmbedError, Execute};
use crate::retrieval::{Index, Retrieved, Settings, retrieve_question};
use crate::sql::Schema;

/// Queries that `adapt` chooses from: more than are shown, for a query that fits after its literals are bound
/// need not be among the most similar.
pub const CANDIDATES: usize = 20;

/// What questions are asked of.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The history.
    pub knowledge: &'a KnowledgeBase,
    /// Its vectors.
    pub index: &'a Index,
    /// The database's schema.
    pub schema: &'a Schema,
}

/// Retrieves what the history knows about a question and answers it without a model. The retrieved queries are
/// cut to `settings.max_shots` after the answer is made, but the query that was adapted stays among them.
/// `on_retrieved` gets what was retrieved before the answer is made.
pub async fn ask(
    question: &str,
    sources: Sources<'_>,
    embed: &impl Embed,
    db: &impl Execute,
    settings: Settings,
    limits: QueryLimits,
    on_retrieved: impl FnOnce(&Retrieved),
) -> Result<(Retrieved, Result<Answer, AdaptError>), EmbedError> {
    let Sources { knowledge, index, schema } = sources;
    let wide = Settings { max_shots: settings.max_shots.max(CANDIDATES), ..settings };
    let mut retrieved = retrieve_question(embed, index, knowledge, question, wide).await?;
    on_retrieved(&retrieved);
    let answer = adapt(question, knowledge, schema, &retrieved, db, limits).await;
    let used = answer.as_ref().ok().map(|answer| answer.entry);
    let mut place = 0;
    retrieved.queries.retain(|hit| {
        place += 1;
        place <= settings.max_shots || Some(hit.entry) == used
    });
    Ok((retrieved, answer))
}
