//! Times `lab score` on 1,000 predictions beside the plain way in Python: `cargo build --bin lab`, then
//! `cargo run --example score_speed`.
//!
//! Tasks and predictions are made of the demo's, in a temporary folder; every fourth prediction is another task's query.
//! Python opens a connection for each query, fetches all rows and compares sets, as BIRD's script does without its
//! processes. Both are timed as whole programs, three times each; the second figure of `lab` has gold results kept.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use querylore::bench::task::read_tasks;
use querylore::demo::write_database;
use serde_json::{Value as Json, json};

const TASKS: usize = 1_000;
const RUNS: usize = 3;

const PLAIN: &str = r"
import json, sqlite3, sys
folder = sys.argv[1]
tasks = json.load(open(folder + '/tasks.json'))
predictions = json.load(open(folder + '/predictions.json'))

def rows(sql):
    connection = sqlite3.connect(folder + '/norhaven.sqlite')
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()

right = 0
for task, sql in zip(tasks, predictions):
    try:
        right += set(rows(sql)) == set(rows(task['SQL']))
    except sqlite3.Error:
        pass
print(right)
";

fn made(folder: &Path) {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/demo/tasks.json");
    let golds: Vec<String> =
        read_tasks(&std::fs::read(demo).unwrap()).unwrap().into_iter().map(|task| task.gold).collect();
    let gold = |i: usize| &golds[i % golds.len()];
    let tasks: Vec<Json> = (0..TASKS)
        .map(|i| json!({"question_id": i, "db_id": "norhaven", "question": "q", "SQL": format!("{}\n-- {i}", gold(i))}))
        .collect();
    let predictions: Vec<&String> = (0..TASKS).map(|i| gold(if i % 4 == 3 { i + 1 } else { i })).collect();
    std::fs::write(folder.join("tasks.json"), json!(tasks).to_string()).unwrap();
    std::fs::write(folder.join("predictions.json"), json!(predictions).to_string()).unwrap();
    write_database(&folder.join("norhaven.sqlite")).unwrap();
}

/// The median of the runs, with what the program says.
fn timed(name: &str, run: impl Fn() -> Command) {
    let mut times = Vec::new();
    let mut said = String::new();
    for _ in 0..RUNS {
        let started = Instant::now();
        let output = run().output().unwrap();
        times.push(started.elapsed().as_secs_f64());
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        said = String::from_utf8(output.stdout).unwrap().lines().last().unwrap_or_default().to_owned();
    }
    times.sort_by(f64::total_cmp);
    println!("{name}: {:.2} s ({:.2} to {:.2}); it says: {said}", times[RUNS / 2], times[0], times[RUNS - 1]);
}

fn main() {
    let folder = std::env::temp_dir().join(format!("querylore-score-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    made(&folder);
    let own = std::env::current_exe().unwrap();
    let lab = own.parent().unwrap().parent().unwrap().join("lab");
    let score = || {
        let mut command = Command::new(&lab);
        command.args(["score", "--databases"]).arg(&folder);
        command.arg("--tasks").arg(folder.join("tasks.json"));
        command.arg("--predictions").arg(folder.join("predictions.json"));
        command
    };
    timed("lab score", score);
    timed("lab score, golds kept", || {
        let mut command = score();
        command.arg("--golds").arg(&folder);
        command
    });
    timed("plain Python", || {
        let mut command = Command::new("python3");
        command.args(["-c", PLAIN]).arg(&folder);
        command
    });
    std::fs::remove_dir_all(&folder).unwrap();
}
