//! The retriever of BIRD-History, section 4: recall over whole queries and over components, traced back to
//! queries, merged and ranked. The paper filters and reranks with a language model; here fused scores do.
//!
//! # Fusion
//!
//! A query's score is the cosine of question and query, plus how much of the question its components
//! explain. Every word of the question that lies in a phrase is worth one; a phrase that reaches the
//! threshold on a component explains its words by `similarity x rarity`, where rarity falls from 1 for a
//! component of one query to 0 for a component of all queries; a word that the query's own question or
//! summary holds is explained by the word's rarity. The paper names the ubiquity of `LIMIT` and
//! `DISTINCT` as what inflates false positives; with rarity such components cannot carry a query alone.
//!
//! Queries are picked one after the other: a word that earlier picks explain counts only for the rest, so
//! the second query is the one that adds knowledge, not the one that says the same again.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use super::lexical::Lexical;
use super::select::Selector;
use super::vectors::{Vectors, VectorsError};
use super::words::words;
use super::{Evidence, ItemHit, Level, Phrase, QueryHit, Retrieved, Settings};
use crate::history::KnowledgeBase;
use crate::ports::{Embed, EmbedError};

/// Cosine of question and whole query below which the query says nothing about the question.
pub const RELEVANT: f32 = 0.3;
/// Distance below the threshold at which a component counts as close.
const CLOSE: f32 = 0.15;
/// Components looked at for one phrase.
const ITEMS_OF_A_PHRASE: usize = 40;
/// Rarity from which a component brings its queries; commoner ones count only for queries that come by
/// another way. In a history of 100 queries that is a component of 25, of 10,000 one of 630.
const RARE: f32 = 0.3;
/// Queries recalled by similarity, for each query handed on.
const RECALL: usize = 8;
/// Queries recalled by similarity at least.
const LEAST_RECALL: usize = 50;

/// Weights of the fusion, chosen on the 100 tasks of bird-history-mini over seven databases.
struct Weights {
    /// What explaining the whole question is worth, beside a cosine of 1.
    coverage: f32,
    /// What remains of a word's worth once an earlier pick explains it.
    repeat: f32,
    /// What a rare word of the question explains when the query holds it.
    word: f32,
}

const W: Weights = Weights { coverage: 0.8, repeat: 0.3, word: 1.0 };

/// Why an index cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IndexError {
    /// The vectors themselves.
    #[error("The vectors cannot be used: {0}. Index the history again.")]
    Vectors(#[from] VectorsError),
    /// The vectors belong to another knowledge base.
    #[error("There are {vectors} vectors for {expected} {what}. Index the history again.")]
    Count {
        /// "queries" or "components".
        what: &'static str,
        /// Vectors given.
        vectors: usize,
        /// Vectors needed.
        expected: usize,
    },
}

/// The vectors of a knowledge base.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// One vector for each of `KnowledgeBase::entries`.
    entries: Vectors,
    /// One vector for each of `KnowledgeBase::items`.
    items: Vectors,
    /// Entries that hold each item, ascending, without repetition.
    item_entries: Vec<Vec<u32>>,
    /// Words of each entry's question and summary.
    lexical: Lexical,
    /// What chooses components, made when it is first asked.
    selector: OnceLock<Selector>,
}

impl Index {
    /// Ties vectors to the knowledge base they were made from: `entries` in the order of its entries, `items`
    /// in the order of its items.
    pub fn new(knowledge: &KnowledgeBase, entries: Vectors, items: Vectors) -> Result<Self, IndexError> {
        for (what, vectors, expected) in [
            ("queries", entries.len(), knowledge.entries.len()),
            ("components", items.len(), knowledge.items.len()),
        ] {
            if vectors != expected {
                return Err(IndexError::Count { what, vectors, expected });
            }
        }
        let item_entries = knowledge.items.iter().map(|item| {
            let mut of_item: Vec<u32> = item.occurrences.iter().map(|occurrence| occurrence.entry).collect();
            of_item.sort_unstable();
            of_item.dedup();
            of_item
        });
        let item_entries = item_entries.collect();
        let texts = knowledge.entries.iter().enumerate().map(|(at, entry)| {
            let summary = knowledge.summaries.get(at).map_or("", String::as_str);
            [entry.question.as_deref().unwrap_or(""), summary]
        });
        Ok(Self { entries, items, item_entries, lexical: Lexical::new(texts), selector: OnceLock::new() })
    }

    /// What chooses components, made when it is first needed; `knowledge` is what the index was made from.
    pub fn selector(&self, knowledge: &KnowledgeBase) -> &Selector {
        self.selector.get_or_init(|| Selector::new(knowledge, self))
    }

    /// Vectors of whole queries, in the order of the entries.
    pub fn entries(&self) -> &Vectors {
        &self.entries
    }

    /// Vectors of components, in the order of the items.
    pub fn items(&self) -> &Vectors {
        &self.items
    }

    /// 1 for an item of a single query, 0 for one that every query has; logarithmic in between.
    pub fn rarity(&self, item: u32) -> f32 {
        let entries = self.entries.len().max(2) as f32;
        let holding = self.item_entries.get(item as usize).map_or(1, Vec::len).max(1) as f32;
        (entries / holding).ln() / entries.ln()
    }
}

/// Retrieves for a question whose vectors are known: `phrase_vectors` belong to `phrases` one by one. An
/// answer without queries means that nothing in the history is relevant.
pub fn retrieve(
    index: &Index,
    knowledge: &KnowledgeBase,
    question_vector: &[f32],
    phrases: Vec<Phrase>,
    phrase_vectors: &[Vec<f32>],
    settings: Settings,
) -> Retrieved {
    let by_query = settings.level != Level::Component;
    let by_component = settings.level != Level::Query;
    let (items, below_threshold) = if by_component {
        matched_items(index, knowledge, phrase_vectors, settings.threshold)
    } else {
        (Vec::new(), 0)
    };
    let explains = Explanations::new(index, &phrases, &items);

    // Recall: by similarity of whole queries, and every query of a matched component.
    let mut pool: BTreeMap<u32, f32> = BTreeMap::new();
    if by_query {
        let most = settings.max_shots.saturating_mul(RECALL).max(LEAST_RECALL);
        pool.extend(
            index.entries.search(question_vector, most, RELEVANT).iter().map(|hit| (hit.index, hit.score)),
        );
    }
    for hit in items.iter().filter(|hit| index.rarity(hit.item) >= RARE) {
        for &entry in index.item_entries.get(hit.item as usize).into_iter().flatten() {
            pool.entry(entry)
                .or_insert_with(|| index.entries.cosine(entry as usize, question_vector).unwrap_or(0.0));
        }
    }

    let candidates: Vec<Candidate> = pool
        .into_iter()
        .map(|(entry, similarity)| {
            let own = knowledge.entry_items.get(entry as usize).map_or(&[][..], Vec::as_slice);
            let gains = explains.gains(index, entry, own);
            Candidate { entry, similarity, gains, items: explains.matched(own) }
        })
        .collect();
    let queries = pick(candidates, explains.words.len(), by_query, settings.max_shots);
    Retrieved { phrases, queries, items, below_threshold, chosen: Vec::new() }
}

/// Finds the phrases of a question, embeds both and retrieves.
pub async fn retrieve_question(
    embed: &impl Embed,
    index: &Index,
    knowledge: &KnowledgeBase,
    question: &str,
    settings: Settings,
) -> Result<Retrieved, EmbedError> {
    retrieve_phrases(embed, index, knowledge, question, super::phrases::phrases(question), settings).await
}

/// Embeds a question and the phrases found in it, and retrieves.
pub(super) async fn retrieve_phrases(
    embed: &impl Embed,
    index: &Index,
    knowledge: &KnowledgeBase,
    question: &str,
    phrases: Vec<Phrase>,
    settings: Settings,
) -> Result<Retrieved, EmbedError> {
    if question.trim().is_empty() {
        return Ok(Retrieved::default());
    }
    let phrases = if settings.level == Level::Query { Vec::new() } else { phrases };
    let mut texts = vec![question.to_owned()];
    texts.extend(phrases.iter().map(|phrase| phrase.text.clone()));
    let mut vectors = embed.embed(&texts).await?;
    if vectors.len() != texts.len() {
        let (came, sent) = (vectors.len(), texts.len());
        return Err(EmbedError::Failed(format!("The encoder returned {came} vectors for {sent} texts.")));
    }
    let phrase_vectors = vectors.split_off(1);
    let question_vector = vectors.pop().unwrap_or_default();
    Ok(retrieve(index, knowledge, &question_vector, phrases, &phrase_vectors, settings))
}

/// Items that a phrase reaches, best first, and how many others came close; a hidden item is neither.
fn matched_items(
    index: &Index,
    knowledge: &KnowledgeBase,
    phrase_vectors: &[Vec<f32>],
    threshold: f32,
) -> (Vec<ItemHit>, usize) {
    let hidden = |item: u32| knowledge.items.get(item as usize).is_some_and(|item| item.edit.hidden);
    let mut evidence: BTreeMap<u32, Vec<Evidence>> = BTreeMap::new();
    let mut close: BTreeMap<u32, f32> = BTreeMap::new();
    let found = index.items.search_all(phrase_vectors, ITEMS_OF_A_PHRASE, threshold - CLOSE);
    for (phrase, hits) in found.into_iter().enumerate() {
        for hit in hits.into_iter().filter(|hit| !hidden(hit.index)) {
            if hit.score >= threshold {
                evidence.entry(hit.index).or_default().push(Evidence { phrase, similarity: hit.score });
            } else {
                close.insert(hit.index, hit.score);
            }
        }
    }
    close.retain(|item, _| !evidence.contains_key(item));
    let mut items: Vec<ItemHit> = evidence
        .into_iter()
        .map(|(item, mut evidence)| {
            evidence.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.phrase.cmp(&b.phrase)));
            let score = evidence.first().map_or(0.0, |best| best.similarity);
            ItemHit { item, score, evidence }
        })
        .collect();
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
    (items, close.len())
}

/// Which words of the question each matched item explains, and how well.
struct Explanations {
    /// Words of the question that lie in a phrase: their number in the lexicon, where it has them, with what
    /// finding them in a query explains.
    words: Vec<Option<(u32, f32)>>,
    /// For each matched item: (word, strength) pairs and its place in the list of hits.
    items: HashMap<u32, (usize, Vec<(usize, f32)>)>,
}

impl Explanations {
    fn new(index: &Index, phrases: &[Phrase], hits: &[ItemHit]) -> Self {
        // Words are identified by where they begin; phrases were cut from one question.
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut lexical = Vec::new();
        let of_phrase: Vec<Vec<usize>> = phrases
            .iter()
            .map(|phrase| {
                let known = words(&phrase.text).into_iter().map(|word| {
                    let next = numbers.len();
                    let number = *numbers.entry(phrase.start + word.start).or_insert(next);
                    if number == next {
                        let found = index.lexical.find(word.text);
                        lexical.push(found.map(|(word, rarity)| (word, rarity * W.word)));
                    }
                    number
                });
                known.collect()
            })
            .collect();
        let items = hits.iter().enumerate().map(|(place, hit)| {
            let mut best: BTreeMap<usize, f32> = BTreeMap::new();
            let rarity = index.rarity(hit.item);
            for evidence in &hit.evidence {
                for &word in of_phrase.get(evidence.phrase).into_iter().flatten() {
                    let strength = best.entry(word).or_default();
                    *strength = strength.max(evidence.similarity * rarity);
                }
            }
            (hit.item, (place, best.into_iter().collect()))
        });
        Self { items: items.collect(), words: lexical }
    }

    /// How well a query explains each word: by the best of its items, or by holding the word itself.
    fn gains(&self, index: &Index, entry: u32, items: &[u32]) -> Vec<f32> {
        let held = |word: &Option<(u32, f32)>| {
            word.filter(|&(word, _)| index.lexical.holds(entry, word)).map_or(0.0, |(_, strength)| strength)
        };
        let mut gains: Vec<f32> = self.words.iter().map(held).collect();
        for (_, pairs) in items.iter().filter_map(|item| self.items.get(item)) {
            for &(word, strength) in pairs {
                if let Some(gain) = gains.get_mut(word) {
                    *gain = gain.max(strength);
                }
            }
        }
        gains
    }

    /// Those of the items that were retrieved, best first, without repetition.
    fn matched(&self, items: &[u32]) -> Vec<u32> {
        let mut matched: Vec<(usize, u32)> =
            items.iter().filter_map(|item| self.items.get(item).map(|(place, _)| (*place, *item))).collect();
        matched.sort_unstable();
        matched.dedup();
        matched.into_iter().map(|(_, item)| item).collect()
    }
}

struct Candidate {
    entry: u32,
    similarity: f32,
    gains: Vec<f32>,
    items: Vec<u32>,
}

/// Picks at most `most` candidates, each time the one with the highest score given what is explained.
fn pick(mut candidates: Vec<Candidate>, words: usize, by_query: bool, most: usize) -> Vec<QueryHit> {
    let mut explained = vec![0.0f32; words];
    let mut picked = Vec::new();
    while picked.len() < most {
        let score = |candidate: &Candidate| {
            let (mut fresh, mut total) = (0.0, 0.0);
            for (gain, known) in candidate.gains.iter().zip(&explained) {
                fresh += (gain - known).max(0.0);
                total += gain;
            }
            let share = (fresh + W.repeat * (total - fresh)) / words.max(1) as f32;
            if by_query { candidate.similarity + W.coverage * share } else { share }
        };
        let best = candidates
            .iter()
            .enumerate()
            .map(|(place, candidate)| (score(candidate), place))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((score, place)) = best else { break };
        let candidate = candidates.remove(place);
        for (known, gain) in explained.iter_mut().zip(&candidate.gains) {
            *known = known.max(*gain);
        }
        let Candidate { entry, similarity, items, .. } = candidate;
        picked.push(QueryHit { entry, score, similarity, items });
    }
    picked
}

#[cfg(test)]
mod tests;
