//! `r-ves`: a reward for a right query that is fast.

use super::bird;
use super::rule::{Case, Judged, Limit, Outcome, Rule};

/// How often mini_dev's script times both queries.
pub const REPEATS: usize = 100;

pub(super) struct RVes {
    pub repeats: usize,
}

impl Rule for RVes {
    fn limit(&self) -> Limit {
        Limit::Each
    }

    fn missing(&self) -> Option<Outcome> {
        Some(bird::blank())
    }

    fn repeats(&self) -> usize {
        self.repeats
    }

    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        bird::Ex.compare(case, gold, predicted)
    }

    fn weigh(&self, judged: Judged, ratios: &[f64]) -> Judged {
        match reward(ratios) {
            Some((speed, reward)) => Judged {
                score: reward.sqrt(),
                speed: Some(speed),
                why: format!("Same set of rows; gold takes {speed:.2} times as long."),
                ..judged
            },
            None => Judged {
                score: 0.0,
                why: "Same set of rows, but no ratio of times is left to average, which r-ves scores with 0."
                    .into(),
                ..judged
            },
        }
    }
}

/// The average ratio without outliers, and its reward; None where none is left.
///
/// A ratio stays where it lies strictly within three standard deviations of the mean. Equal ratios deviate by nothing,
/// so none stays, and the source's division by zero scores the task with 0.
pub fn reward(ratios: &[f64]) -> Option<(f64, f64)> {
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let deviation = (ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / count).sqrt();
    let kept: Vec<f64> = ratios
        .iter()
        .copied()
        .filter(|ratio| *ratio < mean + 3.0 * deviation && *ratio > mean - 3.0 * deviation)
        .collect();
    if kept.is_empty() {
        return None;
    }
    let ratio = kept.iter().sum::<f64>() / kept.len() as f64;
    let reward = match ratio {
        0.0 => 0.0,
        ratio if ratio >= 2.0 => 1.25,
        ratio if ratio >= 1.0 => 1.0,
        ratio if ratio >= 0.5 => 0.75,
        ratio if ratio >= 0.25 => 0.5,
        _ => 0.25,
    };
    Some((ratio, reward))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_step_at_2_1_a_half_and_a_quarter() {
        // Two ratios around the mean deviate by 0.01 each, so both stay and their mean is the ratio.
        let of = |ratio: f64| reward(&[ratio - 0.01, ratio + 0.01]).unwrap().1;
        assert_eq!([of(3.0), of(2.02), of(1.98)], [1.25, 1.25, 1.0]);
        assert_eq!([of(1.02), of(0.98), of(0.52), of(0.48)], [1.0, 0.75, 0.75, 0.5]);
        assert_eq!([of(0.27), of(0.23), of(0.02)], [0.5, 0.25, 0.25]);
        // The steps themselves belong to the higher reward: the means are exactly 2 and 1.
        assert_eq!(reward(&[1.5, 2.5]), Some((2.0, 1.25)));
        assert_eq!(reward(&[0.5, 1.5]), Some((1.0, 1.0)));
    }

    #[test]
    fn outliers_beyond_three_deviations_are_dropped() {
        // 19 ratios of 1 or 1.1 and one of 100: mean 6, deviation 21.6, so 100 > 6 + 64.7 goes; the rest average 1.05.
        let mut ratios: Vec<f64> = (0..19).map(|i| if i % 2 == 0 { 1.0 } else { 1.1 }).collect();
        ratios.push(100.0);
        let (ratio, reward) = reward(&ratios).unwrap();
        assert!((ratio - 19.9 / 19.0).abs() < 1e-12 && reward == 1.0, "{ratio}");
        // With 7 others it stays: of 8 values none lies further than the root of 7 deviations from the mean.
        ratios.drain(..12);
        assert!(super::reward(&ratios).unwrap().0 > 10.0);
    }

    #[test]
    fn equal_ratios_leave_none_as_in_the_source() {
        // np.std is 0 and x < mean + 0 is false, so the list is empty and len() divides by zero.
        assert_eq!(reward(&[2.0; 5]), None);
        assert_eq!(reward(&[1.0]), None);
        assert_eq!(reward(&[]), None);
        // gold_time / 0.0 is inf here (an error there): mean and deviation are no numbers, nothing stays.
        assert_eq!(reward(&[f64::INFINITY, 1.0]), None);
    }
}
