//! Real databases: BIRD's superhero with its gold queries, two small ones, and all of Spider.
//!
//! Reads the folder named by QUERYLORE_DATA (default ../shared/data); without it the tests say that
//! they were skipped.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use querylore::bench::modes::{Bench, Forgetful, Mode, On, Options};
use querylore::bench::score::{ScoreReport, limits, score};
use querylore::bench::stats::stats;
use querylore::bench::task::{Task, read_predictions, read_tasks};
use querylore::db::introspect::overview;
use querylore::db::notes::{apply, column_notes};
use querylore::db::{Database, Host, QueryLimits};
use querylore::ports::blocking::block_on;

fn data() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data");
    let folder = std::env::var_os("QUERYLORE_DATA").map_or_else(|| PathBuf::from(default), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no folder {}", folder.display());
    None
}

fn bench(mode: Mode) -> Bench<'static> {
    let limits = limits();
    Bench { mode, options: Options::default(), limits, golds: &Forgetful }
}

fn superhero(data: &Path) -> PathBuf {
    data.join("bird/dev_databases/superhero/superhero.sqlite")
}

#[test]
fn bird_golds_equal_themselves() {
    let Some(data) = data() else { return };
    let all = read_tasks(&std::fs::read(data.join("bird/dev.json")).unwrap()).unwrap();
    assert_eq!(all.len(), 853);
    let tasks: Vec<_> = all.into_iter().filter(|task| task.db_id == "superhero").collect();
    assert_eq!(tasks.len(), 129);
    let mut answers = serde_json::Map::new();
    for task in &tasks {
        let answer = format!("{}\t----- bird -----\tsuperhero", task.gold);
        answers.insert(task.question_id.to_string(), answer.into());
    }
    let predictions =
        read_predictions(serde_json::Value::Object(answers).to_string().as_bytes(), &tasks).unwrap();
    let path = superhero(&data);
    for from_bytes in [false, true] {
        let started = Instant::now();
        let open = |_: &str| {
            let database = if from_bytes {
                Database::from_bytes(std::fs::read(&path).unwrap(), Host::default())
            } else {
                Database::from_path(&path, Host::default())
            };
            Ok(vec![On { name: "superhero".to_owned(), database: database? }])
        };
        let report = block_on(score(&bench(Mode::BirdEx), &tasks, &predictions, &Forgetful, open)).unwrap();
        println!("129 golds against themselves, bytes {from_bytes}: {:?}", started.elapsed());
        assert_eq!((report.overall.correct, report.overall.total, report.cut), (129, 129, 0));
        assert_eq!(report.by_difficulty.values().map(|tally| tally.total).sum::<usize>(), 129);
    }
}

#[test]
fn history_tasks_run_and_hold_their_knowledge() {
    let Some(data) = data() else { return };
    let tasks = read_tasks(&std::fs::read(data.join("bird-history-mini/tasks.json")).unwrap()).unwrap();
    assert_eq!(tasks.iter().map(|task| task.knowledge.len()).sum::<usize>(), 589);
    assert!(tasks.iter().flat_map(|task| &task.knowledge).all(|item| item.kind.is_some()));
    let db = Database::from_path(&superhero(&data), Host::default()).unwrap();
    let runnable: Vec<_> = tasks.iter().filter(|task| task.db_id == "superhero").collect();
    assert_eq!(runnable.len(), 40);
    for task in runnable {
        let rows = db.execute(&task.gold, QueryLimits::default()).unwrap().rows;
        assert!((1..=20).contains(&rows.len()), "{}", task.question_id);
    }
}

#[test]
fn column_notes_of_every_bird_database_are_read() {
    let Some(data) = data() else { return };
    let (mut files, mut notes) = (0, 0);
    for folder in std::fs::read_dir(data.join("bird/dev_databases")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path().join("database_description")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|end| end != "csv") {
                continue;
            }
            files += 1;
            let found = column_notes(&std::fs::read(&path).unwrap());
            notes += found.unwrap_or_else(|error| panic!("{}: {error}", path.display())).len();
        }
    }
    assert!(files > 40 && notes > 300, "{files} files, {notes} notes");
    let db = Database::from_path(&superhero(&data), Host::default()).unwrap();
    let mut schema = overview(&db, 5_000).unwrap().schema;
    let csv = std::fs::read(superhero(&data).with_file_name("database_description/superhero.csv")).unwrap();
    let table = schema.tables.iter_mut().find(|table| table.name == "superhero").unwrap();
    assert_eq!(apply(table, &column_notes(&csv).unwrap()), 0);
    assert!(table.column("id").unwrap().note.as_ref().unwrap().contains("unique identifier"));
}

#[test]
fn every_database_opens_and_gives_an_overview() {
    let Some(data) = data() else { return };
    let mut files = vec![
        data.join("small/Chinook_Sqlite.sqlite"),
        data.join("small/sql-murder-mystery.db"),
        superhero(&data),
    ];
    for folder in std::fs::read_dir(data.join("spider/database")).unwrap() {
        let folder = folder.unwrap().path();
        for file in std::fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "sqlite") {
                files.push(path);
            }
        }
    }
    assert_eq!(files.len(), 166);
    let started = Instant::now();
    let (mut tables, mut rows, mut keys) = (0, 0, 0);
    for path in &files {
        let db = Database::from_bytes(std::fs::read(path).unwrap(), Host::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let found = overview(&db, 10_000).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for notice in &found.notices {
            println!("{}: {notice}", path.display());
        }
        assert_eq!(found.schema.tables.len(), found.tables.len());
        for (table, info) in found.schema.tables.iter().zip(&found.tables) {
            assert!(info.rows.is_some(), "{}: {}", path.display(), table.name);
            assert_eq!(table.columns.len(), info.columns.len());
            tables += 1;
            rows += info.rows.unwrap_or(0);
            keys += table.foreign_keys.len();
        }
    }
    println!("{} databases, {tables} tables, {rows} rows, {keys} keys: {:?}", files.len(), started.elapsed());
}

/// Every task's own reference query as its prediction.
fn golds(tasks: &[Task]) -> Vec<Option<String>> {
    tasks.iter().map(|task| Some(task.gold.clone())).collect()
}

/// Scores golds as predictions on the databases of a folder; tasks without a database are left out.
fn own_score(mode: Mode, tasks: Vec<Task>, databases: &Path) -> ScoreReport {
    let path = |db_id: &str| databases.join(db_id).join(format!("{db_id}.sqlite"));
    let tasks: Vec<Task> = tasks.into_iter().filter(|task| path(&task.db_id).is_file()).collect();
    let open = |db_id: &str| {
        Ok(vec![On { name: db_id.to_owned(), database: Database::from_path(&path(db_id), Host::default())? }])
    };
    let mut bench = bench(mode);
    bench.options.repeats = 3;
    block_on(score(&bench, &tasks, &golds(&tasks), &Forgetful, open)).unwrap()
}

#[test]
fn every_mode_scores_bird_golds_as_its_rule_says() {
    let Some(data) = data() else { return };
    let tasks = read_tasks(&std::fs::read(data.join("bird/dev.json")).unwrap()).unwrap();
    for mode in [Mode::BirdEx, Mode::BirdOrig, Mode::SpiderTs, Mode::SoftF1, Mode::RVes, Mode::Livesql] {
        let started = Instant::now();
        let report = own_score(mode, tasks.clone(), &data.join("bird/dev_databases"));
        let correct = report.overall.correct;
        println!(
            "{mode}: {correct} of {}, {:?}: {:?}",
            report.overall.total,
            report.overall.score(),
            started.elapsed()
        );
        // A gold without rows equals itself in every mode but livesql.
        let empty = report.tasks.iter().filter(|task| task.judged.why.starts_with("Gold is empty")).count();
        // Spider's script writes 1 for every `value` of a prediction, which breaks the column attribute_value.
        let broken =
            tasks.iter().filter(|task| task.db_id == "superhero" && task.gold.contains("value")).count();
        let broken = if mode == Mode::SpiderTs { broken } else { 0 };
        assert_eq!((correct + empty + broken, report.overall.total), (129, 129), "{mode}");
        assert!(mode == Mode::Livesql || empty == 0);
    }
}

#[test]
fn spider_golds_equal_themselves_where_the_database_is_there() {
    let Some(data) = data() else { return };
    let tasks = read_tasks(&std::fs::read(data.join("spider/dev.json")).unwrap()).unwrap();
    let started = Instant::now();
    let report = own_score(Mode::SpiderTs, tasks, &data.join("spider/database"));
    println!("spider-ts: {:?}: {:?}", report.overall, started.elapsed());
    // 62 of 1,034 questions need a database that is not here.
    assert_eq!((report.overall.correct, report.overall.total), (972, 972));
}

#[test]
fn wikisql_questions_have_the_logical_form_of_their_own() {
    let Some(data) = data() else { return };
    let tasks = read_tasks(&std::fs::read(data.join("wikisql/dev.jsonl")).unwrap()).unwrap();
    assert_eq!(tasks.len(), 8_421);
    // There are no tables here, so that no query runs; the logical forms need none.
    let lines: String = tasks.iter().map(|task| format!("{{\"query\": {}}}\n", task.gold)).collect();
    let predictions = read_predictions(lines.as_bytes(), &tasks).unwrap();
    let open = |_: &str| {
        Ok(vec![On {
            name: "none".to_owned(),
            database: Database::from_path(&superhero(&data), Host::default())?,
        }])
    };
    let report = block_on(score(&bench(Mode::WikisqlEx), &tasks, &predictions, &Forgetful, open)).unwrap();
    assert_eq!(report.logical_form.map(|tally| tally.correct), Some(8_421));
    assert_eq!((report.overall.correct, report.gold_failed), (0, 8_421));
}

#[test]
fn the_history_tasks_are_counted_as_their_readme_counts_them() {
    let Some(data) = data() else { return };
    let tasks = read_tasks(&std::fs::read(data.join("bird-history-mini/tasks.json")).unwrap()).unwrap();
    let counted = stats(&tasks);
    let items: Vec<(usize, usize)> = counted.items_per_task.into_iter().collect();
    assert_eq!(items, [(3, 3), (4, 16), (5, 25), (6, 22), (7, 23), (8, 5), (9, 4), (11, 2)]);
    let types: Vec<(usize, usize)> = counted.types_per_task.into_iter().collect();
    assert_eq!(types, [(2, 9), (3, 46), (4, 26), (5, 19)]);
    let shares: Vec<(&str, usize)> = counted.types.iter().map(|t| (t.kind.as_str(), t.items)).collect();
    assert_eq!(
        shares,
        [("Condition", 242), ("Relation", 145), ("Calculation", 117), ("Dimension", 44), ("Output", 41)]
    );
    assert_eq!((counted.queries.parsed, counted.types_by_form), (100, 0));
}
