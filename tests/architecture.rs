//! The dependency rule of `src/lib.rs`, checked against what the modules name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may name, beside itself. `ports` holds traits over the lower modules' types.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("sql", &[][..]),
        ("incident", &[]),
        ("workspace", &["history", "sql"]),
        ("ports", &["db", "llm"]),
        ("db", &["sql", "ports"]),
        ("embedding", &["ports"]),
        ("llm", &["sql", "ports"]),
        ("history", &["sql"]),
        ("retrieval", &["history", "llm", "ports", "sql"]),
        ("search", &["sql"]),
        ("pipeline", &["search", "retrieval", "history", "llm", "db", "sql", "ports"]),
        ("bench", &["retrieval", "history", "db", "sql", "ports"]),
        ("demo", &["bench", "history", "db", "sql"]),
        ("experiment", &["bench", "pipeline", "retrieval", "history", "llm", "db", "sql", "ports"]),
        (
            "present",
            &[
                "experiment",
                "bench",
                "search",
                "pipeline",
                "retrieval",
                "history",
                "llm",
                "db",
                "sql",
                "incident",
            ],
        ),
        ("browser", &["db", "embedding", "llm", "ports", "incident"]),
        (
            "ui",
            &[
                "browser",
                "experiment",
                "bench",
                "search",
                "pipeline",
                "retrieval",
                "history",
                "llm",
                "db",
                "embedding",
                "sql",
                "present",
                "workspace",
                "incident",
                "ports",
            ],
        ),
        (
            "cli",
            &[
                "experiment",
                "bench",
                "search",
                "pipeline",
                "retrieval",
                "history",
                "llm",
                "db",
                "embedding",
                "sql",
                "demo",
                "present",
                "ports",
            ],
        ),
    ])
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Modules of this crate that a source text names by `crate::`, without comments.
fn named(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut modules = Vec::new();
    for tail in code.split("crate::").skip(1) {
        let list = match tail.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![tail],
        };
        for path in list {
            modules.push(path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    modules
}

#[test]
fn modules_name_only_what_the_rule_allows() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rule = allowed();
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 20, "the sources were not found");
    let mut broken = Vec::new();
    for file in files {
        let Ok(inside) = file.strip_prefix(&src) else { continue };
        let inside = inside.with_extension("");
        let module = inside.iter().next().and_then(|m| m.to_str()).unwrap_or_default().to_owned();
        if ["lib", "main", "bin"].contains(&module.as_str()) {
            continue;
        }
        let Some(may) = rule.get(module.as_str()) else {
            broken.push(format!("{}: module `{module}` is not in the rule", file.display()));
            continue;
        };
        for name in named(&fs::read_to_string(&file).unwrap_or_default()) {
            if rule.contains_key(name.as_str()) && name != module && !may.contains(&name.as_str()) {
                broken.push(format!("{}: `{module}` may not name `{name}`", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_check_reads_single_paths_and_groups() {
    assert_eq!(named("use crate::sql::Schema;\nuse crate::{db, history::Entry};"), ["sql", "db", "history"]);
    assert_eq!(named("// use crate::ui;"), Vec::<String>::new());
}
