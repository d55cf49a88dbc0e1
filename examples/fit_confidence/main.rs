//! Fits how sure pipeline `adapt` is of an answer, on the databases of Spider's training split.
//!
//! `cargo run --example fit_confidence` holds every query of every database out in turn, adapts each retrieved query to
//! its question, runs it, and compares its rows with those of the held-out query. Two fits follow: weights that put
//! a right candidate before the wrong ones, and a logistic function from the weighted sum to the share of first
//! candidates that are right. Databases of the test sets (BIRD, the demo, Spider's other split) take no part.
//! It reads `QUERYLORE_DATA` (default `../shared/data`) and the encoder from the cache.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod variants;

use std::collections::BTreeMap;
use std::io::Write;

use common::{Memo, Pair};
use querylore::bench::compare::{Mode, judge};
use querylore::bench::{score, task::read_tasks};
use querylore::db::{Database, QueryLimits};
use querylore::pipeline::adapt::{SIGNS, candidates};
use querylore::pipeline::ask::CANDIDATES;
use querylore::ports::blocking::block_on;
use querylore::retrieval::{Settings, retrieve_question};
use querylore::sql::Schema;

/// Parts of the databases for cross-validation.
const PARTS: usize = 5;
/// Fewer different queries of a database are no history.
const LEAST_QUERIES: usize = 30;
const KINDS: [Kind; 4] = [Kind::New, Kind::Values, Kind::Words, Kind::Both];

/// A candidate that ran and found rows.
struct Seen {
    signs: [f64; SIGNS],
    right: bool,
}

/// One question of a database with what it was offered.
struct Offered {
    database: usize,
    kind: Kind,
    seen: Vec<Seen>,
}

fn dot(a: &[f64; SIGNS], b: &[f64; SIGNS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The candidate that the weights put first.
fn first<'o>(offered: &'o Offered, weights: &[f64; SIGNS]) -> Option<&'o Seen> {
    offered.seen.iter().max_by(|a, b| dot(&a.signs, weights).total_cmp(&dot(&b.signs, weights)))
}

/// Weights under which the right candidates of a question are likely among all of it: a conditional logit, by
/// gradient ascent on signs scaled to one standard deviation, with a small ridge.
fn ranking(questions: &[&Offered]) -> [f64; SIGNS] {
    let all: Vec<&[f64; SIGNS]> = questions.iter().flat_map(|q| &q.seen).map(|seen| &seen.signs).collect();
    let count = all.len() as f64;
    let scale: [f64; SIGNS] = std::array::from_fn(|k| {
        let mean = all.iter().map(|signs| signs[k]).sum::<f64>() / count;
        (all.iter().map(|signs| (signs[k] - mean).powi(2)).sum::<f64>() / count).sqrt().max(1e-6)
    });
    let told: Vec<_> = questions.iter().filter(|q| q.seen.iter().any(|seen| seen.right)).collect();
    let mut weights = [0.0; SIGNS];
    for _ in 0..400 {
        let mut gradient = [0.0; SIGNS];
        for question in &told {
            let odds: Vec<f64> = question.seen.iter().map(|seen| dot(&seen.signs, &weights).exp()).collect();
            let sum: f64 = odds.iter().sum();
            let right: f64 = question.seen.iter().zip(&odds).filter(|(s, _)| s.right).map(|(_, o)| o).sum();
            for (seen, odds) in question.seen.iter().zip(&odds) {
                let pull = if seen.right { odds / right } else { 0.0 } - odds / sum;
                for (gradient, sign) in gradient.iter_mut().zip(&seen.signs) {
                    *gradient += pull * sign;
                }
            }
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            let scaled = (gradient[k] / scale[k] - *weight * scale[k]) / told.len() as f64;
            *weight += 0.5 * scaled / scale[k];
        }
    }
    weights
}

/// (slope, intercept) of the logistic function from a score to being right, by Newton's method.
fn logistic(scores: &[(f64, bool)]) -> (f64, f64) {
    let (mut a, mut b) = (0.0, 0.0);
    for _ in 0..50 {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 1e-6, 0.0, 1e-6);
        for &(score, right) in scores {
            let p = 1.0 / (1.0 + (-(a * score + b)).exp());
            let (off, spread) = (f64::from(u8::from(right)) - p, p * (1.0 - p));
            ga += off * score;
            gb += off;
            haa += spread * score * score;
            hab += spread * score;
            hbb += spread;
        }
        let determinant = haa * hbb - hab * hab;
        a += (hbb * ga - hab * gb) / determinant;
        b += (haa * gb - hab * ga) / determinant;
    }
    (a, b)
}

/// Fits on `training`, returns the weights and the bias of the log odds.
fn fit(training: &[&Offered]) -> ([f64; SIGNS], f64) {
    let weights = ranking(training);
    let firsts = training.iter().filter_map(|question| first(question, &weights));
    let scores: Vec<(f64, bool)> = firsts.map(|seen| (dot(&seen.signs, &weights), seen.right)).collect();
    let (slope, bias) = logistic(&scores);
    (weights.map(|weight| weight * slope), bias)
}

/// Prints how many first candidates are right, by confidence.
fn reliability(answers: &[(f64, bool)]) {
    for step in 0..10 {
        let (low, high) = (f64::from(step) / 10.0, f64::from(step + 1) / 10.0);
        let inside: Vec<_> = answers.iter().filter(|(p, _)| *p >= low && *p < high).collect();
        let mean = inside.iter().map(|(p, _)| p).sum::<f64>() / inside.len().max(1) as f64;
        let right = inside.iter().filter(|(_, right)| *right).count();
        let share = right as f64 / inside.len().max(1) as f64;
        println!(
            "{low:.1} to {high:.1}: {:5} answers, mean confidence {mean:.2}, right {share:.2}",
            inside.len()
        );
    }
}

/// What the history holds of the query that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    New,
    /// The same question with its query about other values.
    Values,
    /// The query, asked for in other words.
    Words,
    /// The query about other values, asked for in other words.
    Both,
}

/// A query with the questions that ask for it.
struct Asked {
    pair: Pair,
    /// In other words.
    other: Option<String>,
}

impl Asked {
    /// What stands in the history in place of the query; None where there is no such thing.
    fn twin(&self, kind: Kind, db: &Database, schema: &Schema) -> Option<Pair> {
        let other = || Some(Pair { question: self.other.clone()?, ..self.pair.clone() });
        match kind {
            Kind::New => None,
            Kind::Values => variants::with_other_values(&self.pair, db, schema),
            Kind::Words => other(),
            Kind::Both => variants::with_other_values(&other()?, db, schema),
        }
    }
}

/// The different queries of each database that has enough of them.
fn queries(bytes: &[u8]) -> BTreeMap<String, Vec<Asked>> {
    let mut by_database: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    for task in read_tasks(bytes).unwrap() {
        let asked = by_database.entry(task.db_id).or_default();
        let own = common::same(&task.gold);
        if let Some(known) = asked.iter_mut().find(|known| common::same(&known.pair.sql) == own) {
            if known.pair.question != task.question {
                known.other.get_or_insert(task.question);
            }
        } else {
            let pair = Pair { question: task.question, sql: task.gold, id: task.question_id };
            asked.push(Asked { pair, other: None });
        }
    }
    by_database.retain(|_, asked| asked.len() >= LEAST_QUERIES);
    by_database
}

fn main() {
    let Some(embed) = Memo::load() else {
        println!("skipped: the encoder is not in the cache (make weights fetches it)");
        return;
    };
    let Ok(bytes) = std::fs::read(common::data().join("spider/train_7000.json")) else {
        println!("skipped: needs Spider in {}", common::data().display());
        return;
    };
    let by_database = queries(&bytes);
    let every: usize = std::env::args().nth(1).map_or(1, |every| every.parse().unwrap());
    let mut questions: Vec<Offered> = Vec::new();
    let limits = QueryLimits { timeout_ms: 2_000, max_rows: 100_000 };
    let mut dump = std::io::BufWriter::new(std::fs::File::create("target/signs.tsv").unwrap());
    for (database, (name, asked)) in by_database.iter().enumerate().filter(|(at, _)| at % every == 0) {
        let path = common::data().join("spider/database").join(name).join(format!("{name}.sqlite"));
        let Some((db, schema)) = common::open(&path) else { continue };
        for (place, query) in asked.iter().enumerate() {
            let pair = &query.pair;
            let gold = db.execute(&pair.sql, score::limits());
            if gold.as_ref().is_ok_and(|gold| gold.rows.is_empty()) {
                continue;
            }
            for kind in KINDS {
                let twin = query.twin(kind, &db, &schema);
                if twin.is_none() && kind != Kind::New {
                    continue;
                }
                // The twin stands where the query stood; one entry in four has lost its question.
                let history: Vec<Pair> = asked
                    .iter()
                    .enumerate()
                    .filter_map(|(at, other)| {
                        let mut pair = if at == place { twin.clone()? } else { other.pair.clone() };
                        if (at + questions.len()).is_multiple_of(4) {
                            pair.question.clear();
                        }
                        Some(pair)
                    })
                    .collect();
                let knowledge = common::knowledge(name, history.iter(), &schema);
                let index = common::index(&embed, &knowledge);
                let wide = Settings { max_shots: CANDIDATES, ..Settings::default() };
                let adapted = block_on(async {
                    let found =
                        retrieve_question(&embed, &index, &knowledge, &pair.question, wide).await.unwrap();
                    candidates(&pair.question, &knowledge, &schema, &found, &db, limits).await.unwrap()
                });
                let ran = adapted.iter().filter_map(|candidate| {
                    let rows = db.execute(&candidate.sql, limits);
                    let found = rows.as_ref().is_ok_and(|rows| !rows.rows.is_empty());
                    let right = found && judge(Mode::BirdEx, &gold, &rows).correct();
                    found.then(|| Seen { signs: candidate.signs.numbers().map(f64::from), right })
                });
                let seen: Vec<Seen> = ran.collect();
                for seen in &seen {
                    let signs: Vec<String> = seen.signs.iter().map(|s| format!("{s:.4}")).collect();
                    writeln!(dump, "{database}\t{}\t{}\t{}\t{}", kind as u8, questions.len(), u8::from(seen.right), signs.join("\t")).unwrap();
                }
                questions.push(Offered { database, kind, seen });
            }
        }
        embed.save();
        eprintln!("{name}: {} questions so far", questions.len());
    }
    let (mut answers, mut best) = (Vec::new(), 0);
    for part in 0..PARTS {
        let training: Vec<&Offered> = questions.iter().filter(|q| q.database % PARTS != part).collect();
        let (weights, bias) = fit(&training);
        for question in questions.iter().filter(|q| q.database % PARTS == part) {
            best += usize::from(question.seen.iter().any(|seen| seen.right));
            if let Some(seen) = first(question, &weights) {
                answers.push((1.0 / (1.0 + (-(dot(&seen.signs, &weights) + bias)).exp()), seen.right));
            }
        }
    }
    let right = answers.iter().filter(|(_, right)| *right).count();
    println!(
        "{} questions of {} databases; {best} have a right candidate; {right} first ones are right, each database \
         scored by a fit without it",
        questions.len(),
        by_database.len()
    );
    reliability(&answers);
    let (weights, bias) = fit(&questions.iter().collect::<Vec<_>>());
    println!("const BIAS: f32 = {bias:.2};\nconst WEIGHTS: [f32; SIGNS] = {weights:.2?};");
}
