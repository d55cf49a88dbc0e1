//! How many questions pipeline `adapt` answers, one held out at a time, in mode `bird-ex`.
//!
//! - `cargo run --example held_out -- bird` takes every BIRD database in `QUERYLORE_DATA` (default `../shared/data`):
//!   its questions are the history and the tasks.
//! - `-- spider-dev` and `-- spider-train` take the databases of Spider's two splits.
//! - `-- demo` asks the tasks of the demo on its history.
//!
//! A name after it takes one database; `-v` prints every question. A query equal to the gold one is never in the
//! history, nor is a second question for the same query. The encoder comes from the cache.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use common::{Memo, Pair};
use querylore::bench::compare::{Mode, judge};
use querylore::bench::{score, task::read_tasks};
use querylore::db::{Database, QueryLimits};
use querylore::history::{KnowledgeBase, import};
use querylore::pipeline::adapt::AdaptError;
use querylore::pipeline::ask::{Sources, ask};
use querylore::ports::blocking::block_on;
use querylore::retrieval::{Index, Settings};
use querylore::sql::Schema;

#[derive(Default, Clone, Copy)]
struct Tally {
    right: usize,
    wrong: usize,
    none: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.none += other.none;
    }
}

/// An answer's confidence and whether it is given and right.
struct Told {
    confidence: f32,
    near: bool,
    right: bool,
}

/// Prints how sure right and wrong answers were, and which were given.
fn sureness(told: &[Told]) {
    for right in [true, false] {
        let mut own: Vec<f32> = told.iter().filter(|t| t.right == right).map(|t| t.confidence).collect();
        own.sort_by(f32::total_cmp);
        let Some(last) = own.len().checked_sub(1) else { continue };
        let at = |quarter: usize| own[last * quarter / 4];
        let given = told.iter().filter(|t| t.right == right && t.near).count();
        println!(
            "{} answers: confidence {:.2} to {:.2}, quartiles {:.2}, {:.2}, {:.2}; {given} of {} given",
            if right { "right" } else { "wrong" },
            at(0),
            at(4),
            at(1),
            at(2),
            at(3),
            own.len()
        );
    }
    for step in 0..5u8 {
        let inside: Vec<&Told> =
            told.iter().filter(|t| ((t.confidence * 5.0) as u8).min(4) == step).collect();
        let right = inside.iter().filter(|t| t.right).count();
        let low = f32::from(step) / 5.0;
        println!("confidence {low:.1} to {:.1}: {right} of {} right", low + 0.2, inside.len());
    }
}

struct Asked<'a> {
    embed: &'a Memo,
    db: &'a Database,
    schema: &'a Schema,
    verbose: bool,
    slowest: f64,
    told: Vec<Told>,
}

impl Asked<'_> {
    fn ask(&mut self, pair: &Pair, knowledge: &KnowledgeBase, index: &Index) -> Tally {
        let limits = QueryLimits { timeout_ms: 10_000, max_rows: 1_000_000 };
        let sources = Sources { knowledge, index, schema: self.schema };
        // Embeds what is new, so that the time below is that of retrieval and adapting alone.
        let again = |settings| {
            block_on(ask(&pair.question, sources, self.embed, self.db, settings, limits, |_| {})).unwrap().1
        };
        again(Settings::default()).ok();
        let start = Instant::now();
        let answer = again(Settings::default());
        self.slowest = self.slowest.max(start.elapsed().as_secs_f64());
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                if self.verbose {
                    println!("NONE  {}\n   gold {}\n   {error}", pair.question, pair.sql);
                }
                assert!(!matches!(error, AdaptError::Database(_)), "{error}");
                return Tally { none: 1, ..Tally::default() };
            }
        };
        let gold = self.db.execute(&pair.sql, score::limits());
        let right = judge(Mode::BirdEx, &gold, &self.db.execute(&answer.sql, score::limits())).correct();
        self.told.push(Told { confidence: answer.confidence, near: answer.is_near(), right });
        if self.verbose {
            let from = knowledge.entries[answer.entry as usize].question.as_deref().unwrap_or("");
            let word = if right { "right" } else { "WRONG" };
            println!("{word} {}\n   gold {}\n   ours {}", pair.question, pair.sql, answer.sql);
            println!(
                "   from {from} (likeness {:.2}, confidence {:.2}, near {}) unused {:?}",
                answer.likeness,
                answer.confidence,
                answer.is_near(),
                answer.unbound
            );
            for change in &answer.changes {
                println!("   {} was {}: {}", change.after, change.before, change.reason);
            }
        }
        if right { Tally { right: 1, ..Tally::default() } } else { Tally { wrong: 1, ..Tally::default() } }
    }
}

fn line(name: &str, tally: Tally, slowest: f64) {
    let all = tally.right + tally.wrong + tally.none;
    println!(
        "{name:28} {:5} of {all:5} right ({:4.1} %), {:5} wrong, {:4} without an answer, slowest {slowest:.3} s",
        tally.right,
        100.0 * tally.right as f64 / all.max(1) as f64,
        tally.wrong,
        tally.none
    );
}

/// Every query of one database held out in turn.
fn held_out(
    embed: &Memo,
    name: &str,
    pairs: &[Pair],
    db: &Database,
    schema: &Schema,
    verbose: bool,
) -> (Tally, f64, Vec<Told>) {
    let mut asked = Asked { embed, db, schema, verbose, slowest: 0.0, told: Vec::new() };
    let mut sum = Tally::default();
    for pair in pairs {
        let gold = common::same(&pair.sql);
        let others = pairs.iter().filter(|other| common::same(&other.sql) != gold);
        let knowledge = common::knowledge(name, others, schema);
        if knowledge.entries.is_empty() {
            continue;
        }
        sum += asked.ask(pair, &knowledge, &common::index(embed, &knowledge));
    }
    (sum, asked.slowest, asked.told)
}

fn demo(embed: &Memo, verbose: bool) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("public/demo");
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("norhaven.sqlite");
    std::fs::write(&path, querylore::demo::database().unwrap()).unwrap();
    let (db, schema) = common::open(&path).unwrap();
    let bytes = std::fs::read(folder.join("history.jsonl")).unwrap();
    let plan = import::inspect("history.jsonl", &bytes).unwrap();
    let knowledge = common::built(import::read(&bytes, &plan).unwrap(), &schema);
    let index = common::index(embed, &knowledge);
    let mut asked = Asked { embed, db: &db, schema: &schema, verbose, slowest: 0.0, told: Vec::new() };
    let mut sums: BTreeMap<String, Tally> = BTreeMap::new();
    for task in read_tasks(&std::fs::read(folder.join("tasks.json")).unwrap()).unwrap() {
        let pair = Pair { question: task.question, sql: task.gold, id: task.question_id };
        let tally = asked.ask(&pair, &knowledge, &index);
        *sums.entry(task.difficulty.unwrap_or_default()).or_default() += tally;
        *sums.entry("all".to_owned()).or_default() += tally;
    }
    for (name, tally) in sums {
        line(&format!("demo, {name}"), tally, asked.slowest);
    }
    sureness(&asked.told);
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "-v");
    arguments.retain(|argument| argument != "-v");
    let Some(embed) = Memo::load() else {
        println!("skipped: the encoder is not in the cache (make weights fetches it)");
        return;
    };
    let (what, only) = (arguments.first().map_or("bird", String::as_str), arguments.get(1));
    if what == "demo" {
        demo(&embed, verbose);
        embed.save();
        return;
    }
    let (tasks, databases) = match what {
        "bird" => ("bird/dev.json", "bird/dev_databases"),
        "spider-dev" => ("spider/dev.json", "spider/database"),
        "spider-train" => ("spider/train_7000.json", "spider/database"),
        other => panic!("{other}: give bird, spider-dev, spider-train or demo"),
    };
    let Ok(bytes) = std::fs::read(common::data().join(tasks)) else {
        println!("skipped: needs {tasks} in {}", common::data().display());
        return;
    };
    let mut by_database: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for task in read_tasks(&bytes).unwrap() {
        // Spider asks most queries twice, in other words.
        if what == "bird" || seen.insert((task.db_id.clone(), common::same(&task.gold))) {
            let pair = Pair { question: task.question, sql: task.gold, id: task.question_id };
            by_database.entry(task.db_id).or_default().push(pair);
        }
    }
    let (mut sum, mut slowest, mut told) = (Tally::default(), 0.0f64, Vec::new());
    for (name, pairs) in by_database.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let path = common::data().join(databases).join(name).join(format!("{name}.sqlite"));
        let Some((db, schema)) = common::open(&path) else {
            println!("{name:28} {:5} queries, but no rows at hand: cannot be measured", pairs.len());
            continue;
        };
        let (tally, time, own) = held_out(&embed, name, pairs, &db, &schema, verbose);
        line(name, tally, time);
        sum += tally;
        told.extend(own);
        slowest = slowest.max(time);
        embed.save();
    }
    line("together", sum, slowest);
    sureness(&told);
}
