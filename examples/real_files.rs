//! Reads the real files of the benchmark data and prints what was read, merged and skipped, and why: `cargo run
//! --example real_files`, with the folder of the data in `QUERYLORE_DATA` (default `../shared/data`). With `--all`
//! every skipped statement is printed.
#![allow(clippy::unwrap_used)]

#[path = "common/real_files.rs"]
mod files;

use files::{Opened, Tally};
use querylore::history::Report;
use querylore::sql::Schema;

fn main() {
    let folder = files::data();
    let all = std::env::args().any(|arg| arg == "--all");
    let skipped = |what: &str| println!("skipped: {what} is not in {}", folder.display());

    println!("| database | bytes | tables | views | rows | notices | s |\n|---|---|---|---|---|---|---|");
    let mut databases: Vec<_> = ["Chinook_Sqlite.sqlite", "sql-murder-mystery.db"]
        .map(|name| (name.to_owned(), folder.join("small").join(name)))
        .into_iter()
        .filter(|(_, path)| path.is_file())
        .collect();
    if databases.is_empty() {
        skipped("small/");
    }
    let spider = files::spider_databases(&folder);
    databases.extend(spider.clone());
    for (name, path) in &databases {
        match files::open(path) {
            Ok(Opened { overview, seconds, .. }) => {
                let views = overview.schema.tables.iter().filter(|table| table.view).count();
                let rows: u64 = overview.tables.iter().filter_map(|table| table.rows).sum();
                println!(
                    "| {name} | {} | {} | {views} | {rows} | {} | {seconds:.2} |",
                    path.metadata().unwrap().len(),
                    overview.schema.tables.len() - views,
                    if overview.notices.is_empty() { "–".to_owned() } else { overview.notices.join(" ") },
                );
            }
            Err(error) => println!("| {name} | {error} | | | | | |"),
        }
    }

    println!(
        "\n| history | files | read | kept | merged | skipped | items | s |\n|---|---|---|---|---|---|---|---|"
    );
    let mut tallies: Vec<(String, Tally)> = Vec::new();
    let print = |name: &str, report: &Report| {
        for skip in report.skipped.iter().filter(|_| all) {
            println!("{name}: line {}: {} | {}", skip.line, skip.reason, skip.start);
        }
    };
    if let Ok(bytes) = std::fs::read(folder.join("spider/dev.json")) {
        for (name, path) in &spider {
            let mut tally = Tally::default();
            let opened = files::open(path).unwrap();
            if let Some((base, report)) =
                files::read("dev.json", &bytes, Some(name), &opened.overview.schema, &mut tally)
            {
                print(name, &report);
                let (_, errors) = files::run(&opened.database, &base.entries);
                for error in errors {
                    *tally.remarks.entry(format!("does not run: {error}")).or_default() += 1;
                }
            }
            tallies.push((format!("Spider dev.json, {name}"), tally));
        }
    } else {
        skipped("spider/");
    }
    for (title, path) in
        [("SEDE val.jsonl (T-SQL)", "sede/val.jsonl"), ("Spider train_gold.sql", "spider/train_gold.sql")]
    {
        let Ok(bytes) = std::fs::read(folder.join(path)) else {
            skipped(path);
            continue;
        };
        let mut tally = Tally::default();
        let name = path.rsplit('/').next().unwrap();
        if let Some((_, report)) = files::read(name, &bytes, None, &Schema::default(), &mut tally) {
            print(name, &report);
        }
        tallies.push((title.to_owned(), tally));
    }
    match files::archive(&folder) {
        Some(scripts) => {
            let mut tally = Tally::default();
            for (name, bytes) in &scripts {
                if let Some((_, report)) = files::read(name, bytes, None, &Schema::default(), &mut tally) {
                    print(name, &report);
                }
            }
            tallies.push(("bigquery-etl (BigQuery)".to_owned(), tally));
        }
        None => skipped("history/bigquery-etl_sql.tar.xz"),
    }
    for (name, tally) in &tallies {
        let Tally { files, read, kept, merged, skipped, items, seconds, .. } = tally;
        println!("| {name} | {files} | {read} | {kept} | {merged} | {skipped} | {items} | {seconds:.2} |");
    }
    for (name, tally) in &tallies {
        for (title, counts) in
            [("not a history", &tally.refused), ("skipped", &tally.reasons), ("remark", &tally.remarks)]
        {
            let mut counts: Vec<_> = counts.iter().collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (reason, count) in counts.into_iter().take(if all { usize::MAX } else { 25 }) {
                println!("{name}, {title}: {count} x {reason}");
            }
        }
    }
}
