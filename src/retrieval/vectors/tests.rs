#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;
use proptest::prelude::*;

fn unit(mut row: Vec<f32>) -> Vec<f32> {
    let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
    if norm > 0.0 {
        row.iter_mut().for_each(|v| *v /= norm);
    }
    row
}

fn brute_force(vectors: &Vectors, query: &[f32], k: usize, floor: f32) -> Vec<Scored> {
    let mut all: Vec<Scored> = (0..vectors.len() as u32)
        .map(|index| Scored { index, score: vectors.cosine(index as usize, query).unwrap() })
        .filter(|scored| scored.score >= floor)
        .collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    all.truncate(k);
    all
}

fn rows(dimension: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    prop::collection::vec(prop::collection::vec(-1.0f32..1.0, dimension).prop_map(unit), 1..60)
}

proptest! {
    #[test]
    fn finds_what_brute_force_finds(
        (rows, query) in (1usize..70).prop_flat_map(|d| {
            (rows(d), prop::collection::vec(-1.0f32..1.0, d).prop_map(unit))
        }),
        k in 1usize..70,
        floor in -1.1f32..1.0,
    ) {
        let vectors = Vectors::from_rows(&rows).unwrap();
        prop_assert_eq!(vectors.search(&query, k, floor), brute_force(&vectors, &query, k, floor));
    }

    #[test]
    fn searching_for_all_at_once_is_searching_one_by_one(
        (rows, queries) in (1usize..70).prop_flat_map(|d| {
            // Among the queries are some of another dimension, and some without direction.
            let query = prop::collection::vec(-1.0f32..1.0, d).prop_map(unit);
            let query = prop_oneof![8 => query, 1 => Just(vec![0.0; d]), 1 => Just(vec![1.0; d + 1])];
            (rows(d), prop::collection::vec(query, 0..30))
        }),
        k in 0usize..70,
        floor in -1.1f32..1.0,
    ) {
        let vectors = Vectors::from_rows(&rows).unwrap();
        let one_by_one: Vec<_> = queries.iter().map(|query| vectors.search(query, k, floor)).collect();
        prop_assert_eq!(vectors.search_all(&queries, k, floor), one_by_one);
    }

    #[test]
    fn cosines_are_exact_to_a_thousandth(rows in rows(384)) {
        let vectors = Vectors::from_rows(&rows).unwrap();
        for found in vectors.search(&rows[0], rows.len(), -1.0) {
            let exact: f32 = rows[0].iter().zip(&rows[found.index as usize]).map(|(a, b)| a * b).sum();
            prop_assert!((found.score - exact).abs() < 1e-3);
        }
    }

    #[test]
    fn packing_loses_nothing(rows in rows(21)) {
        let vectors = Vectors::from_rows(&rows).unwrap();
        let again = Vectors::from_packed(21, &vectors.to_packed()).unwrap();
        prop_assert_eq!(again.to_packed(), vectors.to_packed());
        prop_assert_eq!(again.search(&rows[0], 5, -1.0), vectors.search(&rows[0], 5, -1.0));
    }
}

#[test]
fn near_duplicates_are_told_apart() {
    // Differences far below the step of the 8-bit codes: only the exact pass can order these.
    let rows: Vec<Vec<f32>> = (0..500)
        .map(|i| unit((0..64).map(|d| if d == 0 { 1.0 } else { i as f32 * 1e-4 }).collect()))
        .collect();
    let vectors = Vectors::from_rows(&rows).unwrap();
    assert_eq!(vectors.search(&rows[250], 7, 0.0), brute_force(&vectors, &rows[250], 7, 0.0));
}

#[test]
fn sums_do_not_overflow() {
    let rows = vec![vec![1.0f32; MAX_DIMENSION], vec![-1.0; MAX_DIMENSION]];
    let rows: Vec<Vec<f32>> = rows.into_iter().map(unit).collect();
    let vectors = Vectors::from_rows(&rows).unwrap();
    let found = vectors.search(&rows[0], 2, -2.0);
    assert_eq!(found[0].index, 0);
    assert!((found[0].score - 1.0).abs() < 1e-3 && (found[1].score + 1.0).abs() < 1e-3);
}

#[test]
fn refuses_what_cannot_be_compared() {
    assert_eq!(
        Vectors::from_rows(&[vec![1.0], vec![1.0, 0.0]]).unwrap_err(),
        VectorsError::Dimension { index: 1, found: 2, expected: 1 }
    );
    assert_eq!(Vectors::from_rows(&[vec![f32::NAN]]).unwrap_err(), VectorsError::NotFinite(0));
    assert_eq!(Vectors::from_rows(&[vec![]]).unwrap_err(), VectorsError::Unsupported(0));
    assert!(matches!(Vectors::from_packed(3, &[0; 7]).unwrap_err(), VectorsError::Packed { .. }));
    let vectors = Vectors::from_rows(&[vec![1.0, 0.0]]).unwrap();
    assert!(vectors.search(&[1.0], 1, 0.0).is_empty());
    assert!(vectors.search(&[f32::NAN, 0.0], 1, 0.0).is_empty());
    assert!(Vectors::from_rows(&[]).unwrap().search(&[1.0], 1, 0.0).is_empty());
    assert_eq!(vectors.cosine(1, &[1.0, 0.0]), None);
}
