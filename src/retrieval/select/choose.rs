//! From probabilities to a set of components: how many, merged where they say the same, and the queries that hold them.

use serde::{Deserialize, Serialize};

use super::Choosing;
use super::evidence::{Evidence, Row, kind_of};
use super::fit::Weights;
use crate::history::{Item, KnowledgeBase};
use crate::retrieval::QueryHit;
use crate::retrieval::history::{Index, RELEVANT};

/// Probability below which a component is never chosen.
const LEAST: f32 = 0.03;
/// Probability that the best component must reach where no query of the history is similar.
const SURE: f32 = 0.3;
/// Cosine of two descriptions from which components of the same columns say the same.
const ALIKE: f32 = 0.93;
/// Log-odds from which evidence is worth naming.
const TELLING: f32 = 0.15;
/// What each component that is not needed costs a query, in probability.
const COST: f32 = 0.2;
/// What the similarity of a query counts beside the components it holds.
const SIMILAR: f32 = 0.5;

/// A component that a question needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// Index into `KnowledgeBase::items`.
    pub item: u32,
    /// How likely it is needed, by the history's own questions.
    pub probability: f32,
    /// What spoke for it, strongest first.
    pub reasons: Vec<Reason>,
    /// Components that say nearly the same and were left out for it.
    pub alike: Vec<u32>,
}

/// One kind of evidence for a component.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Which.
    pub evidence: Evidence,
    /// Log-odds it adds, against an average component of an average question.
    pub weight: f32,
}

/// What speaks for a component, from its scaled row.
pub(super) fn reasons(weights: &Weights, row: &Row) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for (feature, (weight, value)) in weights.iter().zip(row).enumerate() {
        let evidence = kind_of(feature);
        match reasons.iter_mut().find(|reason| reason.evidence == evidence) {
            Some(reason) => reason.weight += weight * value,
            None => reasons.push(Reason { evidence, weight: weight * value }),
        }
    }
    reasons.retain(|reason| reason.weight >= TELLING);
    reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.evidence.cmp(&b.evidence)));
    reasons
}

/// The set whose expected F-measure is the largest, from components by falling probability.
pub(super) fn choose(
    judged: Vec<Chosen>,
    knowledge: &KnowledgeBase,
    index: &Index,
    choosing: Choosing,
) -> Vec<Chosen> {
    let merged = if choosing.merge { merge(judged, knowledge, index) } else { judged };
    let expected: f32 = merged.iter().map(|chosen| chosen.probability).sum();
    let recall = choosing.lean * choosing.lean;
    let (mut sum, mut best, mut count) = (0.0, 0.0, 0);
    for (chosen, number) in merged.iter().zip(1usize..) {
        if chosen.probability < LEAST {
            break;
        }
        sum += chosen.probability;
        let measure = sum / (number as f32 + recall * expected);
        if measure > best {
            (best, count) = (measure, number);
        }
    }
    let mut chosen = merged;
    chosen.truncate(count);
    chosen
}

/// Keeps the likeliest of components of one type that read the same columns and are described alike.
fn merge(judged: Vec<Chosen>, knowledge: &KnowledgeBase, index: &Index) -> Vec<Chosen> {
    let item = |id: u32| knowledge.items.get(id as usize);
    let same = |a: &Item, b: &Item| a.kind == b.kind && a.columns == b.columns && a.tables == b.tables;
    let mut kept: Vec<(Chosen, Option<Vec<f32>>)> = Vec::new();
    for next in judged.into_iter().filter(|chosen| chosen.probability >= LEAST) {
        let twin = kept.iter().position(|(earlier, vector)| {
            let (Some(a), Some(b), Some(vector)) = (item(earlier.item), item(next.item), vector) else {
                return false;
            };
            same(a, b) && index.items().cosine(next.item as usize, vector).is_some_and(|like| like >= ALIKE)
        });
        match twin.and_then(|at| kept.get_mut(at)) {
            Some((earlier, _)) => earlier.alike.push(next.item),
            None => {
                let vector = index.items().row(next.item as usize);
                kept.push((next, vector));
            }
        }
    }
    kept.into_iter().map(|(chosen, _)| chosen).collect()
}

/// Whether anything is relevant: a query is similar, or the question names a likely component. What is only common is
/// likely for every question.
pub(super) fn relevant(judged: &[Chosen], most_similar: f32) -> bool {
    let named =
        |reason: &Reason| matches!(reason.evidence, Evidence::Names | Evidence::Values | Evidence::Words);
    most_similar >= RELEVANT
        || judged.first().is_some_and(|best| best.probability >= SURE && best.reasons.iter().any(named))
}

/// At most `most` queries, each time the one that adds most of what is needed: the probabilities of the components that
/// no earlier one holds, less a cost for each of them, and its own similarity.
pub fn ranked(
    judged: &[Chosen],
    knowledge: &KnowledgeBase,
    similarities: &[f32],
    chosen: &[Chosen],
    most: usize,
) -> Vec<QueryHit> {
    let mut worth = vec![0.0f32; knowledge.items.len()];
    for one in judged {
        if let Some(slot) = worth.get_mut(one.item as usize) {
            *slot = one.probability - COST;
        }
    }
    let held: Vec<u32> = chosen.iter().map(|one| one.item).collect();
    let mut open: Vec<u32> = (0..knowledge.entries.len() as u32)
        .filter(|entry| {
            let own = knowledge.entry_items.get(*entry as usize);
            own.is_some_and(|own| own.iter().any(|item| held.contains(item)))
        })
        .collect();
    let mut hits = Vec::new();
    while hits.len() < most {
        let score = |entry: u32| {
            let mut own = knowledge.entry_items.get(entry as usize).cloned().unwrap_or_default();
            own.sort_unstable();
            own.dedup();
            let gain: f32 = own.iter().filter_map(|item| worth.get(*item as usize)).sum();
            gain + SIMILAR * similarities.get(entry as usize).copied().unwrap_or(0.0)
        };
        let best = open.iter().map(|entry| (score(*entry), *entry));
        let Some((score, entry)) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))) else { break };
        open.retain(|other| *other != entry);
        let own = knowledge.entry_items.get(entry as usize).map_or(&[][..], Vec::as_slice);
        let items = held.iter().copied().filter(|item| own.contains(item)).collect();
        for item in own {
            if let Some(slot) = worth.get_mut(*item as usize) {
                *slot = 0.0;
            }
        }
        let similarity = similarities.get(entry as usize).copied().unwrap_or(0.0);
        hits.push(QueryHit { entry, score, similarity, items });
    }
    hits
}
