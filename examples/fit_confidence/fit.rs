//! The two fits: weights that put a right candidate before the wrong ones, and the confidence of the one put first.

/// Steps of an ascent.
const STEPS: u32 = 600;
/// Pull of every scaled weight towards nothing.
const RIDGE: f64 = 1.0;

/// A candidate that ran and found rows.
pub struct Seen {
    pub signs: Vec<f64>,
    pub right: bool,
}

/// One question of a database with what it was offered.
pub struct Offered {
    pub database: usize,
    /// What the history holds of its query: 0 for nothing, else one of the ways of asking again.
    pub kind: usize,
    pub seen: Vec<Seen>,
}

/// What is fitted.
pub struct Fit {
    /// Orders candidates.
    pub ranking: Vec<f64>,
    /// Weights of the log odds of being right.
    pub weights: Vec<f64>,
    /// Their constant.
    pub bias: f64,
}

impl Fit {
    /// The candidate put first.
    pub fn first<'o>(&self, offered: &'o Offered) -> Option<&'o Seen> {
        offered
            .seen
            .iter()
            .rev()
            .max_by(|a, b| dot(&a.signs, &self.ranking).total_cmp(&dot(&b.signs, &self.ranking)))
    }

    /// The share of such candidates that is right.
    pub fn confidence(&self, seen: &Seen) -> f64 {
        sigmoid(dot(&seen.signs, &self.weights) + self.bias)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sigmoid(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// How much each question weighs: half of all weight lies on those whose query is new, the rest in equal parts on the
/// other kinds.
pub fn shares(questions: &[&Offered]) -> Vec<f64> {
    let kinds = questions.iter().map(|question| question.kind).max().unwrap_or(0);
    let count = |kind: usize| questions.iter().filter(|question| question.kind == kind).count() as f64;
    let counts: Vec<f64> = (0..=kinds).map(count).collect();
    let part = |kind: usize| if kind == 0 { 0.5 } else { 0.5 / kinds as f64 };
    questions.iter().map(|q| part(q.kind) * questions.len() as f64 / counts[q.kind]).collect()
}

/// One standard deviation of every sign.
fn scale(signs: &[&Vec<f64>]) -> Vec<f64> {
    let count = signs.len() as f64;
    let of = |k: usize| {
        let mean = signs.iter().map(|signs| signs[k]).sum::<f64>() / count;
        (signs.iter().map(|signs| (signs[k] - mean).powi(2)).sum::<f64>() / count).sqrt() + 1e-6
    };
    (0..signs[0].len()).map(of).collect()
}

/// Climbs by Adam's steps, ever shorter; a weight whose sign may only speak `for` (1) or against (-1) stays on its side.
fn climb(directions: &[i8], mut gradient: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let size = directions.len();
    let (mut weights, mut mean, mut square) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    for step in 0..STEPS {
        let slope = gradient(&weights);
        let rate = 0.05 * (1.0 - f64::from(step) / f64::from(STEPS));
        let grown = |decay: f64| 1.0 - decay.powi(step as i32 + 1);
        for k in 0..size {
            mean[k] = 0.9 * mean[k] + 0.1 * slope[k];
            square[k] = 0.99 * square[k] + 0.01 * slope[k] * slope[k];
            weights[k] += rate * (mean[k] / grown(0.9)) / ((square[k] / grown(0.99)).sqrt() + 1e-9);
            weights[k] = match directions[k] {
                1 => weights[k].max(0.0),
                -1 => weights[k].min(0.0),
                _ => weights[k],
            };
        }
    }
    weights
}

/// The scaled signs of a candidate, and whether it is right.
type Scaled = (Vec<f64>, bool);

/// Weights under which the right candidates of a question are likely among all of it: a conditional logit.
fn ranking(questions: &[&Offered], directions: &[i8]) -> Vec<f64> {
    let all: Vec<&Vec<f64>> = questions.iter().flat_map(|q| &q.seen).map(|seen| &seen.signs).collect();
    let scale = scale(&all);
    let told: Vec<(Vec<Scaled>, f64)> = questions
        .iter()
        .zip(shares(questions))
        .filter(|(question, _)| question.seen.iter().any(|seen| seen.right))
        .map(|(question, share)| {
            let scaled = |seen: &Seen| {
                (seen.signs.iter().zip(&scale).map(|(sign, scale)| sign / scale).collect(), seen.right)
            };
            (question.seen.iter().map(scaled).collect(), share)
        })
        .collect();
    let weights = climb(directions, |weights| {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        for (seen, share) in &told {
            let odds: Vec<f64> = seen.iter().map(|(signs, _)| dot(signs, weights).exp()).collect();
            let sum: f64 = odds.iter().sum();
            let right: f64 = seen.iter().zip(&odds).filter(|((_, right), _)| *right).map(|(_, o)| o).sum();
            for ((signs, is_right), odds) in seen.iter().zip(&odds) {
                let pull = share * (if *is_right { odds / right } else { 0.0 } - odds / sum);
                for (slope, sign) in slope.iter_mut().zip(signs) {
                    *slope += pull * sign;
                }
            }
        }
        slope
    });
    weights.iter().zip(&scale).map(|(weight, scale)| weight / scale).collect()
}

/// Fits on `training`: first the order, then a logistic function of the signs of those that it puts first.
pub fn fit(training: &[&Offered], directions: &[i8]) -> Fit {
    let ranking = ranking(training, directions);
    let mut fit = Fit { ranking, weights: Vec::new(), bias: 0.0 };
    let firsts: Vec<(&Seen, f64)> = training
        .iter()
        .zip(shares(training))
        .filter_map(|(question, share)| Some((fit.first(question)?, share)))
        .collect();
    let scale = scale(&firsts.iter().map(|(seen, _)| &seen.signs).collect::<Vec<_>>());
    let scaled: Vec<(Vec<f64>, bool, f64)> = firsts
        .iter()
        .map(|(seen, share)| {
            let signs = seen.signs.iter().zip(&scale).map(|(sign, scale)| sign / scale);
            (signs.chain([1.0]).collect(), seen.right, *share)
        })
        .collect();
    let with_bias: Vec<i8> = directions.iter().copied().chain([0]).collect();
    let weights = climb(&with_bias, |weights| {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        for (signs, right, share) in &scaled {
            let off = share * (f64::from(u8::from(*right)) - sigmoid(dot(signs, weights)));
            for (slope, sign) in slope.iter_mut().zip(signs) {
                *slope += off * sign;
            }
        }
        slope
    });
    fit.weights = weights.iter().zip(&scale).map(|(weight, scale)| weight / scale).collect();
    fit.bias = weights.last().copied().unwrap_or(0.0);
    fit
}
