//! `lab run`, `lab merge`, `lab report`, `lab retrieval-eval` and `lab sweep`.

use std::time::Duration;

use querylore::bench::run::{Outcome, RunFile};

use super::server::Server;
use super::workspace::*;

const RUN: &str =
    "run --tasks {}/tasks.json --history {}/history.jsonl --databases {} --pipeline adapt --encoder tiny";

fn done(arguments: &str) -> String {
    let output = lab(arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code and the line on standard error.
fn refused(arguments: &str) -> (i32, String) {
    let output = lab(arguments);
    assert!(output.stdout.is_empty(), "{arguments}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A run without its times, which no two runs share.
fn answers(name: &str) -> Vec<Outcome> {
    let run = RunFile::parse(&std::fs::read(WORKSPACE.path().join(name)).unwrap()).unwrap();
    let timeless = |outcome: Outcome| Outcome { retrieve_ms: 0.0, answer_ms: 0.0, ..outcome };
    run.outcomes.into_iter().map(timeless).collect()
}

#[test]
fn a_run_that_is_killed_twenty_times_ends_with_the_same_answers() {
    done(&format!("{RUN} --out {{}}/whole.jsonl"));
    let whole = answers("whole.jsonl");
    assert_eq!(whole.len(), 40);
    assert!(
        whole.iter().any(|outcome| outcome.sql.is_some())
            && whole.iter().all(|outcome| outcome.knowledge.is_some())
    );

    let mut kills = 0;
    let mut sizes = std::collections::BTreeSet::new();
    // Later and later, so that each one gets some way further.
    while kills < 20 {
        let arguments = format!("{RUN} --out {{}}/killed.jsonl --resume");
        let mut child = command(WORKSPACE.path(), &arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(150 + kills * 37 % 400));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        sizes.insert(std::fs::metadata(WORKSPACE.path().join("killed.jsonl")).map_or(0, |file| file.len()));
        if kills % 5 == 0 {
            // As if the last line had been cut by the kill.
            let path = WORKSPACE.path().join("killed.jsonl");
            let bytes = std::fs::read(&path).unwrap_or_default();
            std::fs::write(&path, &bytes[..bytes.len().saturating_sub(7)]).unwrap();
        }
    }
    done(&format!("{RUN} --out {{}}/killed.jsonl --resume"));
    assert_eq!(answers("killed.jsonl"), whole);
    println!("sizes after the kills: {sizes:?}");
}

#[test]
fn shards_join_to_the_whole_run() {
    done(&format!("{RUN} --retriever mqs --out {{}}/mqs.jsonl"));
    for part in 1..=3 {
        done(&format!("{RUN} --retriever mqs --shard {part}/3 --out {{}}/part{part}.jsonl"));
    }
    let said = done("merge {}/part3.jsonl {}/part1.jsonl {}/part2.jsonl --out {}/joined.jsonl");
    assert!(said.starts_with("40 tasks in"), "{said}");
    assert_eq!(answers("joined.jsonl"), answers("mqs.jsonl"));
    let said = done("merge {}/part3.jsonl {}/part1.jsonl --out {}/two.jsonl");
    assert!(said.contains("13 are still missing"), "{said}");
    let (code, said) = refused("merge {}/part1.jsonl {}/part1.jsonl --out {}/x.jsonl");
    assert!(code == 1 && said.contains("Task 0 is in two of the runs"), "{said}");
    let (code, said) = refused("merge {}/part1.jsonl --out {}/part1.jsonl");
    assert!(code == 2 && said.contains("overwrite"), "{said}");
    let (code, said) = refused("merge {}/tasks.json --out {}/x.jsonl");
    assert!(code == 1 && said.contains("no run file"), "{said}");
}

#[test]
fn another_run_is_not_written_over() {
    done(&format!("{RUN} --retriever none --shard 1/40 --out {{}}/kept.jsonl"));
    let (code, said) = refused(&format!("{RUN} --retriever none --shard 1/40 --out {{}}/kept.jsonl"));
    assert!(code == 2 && said.contains("--resume"), "{said}");
    let (code, said) =
        refused(&format!("{RUN} --retriever gold --shard 1/40 --out {{}}/kept.jsonl --resume"));
    assert!(code == 2 && said.contains("made with another retriever"), "{said}");
    let (code, said) = refused(&format!("{RUN} --out {{}}/tasks.json --resume"));
    assert!(code == 1 && said.contains("no run file"), "{said}");
    assert!(std::fs::read(WORKSPACE.path().join("tasks.json")).unwrap().len() > 1_000);
    let (code, said) = refused(&format!("{RUN} --shard 5/4 --out {{}}/x.jsonl"));
    assert!(code == 2 && said.contains("I/N"), "{said}");
    for pipeline in ["direct", "dail-sql", "codes", "opensearch-sql", "n-rep"] {
        let (code, said) = refused(&RUN.replace("adapt", &format!("{pipeline} --out {{}}/x.jsonl")));
        assert!(code == 2 && said.contains(&format!("{pipeline} needs a model")), "{said}");
    }
}

#[test]
fn retrievers_are_measured() {
    let eval = "retrieval-eval --tasks {}/tasks.json --history {}/history.jsonl --databases {} --encoder tiny --json";
    let figures = |retriever: &str| -> serde_json::Value {
        serde_json::from_str(&done(&format!("{eval} --max-shots 1,5 --retriever {retriever}"))).unwrap()
    };
    let gold = figures("gold");
    assert_eq!((gold["tasks"].as_u64(), gold["rows"][1]["max_shots"].as_u64()), (Some(40), Some(5)));
    assert!(gold["rows"][1]["overall"]["recall"].as_f64().unwrap() > 0.95, "{gold}");
    for retriever in ["history", "mqs", "mqs-qs", "mqs-filter"] {
        let recall = |row: usize| figures(retriever)["rows"][row]["overall"]["recall"].as_f64().unwrap();
        assert!(recall(0) <= recall(1), "{retriever}");
    }
    assert_eq!(figures("none")["rows"][0]["shots"].as_f64(), Some(0.0));
    let (code, said) = refused(&format!("{eval} --retriever dail"));
    assert!(code == 2 && said.contains("--preliminary"), "{said}");
}

#[test]
fn runs_are_scored_and_shown_side_by_side() {
    done(&format!("{RUN} --retriever history --out {{}}/one.jsonl"));
    done(&format!("{RUN} --retriever mqs-qs --out {{}}/two.jsonl"));
    let scored = done("score --tasks {}/tasks.json --predictions {}/one.jsonl --databases {}");
    let share: f64 = scored.split_once("correct, ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let report = "report {}/one.jsonl {}/two.jsonl --tasks {}/tasks.json --databases {}";
    let rows: serde_json::Value = serde_json::from_str(&done(&format!("{report} --format json"))).unwrap();
    assert_eq!(rows[0]["score"][0], "bird-ex");
    assert!((rows[0]["score"][1].as_f64().unwrap() - share).abs() < 0.06, "{scored} {rows}");
    assert_eq!((rows[1]["retriever"].as_str(), rows[1]["tasks"].as_u64()), (Some("mqs-qs"), Some(40)));
    let markdown = done(report);
    assert!(markdown.contains("| adapt | history qc | tiny |"), "{markdown}");
    assert_eq!(done(&format!("{report} --format csv")).lines().count(), 3);
    assert!(done("report {}/one.jsonl").contains("| – |"));
    std::fs::write(WORKSPACE.path().join("other.json"), "[]").unwrap();
    let (code, said) = refused("report {}/one.jsonl --tasks {}/other.json --databases {}");
    assert!(code == 2 && said.contains("answers other tasks"), "{said}");
}

#[test]
fn a_sweep_has_the_figures_of_single_measurements_beside_those_of_the_paper() {
    let common = "--tasks {}/tasks.json --history {}/history.jsonl --databases {} --encoder tiny";
    let rows: Vec<serde_json::Value> =
        serde_json::from_str(&done(&format!("sweep {common} --format json"))).unwrap();
    let of = |varied: &str, setting: &str| -> (String, String) {
        let found = rows.iter().find(|row| row["varied"] == varied && row["setting"] == setting);
        let text = |name: &str| found.unwrap()[name].as_str().unwrap().to_owned();
        (text("F1"), text("paper's F1"))
    };
    assert_eq!(rows.len(), 6 + 5 + 5 + 5 + 3, "{rows:#?}");
    assert_eq!(of("max shots", "3").1, "53.80");
    for (varied, setting, arguments) in [
        ("retriever", "mqs-qs", "--retriever mqs-qs --max-shots 5"),
        ("retriever", "history", "--max-shots 5"),
        ("max shots", "2", "--max-shots 2"),
        ("threshold", "0.8", "--threshold 0.8 --max-shots 5"),
        ("level", "c", "--level c --max-shots 5"),
    ] {
        let alone: serde_json::Value =
            serde_json::from_str(&done(&format!("retrieval-eval {common} {arguments} --json"))).unwrap();
        let f1 = 100.0 * alone["rows"][0]["overall"]["f1"].as_f64().unwrap();
        assert_eq!(of(varied, setting).0, format!("{f1:.1}"), "{varied} {setting}");
    }
}

/// A run of the first two tasks by a pipeline with the scripted model of that name.
fn by_model(server: &Server, pipeline: &str, model: &str, more: &str) -> String {
    let run = RUN.replace("adapt", pipeline);
    format!("{run} --llm {} --model {model} --shard 1/20 {more}", server.url())
}

fn stages(outcome: &Outcome) -> Vec<(&str, u32, usize)> {
    outcome.stages.iter().map(|stage| (stage.name.as_str(), stage.requests, stage.candidates.len())).collect()
}

#[test]
fn dail_sql_asks_for_a_first_sql_and_chooses_among_samples() {
    let server = Server::start();
    done(&by_model(&server, "dail-sql", "piers", "--retriever dail --out {}/dail.jsonl"));
    let dail = answers("dail.jsonl");
    assert_eq!(dail.len(), 2);
    for outcome in &dail {
        assert_eq!(outcome.sql.as_deref(), Some("SELECT COUNT(*) FROM piers"));
        assert_eq!((outcome.requests, outcome.prompt_tokens, outcome.answer_tokens), (2, 60, 24));
        assert_eq!(stages(outcome), [("preliminary SQL, generation", 1, 1), ("generation", 1, 1)]);
        assert_eq!(outcome.stages[1].candidates[0].rows, Some(1));
        assert_eq!((outcome.retrieved.len(), outcome.prompt_sha256.as_ref().map(String::len)), (5, Some(64)));
    }
    assert_ne!(dail[0].prompt_sha256, dail[1].prompt_sha256);
    let asked = server.seen.requests.lock().unwrap().clone();
    // The first SQL changes none of the examples here, so each task's second request is remembered.
    assert_eq!(asked.len(), 2);
    for request in &asked {
        let text = request["messages"][0]["content"].as_str().unwrap();
        let (examples, rest) = text.split_once("/* Tables of the database: */").unwrap();
        assert_eq!(examples.matches("/* Question: ").count(), 5);
        assert!(rest.contains("CREATE TABLE piers") && rest.ends_with("*/\nSELECT "), "{rest}");
    }

    done(&by_model(&server, "dail-sql", "piers", "--retriever mqs --samples 3 --out {}/three.jsonl"));
    let three = answers("three.jsonl");
    assert_eq!(stages(&three[0]), [("generation", 3, 0), ("self-consistency", 0, 3)]);
    assert_eq!((three[0].requests, three[0].stages[1].candidates[0].votes), (3, 3));
    let (code, said) =
        refused(&by_model(&server, "dail-sql", "piers", "--retriever mqs --out {}/three.jsonl --resume"));
    assert!(code == 2 && said.contains("made with another samples"), "{said}");
    let (code, said) = refused(&by_model(&server, "direct", "piers", "--samples 3 --out {}/x.jsonl"));
    assert!(code == 2 && said.contains("does not choose among answers"), "{said}");

    // What stopped is not an answer.
    let (code, said) = refused(&by_model(&server, "dail-sql", "401", "--retriever dail --out {}/x.jsonl"));
    assert!(code == 1 && said.contains("--resume goes on"), "{said}");
}

#[test]
fn codes_takes_the_first_candidate_that_can_be_planned() {
    let server = Server::start();
    done(&by_model(&server, "codes", "unplanned", "--retriever mqs-qs --max-shots 3 --out {}/codes.jsonl"));
    let codes = answers("codes.jsonl");
    for outcome in &codes {
        assert_eq!((outcome.sql.as_deref(), outcome.requests), (Some("SELECT COUNT(*) FROM piers"), 2));
        let names = ["value retrieval", "schema filter", "generation", "execution"];
        assert_eq!(outcome.stages.iter().map(|stage| stage.name.as_str()).collect::<Vec<_>>(), names);
        assert!(outcome.stages[1].notes[0].starts_with("Kept: 6 of 10 tables"), "{:?}", outcome.stages);
        let errors: Vec<bool> = outcome.stages[2].candidates.iter().map(|one| one.error.is_some()).collect();
        assert_eq!(errors, [true, false]);
    }
    let text = server.seen.requests.lock().unwrap()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(text.contains("\nforeign keys :\n") && text.contains(" | values : "), "{text}");
    assert_eq!(text.matches("question : ").count(), 4);
    // The same run in two goes is the same.
    done(&by_model(
        &server,
        "codes",
        "unplanned",
        "--retriever mqs-qs --max-shots 3 --out {}/codes.jsonl --resume",
    ));
    assert_eq!(answers("codes.jsonl"), codes);
    assert!(done("report {}/codes.jsonl").contains("| codes | mqs-qs |"));

    // One that never answers well is wrong, with its SQL; nothing is mended.
    done(&by_model(&server, "codes", "sql", "--retriever none --samples 2 --out {}/wrong.jsonl"));
    let wrong = answers("wrong.jsonl");
    assert!(wrong[0].error.as_ref().unwrap().contains("no such table: ships"), "{:?}", wrong[0]);
    assert!(wrong[0].requests == 2 && wrong[0].sql.as_ref().unwrap().contains("ships"), "{:?}", wrong[0]);
}

#[test]
fn opensearch_sql_keeps_its_stages_and_an_index_of_each_database() {
    let server = Server::start();
    done(&by_model(
        &server,
        "opensearch-sql",
        "fields",
        "--retriever mqs --samples 3 --out {}/opensearch.jsonl",
    ));
    let answered = answers("opensearch.jsonl");
    for outcome in &answered {
        // Three requests of the extraction and three samples.
        assert_eq!((outcome.sql.as_deref(), outcome.requests), (Some("SELECT COUNT(*) FROM piers"), 6));
        assert_eq!(
            stages(outcome),
            [
                ("extraction", 3, 0),
                ("generation", 3, 1),
                ("alignment", 0, 0),
                ("refinement", 0, 1),
                ("vote", 0, 2)
            ]
        );
        assert_eq!(outcome.stages[4].candidates[1].votes, 3);
        let notes = &outcome.stages[0].notes;
        assert!(notes.iter().any(|note| note.contains("columns are kept")), "{notes:?}");
        assert!(!notes.iter().any(|note| note.contains("No index")), "{notes:?}");
    }
    let asked = server.seen.requests.lock().unwrap().clone();
    assert_eq!((asked[3]["temperature"].as_f64(), asked[4]["seed"].as_u64()), (Some(0.7), Some(1)));
    assert!(done("report {}/opensearch.jsonl").contains("| opensearch-sql | mqs |"));
    // Prose gives no answer, and the run goes on.
    done(&by_model(&server, "opensearch-sql", "prose", "--retriever none --samples 2 --out {}/talked.jsonl"));
    let talked = answers("talked.jsonl");
    assert!(talked.iter().all(|outcome| outcome.sql.is_none() && outcome.error.is_some()), "{talked:?}");
}

#[test]
fn n_rep_shows_the_schema_in_five_ways() {
    let server = Server::start();
    done(&by_model(&server, "n-rep", "linked", "--retriever mqs-filter --max-shots 3 --out {}/n-rep.jsonl"));
    for outcome in &answers("n-rep.jsonl") {
        assert_eq!((outcome.sql.as_deref(), outcome.requests), (Some("SELECT COUNT(*) FROM piers"), 8));
        assert_eq!(stages(outcome), [("linking", 3, 0), ("candidates", 5, 5), ("vote", 0, 2)]);
        assert_eq!(outcome.stages[2].candidates[0].votes, 5);
    }
    let (code, said) = refused(&by_model(&server, "n-rep", "linked", "--samples 3 --out {}/x.jsonl"));
    assert!(code == 2 && said.contains("does not choose among answers"), "{said}");
}
