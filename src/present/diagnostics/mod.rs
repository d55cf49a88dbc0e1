//! The state of the page for whoever looks for a fault: [`sections`] for the page, [`report`] to be sent to others.
//!
//! The report holds no secret and no data. Each line is shown in one form and told in another wherever the first could
//! hold a name, a value, a key or an address.

pub mod facts;
mod plain;

use self::facts::{EncoderState, Facts, Features, Gpu};
use super::format::{bytes, count, counted, duration};
use crate::incident::Incident;

/// A group of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: &'static str,
    /// Its lines.
    pub rows: Vec<Row>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// What there is to say.
    pub value: String,
    /// Whether it is as it should be, where that can be said.
    pub good: Option<bool>,
    /// The same for others, where the line itself may hold what is the user's own.
    told: Option<(String, String)>,
}

impl Row {
    /// A line of fixed words and numbers.
    fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into(), good: None, told: None }
    }

    /// Something that is there or not, with what follows where it is not.
    fn has(name: &'static str, there: bool, without: &str) -> Self {
        let value = if there { "yes".to_owned() } else { format!("no. {without}") };
        Self { good: Some(there), ..Self::new(name, value) }
    }

    /// A line that others see in another form.
    fn told(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { told: Some((name.into(), value.into())), ..self }
    }
}

/// All lines, for the page.
pub fn sections(facts: &Facts) -> Vec<Section> {
    let section = |title, rows| Section { title, rows };
    vec![
        section("Versions", versions(facts)),
        section("Browser", browser(facts)),
        section("Encoder and memory", memory(facts)),
        section("Storage", storage(facts)),
        section("Database and history", open(facts)),
        section("Model", model(facts)),
        section("Last answer", last(facts)),
        section("Recent warnings and errors", incidents(facts)),
    ]
}

/// The report: plain text without secrets and data.
pub fn report(facts: &Facts) -> String {
    let mut text = "Querylore diagnostics. No keys, questions, SQL, names or values are in it.\n".to_owned();
    for section in sections(facts) {
        text.push_str(&format!("\n{}\n", section.title));
        for row in section.rows {
            let (name, value) = row.told.unwrap_or((row.name, row.value));
            text.push_str(&format!("  {name}: {value}\n"));
        }
    }
    text
}

const STOPPED: &str = "its worker is not running";

fn versions(facts: &Facts) -> Vec<Row> {
    let versions = &facts.versions;
    let build = if versions.released { "released" } else { "everyday build" };
    let sqlite = versions.sqlite.as_deref();
    vec![
        Row::new("Page", format!("{}, {build}", versions.page)),
        Row::new("Workers", versions.workers),
        Row::new("SQLite", sqlite.unwrap_or(STOPPED))
            .told("SQLite", sqlite.map_or(STOPPED.to_owned(), plain::version)),
        Row::new("Knowledge format", versions.knowledge.to_string()),
    ]
}

fn browser(facts: &Facts) -> Vec<Row> {
    let (machine, features) = (&facts.machine, &facts.features);
    let (width, height) = machine.window;
    let pointer = if machine.coarse { "finger" } else { "mouse" };
    let Features { isolated, shared_memory, files, cache, simd, locks, persisted, .. } = features;
    let kept = match persisted {
        Some(true) => Row { good: Some(true), ..Row::new("Storage is permanent", "yes") },
        Some(false) => Row::new(
            "Storage is permanent",
            "no. The browser may clear it when the disk is full or the page was not visited for long",
        ),
        None => Row::new("Storage is permanent", "the browser does not say"),
    };
    vec![
        Row::new("Browser", machine.agent.clone()).told("Browser", plain::browser(&machine.agent)),
        Row::new(
            "Machine",
            format!(
                "{}, window {width} × {height}, {pointer}",
                counted(machine.cores as usize, "core", "cores")
            ),
        ),
        Row::has("Cross-origin isolation", *isolated, "Stopping a query restarts its worker"),
        Row::has("Shared memory", *shared_memory, "Stopping a query restarts its worker"),
        Row::has("Files (OPFS)", *files, "Databases live until the tab closes"),
        Row::has("Cache storage", *cache, "The encoder is fetched at each visit"),
        kept,
        Row::has("WebAssembly SIMD", *simd, "The encoder does not start"),
        Row::has("Web Locks", *locks, "Two tabs can overwrite each other's changes"),
        gpu(features),
    ]
}

fn gpu(features: &Features) -> Row {
    const NAME: &str = "WebGPU";
    match &features.gpu {
        Gpu::Missing => Row::new(NAME, "no. The encoder runs on the CPU"),
        Gpu::NoAdapter => Row::new(NAME, "no adapter. The encoder runs on the CPU"),
        Gpu::Adapter { name, vendor, architecture, software } => {
            let remark = if *software { ", a program on the CPU: not used unless forced" } else { "" };
            let told = format!("{}{remark}", plain::gpu(vendor, architecture));
            Row { good: Some(!software), ..Row::new(NAME, format!("{name}{remark}")) }.told(NAME, told)
        }
    }
}

fn memory(facts: &Facts) -> Vec<Row> {
    let encoder = &facts.encoder;
    let state = match encoder.state {
        EncoderState::Resting => "not loaded: nothing needed it yet",
        EncoderState::Loading => "on its way",
        EncoderState::Cpu => "on the CPU",
        EncoderState::Gpu => "on the GPU",
        EncoderState::Failed => "cannot be had",
    };
    let said = if encoder.said.is_empty() { state } else { encoder.said.as_str() };
    let good = match encoder.state {
        EncoderState::Cpu | EncoderState::Gpu => Some(true),
        EncoderState::Failed => Some(false),
        _ => None,
    };
    let mut rows = vec![
        Row::new("Encoder", encoder.name.unwrap_or("an unknown one")),
        Row { good, ..Row::new("Encoder runs", said).told("Encoder runs", state) },
        Row::new("Memory of the page", bytes(facts.memory.page)),
        Row::new(
            "Memory of the database worker",
            facts.memory.database.map_or("not running".to_owned(), bytes),
        ),
    ];
    if !facts.memory.encoders.is_empty() {
        let each: Vec<String> = facts.memory.encoders.iter().copied().map(bytes).collect();
        rows.push(Row::new("Memory of encoder workers", each.join(", ")));
    }
    rows
}

fn storage(facts: &Facts) -> Vec<Row> {
    let storage = &facts.storage;
    let used = match storage.used {
        Some((used, granted)) => {
            let full = granted > 0 && used as f64 > 0.9 * granted as f64;
            let value = format!("{} of {} that the browser grants", bytes(used), bytes(granted));
            Row { good: full.then_some(false), ..Row::new("Used", value) }
        }
        None => Row::new("Used", "the browser does not tell"),
    };
    let mut rows = vec![used];
    for (n, workspace) in (1..).zip(&storage.workspaces) {
        let open = if workspace.open { ", open" } else { "" };
        let history = match workspace.history {
            0 => "no history".to_owned(),
            size => format!("history and index {}", bytes(size)),
        };
        let value = format!("database {}, {history}{open}", bytes(workspace.database));
        let row = Row { name: workspace.name.clone(), ..Row::new("", value.clone()) };
        rows.push(row.told(format!("Workspace {n}"), value));
    }
    let (answers, size) = storage.answers;
    rows.push(Row::new(
        "Answers of models",
        match answers {
            0 => "none".to_owned(),
            n => format!("{}, {}", count(n as u64), bytes(size as u64)),
        },
    ));
    rows
}

fn open(facts: &Facts) -> Vec<Row> {
    let open = &facts.open;
    let database = match open.tables {
        Some((tables, columns)) => {
            let tables = counted(tables, "table", "tables");
            format!("{tables}, {}", counted(columns, "column", "columns"))
        }
        None => "none is open".to_owned(),
    };
    let history = match open.history {
        Some((queries, items)) => {
            let queries = counted(queries, "query", "queries");
            format!("{queries}, {}", counted(items, "item", "items"))
        }
        None => "none".to_owned(),
    };
    let index = match open.index {
        Some((vectors, dimension)) => {
            // Two bytes a number, as they are kept and searched.
            let size = bytes(2 * (vectors * dimension) as u64);
            let old = match open.not_indexed {
                0 => String::new(),
                n => format!(", {} not yet indexed", counted(n, "description", "descriptions")),
            };
            format!("{} of {dimension} numbers, {size}{old}", counted(vectors, "vector", "vectors"))
        }
        None => "none".to_owned(),
    };
    vec![Row::new("Database", database), Row::new("History", history), Row::new("Index", index)]
}

fn model(facts: &Facts) -> Vec<Row> {
    let model = &facts.model;
    if model.address.trim().is_empty() {
        return vec![Row::new("Server", "none is set up")];
    }
    let yes = |on: bool| if on { "yes" } else { "no" };
    let named = if model.name.trim().is_empty() { "none is chosen" } else { "one is chosen" };
    let (tested, good) = match model.tested {
        None => ("not tested".to_owned(), None),
        Some(Ok(())) => ("works".to_owned(), Some(true)),
        Some(Err(step)) => (format!("failed at the step “{step}”"), Some(false)),
    };
    let said = if model.said.is_empty() { tested.clone() } else { model.said.clone() };
    let name = if model.name.trim().is_empty() { named } else { model.name.as_str() };
    vec![
        Row::new("Server", model.address.clone()).told("Server", plain::server(&model.address)),
        Row::new("Model", name).told("Model", named),
        Row::new("Key given", yes(model.key)),
        Row::new("Extra headers", model.headers.to_string()),
        Row { good, ..Row::new("Test", said).told("Test", tested) },
    ]
}

fn last(facts: &Facts) -> Vec<Row> {
    let Some(last) = &facts.last else { return vec![Row::new("Answer", "nothing was asked yet")] };
    let mut rows = vec![Row::new("Way", last.way), Row::new("Ended", last.ended)];
    rows.extend(last.stages.iter().map(|&(stage, ms)| Row::new(stage, duration(ms))));
    rows.extend(last.rows.map(|rows| Row::new("Rows", count(rows as u64))));
    rows
}

fn incidents(facts: &Facts) -> Vec<Row> {
    if facts.incidents.is_empty() {
        return vec![Row::new("Since the page was opened", "none")];
    }
    facts.incidents.iter().map(|incident| incident_row(incident, facts.now_ms)).collect()
}

fn incident_row(incident: &Incident, now_ms: f64) -> Row {
    let ago = format!("{} ago", duration((now_ms - incident.at_ms).max(0.0)));
    let times = match incident.times {
        0 | 1 => String::new(),
        n => format!(" ({n} times)"),
    };
    let place = incident.place.as_ref().and_then(|place| place.said());
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    let source = incident.source.name();
    let what = incident.what;
    let said = if incident.text.is_empty() { what } else { incident.text.as_str() };
    let row = Row {
        name: ago.clone(),
        good: Some(!incident.source.is_error()).filter(|good| !good),
        ..Row::new("", format!("{source}: {said}{place}{times}"))
    };
    row.told(ago, format!("{source}: {what}{place}{times}"))
}

#[cfg(test)]
mod tests;
