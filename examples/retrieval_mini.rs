//! Measures retrieval on bird-history-mini and pipeline `adapt` on superhero, one question held out at a time.
//!
//! `cargo run --example retrieval_mini` reads the folder in `QUERYLORE_DATA` (default `../shared/data`) and
//! the encoder from the cache; with `-v` it prints every held-out question.
//!
//! Precision and recall are micro averages over knowledge items: a retrieved set of queries covers an item of
//! a task when it holds one of the item's queries; precision divides by the distinct items of the set.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use querylore::db::{Database, Host, QueryLimits, ResultSet, Value};
use querylore::embedding::weights::native;
use querylore::embedding::{ALL_MINILM_L6_V2, Encoder};
use querylore::history::KnowledgeBase;
use querylore::history::builder::Builder;
use querylore::history::import::{RawHistory, RawRecord};
use querylore::pipeline::ask::{Sources, ask};
use querylore::ports::blocking::block_on;
use querylore::ports::{Embed, EmbedError};
use querylore::retrieval::{Index, Level, Settings, Vectors, retrieve_question};
use querylore::sql::Schema;
use serde_json::Value as Json;

/// An encoder that remembers: the texts of a history hardly change from one held-out question to the next.
struct Memo {
    encoder: Encoder,
    known: RefCell<HashMap<String, Vec<f32>>>,
}

impl Embed for Memo {
    fn encoder(&self) -> &str {
        self.encoder.encoder()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let new: BTreeSet<&String> =
            texts.iter().filter(|text| !self.known.borrow().contains_key(*text)).collect();
        let new: Vec<String> = new.into_iter().cloned().collect();
        let vectors = self.encoder.embed(&new).await?;
        let mut known = self.known.borrow_mut();
        known.extend(new.into_iter().zip(vectors));
        Ok(texts.iter().map(|text| known[text].clone()).collect())
    }
}

/// BIRD's queries on one database as a history, without one of them.
fn knowledge(dev: &Json, db: &str, schema: &Schema, without: Option<i64>) -> KnowledgeBase {
    let own = dev.as_array().unwrap().iter().filter(|q| q["db_id"] == db);
    let records = own.filter(|q| without.is_none() || q["question_id"].as_i64() != without).zip(1..).map(
        |(q, line)| {
            let text = |key: &str| q[key].as_str().unwrap().to_owned();
            let (sql, question, id) = (text("SQL"), Some(text("question")), q["question_id"].as_i64());
            RawRecord { sql, question, id, line, number: line, ..RawRecord::default() }
        },
    );
    let history = RawHistory { name: db.to_owned(), records: records.collect(), ..RawHistory::default() };
    let mut builder = Builder::new(history, schema.clone());
    while builder.step() {}
    builder.finish().0
}

fn index(embed: &Memo, knowledge: &KnowledgeBase) -> Index {
    let texts = knowledge.texts();
    let vectors = |texts: &[String]| Vectors::from_rows(&block_on(embed.embed(texts)).unwrap()).unwrap();
    Index::new(knowledge, vectors(&texts.queries), vectors(&texts.items)).unwrap()
}

fn retrieval(embed: &Memo, dev: &Json, tasks: &Json, schemas: &HashMap<String, Schema>) {
    let mut sums: BTreeMap<(&str, usize), (usize, usize, usize, usize)> = BTreeMap::new();
    let tasks = tasks.as_array().unwrap();
    let databases: BTreeSet<&str> = tasks.iter().map(|task| task["db_id"].as_str().unwrap()).collect();
    for db in databases {
        let knowledge = knowledge(dev, db, &schemas[db], None);
        let index = index(embed, &knowledge);
        for task in tasks.iter().filter(|task| task["db_id"] == db) {
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
}

/// Rows as BIRD compares them: a set, whole reals equal to integers.
fn rows(result: &ResultSet) -> BTreeSet<String> {
    let cell = |value: &Value| match value {
        Value::Real(real) if real.fract() == 0.0 => format!("{real:.0}"),
        Value::Integer(integer) => integer.to_string(),
        other => format!("{other:?}"),
    };
    result.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("\u{1f}")).collect()
}

fn held_out(embed: &Memo, dev: &Json, schema: &Schema, folder: &Path, verbose: bool) {
    let path = folder.join("bird/dev_databases/superhero/superhero.sqlite");
    let db = Database::from_path(&path, Host::default()).unwrap();
    let limits = QueryLimits { timeout_ms: 30_000, max_rows: 1_000_000 };
    let (mut right, mut wrong, mut none, mut sure, mut sure_right) = (0, 0, 0, 0, 0);
    for task in dev.as_array().unwrap().iter().filter(|task| task["db_id"] == "superhero") {
        let knowledge = knowledge(dev, "superhero", schema, task["question_id"].as_i64());
        let index = index(embed, &knowledge);
        let sources = Sources { knowledge: &knowledge, index: &index, schema };
        let (question, gold) = (task["question"].as_str().unwrap(), task["SQL"].as_str().unwrap());
        let (_, answer) =
            block_on(ask(question, sources, embed, &db, Settings::default(), limits, |_| {})).unwrap();
        let Ok(answer) = answer else {
            none += 1;
            continue;
        };
        let good = rows(&answer.result) == rows(&db.execute(gold, limits).unwrap());
        *(if good { &mut right } else { &mut wrong }) += 1;
        if answer.unbound.is_empty() {
            sure += 1;
            sure_right += usize::from(good);
        }
        if verbose {
            let from = knowledge.entries[answer.entry as usize].question.as_deref().unwrap_or("");
            println!(
                "{} {question}\n   gold {gold}\n   ours {}",
                if good { "right" } else { "WRONG" },
                answer.sql
            );
            println!("   from {from} ({:.2}) unused {:?}", answer.likeness, answer.unbound);
        }
    }
    println!("\nsuperhero, one held out: {right} right, {wrong} wrong, {none} without an answer");
    println!("of {sure} answers that use everything the question names, {sure_right} are right");
}

fn main() {
    let folder = std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let cache = native::cache_folder().unwrap();
    let (Ok(tables), Ok(files)) = (
        std::fs::read_to_string(folder.join("bird/dev_tables.json")),
        native::read_encoder(&cache, ALL_MINILM_L6_V2.name),
    ) else {
        println!(
            "skipped: needs benchmark data in {} and the encoder in {}",
            folder.display(),
            cache.display()
        );
        return;
    };
    let json =
        |name: &str| -> Json { serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap() };
    let (dev, tasks) = (json("bird/dev.json"), json("bird-history-mini/tasks.json"));
    let schemas: HashMap<String, Schema> = Schema::from_bird_tables(&tables).unwrap().into_iter().collect();
    let encoder =
        Encoder::load(&ALL_MINILM_L6_V2, &files.weights, &files.vocabulary, &Default::default()).unwrap();
    let embed = Memo { encoder, known: RefCell::default() };
    retrieval(&embed, &dev, &tasks, &schemas);
    held_out(&embed, &dev, &schemas["superhero"], &folder, std::env::args().any(|argument| argument == "-v"));
}
