//! `lab psg-export`.

use serde_json::Value as Json;

use super::workspace::*;

/// The conversations of a file.
fn conversations(name: &str) -> Vec<[String; 3]> {
    let text = std::fs::read_to_string(file(name)).unwrap();
    text.lines()
        .map(|line| {
            let record: Json = serde_json::from_str(line).unwrap();
            let messages = record["messages"].as_array().unwrap();
            let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
            assert_eq!(roles, ["system", "user", "assistant"]);
            [0, 1, 2].map(|at| messages[at]["content"].as_str().unwrap().to_owned())
        })
        .collect()
}

fn inside(text: &str) -> &str {
    text.strip_prefix("```sql\n").unwrap().strip_suffix(";\n```").unwrap()
}

/// Without white space: a record begins its answer on a new line, whatever stood before the cut.
fn packed(sql: &str) -> String {
    sql.split_whitespace().collect::<String>().trim_end_matches(';').to_owned()
}

#[test]
fn queries_are_written_whole_and_cut_where_the_model_errs() {
    let tasks: Vec<Json> = serde_json::from_slice(&std::fs::read(file("tasks.json")).unwrap()).unwrap();
    let gold = |task: &Json| task["SQL"].as_str().unwrap().to_owned();
    // The first ten are answered wrongly, the rest rightly.
    let said = tasks.iter().enumerate().map(|(at, task)| {
        serde_json::json!({
            "question_id": task["question_id"],
            "SQL": if at < 10 { "SELECT 'no'".to_owned() } else { gold(task) },
        })
    });
    std::fs::write(file("base.json"), serde_json::to_vec(&said.collect::<Vec<_>>()).unwrap()).unwrap();
    let export = |more: &str, out: &str| {
        json(&format!("psg-export --tasks {{}}/tasks.json --databases {{}} --out {{}}/{out} --json {more}"))
    };
    let done = export("--predictions {}/base.json --cuts 2", "psg.jsonl");
    let count = |name: &str| done[name].as_u64().unwrap() as usize;
    assert_eq!((count("tasks"), count("whole"), count("model_errs")), (tasks.len(), tasks.len(), 10));
    assert_eq!((&done["unread"], &done["no_database"]), (&serde_json::json!([]), &serde_json::json!([])));
    let records = conversations("psg.jsonl");
    assert_eq!((records.len(), count("records")), (count("whole") + count("cut"), records.len()));
    let by_keyword: u64 = done["by_keyword"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(by_keyword as usize, count("cut"));

    let mut whole = tasks.iter();
    let mut task = &tasks[0];
    for [_, user, answer] in &records {
        match user.split_once("\n## The query so far\n```sql\n") {
            None => {
                task = whole.next().unwrap();
                assert_eq!(packed(inside(answer)), packed(&gold(task)));
            }
            Some((_, rest)) => {
                let prefix = rest.split("\n```\n").next().unwrap();
                let joined = format!("{prefix} {}", inside(answer));
                assert_eq!(packed(&joined), packed(&gold(task)));
            }
        }
        assert!(user.contains("CREATE TABLE") && user.contains("/* Sample rows of"), "{user}");
        assert!(user.contains(task["question"].as_str().unwrap()));
    }

    // The same seed cuts at the same places, another one elsewhere.
    let again = |seed: u32| {
        export(&format!("--predictions {{}}/base.json --cuts 2 --seed {seed}"), "again.jsonl");
        conversations("again.jsonl")
    };
    assert_eq!(again(0), records);
    assert_ne!(again(1), records);
    // Without predictions what is complex is cut, and no query because of an error.
    let done = export("", "complex.jsonl");
    assert_eq!(done["model_errs"], 0);
    assert!(done["complex"].as_u64().unwrap() > 0);
}

#[test]
fn what_was_exported_is_told_and_what_is_missing_too() {
    let output = lab("psg-export --tasks {}/tasks.json --databases {} --out {}/told.jsonl");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for shown in [
        "records in ",
        " whole, ",
        "since the query is complex",
        "no predictions were given",
        "  before ",
        "\n  → ",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let output = lab("psg-export --tasks {}/tasks.json --databases {}/tiny --out {}/none.jsonl");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("has the database of no task"), "{said}");
    assert!(!file("none.jsonl").exists());
}
