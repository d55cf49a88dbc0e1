//! The demo workspace keeps its promises: the database, the history, the tasks and the notes for teachers agree.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use querylore::demo;
use querylore::sql::{Schema, split};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("public/demo")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

fn history() -> Vec<Value> {
    read("history.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tasks() -> Vec<Value> {
    serde_json::from_str(&read("tasks.json")).unwrap()
}

/// The database, opened read-only as the page does.
fn database() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("norhaven.sqlite");
    demo::write_database(&path).unwrap();
    let db = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    (dir, db)
}

/// Number of rows and whether any value is neither NULL nor zero.
fn run(db: &Connection, sql: &str) -> rusqlite::Result<(usize, bool)> {
    let mut statement = db.prepare(sql)?;
    let width = statement.column_count();
    let (mut count, mut telling) = (0, false);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        count += 1;
        for i in 0..width {
            telling |= !matches!(
                row.get_ref(i)?,
                rusqlite::types::ValueRef::Null | rusqlite::types::ValueRef::Integer(0)
            );
        }
    }
    Ok((count, telling))
}

/// Without white space, case and qualifiers, so that every author's way of writing compares equal.
fn plain(sql: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in sql.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.extend(c.to_lowercase());
        } else if c == '.' && word.starts_with(char::is_alphabetic) {
            word.clear();
        } else {
            out.push_str(&word);
            word.clear();
            if !c.is_whitespace() {
                out.push(c);
            }
        }
    }
    out
}

#[test]
fn the_database_is_the_same_on_every_run_and_of_the_promised_size() {
    let bytes = demo::database().unwrap();
    assert!(bytes == demo::database().unwrap(), "two runs differ");
    assert!(bytes.len() <= 2_500_000, "{} bytes", bytes.len());
    let (_dir, db) = database();
    let tables: Vec<String> = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(tables.len(), 10);
    let rows: i64 = tables
        .iter()
        .map(|t| db.query_row(&format!("SELECT COUNT(*) FROM {t}"), [], |row| row.get::<_, i64>(0)).unwrap())
        .sum();
    assert!(rows >= 20_000, "{rows} rows");
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let broken = db.prepare("PRAGMA foreign_key_check").unwrap().query([]).unwrap().next().unwrap().is_some();
    assert!(!broken, "a declared foreign key points nowhere");
}

#[test]
fn undeclared_keys_find_their_rows() {
    let (_dir, db) = database();
    for orphan in [
        "SELECT 1 FROM sailings s WHERE NOT EXISTS (SELECT 1 FROM timetable t WHERE t.trip_key = s.op_line || '/' || s.trip_no)",
        "SELECT 1 FROM tickets k WHERE NOT EXISTS (SELECT 1 FROM timetable t WHERE t.trip_key = k.trip)",
        "SELECT 1 FROM crew_shifts x WHERE NOT EXISTS (SELECT 1 FROM crew c WHERE c.badge = printf('NF-%04d', x.badge_no))",
        "SELECT 1 FROM timetable t WHERE t.from_pier NOT IN (SELECT pier FROM piers) OR t.to_pier NOT IN (SELECT pier FROM piers)",
        "SELECT 1 FROM sailings s JOIN vessels v ON v.vessel_id = s.vessel_id WHERE s.boarded > v.seats - v.crew_seats",
        "SELECT 1 FROM crew_shifts GROUP BY badge_no, day HAVING COUNT(*) > 1",
    ] {
        assert_eq!(run(&db, orphan).unwrap().0, 0, "{orphan}");
    }
}

#[test]
fn every_query_of_the_history_runs_and_finds_rows_but_two() {
    let (_dir, db) = database();
    let history = history();
    assert!(history.len() >= 120);
    let asked = history.iter().filter(|h| h["question"].is_string()).count();
    assert!((50..=60).contains(&(100 * asked / history.len())), "{asked} with a question");
    let distinct: BTreeSet<String> = history.iter().map(|h| plain(h["sql"].as_str().unwrap())).collect();
    assert!(distinct.len() < history.len(), "no duplicates");
    let mut failed = Vec::new();
    for (i, entry) in history.iter().enumerate() {
        assert_eq!(entry["id"].as_u64().unwrap(), i as u64 + 1, "ids count from 1");
        assert!(entry["count"].as_u64().unwrap() >= 1);
        assert!(entry["user"].is_string() && entry["time"].is_string());
        match run(&db, entry["sql"].as_str().unwrap()) {
            Ok((rows, _)) => assert!(rows > 0, "query {} finds nothing", entry["id"]),
            Err(error) => failed.push(error.to_string()),
        }
    }
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed.iter().any(|e| e.contains("syntax error")), "{failed:?}");
    assert!(failed.iter().any(|e| e.contains("readonly")), "{failed:?}");
    let times: Vec<&str> = history.iter().map(|h| h["time"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "the log is not in order of time");
}

#[test]
fn every_task_runs_and_has_one_answer() {
    let (_dir, db) = database();
    let tasks = tasks();
    assert_eq!(tasks.len(), 40);
    for task in &tasks {
        let sql = task["SQL"].as_str().unwrap();
        let (rows, telling) = run(&db, sql).unwrap();
        assert!(rows > 0 && telling, "task {} has no answer", task["question_id"]);
        // One more row under a limit must not equal the last one in the column that orders them.
        if let Some((head, limit)) = sql.rsplit_once("LIMIT ") {
            let limit: usize = limit.trim().parse().unwrap();
            let mut statement = db.prepare(&format!("{head}LIMIT {}", limit + 1)).unwrap();
            let last = statement.column_count() - 1;
            let keys: Vec<rusqlite::types::Value> =
                statement.query_map([], |row| row.get(last)).unwrap().collect::<Result<_, _>>().unwrap();
            assert!(
                keys.len() <= limit || keys[limit] != keys[limit - 1],
                "{} cuts a tie",
                task["question_id"]
            );
        }
    }
}

#[test]
fn the_knowledge_of_every_task_is_in_the_queries_it_names() {
    let history = history();
    let schema = demo::schema().unwrap();
    let skeletons = |sql: &str, schema: &Schema| -> BTreeSet<(String, String)> {
        split(sql, schema)
            .unwrap_or_default()
            .into_iter()
            .map(|c| (c.skeleton, format!("{:?}", c.kind)))
            .collect()
    };
    let of: Vec<_> = history.iter().map(|h| skeletons(h["sql"].as_str().unwrap(), &schema)).collect();
    for task in tasks() {
        let knowledge = task["history_knowledge"].as_object().unwrap();
        assert!(knowledge.len() >= 3, "task {} needs {} pieces", task["question_id"], knowledge.len());
        for (skeleton, ids) in knowledge {
            let kind = task["knowledge_types"][skeleton].as_str().unwrap().to_owned();
            for id in ids.as_array().unwrap() {
                let index = usize::try_from(id.as_u64().unwrap()).unwrap() - 1;
                assert!(of[index].contains(&(skeleton.clone(), kind.clone())), "query {id} lacks {skeleton}");
            }
        }
    }
}

#[test]
fn one_query_is_enough_for_the_simple_tasks_and_for_no_moderate_one() {
    for task in tasks() {
        let ids =
            |v: &Value| v.as_array().unwrap().iter().filter_map(Value::as_u64).collect::<BTreeSet<u64>>();
        let common =
            task["history_knowledge"].as_object().unwrap().values().map(ids).reduce(|a, b| &a & &b).unwrap();
        match task["difficulty"].as_str().unwrap() {
            "simple" => assert!(!common.is_empty(), "task {} needs several queries", task["question_id"]),
            "moderate" => assert!(common.is_empty(), "task {} needs one query", task["question_id"]),
            other => assert_eq!(other, "challenging"),
        }
    }
}

#[test]
fn the_committed_annotation_is_what_the_extractor_makes() {
    assert_eq!(demo::annotate(&read("tasks.json"), &read("history.jsonl")).unwrap(), read("tasks.json"));
}

#[test]
fn annotation_names_the_record_that_it_cannot_read() {
    let error = demo::annotate("[]", "{\"id\": 1, \"sql\": \"SELECT 1\"}\nnot json").unwrap_err();
    assert!(error.to_string().starts_with("history.jsonl, record 2"), "{error}");
    assert!(demo::annotate("{}", "").is_err());
}

#[test]
fn the_notes_for_teachers_name_queries_that_show_each_convention() {
    let history = history();
    let notes = read("README.md").replace("\\|", "\u{1}");
    let rows: Vec<Vec<&str>> = notes
        .lines()
        .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells.len() == 7 && cells[1].parse::<u32>().is_ok())
        .collect();
    assert!(rows.len() >= 12, "{} conventions", rows.len());
    for cells in rows {
        let fragments: Vec<String> =
            cells[3].split('`').skip(1).step_by(2).map(|f| plain(&f.replace('\u{1}', "|"))).collect();
        for id in cells[5].split(", ") {
            let id: usize = id.parse().unwrap();
            let sql = plain(history[id - 1]["sql"].as_str().unwrap());
            assert!(
                fragments.iter().any(|f| sql.contains(f.as_str())),
                "query {id} does not show: {}",
                cells[2]
            );
        }
    }
}

#[test]
fn the_workspace_names_files_that_exist_and_questions_to_start_with() {
    let workspace: Value = serde_json::from_str(&read("workspace.json")).unwrap();
    for file in ["history", "tasks"] {
        assert!(folder().join(workspace[file].as_str().unwrap()).is_file());
    }
    assert!((4..=6).contains(&workspace["questions"].as_array().unwrap().len()));
    let said = format!("{} queries", history().len());
    assert!(workspace["story"].as_str().unwrap().contains(&said), "the story counts other than {said}");
}
