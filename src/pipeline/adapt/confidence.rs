//! How likely an adapted query is right, from what can be seen of it.

use serde::{Deserialize, Serialize};

use super::form::PARTS;

/// What speaks for and against an adapted query. Counts above three say no more than three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Signs {
    /// How alike the question and the history's own are with their values set aside, 0 to 1.
    pub likeness: f32,
    /// How much of the question the history's question, summary or query words explain, 0 to 1.
    pub explained: f32,
    /// How much of the question only other questions of the history hold, 0 to 1.
    pub missing: f32,
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
    /// Cosine of the question and the historical query.
    pub similarity: f32,
    /// Things that the question names and the query does not use.
    pub unbound: u32,
    /// Literals that the history's own question names and the new one does not, and that stayed.
    pub unsupported: u32,
    /// In which parts the forms of question and query differ, and those of the history's own pair do not, or the other
    /// way round: counts, means, shares, groups, extremes, negation, order, combinations.
    pub other_form: [bool; PARTS],
    /// Words of the schema that the question has, and neither the history's own nor the query.
    pub lacking: u32,
    /// Words of the query's tables and columns that the history's own question has and the new one has not.
    pub needless: u32,
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
    /// Whether the query reads another table.
    pub moved: bool,
    /// Whether it gives a share where the question asks for none, or none where it asks for one, or something that its
    /// own name sets apart from what is asked.
    pub misfit: bool,
}

/// Numbers in [`Signs::numbers`].
pub const SIGNS: usize = 31;

/// What each number may speak: for an answer (1), against it (-1), or either.
pub const DIRECTIONS: [i8; SIGNS] = [
    1, 1, -1, 1, 0, 0, 0, 0, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0, -1, 0, 0, 0, -1,
    0,
];

impl Signs {
    /// The signs as numbers, for the logistic function below and for fitting it.
    pub fn numbers(&self) -> [f32; SIGNS] {
        let count = |count: u32| count.min(3) as f32;
        let yes = |yes: bool| f32::from(u8::from(yes));
        [
            self.likeness,
            self.explained,
            self.missing,
            self.wording,
            self.pattern,
            yes(self.questioned),
            count(self.bound),
            count(self.rebound),
            (self.likeness - 0.8).max(0.0),
            (self.wording - 0.8).max(0.0),
            self.similarity,
            count(self.unbound),
            count(self.unsupported),
            yes(self.other_form[0]),
            yes(self.other_form[1]),
            yes(self.other_form[2]),
            yes(self.other_form[3]),
            yes(self.other_form[4]),
            yes(self.other_form[5]),
            yes(self.other_form[6]),
            yes(self.other_form[7]),
            count(self.lacking),
            count(self.needless),
            yes(self.same_outputs),
            yes(self.new_outputs),
            yes(self.other_outputs),
            count(self.dropped),
            count(self.added),
            count(self.turned),
            yes(self.stuck),
            yes(self.moved),
        ]
    }

    /// What orders the candidates of one question, higher is better.
    pub fn rank(&self) -> f32 {
        let seen: f32 = self.numbers().iter().zip(RANKING).map(|(number, weight)| number * weight).sum();
        if self.misfit { seen + MISFIT } else { seen }
    }

    /// The share of answers with such signs that were right.
    pub fn confidence(&self) -> f32 {
        let odds: f32 = self.numbers().iter().zip(WEIGHTS).map(|(number, weight)| number * weight).sum();
        let odds = if self.misfit { odds + MISFIT } else { odds };
        1.0 / (1.0 + (-odds - BIAS).exp())
    }
}

// Printed by `cargo run --example fit_confidence`.
const RANKING: [f32; SIGNS] = [
    0.00, 2.39, -0.78, 0.33, -0.97, -1.26, 1.46, 0.60, 7.65, 0.25, 2.62, -0.08, -1.20, -1.47, -2.48, -0.05,
    -0.67, -0.90, -2.44, -0.33, -0.66, -1.43, -0.46, 1.08, 1.03, -0.99, -0.26, 0.51, -0.33, -3.81, 1.24,
];
const BIAS: f32 = -1.33;
const WEIGHTS: [f32; SIGNS] = [
    0.00, 2.07, -0.38, 3.20, -3.42, -0.97, 0.79, 0.26, 3.92, 1.22, 1.15, -1.35, -3.41, -0.79, -1.59, 0.00,
    -0.65, -0.81, -3.63, -0.19, -0.87, -1.24, -0.41, 0.44, 0.36, -0.16, -0.29, -0.03, -0.30, 0.00, 0.75,
];

/// What a misfit weighs, about as much as the strongest fitted sign: Spider's databases ask for no shares, so that
/// nothing can be fitted.
const MISFIT: f32 = -3.6;

/// Below this confidence an answer is only the nearest there is: fewer than one in ten of those below was right on the
/// databases of the fit.
pub const NEAR: f32 = 0.2;

/// Below this confidence an answer is more likely wrong than right, and comes with a warning.
pub const LIKELY: f32 = 0.5;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weights_speak_only_for_what_they_may() {
        for weights in [RANKING, WEIGHTS] {
            for (at, (weight, direction)) in weights.iter().zip(DIRECTIONS).enumerate() {
                assert!(direction == 0 || weight * f32::from(direction) >= 0.0, "sign {at}: {weight}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_speaks_against_an_answer_never_raises_its_confidence(
            (likeness, explained, similarity) in (0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0),
            (unbound, unsupported) in (0u32..9, 0u32..9),
            other_form in any::<[bool; PARTS]>(),
            part in 0..PARTS,
        ) {
            let signs = Signs { likeness, explained, similarity, unbound, unsupported, other_form, ..Signs::default() };
            let sure = signs.confidence();
            prop_assert!((0.0..=1.0).contains(&sure));
            let mut differs = signs;
            differs.other_form[part] = true;
            for worse in [
                Signs { likeness: likeness / 2.0, ..signs },
                Signs { similarity: similarity / 2.0, ..signs },
                Signs { unbound: unbound + 1, ..signs },
                Signs { unsupported: unsupported + 1, ..signs },
                Signs { other_outputs: true, ..signs },
                Signs { stuck: true, ..signs },
                Signs { misfit: true, ..signs },
                differs,
            ] {
                prop_assert!(worse.confidence() <= sure && worse.rank() <= signs.rank(), "{worse:?}");
            }
        }
    }
}
