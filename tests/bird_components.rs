//! Splits all BIRD queries, and finds the knowledge items of bird-history-mini again, which another
//! extractor made.
//!
//! # Systematic differences from that extractor
//!
//! - A DISTINCT by itself is no component here: `SELECT DISTINCT` with its columns is one, and
//!   `COUNT(DISTINCT …)` is a calculation. The other extractor lists it (11 of 589 items).
//! - A LIMIT by itself is a component only where no ORDER BY stands before it.
//! - PARTITION BY of a window is a dimension here, and positions in ORDER BY and GROUP BY become their
//!   expressions; no item needs either.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use querylore::sql::{Component, Schema, split};
use serde_json::Value;

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let found = folder.join("bird/dev.json").is_file();
    if !found {
        println!("skipped: no benchmark data in {} (set QUERYLORE_DATA)", folder.display());
    }
    found.then_some(folder)
}

fn json(path: PathBuf) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

struct Bird {
    queries: Vec<(u64, String, String)>,
    schemas: HashMap<String, Schema>,
}

fn bird(folder: &std::path::Path) -> Bird {
    let tables = std::fs::read_to_string(folder.join("bird/dev_tables.json")).unwrap();
    let schemas = Schema::from_bird_tables(&tables).unwrap().into_iter().collect();
    let queries = json(folder.join("bird/dev.json"))
        .as_array()
        .unwrap()
        .iter()
        .map(|q| {
            let text = |k: &str| q[k].as_str().unwrap().to_owned();
            (q["question_id"].as_u64().unwrap(), text("db_id"), text("SQL"))
        })
        .collect();
    Bird { queries, schemas }
}

#[test]
fn every_bird_query_is_split() {
    let Some(folder) = data() else { return };
    let bird = bird(&folder);
    assert_eq!(bird.queries.len(), 853);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for (id, db, sql) in &bird.queries {
        let components = split(sql, &bird.schemas[db]).unwrap_or_else(|e| panic!("{id}: {e}\n{sql}"));
        assert!(!components.is_empty() || !sql.contains("WHERE"), "{id}: nothing found in {sql}");
        for c in &components {
            *kinds.entry(format!("{:?}", c.kind)).or_default() += 1;
            let range = c.range.clone().unwrap_or_else(|| panic!("{id}: no position for {}", c.skeleton));
            assert_eq!(c.skeleton.matches("<val>").count(), c.literals.len(), "{id}: {c:?}");
            assert!(sql.get(range).is_some(), "{id}: {c:?}");
            let open = c.sql.matches('(').count();
            let close = c.sql.matches(')').count();
            assert_eq!(open, close, "{id}: brackets of {:?} in\n{sql}", c.sql);
        }
    }
    println!("components of 853 queries: {kinds:?}");
}

#[test]
fn knowledge_items_of_another_extractor_are_found_again() {
    let Some(folder) = data() else { return };
    let bird = bird(&folder);
    let mut found: HashMap<u64, HashSet<(String, String)>> = HashMap::new();
    let mut sql_of: HashMap<u64, (&str, Vec<Component>)> = HashMap::new();
    for (id, db, sql) in &bird.queries {
        let components = split(sql, &bird.schemas[db]).unwrap();
        found.insert(*id, components.iter().map(|c| (format!("{:?}", c.kind), c.skeleton.clone())).collect());
        sql_of.insert(*id, (sql, components));
    }
    let (mut items, mut again) = (0, 0);
    let mut missed: BTreeSet<String> = BTreeSet::new();
    for task in json(folder.join("bird-history-mini/tasks.json")).as_array().unwrap() {
        for (skeleton, ids) in task["history_knowledge"].as_object().unwrap() {
            items += 1;
            let kind = task["knowledge_types"][skeleton].as_str().unwrap();
            let key = (kind.to_owned(), skeleton.clone());
            let ids: Vec<u64> = ids.as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
            let lost: Vec<u64> = ids.iter().copied().filter(|id| !found[id].contains(&key)).collect();
            if lost.is_empty() {
                again += 1;
            } else {
                let (sql, components) = &sql_of[&lost[0]];
                let ours: Vec<_> =
                    components.iter().map(|c| format!("{:?} {}", c.kind, c.skeleton)).collect();
                missed.insert(format!(
                    "{kind} {skeleton}\n  lost in {} of {}: #{} {sql}\n  ours: {ours:#?}",
                    lost.len(),
                    ids.len(),
                    lost[0]
                ));
            }
        }
    }
    for m in &missed {
        println!("{m}");
    }
    let share = f64::from(again) / f64::from(items);
    println!("{again} of {items} items found again in every listed query ({:.1} %)", share * 100.0);
    assert_eq!(items, 589);
    assert!(share >= 0.95, "only {share:.3}");
}

/// Splits every statement of a script; the errors' sentences, with their number.
fn errors_of<'a>(scripts: impl Iterator<Item = &'a str>) -> (usize, usize, BTreeMap<String, usize>) {
    let (mut read, mut all) = (0, 0);
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    for script in scripts {
        for statement in querylore::sql::statements(script) {
            all += 1;
            match split(&script[statement.range], &Schema::default()) {
                Ok(_) => read += 1,
                Err(error) => {
                    let sentence = error.to_string();
                    assert!(!sentence.is_empty() && sentence.len() < 400, "{sentence}");
                    *errors.entry(sentence).or_default() += 1;
                }
            }
        }
    }
    (read, all, errors)
}

fn report(name: &str, (read, all, errors): (usize, usize, BTreeMap<String, usize>)) {
    println!("{name}: {read} of {all} statements split");
    for (sentence, count) in errors.iter().take(12) {
        println!("  {count} x {sentence}");
    }
}

#[test]
fn spider_queries_are_split() {
    let Some(folder) = data() else { return };
    let gold = std::fs::read_to_string(folder.join("spider/train_gold.sql")).unwrap();
    // Each line ends with the database's name behind a tab.
    let found = errors_of(gold.lines().filter_map(|l| l.rsplit_once('\t')).map(|(sql, _)| sql));
    assert!(found.0 + 10 >= found.1, "{:?}", found.2);
    report("Spider train", found);
}

#[test]
fn queries_of_other_dialects_fail_clearly_or_are_split() {
    let Some(folder) = data() else { return };
    let sede = std::fs::read_to_string(folder.join("sede/val.jsonl")).unwrap();
    let queries: Vec<String> = sede
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|entry| entry["QueryBody"].as_str().map(str::to_owned))
        .collect();
    assert!(!queries.is_empty(), "no QueryBody in sede/val.jsonl");
    report("SEDE (T-SQL)", errors_of(queries.iter().map(String::as_str)));
    let unpacked = tempfile::tempdir().unwrap();
    let archive = folder.join("history/bigquery-etl_sql.tar.xz");
    let tar =
        std::process::Command::new("tar").arg("-xJf").arg(archive).arg("-C").arg(unpacked.path()).status();
    if !tar.is_ok_and(|status| status.success()) {
        println!("skipped: bigquery-etl cannot be unpacked here");
        return;
    }
    let mut scripts = Vec::new();
    let mut open = vec![unpacked.path().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "sql") {
                scripts.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
            }
        }
    }
    report("bigquery-etl (BigQuery)", errors_of(scripts.iter().map(String::as_str)));
}
