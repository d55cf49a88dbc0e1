//! Native benchmarks: `make bench`.

use querylore::present::palette;
use querylore::retrieval::Vectors;
use querylore::sql::{ComponentType, Schema, split};

fn main() {
    divan::main();
}

/// Queries of the demo history, one in each line of its file.
fn queries() -> Vec<String> {
    let history = include_str!("../public/demo/history.jsonl");
    history
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|record| Some(record.get("sql")?.as_str()?.to_owned()))
        .collect()
}

/// Parses and splits every query of the demo history.
#[divan::bench]
fn split_demo_history(bencher: divan::Bencher<'_, '_>) {
    let queries = queries();
    let schema = Schema::default();
    bencher
        .counter(divan::counter::ItemsCount::new(queries.len()))
        .bench(|| queries.iter().filter(|sql| split(divan::black_box(sql), &schema).is_ok()).count());
}

/// `count` pseudo-random unit vectors of 384 dimensions.
fn unit_vectors(count: usize, mut seed: u32) -> Vec<Vec<f32>> {
    let mut row = || {
        let row: Vec<f32> = (0..384)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                f64::from(seed) as f32 / u32::MAX as f32 - 0.5
            })
            .collect();
        let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.into_iter().map(|x| x / norm).collect::<Vec<f32>>()
    };
    (0..count).map(|_| row()).collect()
}

/// One exact search over 100,000 vectors of 384 dimensions.
#[divan::bench(sample_count = 20)]
fn search_100_000(bencher: divan::Bencher<'_, '_>) {
    let vectors = Vectors::from_rows(&unit_vectors(100_000, 1)).unwrap_or_default();
    let query = unit_vectors(1, 2).pop().unwrap_or_default();
    bencher.bench(|| vectors.search(divan::black_box(&query), 20, -1.0).len());
}

/// The searches of one question, 24 phrases over 100,000 vectors of 384 dimensions: one after the other, and
/// in one pass. Floor and number of hits are the retriever's.
#[divan::bench(sample_count = 10, args = [false, true])]
fn search_24_phrases(bencher: divan::Bencher<'_, '_>, in_one_pass: bool) {
    let vectors = Vectors::from_rows(&unit_vectors(100_000, 1)).unwrap_or_default();
    let phrases = unit_vectors(24, 2);
    bencher.bench(|| match divan::black_box(in_one_pass) {
        true => vectors.search_all(&phrases, 40, 0.45).len(),
        false => phrases.iter().map(|phrase| vectors.search(phrase, 40, 0.45)).map(|found| found.len()).sum(),
    });
}

/// Entries of the palette like those of a large history: 20,000 items with a description and a skeleton each.
fn palette_entries() -> Vec<palette::Entry> {
    let word = |n: usize| {
        ["sailings", "cancelled", "on time", "harbour", "tickets", "crew", "month", "share"][n % 8]
    };
    (0..20_000)
        .map(|n| palette::Entry {
            words: vec![
                format!(
                    "The {} of {} that were {}, among those of the {}.",
                    word(n),
                    word(n / 8),
                    word(n / 64),
                    word(n / 512)
                ),
                format!("SUM({}.column_{n} BETWEEN <val> AND <val>) / COUNT(*)", word(n / 3)),
            ],
            ..palette::Entry::new(
                palette::Target::Item(n as u32),
                palette::Kind::Item(ComponentType::Calculation),
                format!("{} by {} {}", word(n), word(n / 7), n / 8),
            )
        })
        .collect()
}

/// Makes 20,000 entries of the palette ready: once for each history.
#[divan::bench(sample_count = 10)]
fn palette_index(bencher: divan::Bencher<'_, '_>) {
    let entries = palette_entries();
    bencher.bench(|| palette::Index::new(divan::black_box(&entries).clone()));
}

/// One key typed in the palette over 20,000 items: a word of many, two words, letters, nothing typed.
#[divan::bench(sample_count = 50, args = ["sail", "share harb", "sbt7", ""])]
fn palette_search(bencher: divan::Bencher<'_, '_>, query: &str) {
    let index = palette::Index::new(palette_entries());
    bencher.bench(|| palette::search(&[&index], divan::black_box(query), &[], 12).more);
}
