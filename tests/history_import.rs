//! Histories of every form through the whole import: benchmark files where they are, and nasty ones.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use querylore::history::import::{self, Format};
use querylore::history::report::Reason;
use querylore::history::{Builder, KnowledgeBase, Report, store};
use querylore::sql::{Column, Schema, Table};

/// The folder of benchmark data, or None with a line that says so.
fn data(test: &str) -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let folder = std::env::var_os("QUERYLORE_DATA").map_or(default, PathBuf::from);
    if folder.join("bird/dev.json").is_file() {
        return Some(folder);
    }
    println!("{test}: skipped, no benchmark data in {}", folder.display());
    None
}

fn build(name: &str, bytes: &[u8], database: Option<&str>, schema: Schema) -> (KnowledgeBase, Report) {
    let mut plan = import::inspect(name, bytes).unwrap();
    plan.database = database.map(str::to_owned);
    let (base, report) = Builder::new(import::read(bytes, &plan).unwrap(), schema).whole();
    assert_eq!(report.read, report.kept + report.merged + report.skipped.len());
    assert_eq!(report.kept, base.entries.len());
    // What was built must hold together: reading it back checks every index.
    let json = store::to_json(&base, None).unwrap();
    assert_eq!(store::from_json(json.as_bytes()).unwrap().knowledge, base);
    (base, report)
}

/// The schema of a BIRD database, from dev_tables.json.
fn bird_schema(folder: &std::path::Path, database: &str) -> Schema {
    let all: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("bird/dev_tables.json")).unwrap()).unwrap();
    let one = all.as_array().unwrap().iter().find(|d| d["db_id"] == database).unwrap();
    let mut schema = Schema::default();
    for name in one["table_names_original"].as_array().unwrap() {
        schema.tables.push(Table { name: name.as_str().unwrap().into(), ..Table::default() });
    }
    for column in one["column_names_original"].as_array().unwrap() {
        if let Some(table) = column[0].as_u64() {
            let name = column[1].as_str().unwrap().into();
            schema.tables[table as usize].columns.push(Column { name, ..Column::default() });
        }
    }
    schema
}

#[test]
fn bird_with_a_database_chosen() {
    let Some(folder) = data("bird") else { return };
    let bytes = std::fs::read(folder.join("bird/dev.json")).unwrap();
    let plan = import::inspect("dev.json", &bytes).unwrap();
    assert_eq!((plan.format, plan.records, plan.databases.len()), (Format::Bird, 853, 7));
    for (database, rows) in &plan.databases {
        let schema = bird_schema(&folder, database);
        let (base, report) = build("dev.json", &bytes, Some(database), schema);
        assert_eq!((report.read, report.other_databases), (*rows, 853 - rows), "{database}");
        assert_eq!(report.skipped, [], "{database}");
        let unknown: Vec<_> = report.notes.iter().filter(|n| n.text.contains("does not have")).collect();
        assert!(unknown.is_empty(), "{database}: {unknown:?}");
        assert!(base.entries.iter().all(|e| e.question.is_some() && !e.source_ids.is_empty()));
        let ids: usize = base.entries.iter().map(|e| e.source_ids.len()).sum();
        assert_eq!(ids, *rows);
    }
}

#[test]
fn spider_in_all_its_forms() {
    let Some(folder) = data("spider") else { return };
    for (name, format, rows) in [
        ("dev.json", Format::Spider, 1034),
        ("train_7000.json", Format::Spider, 7000),
        ("dev_gold.sql", Format::Gold, 1034),
        ("train_gold.sql", Format::Gold, 8659),
    ] {
        let bytes = std::fs::read(folder.join("spider").join(name)).unwrap();
        let plan = import::inspect(name, &bytes).unwrap();
        assert_eq!((plan.format, plan.records), (format, rows), "{name}");
        let (base, report) = build(name, &bytes, None, Schema::default());
        assert_eq!(report.read, rows, "{name}");
        assert!(report.skipped.len() * 1000 <= rows, "{name}: {}", report.to_text());
        assert!(!base.items.is_empty(), "{name}");
    }
}

#[test]
fn logs_of_other_systems() {
    let Some(folder) = data("sede") else { return };
    let bytes = std::fs::read(folder.join("sede/val.jsonl")).unwrap();
    let plan = import::inspect("val.jsonl", &bytes).unwrap();
    let mapped = |name: &str| Some(name.to_owned());
    assert_eq!(
        (plan.mapping.sql.clone(), plan.mapping.question.clone()),
        (mapped("QueryBody"), mapped("Title"))
    );
    let (base, report) = build("val.jsonl", &bytes, None, Schema::default());
    // Another dialect: what cannot be read is named, line by line, the rest is kept.
    assert!(report.read >= 857 && !base.entries.is_empty() && !report.skipped.is_empty());
    let wikisql = std::fs::read(folder.join("wikisql/dev.jsonl")).unwrap();
    assert_eq!(import::inspect("dev.jsonl", &wikisql).unwrap().mapping.sql, None);
}

#[test]
fn semicolons_and_several_statements_a_line() {
    let script = "\u{feff}-- All of it\r\nSELECT ';' AS a /* ; */; SELECT \"b;c\" -- d; e\r\n, [f;g] FROM t;\
        DELETE FROM t;\r\nCREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END;\r\nSELECT 3";
    let (base, report) = build("a.sql", script.as_bytes(), None, Schema::default());
    assert_eq!(base.entries.iter().map(|e| e.line.unwrap()).collect::<Vec<_>>(), [2, 2, 5]);
    assert_eq!(base.entries[0].question.as_deref(), Some("All of it"));
    let reasons: Vec<String> = report.skipped.iter().map(|s| s.reason.to_string()).collect();
    assert_eq!(reasons, ["not a query (DELETE)", "not a query (CREATE TRIGGER)"]);
}

#[test]
fn three_thousand_brackets_and_ten_megabytes() {
    let deep = format!("SELECT {}1{};\nSELECT 1;\n", "(".repeat(3000), ")".repeat(3000));
    let (base, report) = build("deep.sql", deep.as_bytes(), None, Schema::default());
    assert_eq!((base.entries.len(), &report.skipped[0].reason), (1, &Reason::TooDeep));

    let long = format!("SELECT '{}';SELECT 1", "x".repeat(10_000_000));
    let (base, report) = build("long.sql", long.as_bytes(), None, Schema::default());
    assert_eq!(base.entries.len(), 1);
    assert!(matches!(report.skipped[0].reason, Reason::TooLong { bytes: 10_000_009, .. }));
    assert!(report.to_text().len() < 1000);

    let open = format!("SELECT 1;\nSELECT {}", "'\"`[/*(".repeat(1_400_000));
    let (base, report) = build("open.sql", open.as_bytes(), None, Schema::default());
    assert_eq!((base.entries.len(), report.skipped.len()), (1, 1));

    let one_line = "SELECT a FROM t WHERE b = 1;".repeat(100_000);
    let (base, report) = build("line.sql", one_line.as_bytes(), None, Schema::default());
    assert_eq!((base.entries.len(), report.merged, base.entries[0].count), (1, 99_999, 100_000));
}

#[test]
fn a_hundred_thousand_lines() {
    let mut script = String::new();
    for i in 0..100_000 {
        let column = ["seats", "name", "id", "built"][i % 4];
        script.push_str(&format!(
            "SELECT {column} FROM ships WHERE id = {i} AND seats > {}; -- line {i}\n",
            i % 97
        ));
    }
    let start = std::time::Instant::now();
    let (base, report) = build("log.sql", script.as_bytes(), None, Schema::default());
    println!("100,000 lines: {:?}", start.elapsed());
    assert_eq!((report.kept, base.items.len()), (100_000, 2));
    assert_eq!(base.entries[99_999].line, Some(100_000));
}
