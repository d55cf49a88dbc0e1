//! The command line `lab`, run as a program: what it prints and its exit codes.
//!
//! Everything runs on the demo workspace with the tiny encoder, made into a temporary folder.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value as Json;
use tempfile::TempDir;

/// The demo as `lab demo` makes it, and the tiny encoder as `lab tiny` does.
static WORKSPACE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/demo");
    for file in ["history.jsonl", "tasks.json", "workspace.json"] {
        std::fs::copy(demo.join(file), folder.path().join(file)).unwrap();
    }
    std::fs::write(folder.path().join("notes.txt"), "SELECT is a word.\n").unwrap();
    std::fs::write(folder.path().join("empty.sql"), "-- nothing yet\n").unwrap();
    for arguments in ["tiny --out {}/tiny", "demo --dir {} --encoder tiny"] {
        let output = run_in(folder.path(), arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
    folder
});

/// Runs `lab` with arguments separated by white space, `{}` the folder and `+` a space inside an argument.
fn run_in(folder: &Path, arguments: &str) -> Output {
    let here = folder.to_str().unwrap();
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments.split_whitespace().map(|argument| argument.replace("{}", here).replace('+', " ")))
        .env("QUERYLORE_CACHE", folder)
        .output()
        .unwrap()
}

fn lab(arguments: &str) -> Output {
    run_in(WORKSPACE.path(), arguments)
}

/// What a command that ends well prints, as JSON.
fn json(arguments: &str) -> Json {
    let output = lab(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{arguments}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn file(name: &str) -> PathBuf {
    WORKSPACE.path().join(name)
}

fn records(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(file(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes the gold of every task as predictions, the first one replaced where `first` says so.
fn predictions(name: &str, first: Option<&str>) -> usize {
    let tasks: Vec<Json> = serde_json::from_slice(&std::fs::read(file("tasks.json")).unwrap()).unwrap();
    let mut golds: Vec<&str> = tasks.iter().map(|task| task["SQL"].as_str().unwrap()).collect();
    golds[0] = first.unwrap_or(golds[0]);
    std::fs::write(file(name), serde_json::to_vec(&golds).unwrap()).unwrap();
    tasks.len()
}

#[test]
fn a_history_is_indexed_and_a_question_answered_from_the_index() {
    let history = records("history.jsonl");
    let done = json(
        "index --history {}/history.jsonl --database {}/norhaven.sqlite --encoder tiny --out {}/kb.json --json",
    );
    let count = |name: &str| usize::try_from(done[name].as_u64().unwrap()).unwrap();
    assert_eq!(count("read"), history.len());
    assert_eq!(count("queries") + count("merged") + count("skipped"), history.len());
    assert!(count("items") > count("queries"), "{done}");
    assert_eq!(count("bytes"), std::fs::read(file("kb.json")).unwrap().len());

    let (question, sql) = (history[0]["question"].as_str().unwrap(), history[0]["sql"].as_str().unwrap());
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["ask", "--encoder", "tiny", "--json", "--question", question, "--gold", sql, "--history"])
        .args([file("kb.json"), "--database".into(), file("norhaven.sqlite")])
        .env("QUERYLORE_CACHE", WORKSPACE.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let asked: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(asked["answer"]["entry"], 0, "{}", asked["answer"]["sql"]);
    assert_eq!(asked["equal"], true, "{}", asked["difference"]);
    // The tiny encoder finds the question itself; what else it finds means nothing.
    let found = asked["retrieved"]["queries"].as_array().unwrap();
    assert!(
        found.iter().any(|hit| hit["entry"] == 0 && hit["similarity"].as_f64().unwrap() > 0.1),
        "{found:?}"
    );
}

#[test]
fn an_answer_for_people_shows_what_it_rests_on() {
    let output = lab("ask --history {}/history.jsonl --database {}/norhaven.sqlite --encoder tiny \
         --question Ticket+revenue+in+crowns+by+sales+channel,+April+2023 --gold SELECT+1");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for shown in ["query #1 ", "Adapted from query #1. No model was used.", "SUM(t.fare_ct)", "chan | crowns"]
    {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(text.contains("skipped (lab index says why)."), "{text}");
    assert!(text.contains("Different from gold (bird-ex). "), "{text}");
}

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
fn a_task_file_is_counted_and_checked() {
    let counted = json("stats --tasks {}/tasks.json --databases {} --json");
    assert_eq!((&counted["tasks"], &counted["golds_run"]), (&40.into(), &40.into()));
    assert_eq!(counted["problems"], serde_json::json!([]));
    let items: u64 = counted["types"].as_array().unwrap().iter().map(|t| t["items"].as_u64().unwrap()).sum();
    let tasks: Vec<Json> = serde_json::from_slice(&std::fs::read(file("tasks.json")).unwrap()).unwrap();
    let needed: usize = tasks.iter().map(|task| task["history_knowledge"].as_object().unwrap().len()).sum();
    assert_eq!(items, needed as u64);

    let mut broken = tasks.clone();
    broken[0]["SQL"] = "SELECT nothing_here".into();
    broken[1]["db_id"] = "elsewhere".into();
    broken[2]["history_knowledge"] = serde_json::json!({"t.a = <val>": []});
    std::fs::write(file("misfits.json"), Json::from(broken).to_string()).unwrap();
    let output = lab("stats --tasks {}/misfits.json --databases {}");
    let text = String::from_utf8(output.stdout).unwrap();
    for said in [
        "40 tasks on 2 databases",
        "per task (table 10)",
        "\n38 reference queries run\n2 things do not fit\n",
        "elsewhere 30001: no database elsewhere in the folder (1 task)",
        "norhaven 30000: the reference query does not run: no such column: nothing_here",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let text =
        String::from_utf8(lab("stats --tasks {}/misfits.json --history {}/history.jsonl").stdout).unwrap();
    assert!(text.contains("norhaven 30002: t.a = <val> occurs nowhere in the history"), "{text}");
}

#[test]
fn what_goes_wrong_is_one_line_and_an_exit_code() {
    predictions("gold.json", None);
    std::fs::write(file("newer.json"), r#"{"format": "querylore-knowledge", "version": 99}"#).unwrap();
    let ask = "ask --encoder tiny --question Q --history {}/history.jsonl --database {}/norhaven.sqlite";
    let with = |from: &str, to: &str| ask.replace(from, to);
    let index = "index --encoder tiny --history {}/history.jsonl --database {}/norhaven.sqlite";
    let score = "score --tasks {}/tasks.json --databases {} --predictions ";
    std::fs::write(file("changes.sql"), "DELETE FROM trips;\n\n/* SELECT 1;\nSELECT 2;\n").unwrap();
    std::fs::write(file("none.json"), "[]").unwrap();
    let mut database = std::fs::read(file("norhaven.sqlite")).unwrap();
    for folder in ["cut", "damaged"] {
        std::fs::create_dir_all(file(folder)).unwrap();
    }
    std::fs::write(file("cut/norhaven.sqlite"), &database[..database.len() / 2]).unwrap();
    // Its schema stays.
    let schema = 16 * 4096;
    database[schema..].fill(0xff);
    std::fs::write(file("damaged/norhaven.sqlite"), &database).unwrap();
    let cases = [
        // Wrong use.
        (String::new(), 2, "index, ask, score"),
        ("inedx".into(), 2, "inedx"),
        ("index --history {}/history.jsonl".into(), 2, "--out"),
        (with("tiny", "huge"), 2, "There is no encoder “huge”; there are minilm, mpnet and tiny."),
        (format!("{ask} --db-id nowhere"), 2, "history.jsonl names no databases; leave out --db-id."),
        (
            with("history.jsonl", "tasks.json") + " --db-id nowhere",
            2,
            "no database nowhere; it has: norhaven",
        ),
        (with("history.jsonl", "knowledge.json") + " --db-id x", 2, "knowledge base of one database"),
        (
            "score --tasks {}/tasks.json --predictions {}/gold.json --databases {} --mode exact".into(),
            2,
            "The scoring mode exact is not known; there are bird-ex, bird-orig, spider-ts, wikisql-ex, soft-f1, r-ves, livesql.",
        ),
        (
            "score --tasks {}/tasks.json --predictions {}/gold.json --databases {} --timeout 0".into(),
            2,
            "--timeout",
        ),
        // What was asked for cannot be done.
        (with("history.jsonl", "gone.jsonl"), 1, "gone.jsonl cannot be read: "),
        (with("norhaven.sqlite", "gone.sqlite"), 1, "gone.sqlite: The file cannot be read: "),
        (with("{}/norhaven.sqlite", "{}"), 1, ": This is a folder, not a database."),
        (
            with("norhaven.sqlite", "notes.txt"),
            1,
            "notes.txt: This is not a SQLite database: it looks like SQL text",
        ),
        (with("history.jsonl", "norhaven.sqlite"), 1, "norhaven.sqlite: "),
        (with("history.jsonl", "newer.json"), 1, "version 99"),
        (with("history.jsonl", "empty.sql"), 1, "empty.sql: No queries were found in this file."),
        (with("--encoder tiny ", ""), 1, "all-MiniLM-L6-v2"),
        (format!("{ask} --gold SELECT+nothing_here"), 1, "The gold SQL does not run: "),
        ("index --encoder tiny --history {}/empty.sql --out {}/kb2.json".into(), 1, "No queries were found"),
        (
            "index --encoder tiny --history {}/history.jsonl --out {}/no/kb.json".into(),
            1,
            "cannot be written",
        ),
        ("score --tasks {}/gone.json --predictions {}/gold.json --databases {}".into(), 1, "gone.json"),
        ("score --tasks {}/notes.txt --predictions {}/gold.json --databases {}".into(), 1, "notes.txt: "),
        (
            "score --tasks {}/tasks.json --predictions {}/gold.json --databases {}/tiny".into(),
            1,
            "holds neither norhaven/norhaven.sqlite nor norhaven.sqlite.",
        ),
        ("serve --dir {}/tiny".into(), 1, "Build the page first"),
        // Inputs are not overwritten.
        (index.to_owned() + " --out {}/history.jsonl", 2, "--out would overwrite "),
        (
            index.to_owned() + " --out {}/tiny/../norhaven.sqlite",
            2,
            "the file of --database; choose another.",
        ),
        (
            index.to_owned() + " --out {}/kb3.json --describe-with http://127.0.0.1:9 --answers {}/kb3.json",
            2,
            "of --out",
        ),
        // Nothing in it is a query.
        (
            "index --encoder tiny --history {}/changes.sql --out {}/kb4.json".into(),
            1,
            "changes.sql: No query in this file could be read. line 1: not a query (DELETE); \
             line 3: a comment is not closed; what follows it was not read.",
        ),
        (with("history.jsonl", "changes.sql"), 1, "line 1: not a query (DELETE)"),
        // A score that would say nothing.
        (score.to_owned() + "{}/none.json", 1, "none.json: The prediction file holds no SQL for any task."),
        (
            score.replace("--databases {}", "--databases {}/cut") + "{}/gold.json",
            1,
            "cut/norhaven.sqlite: The file is truncated: ",
        ),
        (
            score.replace("--databases {}", "--databases {}/damaged") + "{}/gold.json",
            1,
            "damaged/norhaven.sqlite: ",
        ),
        // Options that would do nothing, a rule for other tasks, an output that is an input.
        (score.to_owned() + "{}/gold.json --keep-distinct", 2, "--keep-distinct is for --mode spider-ts."),
        (score.to_owned() + "{}/gold.json --mode r-ves --repeats 1", 2, "--repeats"),
        (score.to_owned() + "{}/gold.json --mode wikisql-ex", 2, "are not WikiSQL's."),
        (
            score.to_owned() + "{}/gold.json --out {}/gold.json",
            2,
            "the file of --predictions; choose another.",
        ),
        ("stats --tasks {}/notes.txt".into(), 1, "notes.txt: "),
        ("stats --tasks {}/tasks.json --databases {}/nowhere".into(), 1, "is not a folder."),
        (format!("{ask} --shots none"), 2, "--llm"),
        (format!("{ask} --context 4096"), 2, "--llm"),
        ("proxy --dir {} --upstream foo".into(), 2, "“foo” is not an address of a web server."),
        ("proxy --dir {} --upstream http://127.0.0.1:9 --rate 0".into(), 2, "--rate"),
    ];
    for (arguments, code, says) in cases {
        let output = lab(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        assert!(error.starts_with("lab: ") && error.contains(says), "{arguments}: {error}");
    }
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

#[test]
fn help_and_version_go_to_standard_output() {
    for (arguments, says) in [
        ("--help", "Usage: lab"),
        ("ask --help", "--question"),
        ("index --help", "minilm, mpnet or tiny"),
        ("score --help", "bird-ex, bird-orig, spider-ts"),
        ("stats --help", "--history"),
        ("--version", "lab "),
    ] {
        let output = lab(arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty() && String::from_utf8_lossy(&output.stdout).contains(says));
    }
}
