//! Measures pipelines on BIRD's superhero, one question held out of the history at a time, in mode bird-ex:
//! `cargo run --example direct_superhero -- URL OUT [QUESTIONS]`, with a server of one model at URL.
//!
//! Every answer is a line of the file OUT; a run that was stopped goes on where it ended. The folder of the data is in
//! `QUERYLORE_DATA` (default `../shared/data`), the encoder in the cache.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use common::Memo;
use querylore::bench::compare::{Mode, judge};
use querylore::bench::score::limits;
use querylore::bench::task::{Task, read_tasks};
use querylore::db::{Database, Host, Overview, QueryLimits, introspect, notes};
use querylore::history::import::{RawHistory, RawRecord};
use querylore::history::{Builder, KnowledgeBase};
use querylore::llm::native::HttpModel;
use querylore::llm::{Cancel, Endpoint};
use querylore::pipeline::direct::{Settings, Shots};
use querylore::pipeline::{Adapt, Answered, ByModel, Options, Pipeline as _, Sources, Way};
use querylore::ports::Embed as _;
use querylore::ports::blocking::block_on;
use querylore::retrieval::{self, Index, Level, Vectors, retrieve_question};
use querylore::sql::Schema;
use serde_json::{Value as Json, json};

const ARMS: [&str; 5] = [
    "adapt",
    "direct, no history",
    "direct, 3 similar queries",
    "direct, 3 retrieved queries",
    "direct, retrieved pieces",
];

fn knowledge(tasks: &[Task], schema: &Schema, without: &Task) -> KnowledgeBase {
    let rest = tasks.iter().filter(|task| task.question_id != without.question_id);
    let record = |(line, task): (u32, &Task)| RawRecord {
        sql: task.gold.clone(),
        question: Some(task.question.clone()),
        id: Some(task.question_id),
        line,
        number: line,
        ..RawRecord::default()
    };
    let records = (1..).zip(rest).map(record).collect();
    let history = RawHistory { name: "superhero".into(), records, ..RawHistory::default() };
    Builder::new(history, schema.clone()).whole().0
}

fn described(database: &Database, folder: &Path) -> Overview {
    let mut overview = introspect::overview(database, 10_000).unwrap();
    for table in &mut overview.schema.tables {
        let path = folder.join(format!("database_description/{}.csv", table.name));
        if let Ok(bytes) = std::fs::read(path) {
            notes::apply(table, &notes::column_notes(&bytes).unwrap());
        }
    }
    overview
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, out, rest @ ..] = arguments.as_slice() else {
        println!("usage: cargo run --example direct_superhero -- URL OUT [QUESTIONS]");
        return;
    };
    let most: usize = rest.first().map_or(40, |n| n.parse().unwrap());
    let data = common::data();
    let folder = data.join("bird/dev_databases/superhero");
    let (Ok(dev), Some(memo)) = (std::fs::read(data.join("bird/dev.json")), Memo::load()) else {
        println!("skipped: needs benchmark data in {} and the encoder in the cache", data.display());
        return;
    };
    let tasks: Vec<Task> =
        read_tasks(&dev).unwrap().into_iter().filter(|task| task.db_id == "superhero").collect();
    let db = Database::from_path(&folder.join("superhero.sqlite"), Host::default()).unwrap();
    let overview = described(&db, &folder);
    let server = HttpModel::new(Endpoint::new(url).unwrap(), 900).unwrap();
    let name = block_on(server.models()).unwrap().remove(0);
    let settings = Settings { model: name, context_tokens: 4_096, answer_tokens: 300, ..Settings::default() };
    let cancel = Cancel::default();

    let mut done: BTreeMap<(i64, String), bool> = BTreeMap::new();
    for line in std::fs::read_to_string(out).unwrap_or_default().lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let key = (line["question_id"].as_i64().unwrap(), line["arm"].as_str().unwrap().to_owned());
        done.insert(key, line["right"].as_bool().unwrap());
    }
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(out).unwrap();
    // Evenly over the list, which is ordered by nothing in particular.
    let step = tasks.len() as f64 / most as f64;
    let chosen = (0..most).map(|i| &tasks[(i as f64 * step) as usize]);
    for task in chosen {
        let all = ARMS.iter().all(|arm| done.contains_key(&(task.question_id, (*arm).to_owned())));
        if all {
            continue;
        }
        let base = knowledge(&tasks, &overview.schema, task);
        let texts = base.texts();
        let vectors = |texts: &[String]| Vectors::from_rows(&block_on(memo.embed(texts)).unwrap()).unwrap();
        let index = Index::new(&base, vectors(&texts.queries), vectors(&texts.items)).unwrap();
        let sources = Sources { knowledge: &base, index: &index, schema: &overview.schema };
        let question = task.question.as_str();
        let retrieve = |level, max_shots| {
            let settings = retrieval::Settings { level, max_shots, ..retrieval::Settings::default() };
            block_on(retrieve_question(&memo, &index, &base, question, settings)).unwrap()
        };
        let (similar, both, wide) =
            (retrieve(Level::Query, 3), retrieve(Level::Both, 3), retrieve(Level::Both, 20));
        let gold = db.execute(&task.gold, limits());
        for arm in ARMS {
            let key = (task.question_id, arm.to_owned());
            if done.contains_key(&key) {
                continue;
            }
            let (retrieved, shots) = match arm {
                "adapt" => (&wide, Shots::None),
                "direct, no history" => (&both, Shots::None),
                "direct, 3 similar queries" => (&similar, Shots::Queries(3)),
                "direct, 3 retrieved queries" => (&both, Shots::Queries(3)),
                _ => (&both, Shots::Fragments(3)),
            };
            let started = Instant::now();
            let answered = if arm == "adapt" {
                block_on(Adapt.answer(question, sources, retrieved, &db, limits()))
            } else {
                let (model, settings, tables) = (&server, &settings, overview.tables.as_slice());
                let pipeline = ByModel {
                    way: Way::Direct,
                    model,
                    settings,
                    tables,
                    shots,
                    chosen: None,
                    options: Options::default(),
                    on_event: &|_| {},
                    cancel: &cancel,
                };
                block_on(pipeline.answer(
                    question,
                    sources,
                    retrieved,
                    &db,
                    QueryLimits { timeout_ms: 10_000, ..limits() },
                ))
            };
            let sql = answered.answer().map(|(sql, _)| sql.to_owned());
            let right = sql
                .as_ref()
                .is_ok_and(|sql| judge(Mode::BirdEx, &gold, &db.execute(sql, limits())).correct());
            let (attempts, tokens) = match &answered {
                Answered::Direct(direct) => (
                    direct.attempts.len(),
                    json!({"estimated": direct.prompt.tokens, "counted": direct.attempts[0].answer.as_ref().and_then(|a| a.usage).map(|u| u.prompt)}),
                ),
                Answered::Adapted(_) | Answered::Staged(_) => (0, Json::Null),
            };
            let line = json!({
                "question_id": task.question_id, "arm": arm, "right": right, "attempts": attempts, "prompt": tokens,
                "seconds": started.elapsed().as_secs_f64(), "sql": sql.as_ref().ok(),
                "error": answered.answer().err().map(|why| why.to_string()),
            });
            writeln!(file, "{line}").unwrap();
            done.insert(key, right);
        }
    }
    for arm in ARMS {
        let own: Vec<bool> = done.iter().filter(|((_, a), _)| a == arm).map(|(_, right)| *right).collect();
        println!("{arm}: {} of {}", own.iter().filter(|right| **right).count(), own.len());
    }
}
