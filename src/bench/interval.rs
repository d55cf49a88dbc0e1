//! How sure a share of tasks is.

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % interval of a share by Wilson's score method (Wilson 1927), which stays inside 0 to 1 and holds for few tasks
/// as well; None without tasks.
pub fn wilson(solved: usize, tasks: usize) -> Option<(f64, f64)> {
    if tasks == 0 {
        return None;
    }
    let (n, share) = (tasks as f64, solved as f64 / tasks as f64);
    let (square, wide) = (Z * Z, 1.0 + Z * Z / n);
    let middle = (share + square / (2.0 * n)) / wide;
    let half = Z / wide * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn worked_examples() {
        let percent = |solved, tasks| {
            wilson(solved, tasks)
                .map(|(low, high)| ((low * 1000.0).round() / 10.0, (high * 1000.0).round() / 10.0))
        };
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20.
        assert_eq!(percent(81, 263), Some((25.5, 36.6)));
        assert_eq!(percent(15, 148), Some((6.2, 16.0)));
        assert_eq!(percent(0, 20), Some((0.0, 16.1)));
        assert_eq!(percent(0, 0), None);
    }

    proptest! {
        #[test]
        fn the_share_lies_in_its_interval(tasks in 1_usize..2_000, part in 0.0_f64..=1.0) {
            let solved = (tasks as f64 * part) as usize;
            let (low, high) = wilson(solved, tasks).unwrap();
            let share = solved as f64 / tasks as f64;
            prop_assert!((0.0..=1.0).contains(&low) && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0);
        }
    }
}
