//! The real files of the benchmark data: what is read of them, and what is not, for reasons that a user understands.
//!
//! Reads the folder named by QUERYLORE_DATA (default ../shared/data); without it the tests say that they were skipped.
#![allow(clippy::unwrap_used)]

#[path = "../examples/common/real_files.rs"]
mod files;

use std::path::PathBuf;

use files::Tally;
use querylore::sql::Schema;

fn folder(part: &str) -> Option<PathBuf> {
    let folder = files::data();
    if folder.join(part).exists() {
        return Some(folder);
    }
    println!("skipped: no {part} in {}", folder.display());
    None
}

#[test]
fn small_databases_open_without_notices() {
    let Some(folder) = folder("small") else { return };
    for (name, tables, rows) in [("Chinook_Sqlite.sqlite", 11, 15_607), ("sql-murder-mystery.db", 9, 56_649)]
    {
        let opened = files::open(&folder.join("small").join(name)).unwrap();
        let found: u64 = opened.overview.tables.iter().filter_map(|table| table.rows).sum();
        assert_eq!(opened.overview.schema.tables.len(), tables, "{name}");
        assert_eq!(opened.overview.notices, [""; 0], "{name}");
        assert_eq!(found, rows, "{name}");
    }
}

#[test]
fn spider_questions_are_read_and_run() {
    let Some(folder) = folder("spider/dev.json") else { return };
    let bytes = std::fs::read(folder.join("spider/dev.json")).unwrap();
    let databases = files::spider_databases(&folder);
    assert_eq!(databases.len(), 10);
    for (name, path) in databases {
        let opened = files::open(&path).unwrap();
        let mut tally = Tally::default();
        let (base, report) =
            files::read("dev.json", &bytes, Some(&name), &opened.overview.schema, &mut tally).unwrap();
        assert_eq!(tally.skipped, 0, "{name}: {:?}", tally.reasons);
        assert!(report.other_databases > 0);
        // What runs reads nothing that is not there.
        let unknown: Vec<_> =
            report.notes.iter().filter(|n| n.text.contains("this database does not have")).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        let (ran, errors) = files::run(&opened.database, &base.entries);
        assert_eq!(ran, base.entries.len(), "{name}: {errors:?}");
    }
}

#[test]
fn t_sql_is_read() {
    let Some(folder) = folder("sede/val.jsonl") else { return };
    let bytes = std::fs::read(folder.join("sede/val.jsonl")).unwrap();
    let mut tally = Tally::default();
    let (base, report) = files::read("val.jsonl", &bytes, None, &Schema::default(), &mut tally).unwrap();
    println!("{tally:#?}");
    // Prose in place of SQL, brackets and quotes left open: nothing else is left out.
    assert!(tally.kept >= 850 && tally.skipped <= 17, "{} kept, {} skipped", tally.kept, tally.skipped);
    assert!(tally.remarks["rewritten for SQLite"] >= 280);
    assert!(report.skipped.iter().all(|skip| skip.line >= 1 && !skip.reason.to_string().is_empty()));
    // What TOP says is said by LIMIT, in every query that is not left in its own words.
    let foreign: Vec<u32> =
        report.notes.iter().filter(|n| n.text.starts_with("read as SQL of")).map(|n| n.entry).collect();
    let top = |sql: &str| sql.to_ascii_uppercase().contains("SELECT TOP ");
    let left: Vec<u32> =
        base.entries.iter().filter(|e| top(&e.sql) && !foreign.contains(&e.id)).map(|e| e.id).collect();
    assert_eq!(left, [0_u32; 0]);
}

#[test]
fn bigquery_scripts_are_read() {
    let Some(folder) = folder("history/bigquery-etl_sql.tar.xz") else { return };
    let Some(scripts) = files::archive(&folder) else {
        println!("skipped: bigquery-etl cannot be unpacked here");
        return;
    };
    assert_eq!(scripts.len(), 2136);
    let mut tally = Tally::default();
    for (name, bytes) in &scripts {
        files::read(name, bytes, None, &Schema::default(), &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.kept >= 1_700, "{} kept", tally.kept);
    assert!(tally.remarks["the query inside "] >= 780);
    assert!(tally.reasons["not a query (CREATE FUNCTION)"] >= 300);
    assert!(tally.reasons["a template: it is SQL only once it is filled in"] >= 100);
    // What sqlparser does not read of BigQuery: typed arrays, procedures.
    let syntax: usize =
        tally.reasons.iter().filter(|(why, _)| why.starts_with("syntax")).map(|(_, n)| n).sum();
    assert!(syntax <= 260, "{syntax} syntax errors");
}
