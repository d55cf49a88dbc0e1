//! Weights learned from the history itself: each query is left out in turn, and what it holds that others hold too is
//! what its question wanted. Questions of two queries are asked as well, because new questions often need pieces of
//! several.

use super::evidence::{Asked, Row, evidence, rest};
use super::facts::Facts;
use super::fit::{Scale, Weights, fit, log_odds};
use crate::history::KnowledgeBase;
use crate::retrieval::history::Index;

/// Questions asked of the history at most; half of them are of two queries.
const QUESTIONS: usize = 120;
/// Components of one question that are learned from, best first by the weights before; the wanted ones always are.
const COMPONENTS: usize = 80;
/// Queries with questions below which a history teaches nothing that is sure.
const FEWEST: usize = 8;
/// How strongly weights stay where they were; 1 would be one observation of each.
const PULL: f64 = 100.0;
/// The partner of a query is among so many most similar ones.
const NEIGHBOURS: usize = 20;

/// What a question of the history wanted.
pub(super) struct Lesson {
    /// Evidence of each component, not scaled.
    pub rows: Vec<Row>,
    /// Whether it was wanted.
    pub wanted: Vec<bool>,
}

/// Questions of the history, each asked without its own queries; at most `most` of one query and as many of two.
pub(super) fn lessons<'a>(
    facts: &'a Facts,
    knowledge: &'a KnowledgeBase,
    index: &'a Index,
    most: usize,
) -> impl Iterator<Item = Lesson> + 'a {
    let asked: Vec<u32> =
        knowledge.entries.iter().filter(|e| e.question.is_some()).map(|entry| entry.id).collect();
    let taken = asked.len().min(most);
    let chosen: Vec<u32> =
        (0..taken).filter_map(|i| asked.get(i * asked.len() / taken.max(1)).copied()).collect();
    let pairs = chosen.clone().into_iter().map(move |entry| (entry, partner(index, entry, &asked)));
    let single = chosen.into_iter().map(|entry| vec![entry]);
    let double = pairs.filter_map(|(entry, other)| Some(vec![entry, other?]));
    single.chain(double).filter_map(move |held| lesson(facts, knowledge, index, &held))
}

/// Another query that a question might be about together with this one: one of the most similar, which one is decided
/// by the number of the query.
fn partner(index: &Index, entry: u32, asked: &[u32]) -> Option<u32> {
    let vector = index.entries().row(entry as usize)?;
    let near = index.entries().search(&vector, NEIGHBOURS + 1, -1.0);
    let others: Vec<u32> =
        near.iter().map(|hit| hit.index).filter(|other| *other != entry && asked.contains(other)).collect();
    let place = (entry as usize).wrapping_mul(7) % others.len().max(1);
    others.get(place).copied()
}

fn lesson(facts: &Facts, knowledge: &KnowledgeBase, index: &Index, held: &[u32]) -> Option<Lesson> {
    let mut vector: Vec<f32> = Vec::new();
    let mut text = String::new();
    for &entry in held {
        let own = index.entries().row(entry as usize)?;
        vector.resize(own.len(), 0.0);
        vector.iter_mut().zip(&own).for_each(|(sum, value)| *sum += value);
        text.push_str(knowledge.entries.get(entry as usize)?.question.as_deref()?);
        text.push(' ');
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
    vector.iter_mut().for_each(|value| *value /= length);
    let entries = index.entries().cosines(&vector);
    let items = index.items().cosines(&vector);
    let rest = rest(index.entries(), &vector, &entries, held);
    let asked = Asked { text: &text, entries: &entries, items: &items, rest: &rest, held };
    let (found, rows) = evidence(facts, asked);
    let of = |entry: &u32| facts.entry_items.get(*entry as usize).map_or(&[][..], Vec::as_slice);
    let wanted: Vec<bool> =
        found.iter().map(|item| held.iter().any(|entry| of(entry).binary_search(item).is_ok())).collect();
    wanted.contains(&true).then_some(Lesson { rows, wanted })
}

/// Weights for this history, starting from `before`.
pub(super) fn learn(
    facts: &Facts,
    knowledge: &KnowledgeBase,
    index: &Index,
    scale: &Scale,
    before: &Weights,
) -> Weights {
    if knowledge.entries.iter().filter(|entry| entry.question.is_some()).count() < FEWEST {
        return *before;
    }
    let (mut rows, mut wanted) = (Vec::new(), Vec::new());
    for lesson in lessons(facts, knowledge, index, QUESTIONS / 2) {
        let mut scaled: Vec<(Row, bool, f32)> = lesson
            .rows
            .iter()
            .zip(&lesson.wanted)
            .map(|(row, wanted)| {
                let row = scale.apply(row);
                let odds = log_odds(before, &row);
                (row, *wanted, odds)
            })
            .collect();
        scaled.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
        for (row, own, _) in scaled.into_iter().take(COMPONENTS) {
            rows.push(row);
            wanted.push(own);
        }
    }
    fit(&rows, &wanted, before, PULL)
}
