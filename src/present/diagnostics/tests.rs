use proptest::prelude::*;

use super::facts::{Encoder, Last, Machine, Memory, Model, Open, Storage, Versions, Workspace};
use super::*;
use crate::incident::{Place, Source};

/// What must not come through.
const PLANTED: [&str; 6] = [
    "sk-live-51SECRETKEY",
    "X-Api-Token: hunter2",
    "Which customers left in May?",
    "SELECT ssn FROM patients WHERE name = 'Jane Roe'",
    "patients.ssn",
    "https://llm.acme.example/private/path?token=abc",
];

/// Facts with this text wherever a text can be.
fn with(text: &str) -> Facts {
    let own = || text.to_owned();
    let incident = |source, place: Option<&str>| Incident {
        at_ms: 1_000.0,
        source,
        what: "SQLite refused a query",
        text: own(),
        place: place.map(|file| Place { file: file.to_owned(), line: 3 }),
        times: 2,
    };
    Facts {
        now_ms: 13_000.0,
        versions: Versions { page: "0.1.0", workers: "w", released: true, sqlite: Some(own()), knowledge: 2 },
        machine: Machine { agent: own(), cores: 8, window: (1440, 900), coarse: false },
        features: Features {
            gpu: Gpu::Adapter { name: own(), vendor: own(), architecture: own(), software: true },
            ..Features::default()
        },
        encoder: Encoder { name: Some("all-MiniLM-L6-v2"), state: EncoderState::Failed, said: own() },
        memory: Memory { page: 1_000_000, database: Some(2_000_000), encoders: vec![3_000_000] },
        storage: Storage {
            used: Some((95, 100)),
            workspaces: vec![Workspace { name: own(), open: true, database: 1_500, history: 0 }],
            answers: (3, 2_500),
        },
        open: Open {
            tables: Some((10, 64)),
            history: Some((134, 263)),
            index: Some((397, 384)),
            not_indexed: 1,
        },
        model: Model {
            address: own(),
            name: own(),
            key: true,
            headers: 1,
            tested: Some(Err("Key")),
            said: own(),
        },
        last: Some(Last {
            way: "adapted",
            stages: vec![("Retrieve", 12.0), ("Run", 3.0)],
            ended: "with rows",
            rows: Some(9),
        }),
        incidents: vec![
            incident(Source::Answer, None),
            incident(Source::Panic, Some(text)),
            incident(Source::Panic, Some("src/db/raw.rs")),
        ],
    }
}

/// A word of the planted text that stands in the report, in any case.
fn leaks(report: &str, planted: &str) -> Option<String> {
    let report = report.to_lowercase();
    let own = planted.to_lowercase();
    let pieces = own.split(|c: char| !c.is_alphanumeric()).filter(|piece| piece.chars().count() >= 3);
    pieces.filter(|piece| report.contains(*piece)).map(str::to_owned).next()
}

#[test]
fn nothing_planted_comes_through() {
    // The words of the report itself.
    let clean = report(&with(""));
    for planted in PLANTED {
        let mut facts = with(planted);
        if planted == "patients.ssn" {
            // As an address this is a host, and hosts may be told.
            facts.model.address = format!("https://llm.acme.example/{planted}");
        }
        let told = report(&facts);
        for piece in planted.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|p| p.len() >= 3) {
            // Hosts may be told, and the report's own words are no leak.
            let host = ["llm", "acme", "example", "https"].contains(&piece);
            let own = clean.to_lowercase().contains(piece);
            assert!(host || own || !told.to_lowercase().contains(piece), "{piece} of {planted} in\n{told}");
        }
        assert!(!told.contains(planted), "{told}");
        // The page itself shows what its user wrote.
        let shown: String = sections(&with(planted))
            .iter()
            .flat_map(|s| &s.rows)
            .map(|r| format!("{}{}\n", r.name, r.value))
            .collect();
        assert!(shown.matches(planted).count() >= 8, "{shown}");
    }
    assert!(report(&with("https://llm.acme.example/private")).contains("Server: llm.acme.example, https\n"));
}

#[test]
fn the_report_says_what_helps() {
    let told = report(&with("x"));
    for line in [
        "Page: 0.1.0, released",
        "Knowledge format: 2",
        "Cross-origin isolation: no. Stopping a query restarts its worker",
        "WebGPU: an adapter of another maker, a program on the CPU: not used unless forced",
        "Encoder: all-MiniLM-L6-v2",
        "Encoder runs: cannot be had",
        "Memory of the database worker: 2.0 MB",
        "Used: 95 bytes of 100 bytes that the browser grants",
        "Workspace 1: database 1.5 KB, no history, open",
        "Answers of models: 3, 2.5 KB",
        "History: 134 queries, 263 items",
        "Index: 397 vectors of 384 numbers, 304.9 KB, 1 description not yet indexed",
        "Key given: yes",
        "Extra headers: 1",
        "Test: failed at the step “Key”",
        "Retrieve: 12 ms",
        "12 s ago: Answer: SQLite refused a query (2 times)",
        "12 s ago: Panic: SQLite refused a query at src/db/raw.rs:3 (2 times)",
    ] {
        assert!(told.contains(&format!("  {line}\n")), "{line} is not in\n{told}");
    }
    assert!(report(&Facts::default()).contains("Answer: nothing was asked yet"));
}

#[test]
fn the_page_marks_what_is_not_as_it_should_be() {
    let marks = |title: &str| {
        let all = sections(&with("x"));
        let found = all.into_iter().find(|section| section.title == title);
        found.map(|section| section.rows.iter().map(|row| row.good).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(marks("Storage"), [Some(false), None, None]);
    assert_eq!(marks("Model")[4], Some(false));
    assert_eq!(marks("Recent warnings and errors"), [Some(false); 3]);
}

proptest! {
    #[test]
    fn no_word_of_any_text_comes_through(word in "[A-Za-z0-9]{8,24}", before in "[ -~]{0,12}", after in "[ -~]{0,12}") {
        let planted = format!("{before} q{word}z {after}");
        let told = report(&with(&planted));
        prop_assert_eq!(leaks(&told, &format!("q{word}z")), None, "{}", told);
        // Not as a host without a dot, nor as a family of GPUs, nor as a version.
        let told = report(&with(&format!("q{word}z")));
        prop_assert_eq!(leaks(&told, &format!("q{word}z")), None, "{}", told);
    }
}
