//! The second stage of retrieval, without a model: which components of the history a question needs.
//!
//! BIRD-History (section 5) names why whole retrieved queries are imprecise: generic pieces bring their queries,
//! near-identical pieces are all kept, and what occurs together is ignored. Here every component is judged by itself:
//!
//! ```text
//! history ─▶ facts ─┐                             ┌─▶ choose ─▶ components with reasons
//! question ─▶ cues ─┴▶ evidence ─▶ log-odds of ───┤
//!          weights (other histories) ─────────────┘
//! ```
//!
//! The weights of the evidence are fitted on histories of other databases ([`Prior`]), and can be moved by what a
//! history's own questions show ([`Selector::with_prior`]).

mod choose;
mod cues;
mod evidence;
mod facts;
mod fit;
mod learn;
#[rustfmt::skip]
mod prior;

pub use choose::{Chosen, Reason, ranked};
pub use evidence::Evidence;
pub use fitting::Prior;

use evidence::{Asked, evidence, rest};
use facts::Facts;
use fit::{Scale, Weights, log_odds, probability};

use super::history::Index;
use crate::history::KnowledgeBase;

/// How much is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choosing {
    /// How many times as much recall counts as precision; the number of components follows from the question.
    pub lean: f32,
    /// Whether components that say nearly the same are merged.
    pub merge: bool,
}

impl Default for Choosing {
    fn default() -> Self {
        Self { lean: 1.0, merge: true }
    }
}

/// What chooses components of one history.
#[derive(Debug, Clone)]
pub struct Selector {
    facts: Facts,
    scale: Scale,
    weights: Weights,
}

impl Selector {
    /// With the prior alone: learning from the history itself did not find more on new tasks (bird-history-mini).
    pub fn new(knowledge: &KnowledgeBase, index: &Index) -> Self {
        Self::with_prior(knowledge, index, &Prior::shipped(), false)
    }

    /// With another prior, and with `own` moved by what the history's own questions show; a history without questions, or
    /// with few, keeps the prior.
    pub fn with_prior(knowledge: &KnowledgeBase, index: &Index, prior: &Prior, own: bool) -> Self {
        let facts = Facts::new(knowledge);
        let (scale, before) = (prior.scale, prior.weights);
        let weights = if own { learn::learn(&facts, knowledge, index, &scale, &before) } else { before };
        Self { facts, scale, weights }
    }

    /// How likely each component is needed, with what speaks for it; best first, without hidden ones.
    pub fn judged(
        &self,
        knowledge: &KnowledgeBase,
        index: &Index,
        question: &str,
        question_vector: &[f32],
    ) -> Vec<Chosen> {
        let entries = index.entries().cosines(question_vector);
        let items = index.items().cosines(question_vector);
        let rest = rest(index.entries(), question_vector, &entries, &[]);
        let asked = Asked { text: question, entries: &entries, items: &items, rest: &rest, held: &[] };
        let (found, rows) = evidence(&self.facts, asked);
        let hidden = |item: u32| knowledge.items.get(item as usize).is_none_or(|item| item.edit.hidden);
        let mut judged: Vec<Chosen> = found
            .into_iter()
            .zip(&rows)
            .filter(|(item, _)| !hidden(*item))
            .map(|(item, row)| {
                let row = self.scale.apply(row);
                let probability = probability(log_odds(&self.weights, &row));
                Chosen { item, probability, reasons: choose::reasons(&self.weights, &row), alike: Vec::new() }
            })
            .collect();
        judged.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.item.cmp(&b.item)));
        judged
    }

    /// The components that a question needs, best first; none where nothing in the history is relevant.
    pub fn select(
        &self,
        knowledge: &KnowledgeBase,
        index: &Index,
        question: &str,
        question_vector: &[f32],
        choosing: Choosing,
    ) -> Vec<Chosen> {
        let judged = self.judged(knowledge, index, question, question_vector);
        let nearest = index.entries().search(question_vector, 1, -1.0).first().map_or(-1.0, |hit| hit.score);
        if !choose::relevant(&judged, nearest) {
            return Vec::new();
        }
        choose::choose(judged, knowledge, index, choosing)
    }
}

mod fitting {
    //! Making the prior: weights from the histories of many databases.

    use super::evidence::{Row, kind_of};
    use super::facts::Facts;
    use super::fit::{Scale, Weights, fit};
    use super::{Evidence, Index, KnowledgeBase, learn, prior};

    /// Weights before a history is seen, with what they are scaled by.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Prior {
        pub(super) scale: Scale,
        pub(super) weights: Weights,
    }

    impl Prior {
        /// The one that comes with this crate.
        pub fn shipped() -> Self {
            Self { scale: Scale { mean: prior::MEAN, spread: prior::SPREAD }, weights: prior::WEIGHTS }
        }

        /// Fits one on whole histories, without the kinds of evidence in `without`; `most` questions of each history.
        pub fn fit<'k>(
            histories: impl Iterator<Item = (&'k KnowledgeBase, &'k Index)>,
            without: &[Evidence],
            most: usize,
        ) -> Self {
            let (mut rows, mut wanted): (Vec<Row>, Vec<bool>) = (Vec::new(), Vec::new());
            for (knowledge, index) in histories {
                let facts = Facts::new(knowledge);
                for lesson in learn::lessons(&facts, knowledge, index, most) {
                    rows.extend(lesson.rows);
                    wanted.extend(lesson.wanted);
                }
            }
            let mut scale = Scale::of(&rows);
            // A number without spread says nothing, and neither does one that is switched off.
            for (feature, spread) in scale.spread.iter_mut().enumerate() {
                if *spread < 2e-3 || without.contains(&kind_of(feature)) {
                    *spread = f32::MAX;
                }
            }
            rows.iter_mut().for_each(|row| *row = scale.apply(row));
            let weights = fit(&rows, &wanted, &[0.0; super::evidence::WIDTH + 1], 3.0);
            Self { scale, weights }
        }

        /// The constants of `prior.rs`, as Rust.
        pub fn to_rust(&self) -> String {
            let list = |name: &str, doc: &str, kind: &str, numbers: &[f32]| {
                let mut text = format!("/// {doc}\npub(super) const {name}: {kind} = [\n");
                for line in numbers.chunks(10) {
                    let line: Vec<String> = line.iter().map(|n| format!("{n:?}")).collect();
                    text.push_str(&format!("    {},\n", line.join(", ")));
                }
                text + "];\n"
            };
            let short = |numbers: &[f32]| -> Vec<f32> {
                numbers.iter().map(|n| format!("{n:.3e}").parse().unwrap_or(*n)).collect()
            };
            [
                list(
                    "WEIGHTS",
                    "Weights of the scaled evidence, and the intercept.",
                    "Weights",
                    &short(&self.weights),
                ),
                list("MEAN", "Mean of each number of evidence.", "Row", &short(&self.scale.mean)),
                list("SPREAD", "Standard deviation of each.", "Row", &short(&self.scale.spread)),
            ]
            .join("\n")
        }
    }
}

#[cfg(test)]
mod tests;
