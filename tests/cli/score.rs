//! `lab score`.

use serde_json::Value as Json;

use super::workspace::*;

#[test]
fn predictions_are_scored() {
    let tasks = predictions("gold.json", None);
    let score = "score --tasks {}/tasks.json --databases {} --json --predictions {}/";
    let report = json(&format!("{score}gold.json"));
    assert_eq!(report["overall"], serde_json::json!({"correct": tasks, "total": tasks, "score": 100.0}));

    predictions("one_wrong.json", Some("SELECT 'not this'"));
    let report = json(&format!("{score}one_wrong.json"));
    assert_eq!(
        report["overall"],
        serde_json::json!({"correct": tasks - 1, "total": tasks, "score": 100.0 * (tasks - 1) as f64 / tasks as f64})
    );
    assert_eq!(report["tasks"][0]["score"], 0.0);
    let output = lab("score --tasks {}/tasks.json --databases {} --predictions {}/one_wrong.json");
    let text = String::from_utf8(output.stdout).unwrap();
    let last = format!("bird-ex: {} of {tasks} correct, ", tasks - 1);
    assert_eq!(output.status.code(), Some(0));
    // What is wrong, the difficulties between blank lines, the score.
    let groups = ["\n\ndifficulty ", "\nsimple ", "\nmoderate ", "\nchallenging "];
    let places: Vec<usize> = groups.iter().map(|group| text.find(group).unwrap()).collect();
    assert!(places.is_sorted() && text.lines().count() == 8, "{text}");
    assert!(
        text.starts_with("norhaven 30000: ") && text.lines().last().unwrap().starts_with(&last),
        "{text}"
    );
}

#[test]
fn every_mode_scores_golds_as_predictions() {
    let tasks = predictions("gold.json", None);
    let score = "score --tasks {}/tasks.json --databases {} --json --predictions {}/gold.json --mode ";
    for mode in ["bird-ex", "bird-orig", "spider-ts", "soft-f1", "livesql"] {
        let report = json(&format!("{score}{mode}"));
        assert_eq!(
            (&report["mode"], report["overall"]["correct"].as_u64()),
            (&mode.into(), Some(tasks as u64)),
            "{mode}"
        );
        assert_eq!(report["overall"]["score"], 100.0, "{mode}");
        assert_eq!(report["timeout_s"], if mode == "spider-ts" { 60.0 } else { 30.0 });
    }
    let report = json(&format!("{score}r-ves --repeats 3"));
    assert_eq!(report["overall"]["correct"].as_u64(), Some(tasks as u64));
    // A query beside itself is neither twice as fast nor half as fast, but on a busy machine any may seem so.
    let score = report["overall"]["score"].as_f64().unwrap();
    assert!((50.0..112.0).contains(&score), "{score}");
    assert!(report["tasks"][0]["speed"].as_f64().is_some());
}

/// Writes a database made by a script.
fn database(name: &str, script: &str) {
    let path = file(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    rusqlite::Connection::open(path).unwrap().execute_batch(script).unwrap();
}

#[test]
fn canonical_queries_of_wikisql_run_on_the_tables_of_one_file() {
    database(
        "wiki.db",
        "CREATE TABLE table_1_2 (col0 text, col1 real);
         INSERT INTO table_1_2 VALUES ('butler cc', 3), ('duke', 4), ('butler cc', 5.5);",
    );
    let task = |query: &str| {
        format!("{{\"phase\": 1, \"table_id\": \"1-2\", \"question\": \"q\", \"sql\": {query}}}\n")
    };
    let gold = r#"{"sel": 1, "agg": 0, "conds": [[0, 0, "Butler CC"]]}"#;
    std::fs::write(file("wiki.jsonl"), task(gold).repeat(4)).unwrap();
    let said = [
        gold,
        // The same values by another query, in another order, and none.
        r#"{"sel": 1, "agg": 0, "conds": [[0, 2, "c"]]}"#,
        r#"{"sel": 1, "agg": 1, "conds": []}"#,
    ];
    let mut lines: String = said.iter().map(|query| format!("{{\"query\": {query}}}\n")).collect();
    lines.push_str("{\"error\": \"no column\"}\n");
    std::fs::write(file("wiki_said.jsonl"), lines).unwrap();
    let report = json(
        "score --mode wikisql-ex --tasks {}/wiki.jsonl --predictions {}/wiki_said.jsonl --databases {}/wiki.db --json",
    );
    assert_eq!((&report["overall"]["correct"], &report["logical_form"]["correct"]), (&2.into(), &1.into()));
    assert_eq!(report["tasks"][3]["verdict"], "Missing");
    let output = lab(
        "score --mode wikisql-ex --tasks {}/wiki.jsonl --predictions {}/wiki_said.jsonl --databases {}/wiki.db",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let last = "wikisql-ex: 2 of 4 correct, 50.0 %\nlogical form: 1 of 4 the same, 25.0 %\n";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn spider_asks_every_database_of_the_folder() {
    let script = |more: &str| format!("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'){more}");
    database("spider/shop/shop.sqlite", &script(""));
    database("spider/shop/shop_neighbour.sqlite", &script(", (3, 'y')"));
    let tasks = serde_json::json!([
        {"db_id": "shop", "question": "q", "query": "SELECT DISTINCT a, b FROM t"},
        {"db_id": "shop", "question": "q", "query": "SELECT a FROM t WHERE b = 'y'"},
    ]);
    std::fs::write(file("spider/tasks.json"), tasks.to_string()).unwrap();
    // Columns turned round; and a query that is right on one of the files only.
    std::fs::write(file("spider/said.sql"), "SELECT b, a FROM t\nSELECT a FROM t WHERE a = 2\n").unwrap();
    let score =
        "score --tasks {}/spider/tasks.json --predictions {}/spider/said.sql --databases {}/spider --mode ";
    let text = String::from_utf8(lab(&format!("{score}spider-ts")).stdout).unwrap();
    assert!(
        text.contains("shop_neighbour.sqlite: ") && text.ends_with("spider-ts: 1 of 2 correct, 50.0 %\n"),
        "{text}"
    );
    let report = json(&format!("{score}bird-ex --json"));
    assert_eq!(report["tasks"][0]["score"], 0.0);
    assert_eq!(report["tasks"][1]["score"], 1.0);
}

#[test]
fn gold_results_are_kept_beside_the_report() {
    let tasks = predictions("gold.json", None);
    let score = "score --tasks {}/tasks.json --databases {} --json --predictions {}/gold.json --out {}/kept/score.json";
    std::fs::create_dir_all(file("kept")).unwrap();
    assert_eq!(json(score)["golds_known"], 0);
    assert_eq!(json(score)["golds_known"], tasks);
    let written: Json = serde_json::from_slice(&std::fs::read(file("kept/score.json")).unwrap()).unwrap();
    assert_eq!(written["overall"]["correct"], tasks);
    // Another limit: another file's worth of results, and the change is said.
    let output = lab(&score.replace("--json", "--timeout 7"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("computed anew: they were computed with a limit of 30 s"), "{text}");
    let other = json(&score.replace("--out {}/kept/score.json", "--timeout 7 --golds {}/kept/folder"));
    assert_eq!((&other["golds_known"], file("kept/folder/golds.bin").is_file()), (&0.into(), true));
}

#[test]
fn a_query_that_cannot_be_ended_does_not_hold_up_the_run() {
    let tasks =
        predictions("endless.json", Some("SELECT instr(zeroblob(20000000), zeroblob(10000000) || x'01')"));
    let started = std::time::Instant::now();
    let output = lab("score --tasks {}/tasks.json --databases {} --timeout 5 --predictions {}/endless.json");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    assert!(text.starts_with("norhaven 30000: Stopped after 5 s.\n"), "{text}");
    assert!(text.contains(&format!("bird-ex: {} of {tasks} correct", tasks - 1)), "{text}");
    assert!(text.ends_with("\n1 query could not be ended at the deadline (left behind)\n"), "{text}");
}

#[test]
fn golds_that_do_not_run_are_told_apart() {
    predictions("gold.json", None);
    let mut tasks: Json = serde_json::from_slice(&std::fs::read(file("tasks.json")).unwrap()).unwrap();
    for task in &mut tasks.as_array_mut().unwrap()[..3] {
        task["SQL"] = "SELECT nothing_here".into();
    }
    std::fs::write(file("broken_tasks.json"), tasks.to_string()).unwrap();
    let output = lab("score --tasks {}/broken_tasks.json --databases {} --predictions {}/gold.json");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.ends_with("\n3 golds do not run and count as wrong\n"), "{text}");
}
