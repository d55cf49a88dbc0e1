//! Measures retrieval on bird-history-mini.
//!
//! `cargo run --example retrieval_mini` reads the folder in `QUERYLORE_DATA` (default `../shared/data`) and
//! the encoder from the cache.
//!
//! Precision and recall are micro averages over knowledge items: a retrieved set of queries covers an item of
//! a task when it holds one of the item's queries; precision divides by the distinct items of the set. The second
//! table is `bench::retrieval_metrics` on both levels with up to nine queries: all items and each type, precision over
//! the items of whole queries and over the retrieved components alone.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use common::{Memo, Pair};
use querylore::bench::retrieval_metrics::{Counted, Counts, RetrievalMetrics, measure_retrieved};
use querylore::bench::task::{Task, read_tasks};
use querylore::ports::blocking::block_on;
use querylore::retrieval::{Level, Settings, retrieve_question};
use querylore::sql::Schema;
use serde_json::Value as Json;

fn percent(share: Option<f64>) -> f64 {
    100.0 * share.unwrap_or_default()
}

fn by_type(title: &str, metrics: &RetrievalMetrics) {
    let row = |name: String, counts: Counts| {
        let [p, r, f1] = [counts.precision(), counts.recall(), counts.f1()].map(percent);
        println!("{name:12} {:8} {p:5.1} {r:5.1} {f1:5.1}", counts.required);
    };
    println!("\n{title}\n             required     P     R    F1");
    for (kind, counts) in &metrics.by_type {
        row(format!("{kind:?}"), *counts);
    }
    row("all".to_owned(), metrics.overall);
}

fn retrieval(embed: &Memo, dev: &Json, tasks: &Json, read: &[Task], schemas: &HashMap<String, Schema>) {
    let mut metrics = [Counted::Queries, Counted::Components].map(|how| (how, RetrievalMetrics::default()));
    let mut sums: BTreeMap<(&str, usize), (usize, usize, usize, usize)> = BTreeMap::new();
    let tasks = tasks.as_array().unwrap();
    let databases: BTreeSet<&str> = tasks.iter().map(|task| task["db_id"].as_str().unwrap()).collect();
    for db in databases {
        let own = dev.as_array().unwrap().iter().filter(|q| q["db_id"] == db);
        let text = |json: &Json| json.as_str().unwrap().to_owned();
        let pairs: Vec<Pair> = own
            .map(|q| Pair {
                question: text(&q["question"]),
                sql: text(&q["SQL"]),
                id: q["question_id"].as_i64().unwrap(),
            })
            .collect();
        let knowledge = common::knowledge(db, pairs.iter(), &schemas[db]);
        let index = common::index(embed, &knowledge);
        for (task, needs) in tasks.iter().zip(read).filter(|(task, _)| task["db_id"] == db) {
            let ids =
                |list: &Json| list.as_array().unwrap().iter().filter_map(Json::as_i64).collect::<Vec<_>>();
            let wanted: Vec<Vec<i64>> =
                task["history_knowledge"].as_object().unwrap().values().map(ids).collect();
            let question = task["question"].as_str().unwrap();
            for (name, level) in
                [("query", Level::Query), ("component", Level::Component), ("both", Level::Both)]
            {
                let settings = Settings { level, max_shots: 9, ..Settings::default() };
                let found =
                    block_on(retrieve_question(embed, &index, &knowledge, question, settings)).unwrap();
                if level == Level::Both {
                    let entries: Vec<u32> = found.queries.iter().map(|hit| hit.entry).collect();
                    let items: Vec<u32> = found.items.iter().map(|hit| hit.item).collect();
                    for (how, sum) in &mut metrics {
                        *sum += &measure_retrieved(&needs.knowledge, &knowledge, &entries, &items, *how);
                    }
                }
                for shots in [1, 2, 3, 5, 9] {
                    let picked: Vec<usize> =
                        found.queries.iter().take(shots).map(|hit| hit.entry as usize).collect();
                    let held: BTreeSet<i64> = picked
                        .iter()
                        .flat_map(|&at| knowledge.entries[at].source_ids.iter().copied())
                        .collect();
                    let items: BTreeSet<u32> =
                        picked.iter().flat_map(|&at| knowledge.entry_items[at].iter().copied()).collect();
                    let sum = sums.entry((name, shots)).or_default();
                    sum.0 += wanted.iter().filter(|ids| ids.iter().any(|id| held.contains(id))).count();
                    sum.1 += items.len();
                    sum.2 += wanted.len();
                    sum.3 += picked.len();
                }
            }
        }
    }
    println!("level      max shots  average     P     R    F1");
    for ((name, shots), (covered, retrieved, wanted, picked)) in sums {
        let (p, r) = (covered as f64 / retrieved as f64, covered as f64 / wanted as f64);
        let average = picked as f64 / tasks.len() as f64;
        let f1 = 2.0 * p * r / (p + r);
        println!("{name:10} {shots:9} {average:8.2} {:5.1} {:5.1} {:5.1}", 100.0 * p, 100.0 * r, 100.0 * f1);
    }
    by_type("both levels, up to 9 queries; items of whole queries", &metrics[0].1);
    by_type("the same; retrieved components alone", &metrics[1].1);
}

fn main() {
    let folder = common::data();
    let (Ok(tables), Some(embed)) =
        (std::fs::read_to_string(folder.join("bird/dev_tables.json")), Memo::load())
    else {
        println!("skipped: needs benchmark data in {} and the encoder in the cache", folder.display());
        return;
    };
    let json =
        |name: &str| -> Json { serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap() };
    let (dev, tasks) = (json("bird/dev.json"), json("bird-history-mini/tasks.json"));
    let schemas: HashMap<String, Schema> = Schema::from_bird_tables(&tables).unwrap().into_iter().collect();
    let read = read_tasks(&std::fs::read(folder.join("bird-history-mini/tasks.json")).unwrap()).unwrap();
    retrieval(&embed, &dev, &tasks, &read, &schemas);
    embed.save();
}
