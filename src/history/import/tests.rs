#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::history::report::Reason;

fn read_all(name: &str, bytes: &[u8]) -> (Plan, RawHistory) {
    let plan = inspect(name, bytes).unwrap();
    let history = read(bytes, &plan).unwrap();
    (plan, history)
}

#[test]
fn bird_files_offer_their_databases() {
    let json = br#"[
        {"question_id": 0, "db_id": "cars", "question": "How many?", "evidence": "", "SQL": "SELECT COUNT(*) FROM cars", "difficulty": "simple"},
        {"question_id": 1, "db_id": "ships", "question": "Which?", "evidence": "", "SQL": "SELECT name FROM ships;", "difficulty": "simple"},
        {"question_id": 2, "db_id": "ships", "question": "Who?", "evidence": "", "SQL": "SELECT crew FROM ships", "difficulty": "simple"}
    ]"#;
    let mut plan = inspect("dev.json", json).unwrap();
    assert_eq!((plan.format, plan.records), (Format::Bird, 3));
    assert_eq!(plan.databases, [("ships".to_owned(), 2), ("cars".to_owned(), 1)]);
    plan.prefer("norhaven");
    assert_eq!(plan.database, None);
    plan.prefer("Ships");
    assert_eq!(plan.database.as_deref(), Some("ships"));
    let history = read(json, &plan).unwrap();
    assert_eq!(history.other_databases, 1);
    let wanted = RawRecord {
        sql: "SELECT name FROM ships".into(),
        question: Some("Which?".into()),
        id: Some(1),
        line: 3,
        number: 2,
        ..RawRecord::default()
    };
    assert_eq!((history.records.len(), &history.records[0]), (2, &wanted));
    plan.mapping.db_id = Some("difficulty".into());
    let text = decode(json).unwrap();
    let source = Source::planned(&plan, &text).unwrap();
    let mut counting = Counting::new(&source, &plan);
    while counting.step() {}
    assert_eq!(counting.finish(), [("simple".to_owned(), 3)]);
}

#[test]
fn spider_files_are_recognised_in_both_forms() {
    let json = br#"[{"db_id": "cars", "query": "SELECT 1 ", "query_toks": ["SELECT", "1"], "question": "One?", "sql": {"limit": null}}]"#;
    let (plan, history) = read_all("dev.json", json);
    assert_eq!((plan.format, plan.databases), (Format::Spider, vec![("cars".to_owned(), 1)]));
    assert_eq!(history.records[0].question.as_deref(), Some("One?"));
    let (plan, history) = read_all("dev_gold.sql", b"SELECT 1\tcars\nSELECT ';'\tships\n");
    assert_eq!((plan.format, plan.databases.len()), (Format::Gold, 2));
    assert_eq!((history.records[1].sql.as_str(), history.records[1].line), ("SELECT ';'", 2));
}

#[test]
fn a_log_in_any_table_form_gives_the_same_records() {
    let wanted = RawRecord {
        sql: "SELECT a,\n b FROM t WHERE c = 'x;y'".into(),
        question: Some("What, now?".into()),
        user: Some("m.okoye".into()),
        time: Some("2024-03-02".into()),
        count: Some(14),
        ..RawRecord::default()
    };
    let csv = "user,title,sql,runs,date\r\nm.okoye,\"What, now?\",\"SELECT a,\n b FROM t WHERE c = 'x;y';\",14,2024-03-02\r\n";
    let semicolons =
        "user;title;sql;runs;date\nm.okoye;What, now?;\"SELECT a,\n b FROM t WHERE c = 'x;y'\";14;2024-03-02";
    let lines = r#"{"user":"m.okoye","title":"What, now?","sql":"SELECT a,\n b FROM t WHERE c = 'x;y'","runs":14,"date":"2024-03-02"}"#;
    let object = format!("{{\"version\": 2, \"log\": {{\"rows\": [{lines}]}}}}");
    let script = "-- What, now?\n-- author: m.okoye\n-- date: 2024-03-02\n-- runs: 14\nSELECT a,\n b FROM t WHERE c = 'x;y';\n";
    for (name, text) in [
        ("a.csv", csv),
        ("a.csv", semicolons),
        ("a.jsonl", lines),
        ("a.json", &object),
        ("a.sql", script),
        ("a", csv),
    ] {
        let (_, history) = read_all(name, text.as_bytes());
        let found = RawRecord { line: 0, number: 0, verbatim: false, ..history.records[0].clone() };
        assert_eq!((found, history.records.len()), (wanted.clone(), 1), "{text}");
    }
}

#[test]
fn a_cell_with_several_statements_gives_several_records() {
    let text = "question,sql\n\"a\nb\",\"USE ferries;\nSELECT 1; SELECT 2\"\n,\nx,\n";
    let (plan, history) = read_all("a.csv", text.as_bytes());
    let found: Vec<(u32, u32, &str)> =
        history.records.iter().map(|r| (r.line, r.number, r.sql.as_str())).collect();
    assert_eq!(found, [(3, 1, "USE ferries"), (4, 1, "SELECT 1"), (4, 1, "SELECT 2")]);
    assert_eq!(plan.records, 3);
    let skipped: Vec<(u32, Reason)> = history.skipped.iter().map(|s| (s.line, s.reason.clone())).collect();
    assert_eq!(skipped, [(5, Reason::Empty), (6, Reason::Empty)]);
}

#[test]
fn a_broken_line_of_json_lines_is_left_out() {
    let (_, history) =
        read_all("a.jsonl", b"{\"sql\": \"SELECT 1\"}\n{\"sql\": \"SELECT 2\"\n\n[\"x\"]\n{\"sql\": null}\n");
    assert_eq!(history.records.len(), 1);
    let skipped: Vec<u32> = history.skipped.iter().map(|s| s.line).collect();
    assert_eq!(skipped, [2, 4, 5]);
}

#[test]
fn columns_can_be_chosen_by_hand() {
    let text = b"a,b\nfrom ships select name,1\nfrom ships select id,2\n";
    let mut plan = inspect("a.csv", text).unwrap();
    assert_eq!(plan.mapping.sql, None);
    let error = read(text, &plan).unwrap_err();
    assert_eq!(error.to_string(), "None of the columns (a, b) seems to hold SQL. Choose the one that does.");
    plan.mapping.sql = Some("a".into());
    assert_eq!(read(text, &plan).unwrap().records.len(), 2);
}

#[test]
fn a_quote_left_open_costs_its_row_only() {
    let (plan, history) = read_all("a.csv", b"q,sql\n\"a,SELECT 1\nb,SELECT 2\nc,SELECT 3\n");
    assert_eq!((plan.format, plan.records, history.records.len()), (Format::Table { delimiter: b',' }, 3, 2));
    assert_eq!(history.skipped[0].reason.to_string(), "unreadable row: a quote in line 2 is not closed");
    let error = inspect("a.csv", b"q;sql\n\"a;SELECT 1\n").unwrap_err().to_string();
    assert!(error.contains("line 2: a quote in line 2 is not closed"), "{error}");
}

#[test]
fn files_without_a_query_are_refused() {
    let said = |name: &str, bytes: &[u8]| inspect(name, bytes).unwrap_err();
    assert_eq!(said("a.sql", b"\xef\xbb\xbf"), ImportError::Empty);
    assert_eq!(said("a.sql", b"-- only a comment\n;;"), ImportError::NoRecords);
    assert_eq!(said("a.json", b"[]"), ImportError::NoRecords);
    assert_eq!(said("a.csv", b"sql,question\n"), ImportError::NoRecords);
    assert!(matches!(said("a.json", b"[{\"sql\": \"SELECT 1\"}"), ImportError::Json { line: 1, .. }));
    assert!(matches!(said("a.jsonl", b"\n{\"sql\": 1"), ImportError::Json { line: 2, .. }));
    assert_eq!(said("a.jsonl", b"[1]"), ImportError::NoRecords);
    assert_eq!(said("a.sql", b"SQLite format 3\0"), ImportError::Database);
}

/// Pieces of all forms, well and badly put together.
fn mixture() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"{\"sql\": \"SELECT 1\", \"n\": 1}"[..]),
        Just(&b"["[..]),
        Just(&b"]"[..]),
        Just(&b"{"[..]),
        Just(&b"}"[..]),
        Just(&b","[..]),
        Just(&b"\n"[..]),
        Just(&b"\t"[..]),
        Just(&b"\""[..]),
        Just(&b"'"[..]),
        Just(&b"sql,question\n"[..]),
        Just(&b"SELECT 1"[..]),
        Just(&b"\tcars\n"[..]),
        Just(&b"-- q: x y?\n"[..]),
        Just(&b"/*"[..]),
        Just(&b"\\"[..]),
        Just(&b"\x01"[..]),
        Just("\u{feff}ü".as_bytes()),
        Just(&b"a: 1"[..]),
        Just(&b"\xff\xfe"[..]),
        Just(&b".x\n"[..]),
        Just(&b"("[..]),
        Just(&b"2024-01-01)"[..]),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// What the page does: the same in steps, with progress that grows up to the whole.
fn stepped(name: &str, bytes: &[u8]) -> Result<(Plan, RawHistory), ImportError> {
    fn through(work: &mut impl Stepwise) {
        let mut before = 0;
        while work.step() {
            let (done, total) = work.progress();
            assert!(done >= before && done <= total, "{done} of {total}");
            before = done;
        }
    }
    let text = decode(bytes)?;
    let source = Source::look(name, &text)?;
    let mut inspection = Inspection::new(&source)?;
    through(&mut inspection);
    let plan = inspection.finish()?;
    let source = Source::planned(&plan, &text)?;
    let mut counting = Counting::new(&source, &plan);
    through(&mut counting);
    assert_eq!(counting.finish(), plan.databases);
    let mut reading = Reading::new(&source, &plan)?;
    through(&mut reading);
    Ok((plan.clone(), reading.finish()))
}

#[test]
fn progress_never_goes_back() {
    for text in [".x\n.x\nSELECT 1", ".x\n.x\n\n.x\n;", "SELECT 1;\n.x\n.y\n"] {
        let _ = stepped("a.sql", text.as_bytes());
        let _ = stepped("a", text.as_bytes());
    }
}

fn never_panics(name: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok((plan, history)) = stepped(name, bytes) {
        prop_assert_eq!(read(bytes, &plan), Ok(history));
    }
    if let Ok(mut plan) = inspect(name, bytes) {
        // Whatever a person chooses must be readable, too.
        plan.mapping.sql = plan.mapping.sql.or_else(|| plan.columns.first().map(|c| c.name.clone()));
        let history = read(bytes, &plan);
        prop_assert!(history.is_ok(), "{:?}", history);
        let RawHistory { records, skipped, .. } = history.unwrap_or_default();
        let rows: std::collections::HashSet<u32> =
            records.iter().map(|r| r.number).chain(skipped.iter().map(|s| s.number)).collect();
        prop_assert_eq!(rows.len(), plan.records);
        prop_assert!(records.iter().all(|r| r.line >= 1 && !r.sql.is_empty()));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), which in 0..5_usize) {
        never_panics(["a.sql", "a.json", "a.jsonl", "a.csv", "a"][which], &bytes)?;
    }

    #[test]
    fn any_mixture_is_read_or_refused(bytes in mixture(), which in 0..5_usize) {
        never_panics(["a.sql", "a.json", "a.jsonl", "a.csv", "a"][which], &bytes)?;
    }
}
