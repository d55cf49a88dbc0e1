//! The demo workspace with the tiny encoder, made once into a temporary folder, and `lab` run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use serde_json::Value as Json;
use tempfile::TempDir;

/// The demo as `lab demo` makes it, and the tiny encoder as `lab tiny` does.
pub static WORKSPACE: LazyLock<TempDir> = LazyLock::new(|| {
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

/// `lab` with arguments separated by white space, `{}` the folder and `+` a space inside an argument.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let here = folder.to_str().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .args(arguments.split_whitespace().map(|argument| argument.replace("{}", here).replace('+', " ")))
        .env("QUERYLORE_CACHE", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs it.
pub fn run_in(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

pub fn lab(arguments: &str) -> Output {
    run_in(WORKSPACE.path(), arguments)
}

/// What a command that ends well prints, as JSON.
pub fn json(arguments: &str) -> Json {
    let output = lab(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{arguments}");
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn file(name: &str) -> PathBuf {
    WORKSPACE.path().join(name)
}

pub fn records(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(file(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Writes the gold of every task as predictions, the first one replaced where `first` says so.
pub fn predictions(name: &str, first: Option<&str>) -> usize {
    let tasks: Vec<Json> = serde_json::from_slice(&std::fs::read(file("tasks.json")).unwrap()).unwrap();
    let mut golds: Vec<&str> = tasks.iter().map(|task| task["SQL"].as_str().unwrap()).collect();
    golds[0] = first.unwrap_or(golds[0]);
    std::fs::write(file(name), serde_json::to_vec(&golds).unwrap()).unwrap();
    tasks.len()
}
