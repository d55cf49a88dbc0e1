//! The parameters of the search, named as in the paper.

use serde::{Deserialize, Serialize};

/// Which form of equation (3) leads the selection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Uct {
    /// Q + w · √(ln N(parent) / N), as in the released code. The default: it is UCT as Kocsis and Szepesvári (2006) prove
    /// it, and what the published figures were made with.
    #[default]
    Released,
    /// Q + w · √(ln N(parent)) / N, as printed. It explores less: the bonus falls with N and not with its root.
    Printed,
}

/// Points that are taken from the score of a whole query after it was run. Beyond the paper, which never runs one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guidance {
    /// Where the database refuses it or does not finish it.
    pub failed: f64,
    /// Where it gives no row, or nothing but NULL.
    pub empty: f64,
}

impl Default for Guidance {
    /// A query that fails is worth nothing, one without rows half of β.
    fn default() -> Self {
        Self { failed: 100.0, empty: 50.0 }
    }
}

/// What a search may use; None is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Requests to the model.
    pub requests: Option<u32>,
    /// Tokens of prompts, counted whole each time.
    pub prompt_tokens: Option<u64>,
    /// Tokens that the model wrote.
    pub answer_tokens: Option<u64>,
}

/// The parameters of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// β of equation (2): the full score.
    pub beta: f64,
    /// α of equation (2): how much a natural logarithm of a probability counts.
    pub alpha: f64,
    /// δ of equation (6): the part of a step's own score; the rest is the whole query's.
    pub delta: f64,
    /// w of equation (3): how much is explored.
    pub w: f64,
    /// The form of equation (3).
    pub uct: Uct,
    /// B of equation (4): continuations of a state.
    pub beams: u32,
    /// d of equation (5): those that are kept.
    pub d: u32,
    /// L: steps of a trajectory at most.
    pub depth_limit: u32,
    /// Trajectories that are tried.
    pub iterations: u32,
    /// Temperature of the samples; the first continuation of a state is the most probable one.
    pub temperature: f32,
    /// Where the seeds of the samples begin.
    pub seed: u64,
    /// Whether queries and prefixes are tried on the database, beyond the paper.
    pub guidance: Option<Guidance>,
    /// Whether finished queries vote by their rows, beyond the paper. Otherwise the best reward wins.
    pub vote: bool,
    /// What the search may use.
    pub budget: Budget,
}

impl Default for Parameters {
    /// β and δ are the paper's; w, B, d, L, the iterations and the temperature are those of the released code, and α is 1
    /// there. (Its own δ is 0.4.)
    fn default() -> Self {
        Self {
            beta: 100.0,
            alpha: 1.0,
            delta: 0.5,
            w: 100.0,
            uct: Uct::default(),
            beams: 3,
            d: 3,
            depth_limit: 20,
            iterations: 8,
            temperature: 0.9,
            seed: 0,
            guidance: None,
            vote: false,
            budget: Budget::default(),
        }
    }
}

impl Parameters {
    /// Whether finished queries are to be run while the search goes on.
    pub(super) fn runs_queries(&self) -> bool {
        self.guidance.is_some() || self.vote
    }
}
