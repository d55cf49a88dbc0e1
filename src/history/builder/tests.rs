#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::history::import;
use crate::sql::{Column, Table, split};

fn ferries() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(|c| Column { name: (*c).into(), ..Column::default() }).collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("ships", &["id", "name", "seats"]),
            table("trips", &["ship_id", "day", "boarded"]),
        ],
    }
}

fn build(script: &str) -> (KnowledgeBase, Report) {
    let plan = import::inspect("log.sql", script.as_bytes()).unwrap();
    Builder::new(import::read(script.as_bytes(), &plan).unwrap(), ferries()).whole()
}

#[test]
fn duplicates_become_one_entry() {
    let (base, report) = build(
        "SELECT name FROM ships WHERE seats > 100;\n\
         -- Large ships\n-- author: j.lind\n-- runs: 3\n-- id: 7\n\
         select NAME from ships -- all of them\nwhere seats>100;\n\
         -- Big ships\nSELECT name FROM ships WHERE seats > 100;\n\
         -- Big ships\nSELECT name FROM ships WHERE seats > 100;\n\
         SELECT name FROM ships WHERE seats > 200;",
    );
    assert_eq!((report.read, report.kept, report.merged), (5, 2, 3));
    assert_eq!(report.merges, [Merge { entry: 0, lines: vec![6, 9, 11] }]);
    let entry = &base.entries[0];
    assert_eq!(
        (entry.count, entry.question.as_deref(), entry.user.as_deref()),
        (6, Some("Large ships"), Some("j.lind"))
    );
    assert_eq!(
        (entry.sql.as_str(), &entry.source_ids[..], entry.line),
        ("SELECT name FROM ships WHERE seats > 100", &[7][..], Some(1))
    );
    assert_eq!(base.entries[1].count, 1);
    let notes: Vec<&str> = report.notes.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(notes, ["the same query with another question, the first is kept: Big ships"]);
}

#[test]
fn items_are_merged_by_skeleton_and_sorted_by_how_often_they_were_seen() {
    let (base, _) = build(
        "SELECT name FROM ships WHERE name = 'Aurora';\n\
         SELECT name FROM ships WHERE seats > 100;\n\
         SELECT id FROM ships WHERE seats > 200;\n\
         SELECT id FROM ships WHERE seats > 200 ORDER BY id;",
    );
    let conditions: Vec<&Item> = base.items.iter().filter(|i| i.kind == ComponentType::Condition).collect();
    assert_eq!(conditions.len(), 2);
    let seats = conditions[0];
    let places: Vec<(u32, &[String])> =
        seats.occurrences.iter().map(|o| (o.entry, &o.literals[..])).collect();
    assert_eq!(places, [(1, &["100".to_owned()][..]), (2, &["200".to_owned()]), (3, &["200".to_owned()])]);
    assert!(base.items.is_sorted_by_key(|i| (i.kind, std::cmp::Reverse(base.times_seen(i)))));
    for (entry, items) in (0..).zip(&base.entry_items) {
        assert!(items.iter().all(|&i| base.items[i as usize].occurrences.iter().any(|o| o.entry == entry)));
    }
}

#[test]
fn the_most_frequent_description_is_kept() {
    let script = "SELECT id FROM ships WHERE seats > 100;\nSELECT name FROM ships WHERE seats > 200;\n\
        SELECT seats FROM ships WHERE seats > 200;";
    let (base, _) = build(script);
    let item = base.items.iter().find(|i| i.kind == ComponentType::Condition).unwrap();
    let schema = ferries();
    let wanted = split("SELECT seats FROM ships WHERE seats > 200", &schema).unwrap();
    let condition = wanted.iter().find(|c| c.kind == ComponentType::Condition).unwrap();
    assert_eq!(item.description, describe::describe(condition, &schema).sentence);
}

#[test]
fn what_is_left_out_is_said_with_its_line() {
    let long = format!("SELECT '{}'", "x".repeat(MAX_QUERY_BYTES));
    let deep = format!("SELECT {}1{}", "(".repeat(3000), ")".repeat(3000));
    let (base, report) = build(&format!(
        "INSERT INTO ships VALUES (1); DROP TABLE ships;\nSELECT 'a;b' FROM ships;\n\
         SELECT id\nFROM FROM ships;\n{long};\n{deep};\nSELECT x FROM boats, ships;\n"
    ));
    let found: Vec<(u32, String)> = report.skipped.iter().map(|s| (s.line, s.reason.to_string())).collect();
    assert_eq!(found[0], (1, "not a query (INSERT)".into()));
    assert_eq!(found[1], (1, "not a query (DROP)".into()));
    assert_eq!(found[2].0, 3);
    assert!(found[2].1.starts_with("syntax error at line 4, column "), "{}", found[2].1);
    assert!(!found[2].1.contains("Line "), "{}", found[2].1);
    assert_eq!(found[3], (5, "too long (1000009 bytes, the limit is 1000000)".into()));
    assert_eq!(found[4], (6, "nested too deeply".into()));
    assert_eq!(found.len(), 5);
    assert_eq!(base.entries.len(), 2);
    let note = Note { line: 7, entry: 1, text: "reads a table this database does not have: boats".into() };
    assert_eq!(report.notes, [note]);
}

#[test]
fn the_lines_of_json_are_not_mistaken_for_lines_of_the_query() {
    let json = br#"[{"sql": "SELECT 1"},
        {"sql": "SELECT id\nFROM FROM ships"}]"#;
    let plan = import::inspect("log.json", json).unwrap();
    let (_, report) = Builder::new(import::read(json, &plan).unwrap(), ferries()).whole();
    let skip = &report.skipped[0];
    assert_eq!((skip.line, skip.number), (2, 2));
    assert!(matches!(skip.reason, Reason::Syntax { line: None, column: None, .. }));
    assert!(skip.reason.to_string().to_lowercase().contains("line 2"), "{}", skip.reason);
}

#[test]
fn an_import_that_is_stopped_says_what_it_did_not_read() {
    let script = b"SELECT 1; SELECT 2; SELECT 3;";
    let plan = import::inspect("log.sql", script).unwrap();
    let mut builder = Builder::new(import::read(script, &plan).unwrap(), ferries());
    assert!(builder.step());
    assert_eq!(builder.progress(), (1, 3));
    let (base, report) = builder.finish();
    assert_eq!((base.entries.len(), report.read, report.unread), (1, 1, 2));
}

#[test]
fn a_second_file_is_merged_into_the_first() {
    let (first, _) = build("SELECT name FROM ships WHERE seats > 100; SELECT id FROM ships;");
    let script = b"select name from ships where seats > 100; SELECT day FROM trips; SELECT name FROM ships WHERE seats > 5";
    let plan = import::inspect("more.sql", script).unwrap();
    let (base, report) =
        Builder::onto(first.clone(), import::read(script, &plan).unwrap(), ferries()).whole();
    assert_eq!((report.read, report.kept, report.merged), (3, 2, 1));
    assert_eq!(base.entries.len(), 4);
    assert_eq!(base.entries[1], first.entries[1]);
    assert_eq!(base.entries[0].count, 2);
    let condition = base.items.iter().find(|i| i.kind == ComponentType::Condition).unwrap();
    assert_eq!(condition.occurrences.iter().map(|o| o.entry).collect::<Vec<_>>(), [0, 3]);
}

/// Words, marks and gaps of queries, right and wrong ones.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("SELECT name FROM ships"),
        Just("SELECT id FROM trips WHERE day = 'x;y'"),
        Just(";"),
        Just(" "),
        Just("\n"),
        Just("-- How many?\n"),
        Just("/*"),
        Just("*/"),
        Just("'"),
        Just("\""),
        Just("("),
        Just("DELETE FROM ships"),
        Just(" WHERE seats > 1"),
        Just("ü"),
        Just(";;\r\n"),
        Just(".mode x\n"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The same query in another layout: other case outside quotes, other space, comments, semicolons.
fn relaid(sql: &str, seed: &[u8]) -> String {
    let mut seed = seed.iter().cycle().copied();
    let mut next = move || seed.next().unwrap_or(0);
    let mut text = String::new();
    for piece in sql.split(' ') {
        let quoted = piece.contains('\'');
        let flip = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        for c in piece.chars() {
            text.push(if !quoted && next() % 2 == 0 { flip(c) } else { c });
        }
        text.push_str([" ", "\n", "\t  ", " -- c\n", " /* ; */ ", "\r\n"][usize::from(next() % 6)]);
    }
    text + ["", ";", " ; ;"][usize::from(next() % 3)]
}

proptest! {
    #[test]
    fn every_record_is_accounted_for(script in soup()) {
        if let Ok(plan) = import::inspect("log.sql", script.as_bytes()) {
            let (base, report) = build(&script);
            prop_assert_eq!(report.read, plan.records);
            prop_assert_eq!(report.read, report.kept + report.merged + report.skipped.len());
            prop_assert_eq!(report.kept, base.entries.len());
            prop_assert_eq!(report.merged, report.merges.iter().map(|m| m.lines.len()).sum::<usize>());
            prop_assert_eq!(base.entries.iter().map(|e| e.count as usize).sum::<usize>(), report.kept + report.merged);
        }
    }

    #[test]
    fn merging_does_not_see_layout(
        which in 0..3_usize,
        seeds in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..50), 1..4),
    ) {
        let sql = [
            "SELECT name , COUNT(*) FROM ships WHERE name = 'Aurora' GROUP BY name",
            "SELECT t.boarded / s.seats FROM trips AS t JOIN ships s ON s.id = t.ship_id",
            "SELECT id FROM ships WHERE seats >= 100 ORDER BY id DESC LIMIT 1",
        ][which];
        let mut history = RawHistory::default();
        history.records.push(RawRecord { sql: sql.into(), ..RawRecord::default() });
        for seed in &seeds {
            history.records.push(RawRecord { sql: relaid(sql, seed), ..RawRecord::default() });
        }
        let (base, report) = Builder::new(history, ferries()).whole();
        prop_assert_eq!((report.kept, report.merged), (1, seeds.len()));
        prop_assert_eq!(base.entries[0].count as usize, 1 + seeds.len());
    }
}

#[test]
fn what_stands_in_place_of_a_count_is_said() {
    let csv = "question,sql,runs\na,SELECT 1,7\nb,SELECT 2,n/a\nc,SELECT 3,-1\nd,SELECT 4,1e308\ne,SELECT 5,\nf,SELECT 6,3\n";
    let plan = import::inspect("log.csv", csv.as_bytes()).unwrap();
    assert_eq!(plan.mapping.count.as_deref(), Some("runs"));
    let (base, report) =
        Builder::new(import::read(csv.as_bytes(), &plan).unwrap(), Schema::default()).whole();
    assert_eq!(base.entries.iter().map(|entry| entry.count).collect::<Vec<_>>(), [7, 1, 1, 1, 1, 3]);
    let odd: Vec<u32> =
        report.notes.iter().filter(|note| note.text.starts_with("its count")).map(|n| n.line).collect();
    assert_eq!(odd, [3, 4, 5]);
}
