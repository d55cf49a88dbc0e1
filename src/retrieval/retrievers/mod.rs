//! Retrievers to compare with: what text-to-SQL systems choose as examples, over the history of one database
//! (BIRD-History, section 5.1, "Pipelines" and Table 3).
//!
//! | name | ranks by | source |
//! |---|---|---|
//! | `history` | queries and components, fused | this crate's [`retrieve_question`] |
//! | `select` | the components that each query holds of those the question needs | this crate's [`super::select`] |
//! | `mqs` | similarity of masked questions | DAIL-SQL |
//! | `dail` | the same, those with the skeleton of a preliminary SQL first | DAIL-SQL |
//! | `mqs-filter` | the same as `mqs`, over queries that run and give a row | N-rep |
//! | `mqs-qs` | the larger similarity of masked and plain questions | CodeS |
//! | `gold` | the queries that the task names | BIRD-History, Table 13 |
//! | `none` | nothing | |
//!
//! An entry without a question cannot be compared by questions; only `history`, `select` and `gold` find it.
#![allow(async_fn_in_trait)] // Every caller is single-threaded, as with the ports.

pub mod masks;
pub mod skeleton;

use std::collections::BTreeMap;

pub use masks::Links;

use super::select::{Choosing, ranked};
use super::{Index, IndexError, QueryHit, Retrieved, Settings, Vectors, retrieve_question};
use crate::history::KnowledgeBase;
use crate::ports::{Embed, EmbedError};

/// A question with what some retrievers need beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// The question.
    pub question: &'a str,
    /// A first SQL for it, of whatever made one (`dail`).
    pub preliminary: Option<&'a str>,
    /// Identifiers of the queries that hold what it needs, those that a task names (`gold`); each list is one item.
    pub wanted: &'a [Vec<i64>],
}

/// Chooses queries of a history for a question.
pub trait Retriever {
    /// What it finds, best first.
    ///
    /// # Errors
    /// When the question cannot be embedded.
    async fn retrieve(&self, embed: &impl Embed, asked: Asked<'_>) -> Result<Retrieved, EmbedError>;
}

/// `none`.
#[derive(Debug, Clone, Copy)]
pub struct Nothing;

impl Retriever for Nothing {
    async fn retrieve(&self, _: &impl Embed, _: Asked<'_>) -> Result<Retrieved, EmbedError> {
        Ok(Retrieved::default())
    }
}

/// `history`: the retriever of BIRD-History, section 4, as this crate has it.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// The history.
    pub knowledge: &'a KnowledgeBase,
    /// Its vectors.
    pub index: &'a Index,
    /// Level, threshold and number of shots.
    pub settings: Settings,
}

impl Retriever for History<'_> {
    async fn retrieve(&self, embed: &impl Embed, asked: Asked<'_>) -> Result<Retrieved, EmbedError> {
        retrieve_question(embed, self.index, self.knowledge, asked.question, self.settings).await
    }
}

/// `select`: the components that a question needs, and the queries that hold most of them.
#[derive(Debug, Clone, Copy)]
pub struct Select<'a> {
    /// The history.
    pub knowledge: &'a KnowledgeBase,
    /// Its vectors.
    pub index: &'a Index,
    /// How many components.
    pub choosing: Choosing,
    /// Queries handed on.
    pub shots: usize,
}

impl Retriever for Select<'_> {
    async fn retrieve(&self, embed: &impl Embed, asked: Asked<'_>) -> Result<Retrieved, EmbedError> {
        let Self { knowledge, index, choosing, shots } = *self;
        let vector = embed.embed(&[asked.question.to_owned()]).await?.pop().unwrap_or_default();
        let judged = index.selector(knowledge).judged(knowledge, index, asked.question, &vector);
        let chosen = index.selector(knowledge).select(knowledge, index, asked.question, &vector, choosing);
        let similar = index.entries().cosines(&vector);
        let queries = ranked(&judged, knowledge, &similar, &chosen, shots);
        Ok(Retrieved { queries, chosen, ..Retrieved::default() })
    }
}

/// `gold`: the fewest queries that hold every wanted item, found greedily: the query with the most missing items first,
/// of equals the earliest.
#[derive(Debug, Clone, Copy)]
pub struct Gold<'a> {
    /// The history.
    pub knowledge: &'a KnowledgeBase,
}

impl Retriever for Gold<'_> {
    async fn retrieve(&self, _: &impl Embed, asked: Asked<'_>) -> Result<Retrieved, EmbedError> {
        let mut missing: Vec<&Vec<i64>> = asked.wanted.iter().collect();
        let mut chosen = Vec::new();
        while !missing.is_empty() {
            let holds = |entry: &crate::history::Entry, item: &Vec<i64>| {
                entry.source_ids.iter().any(|id| item.contains(id))
            };
            let counts = self.knowledge.entries.iter().map(|entry| {
                let held = missing.iter().filter(|item| holds(entry, item)).count();
                (held, std::cmp::Reverse(entry.id))
            });
            let Some((1.., std::cmp::Reverse(best))) = counts.max() else { break };
            let Some(entry) = self.knowledge.entries.get(best as usize) else { break };
            missing.retain(|item| !holds(entry, item));
            chosen.push((best, 1.0));
        }
        Ok(found(chosen))
    }
}

/// Which similarity of questions counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// That of the masked ones (`mqs`).
    Masked,
    /// The larger of masked and plain (`mqs-qs`).
    MaskedOrPlain,
}

/// The questions of a history, masked and embedded.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The entries with a question, in their order.
    entries: Vec<u32>,
    masked: Vectors,
    plain: Vectors,
    /// Skeletons of their SQL.
    skeletons: Vec<Vec<String>>,
}

impl Questions {
    /// Embeds every question of the history twice, masked and plain; `keep` says which entries take part.
    ///
    /// # Errors
    /// When the questions cannot be embedded.
    pub async fn new(
        embed: &impl Embed,
        knowledge: &KnowledgeBase,
        links: &Links,
        keep: impl Fn(u32) -> bool,
    ) -> Result<Self, EmbedError> {
        let asked = knowledge.entries.iter().filter(|entry| keep(entry.id));
        let asked: Vec<_> =
            asked.filter_map(|entry| Some((entry, entry.question.as_deref()?.trim()))).collect();
        let mut texts: Vec<String> = asked.iter().map(|(_, question)| links.mask(question)).collect();
        texts.extend(asked.iter().map(|(_, question)| (*question).to_owned()));
        let mut masked = embed.embed(&texts).await?;
        let plain = masked.split_off(asked.len());
        let failed = |error: super::VectorsError| EmbedError::Failed(IndexError::from(error).to_string());
        Ok(Self {
            entries: asked.iter().map(|(entry, _)| entry.id).collect(),
            masked: Vectors::from_rows(&masked).map_err(failed)?,
            plain: Vectors::from_rows(&plain).map_err(failed)?,
            skeletons: asked.iter().map(|(entry, _)| skeleton::skeleton(&entry.sql)).collect(),
        })
    }

    /// Every entry with its similarity, most similar first. The vectors are of length 1, so that this is also the order
    /// of the Euclidean distance that DAIL-SQL uses.
    async fn ranked(
        &self,
        embed: &impl Embed,
        links: &Links,
        question: &str,
        by: By,
    ) -> Result<Vec<(usize, f32)>, EmbedError> {
        let vectors = embed.embed(&[links.mask(question), question.to_owned()]).await?;
        let mut similar: BTreeMap<u32, f32> = BTreeMap::new();
        let sets = [&self.masked, &self.plain];
        let count = if by == By::Masked { 1 } else { 2 };
        for (vector, set) in vectors.iter().zip(sets).take(count) {
            for hit in set.search(vector, self.entries.len(), -1.0) {
                let best = similar.entry(hit.index).or_insert(hit.score);
                *best = best.max(hit.score);
            }
        }
        let mut ranked: Vec<(usize, f32)> =
            similar.into_iter().map(|(at, score)| (at as usize, score)).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(ranked)
    }
}

fn found(hits: impl IntoIterator<Item = (u32, f32)>) -> Retrieved {
    let hit = |(entry, score)| QueryHit { entry, score, similarity: score, items: Vec::new() };
    Retrieved { queries: hits.into_iter().map(hit).collect(), ..Retrieved::default() }
}

/// DAIL-SQL's threshold of skeleton similarity.
pub const DAIL_THRESHOLD: f32 = 0.85;

/// `mqs`, `mqs-qs`, `mqs-filter` over [`Questions`] that were filtered, and `dail`.
#[derive(Debug, Clone, Copy)]
pub struct Similar<'a> {
    /// The history's questions.
    pub questions: &'a Questions,
    /// How they are masked.
    pub links: &'a Links,
    /// Which similarity counts.
    pub by: By,
    /// `dail`: of the ranked queries, those whose skeleton is so like that of the preliminary SQL come first, the others
    /// fill what is left.
    pub skeletons: Option<f32>,
    /// Queries handed on.
    pub shots: usize,
}

impl Retriever for Similar<'_> {
    async fn retrieve(&self, embed: &impl Embed, asked: Asked<'_>) -> Result<Retrieved, EmbedError> {
        let Self { questions, links, by, skeletons, shots } = *self;
        let mut ranked = questions.ranked(embed, links, asked.question, by).await?;
        if let (Some(threshold), Some(preliminary)) = (skeletons, asked.preliminary) {
            let wanted = skeleton::skeleton(preliminary);
            // A stable sort keeps the order by similarity within both groups.
            ranked.sort_by_key(|(at, _)| {
                let own = questions.skeletons.get(*at);
                own.is_none_or(|own| skeleton::likeness(own, &wanted) < threshold)
            });
        }
        let hits = ranked.into_iter().filter_map(|(at, score)| Some((*questions.entries.get(at)?, score)));
        Ok(found(hits.take(shots)))
    }
}

#[cfg(test)]
mod tests;
