//! `lab ask` and `lab index` with a model.

use serde_json::Value as Json;

use crate::server::Server;
use crate::workspace::{file, lab};

const ASK: &str =
    "ask --history {}/history.sql --database {}/ships.sqlite --encoder tiny --question Ships+of+the+south";

fn ask(server: &Server, model: &str, more: &str) -> (Option<i32>, String, String) {
    let output = lab(&format!("{ASK} --llm {} --model {model} {more}", server.url()), &[]);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_model_answers_with_the_history_before_it() {
    let server = Server::start();
    let (code, text, error) = ask(&server, "sql", "--gold SELECT+'Ada'");
    assert_eq!(code, Some(0), "{error}");
    for part in ["Written by sql with ", "WHERE port = 'Süd'", "Ada", "1 row", "Same as gold"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let sent = server.seen.requests.lock().unwrap()[0]["messages"][1]["content"].as_str().unwrap().to_owned();
    for part in [
        "CREATE TABLE ships",
        "-- Ships of the south\nSELECT name",
        "such as: 90 to 120",
        "## Question\nShips of the south",
    ] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    let (_, text, _) = ask(&server, "sql", "--shots none --json");
    let done: Json = serde_json::from_str(&text).unwrap();
    let prompt = done["direct"]["prompt"]["messages"][1]["content"].as_str().unwrap();
    assert!(
        !prompt.contains("Earlier queries") && done["direct"]["prompt"]["shots"] == serde_json::json!([]),
        "{prompt}"
    );
    assert_eq!(done["direct"]["answer"]["Ok"]["result"]["rows"][0][0]["Text"], "Ada");
}

#[test]
fn pipelines_of_several_stages_answer_a_question_too() {
    let server = Server::start();
    for pipeline in ["dail-sql", "codes"] {
        let (code, text, error) = ask(&server, "sql", &format!("--pipeline {pipeline} --gold SELECT+'Ada'"));
        assert_eq!(code, Some(0), "{error}");
        for part in ["Written by sql in 1 request.", "WHERE port = 'Süd'", "1 row", "Same as gold"] {
            assert!(text.contains(part), "{pipeline}: {part}: {text}");
        }
        let (_, text, _) = ask(&server, "sql", &format!("--pipeline {pipeline} --json"));
        let done: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(done["staged"]["answer"]["Ok"]["result"]["rows"][0][0]["Text"], "Ada");
        assert!(done["staged"]["stages"].as_array().is_some_and(|stages| !stages.is_empty()), "{done}");
    }
}

#[test]
fn an_answer_that_fails_is_mended_or_refused() {
    let server = Server::start();
    let (code, text, _) = ask(&server, "mend", "");
    assert_eq!(code, Some(0));
    assert!(text.contains("Mended once: no such column: nam"), "{text}");
    let sent = server.seen.requests.lock().unwrap()[1]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(sent.contains("ships.name"), "{sent}");

    let (code, text, _) = ask(&server, "two", "");
    assert_eq!(code, Some(0));
    assert!(text.contains("another statement of the answer: SELECT 1"), "{text}");
    for (model, part) in [
        ("delete", "this would change the database (DELETE on ships)"),
        ("attach", "this would change the database (ATTACH)"),
        ("prose", "no SQL"),
        ("length", "cut off"),
        ("401", "Check the key"),
        ("429", "Try again in 7 seconds"),
        ("cut", "Ask again"),
        ("unknown", "has no model “unknown”"),
    ] {
        let (code, _, error) = ask(&server, model, "");
        assert_eq!(code, Some(1), "{model}");
        assert!(error.contains(part) && error.lines().count() == 1, "{model}: {error}");
    }
}

#[test]
fn a_model_that_does_not_do_its_step_is_replaced_by_the_rules() {
    let server = Server::start();
    let (code, text, error) = ask(&server, "prose", "--llm-phrases --llm-rerank --pipeline adapt");
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("Key phrases: by rules, because the model could not be used."), "{text}");
    assert!(text.contains("Reranking: by rules, because"), "{text}");
    assert!(text.contains("Adapted from query #1."), "{text}");
}

#[test]
fn wrong_use_is_one_line() {
    let server = Server::start();
    let url = server.url();
    for (more, part) in [
        ("--pipeline direct".to_owned(), "needs a model"),
        ("--model x".to_owned(), "--llm"),
        (format!("--llm {url}"), "Choose a model with --model; the server has prose, sql."),
        (format!("--llm {url} --model sql --key-env NO_SUCH_KEY"), "NO_SUCH_KEY holds no key"),
        ("--llm ftp://x --model m".to_owned(), "not an address of a web server"),
    ] {
        let output = lab(&format!("{ASK} {more}"), &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{more}: {error}");
        assert!(error.contains(part) && error.lines().count() == 1, "{more}: {error}");
    }
    let output = lab(&format!("{ASK} --llm {url} --model sql --key-env KEY"), &[("KEY", "sk-a\nsk-b")]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("line break") && !error.contains("sk-a"), "{error}");
}

#[test]
fn a_history_is_described_by_a_model_and_the_answers_are_kept() {
    let server = Server::start();
    let index = format!(
        "index --history {{}}/history.sql --database {{}}/ships.sqlite --encoder tiny --out {{}}/described.json --describe-with {} --model describe",
        server.url()
    );
    let requests = || server.seen.requests.lock().unwrap().len();
    let output = lab(&format!("{index} --cost"), &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("2 requests, about ") && requests() == 0, "{said}");

    let output = lab(&index, &[]);
    let (text, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains("2 queries and 3 items described by the model."), "{text} {said}");
    assert_eq!(requests(), 2);
    let base = std::fs::read_to_string(file("described.json")).unwrap();
    assert!(base.contains("Show the described ships."), "{base}");
    // Nothing is asked twice.
    let output = lab(&format!("{index} --json"), &[]);
    let done: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((requests(), &done["described"]["remembered"]), (2, &serde_json::json!(2)));
}

/// Eight tasks on the ships, and the options of a run over them.
fn run_of_eight(server: &Server, out: &str) -> String {
    let tasks = (0..8).map(|n| {
        serde_json::json!({"question_id": n, "db_id": "ships", "question": format!("Ships, question {n}"), "SQL": "SELECT name FROM ships"})
    });
    std::fs::write(file("eight.json"), serde_json::to_vec(&tasks.collect::<Vec<_>>()).unwrap()).unwrap();
    format!(
        "run --tasks {{}}/eight.json --history {{}}/history.sql --databases {{}} --encoder tiny --retriever mqs \
         --pipeline direct --llm {} --model sql --out {{}}/{out}",
        server.url()
    )
}

/// A run file without its times.
fn timeless(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(file(name)).unwrap();
    let lines = text.lines().map(|line| {
        let mut json: Json = serde_json::from_str(line).unwrap();
        for time in ["retrieve_ms", "answer_ms"] {
            json.as_object_mut().unwrap().remove(time);
        }
        json
    });
    lines.collect()
}

#[test]
fn a_run_within_a_budget_pauses_and_goes_on_and_nothing_is_asked_twice() {
    let server = Server::start();
    let requests = || server.seen.requests.lock().unwrap().len();
    let run = run_of_eight(&server, "budget.jsonl");
    let output = lab(&format!("{run} --max-requests 3"), &[]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("limit of 3 requests is reached") && error.contains("--resume goes on"),
        "{error}"
    );
    assert_eq!((requests(), timeless("budget.jsonl").len()), (3, 4));
    // The limit is of the run as a whole, and what was answered does not count again.
    let output = lab(&format!("{run} --max-requests 3 --resume"), &[]);
    assert_eq!((output.status.code(), requests()), (Some(1), 3));
    // Without its last lines, as after a kill: the answers are in the file beside it.
    let path = file("budget.jsonl");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    let output = lab(&format!("{run} --max-requests 8 --resume"), &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((requests(), timeless("budget.jsonl").len()), (8, 9));
    for (more, part) in [
        ("--max-tokens 10", "limit of 10 tokens"),
        ("--max-cost 0.001 --price-prompt 1000", "limit of $0.00"),
    ] {
        let other = run.replace("budget.jsonl", "other.jsonl");
        let output = lab(&format!("{other} --resume {more}"), &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(part) && requests() == 8, "{more}: {error}");
    }
    let output = lab(&format!("{run} --resume --max-cost 1"), &[]);
    assert_eq!(output.status.code(), Some(2), "a cost needs a price");
}

#[test]
fn a_run_is_the_same_however_many_tasks_run_at_a_time() {
    let server = Server::start();
    for (out, more) in [("one.jsonl", ""), ("four.jsonl", "--concurrency 4")] {
        let output = lab(&format!("{} {more}", run_of_eight(&server, out)), &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let four = timeless("four.jsonl");
    assert_eq!(four.len(), 9);
    assert_eq!(four, timeless("one.jsonl"));
}
