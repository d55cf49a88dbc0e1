//! What an experiment is made of, and the runs that follow from it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::retriever::{Named, level_name};
use crate::bench::modes::Mode;
use crate::bench::run::scores::Scores;
use crate::bench::run::{FORMAT, FileMark, Header, ModelMark, RetrieverMark, RunFile, VERSION};
use crate::llm::budget::{Limits, Price};
use crate::pipeline::{Way, direct};
use crate::retrieval::{Level, Settings};

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// A query of the history, adapted.
    Adapt,
    /// A pipeline that asks a model.
    Model(Way),
}

impl By {
    /// All of them, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Adapt).chain(Way::ALL.into_iter().map(Self::Model))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adapt => "adapt",
            Self::Model(way) => way.name(),
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Adapt => "a query of the history, adapted; no model",
            Self::Model(way) => way.about(),
        }
    }

    /// Whether it asks a model.
    pub fn asks(self) -> bool {
        matches!(self, Self::Model(_))
    }

    /// Requests that it makes for a task as a rule, where nothing was measured yet.
    pub fn usual_requests(self) -> f64 {
        match self {
            Self::Adapt => 0.0,
            // Beside its samples, which are asked for one by one, opensearch-sql extracts three times and mends now and
            // then; n-rep links by three schemas and writes five queries; a search asked 20 times a question when it was tried.
            Self::Model(way) => match way {
                Way::OpensearchSql => 4.0 + f64::from(way.samples().unwrap_or(1)),
                Way::NRep => 11.0,
                Way::SqlO1 => 20.0,
                Way::Direct | Way::DailSql | Way::Codes => f64::from(way.samples().unwrap_or(1)),
            },
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().find(|by| by.name() == name).ok_or_else(|| {
            let names = Self::all().map(Self::name).collect::<Vec<_>>().join(", ");
            format!("The pipeline {name} is not known; there are {names}.")
        })
    }
}

/// One run of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Who answers.
    pub by: By,
    /// With what of the history.
    pub retriever: Named,
}

/// What an experiment is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The task file.
    pub tasks: FileMark,
    /// Tasks in it.
    pub task_count: usize,
    /// Places in it of the tasks that are run: those on the open database.
    pub places: Vec<usize>,
    /// The database.
    pub database: String,
    /// The history, by the hash of its queries.
    pub history: FileMark,
    /// Queries in it.
    pub history_queries: usize,
    /// Names of the retrievers.
    pub retrievers: Vec<String>,
    /// What `history` searches.
    pub level: Level,
    /// Similarity that `history` asks for.
    pub threshold: f32,
    /// Queries handed on at most.
    pub shots: usize,
    /// The encoder.
    pub encoder: String,
    /// Names of the pipelines.
    pub pipelines: Vec<String>,
    /// The model, where a pipeline asks one.
    pub model: Option<ModelMark>,
    /// The rule of scoring.
    pub mode: Mode,
    /// Whether a task's own query is left out of the history for it.
    pub own_left_out: bool,
    /// Milliseconds that a query may take.
    pub timeout_ms: u32,
    /// Tasks at a time.
    pub at_a_time: usize,
    /// What it may use.
    pub limits: Limits,
    /// What the model's server charges.
    pub price: Price,
}

impl Default for Setup {
    /// The history's retriever with `adapt`, which need no model.
    fn default() -> Self {
        let retrieval = Settings::default();
        Self {
            tasks: FileMark::default(),
            task_count: 0,
            places: Vec::new(),
            database: String::new(),
            history: FileMark::default(),
            history_queries: 0,
            retrievers: vec![Named::History.name().to_owned()],
            level: retrieval.level,
            threshold: retrieval.threshold,
            shots: retrieval.max_shots,
            encoder: String::new(),
            pipelines: vec![By::Adapt.name().to_owned()],
            model: None,
            mode: Mode::default(),
            own_left_out: true,
            timeout_ms: 30_000,
            at_a_time: 2,
            limits: Limits::default(),
            price: Price::default(),
        }
    }
}

/// How a model is marked in run files.
pub fn model_mark(asked: &direct::Settings) -> ModelMark {
    ModelMark {
        name: asked.model.clone(),
        temperature: asked.temperature,
        context_tokens: asked.context_tokens,
        answer_tokens: asked.answer_tokens,
        seed: asked.seed,
    }
}

impl Setup {
    /// Its runs, pipeline by pipeline. A name that this program does not know has none. `adapt` has nothing to adapt
    /// without a retriever, so it is not run with `none`, unless that is all there is.
    pub fn cells(&self) -> Vec<Cell> {
        let retrievers: Vec<Named> = self.retrievers.iter().filter_map(|name| name.parse().ok()).collect();
        let by = self.pipelines.iter().filter_map(|name| name.parse().ok());
        let cells = by.flat_map(|by| retrievers.iter().map(move |&retriever| Cell { by, retriever }));
        let all: Vec<Cell> = cells.collect();
        let sensible = |cell: &Cell| cell.by.asks() || cell.retriever != Named::None;
        if all.iter().any(sensible) { all.into_iter().filter(sensible).collect() } else { all }
    }

    /// Whether any of its runs asks a model.
    pub fn asks(&self) -> bool {
        self.cells().iter().any(|cell| cell.by.asks() || cell.retriever == Named::Dail)
    }

    /// Answers in all.
    pub fn answers(&self) -> usize {
        self.cells().len() * self.places.len()
    }

    /// How the retriever of a run is marked.
    pub fn retriever_mark(&self, retriever: Named) -> RetrieverMark {
        let history = retriever == Named::History;
        RetrieverMark {
            name: retriever.name().to_owned(),
            level: history.then(|| level_name(self.level).to_owned()),
            threshold: history.then_some(self.threshold),
            max_shots: self.shots,
            encoder: self.encoder.clone(),
        }
    }

    /// The head of a run's file; `sqlite` is the engine's version.
    pub fn header(&self, cell: Cell, sqlite: &str) -> Header {
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            querylore: env!("CARGO_PKG_VERSION").to_owned(),
            sqlite: sqlite.to_owned(),
            tasks: self.tasks.clone(),
            task_count: self.task_count,
            history: self.history.clone(),
            pipeline: cell.by.name().to_owned(),
            retriever: self.retriever_mark(cell.retriever),
            model: self.model.clone().filter(|_| cell.by.asks()),
            samples: None,
            timeout_ms: self.timeout_ms,
            shard: None,
            own_left_out: self.own_left_out,
        }
    }

    /// The set-up of a run file from elsewhere, as far as its head tells; its tasks are those that it answers.
    pub fn of_run(run: &RunFile) -> Self {
        let header = &run.header;
        let level = match header.retriever.level.as_deref() {
            Some("q") => Level::Query,
            Some("c") => Level::Component,
            _ => Level::Both,
        };
        let mut databases: Vec<&str> = run.outcomes.iter().map(|outcome| outcome.db_id.as_str()).collect();
        databases.sort_unstable();
        databases.dedup();
        Self {
            tasks: header.tasks.clone(),
            task_count: header.task_count,
            places: (0..header.task_count).filter(|place| header.takes(*place)).collect(),
            database: databases.join(", "),
            history: header.history.clone(),
            retrievers: vec![header.retriever.name.clone()],
            level,
            threshold: header.retriever.threshold.unwrap_or(Settings::default().threshold),
            shots: header.retriever.max_shots,
            encoder: header.retriever.encoder.clone(),
            pipelines: vec![header.pipeline.clone()],
            model: header.model.clone(),
            mode: Scores::of(run, &[]).mode.unwrap_or_default(),
            own_left_out: header.own_left_out,
            timeout_ms: header.timeout_ms,
            ..Self::default()
        }
    }

    /// Why it cannot be started, as one sentence that says what to do.
    pub fn problem(&self) -> Option<String> {
        let known = |names: &[String], is: &dyn Fn(&str) -> bool| names.iter().all(|name| is(name));
        if self.places.is_empty() {
            return Some("There is no task on the open database. Open a task file.".to_owned());
        }
        if self.retrievers.is_empty() {
            return Some("Choose a retriever.".to_owned());
        }
        if self.pipelines.is_empty() {
            return Some("Choose a pipeline.".to_owned());
        }
        if !known(&self.retrievers, &|name| name.parse::<Named>().is_ok())
            || !known(&self.pipelines, &|name| name.parse::<By>().is_ok())
        {
            return Some("It names a retriever or a pipeline that this version does not have.".to_owned());
        }
        if self.asks() && self.model.as_ref().is_none_or(|model| model.name.is_empty()) {
            return Some("Set up a model first, in Settings, Model; or choose adapt only.".to_owned());
        }
        if self.history_queries == 0 && self.retrievers.iter().any(|name| name != Named::None.name()) {
            return Some("There is no history to retrieve from. Add one, or choose none.".to_owned());
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn setup(retrievers: &[&str], pipelines: &[&str]) -> Setup {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Setup {
            retrievers: owned(retrievers),
            pipelines: owned(pipelines),
            places: vec![0, 2],
            task_count: 3,
            history_queries: 9,
            ..Setup::default()
        }
    }

    #[test]
    fn cells_are_every_pipeline_with_every_retriever() {
        let cells = |retrievers: &[&str], pipelines: &[&str]| -> Vec<String> {
            let cells = setup(retrievers, pipelines).cells();
            cells.iter().map(|cell| format!("{} {}", cell.by, cell.retriever.name())).collect()
        };
        assert_eq!(
            cells(&["none", "history"], &["adapt", "direct"]),
            ["adapt history", "direct none", "direct history"]
        );
        assert_eq!(cells(&["none"], &["adapt"]), ["adapt none"]);
        assert_eq!(cells(&["history", "later"], &["of a later version"]), Vec::<String>::new());
        assert_eq!(setup(&["none", "history"], &["direct"]).answers(), 4);
    }

    #[test]
    fn what_is_missing_is_said() {
        let said = |setup: Setup| setup.problem().unwrap_or_default();
        assert_eq!(said(setup(&["history"], &["adapt"])), "");
        assert!(said(setup(&["history"], &["direct"])).contains("model"));
        assert!(said(setup(&["dail"], &["adapt"])).contains("model"));
        assert!(said(setup(&[], &["adapt"])).contains("retriever"));
        assert!(said(setup(&["history"], &[])).contains("pipeline"));
        assert!(said(setup(&["later"], &["adapt"])).contains("this version"));
        assert!(said(Setup { places: Vec::new(), ..setup(&["none"], &["adapt"]) }).contains("task"));
        assert!(said(Setup { history_queries: 0, ..setup(&["mqs"], &["adapt"]) }).contains("history"));
    }

    #[test]
    fn a_head_names_a_model_only_where_one_is_asked() {
        let model = Some(model_mark(&direct::Settings { model: "m".into(), ..direct::Settings::default() }));
        let setup = Setup { model, ..setup(&["mqs"], &["adapt", "direct"]) };
        let heads: Vec<Header> = setup.cells().into_iter().map(|cell| setup.header(cell, "3.50")).collect();
        assert_eq!(heads[0].model, None);
        assert_eq!(heads[1].model.as_ref().unwrap().name, "m");
        assert_eq!((heads[0].retriever.level.as_deref(), heads[0].task_count), (None, 3));
        assert!(heads[0].own_left_out);
    }
}
