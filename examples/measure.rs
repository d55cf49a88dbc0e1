//! Times the native modules on benchmark data and prints medians: `cargo run --example measure`, with the folder
//! of the data in `QUERYLORE_DATA` (default `../shared/data`).
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use querylore::bench::modes::{Bench, Forgetful, Mode, On, Options};
use querylore::bench::score::{limits, score};
use querylore::bench::task::read_tasks;
use querylore::db::{Database, Host};
use querylore::history::{Builder, import};
use querylore::ports::blocking::block_on;
use querylore::sql::{Schema, split};

/// Runs, of which the median is printed with the fastest and the slowest.
const RUNS: usize = 3;

/// Prints seconds a run times `scale`.
fn time(what: &str, unit: &str, scale: f64, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * scale
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what}: {:.2} {unit} ({:.2} to {:.2})", times[RUNS / 2], times[0], times[RUNS - 1]);
}

fn main() {
    let folder = std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let Ok(tables) = std::fs::read_to_string(folder.join("bird/dev_tables.json")) else {
        println!("skipped: no benchmark data in {}", folder.display());
        return;
    };
    let schemas: HashMap<String, Schema> = Schema::from_bird_tables(&tables).unwrap().into_iter().collect();
    let tasks = read_tasks(&std::fs::read(folder.join("bird/dev.json")).unwrap()).unwrap();
    time("parse and split a BIRD query", "us", 1e6 / tasks.len() as f64, || {
        for task in &tasks {
            black_box(split(&task.gold, &schemas[&task.db_id]).unwrap());
        }
    });

    let heroes: Vec<_> = tasks.into_iter().filter(|task| task.db_id == "superhero").collect();
    let golds: Vec<_> = heroes.iter().map(|task| Some(task.gold.clone())).collect();
    let path = folder.join("bird/dev_databases/superhero/superhero.sqlite");
    time(&format!("{} superhero golds against themselves", heroes.len()), "ms", 1e3, || {
        let open = |_: &str| {
            let database = Database::from_path(&path, Host::default())?;
            Ok(vec![On { name: "superhero".to_owned(), database }])
        };
        let bench =
            Bench { mode: Mode::BirdEx, options: Options::default(), limits: limits(), golds: &Forgetful };
        let report = block_on(score(&bench, &heroes, &golds, &Forgetful, open)).unwrap();
        assert_eq!(report.overall.correct, heroes.len());
    });

    // Lines that differ in their literals; every tenth repeats the one before.
    let lines: Vec<String> = (0..100_000)
        .map(|i| i - i % 10 / 9)
        .map(|i| format!("SELECT full_name FROM superhero WHERE height_cm > {} AND id = {i};", i % 300))
        .collect();
    let script = lines.join("\n").into_bytes();
    let (mut kept, mut items) = (0, 0);
    time("import of 100,000 lines", "s", 1.0, || {
        let plan = import::inspect("log.sql", &script).unwrap();
        let (base, report) =
            Builder::new(import::read(&script, &plan).unwrap(), schemas["superhero"].clone()).whole();
        assert_eq!(report.read, lines.len());
        (kept, items) = (base.entries.len(), base.items.len());
    });
    println!("  kept {kept}, items {items}");
}
