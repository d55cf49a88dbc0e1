//! `lab index`, `lab ask`, `lab stats`, help, and what goes wrong.

use serde_json::Value as Json;

use super::workspace::*;

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
    let output = command(WORKSPACE.path(), "")
        .args(["ask", "--encoder", "tiny", "--json", "--question", question, "--gold", sql, "--history"])
        .args([file("kb.json"), "--database".into(), file("norhaven.sqlite")])
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
