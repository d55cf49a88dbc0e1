//! A small database with its history, the tiny encoder, and `lab` run on them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let db = rusqlite::Connection::open(folder.path().join("ships.sqlite")).unwrap();
    db.execute_batch(
        "CREATE TABLE ships(name TEXT, port TEXT, seats INT);
         INSERT INTO ships VALUES ('Ada', 'Süd', 90), ('Bea', 'Nord', 120);",
    )
    .unwrap();
    let history = "-- Ships of the south\nSELECT name FROM ships WHERE port = 'Süd';\n\
        -- Seats by port\nSELECT port, SUM(seats) FROM ships GROUP BY port;\n";
    std::fs::write(folder.path().join("history.sql"), history).unwrap();
    std::fs::write(folder.path().join("index.html"), "<title>Page</title>").unwrap();
    let tiny = format!("tiny --out {}/tiny", folder.path().display());
    assert!(run(folder.path(), &tiny, &[]).status.success());
    folder
});

pub fn folder() -> &'static Path {
    FOLDER.path()
}

pub fn file(name: &str) -> PathBuf {
    folder().join(name)
}

pub fn command(cache: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    let here = cache.to_str().unwrap();
    command
        .args(arguments.split_whitespace().map(|argument| argument.replace("{}", here).replace('+', " ")))
        .env("QUERYLORE_CACHE", cache);
    command
}

fn run(cache: &Path, arguments: &str, variables: &[(&str, &str)]) -> Output {
    command(cache, arguments).envs(variables.iter().copied()).output().unwrap()
}

/// Runs `lab`; `{}` is the folder, `+` a space inside an argument.
pub fn lab(arguments: &str, variables: &[(&str, &str)]) -> Output {
    run(folder(), arguments, variables)
}
