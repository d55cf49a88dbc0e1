//! How likely an adapted query is right, from what can be seen of it.

use serde::{Deserialize, Serialize};

/// What speaks for and against an adapted query. Counts above three say no more than three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Signs {
    /// How alike the question and the history's own are with their values set aside, 0 to 1.
    pub likeness: f32,
    /// How much of the question the history's question, summary or query words explain, 0 to 1.
    pub explained: f32,
    /// How much of the question only other questions of the history hold, 0 to 1.
    pub missing: f32,
    /// How much of the question the history's own holds, 0 to 1.
    pub covered: f32,
    /// How much of the history's own question the question holds, 0 to 1.
    pub asked: f32,
    /// How many words of the two questions are the same in the same order, 0 to 1.
    pub wording: f32,
    /// The same with the words of the schema set aside.
    pub pattern: f32,
    /// Whether the history has a question for the query; else the question is compared with its summary.
    pub questioned: bool,
    /// Values, numbers and dates that the question names and the query uses.
    pub bound: u32,
    /// Literals that took another value.
    pub rebound: u32,
    /// Whether another historical query becomes the same.
    pub agreed: bool,
    /// By how much the likeness exceeds that of every candidate that is another query, -1 to 1.
    pub lead: f32,
    /// Cosine of the question and the historical query.
    pub similarity: f32,
    /// Things that the question names and the query does not use.
    pub unbound: u32,
    /// Literals that the history's own question names and the new one does not, and that stayed.
    pub unsupported: u32,
    /// Whether the query gives a count where rows are asked for, and the like.
    pub other_shape: bool,
    /// In how many parts the forms of question and query differ: groups, extremes, negation, order.
    pub other_form: u32,
    /// Whether both questions name what their queries give, and it is the same.
    pub same_outputs: bool,
    /// Whether the output was changed to what the question names.
    pub new_outputs: bool,
    /// Whether the question names another output, which the query could not be given.
    pub other_outputs: bool,
    /// Conditions that were dropped.
    pub dropped: u32,
    /// Conditions that were added.
    pub added: u32,
    /// Orders and comparisons that were turned round.
    pub turned: u32,
    /// Whether the question asks for the other end of a scale and nothing could be turned.
    pub stuck: bool,
}

/// Numbers in [`Signs::numbers`].
pub const SIGNS: usize = 27;

impl Signs {
    /// The signs as numbers, for the logistic function below and for fitting it.
    pub fn numbers(&self) -> [f32; SIGNS] {
        let count = |count: u32| count.min(3) as f32;
        let yes = |yes: bool| f32::from(u8::from(yes));
        [
            self.likeness,
            self.explained,
            self.missing,
            self.covered,
            self.asked,
            self.wording,
            self.pattern,
            yes(self.questioned),
            count(self.bound),
            count(self.rebound),
            yes(self.agreed),
            self.lead,
            (self.likeness - 0.8).max(0.0),
            (self.wording - 0.8).max(0.0),
            yes(self.unbound + self.unsupported == 0),
            self.similarity,
            count(self.unbound),
            count(self.unsupported),
            yes(self.other_shape),
            count(self.other_form),
            yes(self.same_outputs),
            yes(self.new_outputs),
            yes(self.other_outputs),
            count(self.dropped),
            count(self.added),
            count(self.turned),
            yes(self.stuck),
        ]
    }

    /// What orders candidates, higher is better: the logarithm of the odds that the query is right.
    pub fn log_odds(&self) -> f32 {
        self.numbers().iter().zip(WEIGHTS).map(|(number, weight)| number * weight).sum::<f32>() + BIAS
    }

    /// The share of answers with such signs that were right.
    pub fn confidence(&self) -> f32 {
        1.0 / (1.0 + (-self.log_odds()).exp())
    }
}

// Printed by `cargo run --example fit_confidence`.
const BIAS: f32 = -7.69;
const WEIGHTS: [f32; SIGNS] =
    [3.52, 1.67, 0.0,0.0,0.0,0.0,0.0, 0.0,0.0,0.0,0.0,0.0, 0.0,0.0,0.0,  3.09, -0.51, -0.07, -0.51, -0.21, 0.88, 1.58, -3.13, 0.31, 0.41, 0.83, -2.27];

/// Below this confidence, where nineteen of twenty answers are wrong, an answer is only the nearest there is.
pub const NEAR: f32 = 0.05;

/// Below this confidence, where four of five answers are wrong, an answer comes with a warning.
pub const LIKELY: f32 = 0.2;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_speaks_against_an_answer_never_raises_its_confidence(
            (likeness, explained, similarity) in (0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0),
            (unbound, unsupported, other_form) in (0u32..9, 0u32..9, 0u32..4),
            other_shape in any::<bool>(),
        ) {
            let signs = Signs { likeness, explained, similarity, unbound, unsupported, other_form, other_shape, ..Signs::default() };
            let sure = signs.confidence();
            prop_assert!((0.0..=1.0).contains(&sure));
            for worse in [
                Signs { likeness: likeness / 2.0, ..signs },
                Signs { similarity: similarity / 2.0, ..signs },
                Signs { unbound: unbound + 1, ..signs },
                Signs { unsupported: unsupported + 1, ..signs },
                Signs { other_form: other_form + 1, ..signs },
                Signs { other_shape: true, ..signs },
                Signs { other_outputs: true, ..signs },
                Signs { stuck: true, ..signs },
            ] {
                prop_assert!(worse.confidence() <= sure, "{worse:?}");
            }
        }
    }
}
