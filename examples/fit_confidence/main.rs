//! Fits how sure pipeline `adapt` is of an answer, on the databases of Spider's training split.
//!
//! `cargo run --example fit_confidence` asks the question of every query of every database, adapts each retrieved query
//! to it, runs it, and compares its rows with those of the query. The history is the rest of the database's queries;
//! whether it also holds something of the query itself differs (see `Kind`), and one entry in four has no question.
//! Two fits follow (see `fit`). Databases of the test sets (BIRD, the demo, Spider's other split) take no part.
//! It reads `QUERYLORE_DATA` (default `../shared/data`) and the encoder from the cache; a number after it takes every
//! so-manieth database only.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod fit;
mod variants;

use std::collections::BTreeMap;

use common::{Memo, Pair};
use fit::{Offered, Seen, fit};
use querylore::bench::compare::{Mode, judge};
use querylore::bench::{score, task::read_tasks};
use querylore::db::{Database, QueryLimits};
use querylore::pipeline::adapt::{DIRECTIONS, candidates};
use querylore::pipeline::ask::CANDIDATES;
use querylore::ports::blocking::block_on;
use querylore::retrieval::{Settings, retrieve_question};
use querylore::sql::Schema;

/// Parts of the databases for cross-validation.
const PARTS: usize = 5;
/// Fewer different queries of a database are no history.
const LEAST_QUERIES: usize = 30;
const KINDS: [Kind; 4] = [Kind::New, Kind::Values, Kind::Words, Kind::Both];

/// Prints how many first candidates are right, by confidence; each answer is (confidence, right, weight).
fn reliability(answers: &[(f64, bool, f64)]) {
    for step in 0..10 {
        let (low, high) = (f64::from(step) / 10.0, f64::from(step + 1) / 10.0);
        let inside: Vec<_> = answers.iter().filter(|(p, ..)| *p >= low && *p < high).collect();
        let sum = |of: &dyn Fn(&(f64, bool, f64)) -> f64| inside.iter().map(|answer| of(answer)).sum::<f64>();
        let weight = sum(&|(.., weight)| *weight).max(1e-9);
        let mean = sum(&|(p, _, weight)| p * weight) / weight;
        let share = sum(&|(_, right, weight)| if *right { *weight } else { 0.0 }) / weight;
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
                let mut seen = Vec::new();
                for candidate in &adapted {
                    let rows = db.execute(&candidate.sql, limits);
                    let found = rows.as_ref().is_ok_and(|rows| !rows.rows.is_empty());
                    let right = found && judge(Mode::BirdEx, &gold, &rows).correct();
                    if found {
                        let signs = candidate.signs.numbers().into_iter().map(f64::from).collect();
                        seen.push(Seen { signs, right });
                    }
                }
                questions.push(Offered { database, kind: kind as usize, seen });
            }
        }
        embed.save();
        eprintln!("{name}: {} questions so far", questions.len());
    }
    let refs: Vec<&Offered> = questions.iter().collect();
    let shares = fit::shares(&refs);
    let mut answers: Vec<(usize, (f64, bool, f64))> = Vec::new();
    for part in 0..PARTS {
        let training: Vec<&Offered> = refs.iter().copied().filter(|q| q.database % PARTS != part).collect();
        let fit = fit(&training, &DIRECTIONS);
        for (question, share) in refs.iter().zip(&shares).filter(|(q, _)| q.database % PARTS == part) {
            if let Some(seen) = fit.first(question) {
                answers.push((question.kind, (fit.confidence(seen), seen.right, *share)));
            }
        }
    }
    println!(
        "{} questions of {} databases, each database scored by a fit without it",
        questions.len(),
        by_database.len()
    );
    for kind in KINDS {
        let of = |asked: &&Offered| asked.kind == kind as usize;
        let (all, best) = (refs.iter().filter(|q| of(q)).count(), refs.iter().filter(|q| of(q)));
        let best = best.filter(|question| question.seen.iter().any(|seen| seen.right)).count();
        let own: Vec<_> = answers.iter().filter(|(k, _)| *k == kind as usize).map(|(_, a)| *a).collect();
        let right = own.iter().filter(|(_, right, _)| *right).count();
        println!(
            "{kind:?}: {all} questions, {best} with a right candidate, {right} where the first is right"
        );
        reliability(&own);
    }
    println!("Together, half of the weight on new queries:");
    let all: Vec<_> = answers.iter().map(|(_, answer)| *answer).collect();
    reliability(&all);
    for limit in [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5] {
        let part = |below: bool, right: bool| -> f64 {
            all.iter().filter(|(p, r, _)| (*p < limit) == below && *r == right).map(|(.., w)| w).sum()
        };
        let (lost, caught) = (part(true, true), part(true, false));
        let (given, wrong) = (part(false, true), part(false, false));
        println!(
            "below {limit:.2}: {:.3} right; holds back {:.3} of the right and {:.3} of the wrong answers",
            lost / (lost + caught),
            lost / (lost + given),
            caught / (caught + wrong)
        );
    }
    let fit = fit(&refs, &DIRECTIONS);
    println!("const RANKING: [f32; SIGNS] = {:.2?};", fit.ranking);
    println!("const BIAS: f32 = {:.2};\nconst WEIGHTS: [f32; SIGNS] = {:.2?};", fit.bias, fit.weights);
}
