//! How near two names are, to offer the one that was meant.

/// Edit distance in characters, without case, a swap of neighbours counting one (optimal string alignment); a name
/// that holds the other one whole is nearer than its length says.
pub fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| -> Vec<char> { text.to_lowercase().chars().take(64).collect() };
    let (a, b) = (fold(a), fold(b));
    let (short, long) = if a.len() < b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() >= 3 && long.windows(short.len()).any(|window| window == short.as_slice()) {
        return (long.len() - short.len()).min(2);
    }
    let mut rows: [Vec<usize>; 3] = [Vec::new(), (0..=b.len()).collect(), Vec::new()];
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let replace = at(&rows[1], j) + usize::from(x != y);
            let mut least = replace.min(at(&rows[1], j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&y) && b.get(j - 1) == Some(&x);
            if swapped {
                least = least.min(at(&rows[0], j - 1) + 1);
            }
            row.push(least);
        }
        rows.rotate_left(1);
        rows[1] = row;
    }
    rows[1].last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::distance;
    use proptest::prelude::*;

    #[test]
    fn names_have_a_distance() {
        for (a, b, want) in [
            ("", "abc", 3),
            ("abc", "ABC", 0),
            ("abcd", "abdc", 1),
            ("kitten", "sitting", 3),
            ("height", "height_cm", 2),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (want, want), "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(a in "[a-cA-C_]{0,8}", b in "[a-cA-C_]{0,8}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert!(distance(&a, &b) <= a.len().max(b.len()));
            prop_assert_eq!(distance(&a, &a), 0);
        }
    }
}
