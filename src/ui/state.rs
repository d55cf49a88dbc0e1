//! What the page knows, as signals. Held by the context; changed by `actions`, read by `pages`.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use super::actions::answers::{self, Keeper, KeptAnswers};
use super::components::progress::Work;
use super::components::result_table::RowsView;
use super::components::toasts::Toasts;
use super::lab::Lab;
use super::settings::{self, Settings, Way};
use crate::bench::compare::Verdict;
use crate::bench::retrieval_metrics::Counts;
use crate::bench::task::Task;
use crate::browser::engine::Engine;
use crate::browser::lock::Lock;
use crate::db::{Overview, ResultSet};
use crate::history::Report;
use crate::history::import::{ImportError, Plan};
use crate::llm::diagnosis::Diagnosis;
use crate::llm::{Cache, Cancel};
use crate::pipeline::Answered;
use crate::pipeline::adapt::Answer;
use crate::pipeline::direct::{Direct, Prompt};
use crate::present::grid::Against;
use crate::present::score::Standing;
pub use crate::present::told::Trouble;
pub use crate::present::trace::Stage;
use crate::retrieval::model::By;
use crate::retrieval::{Indexed, Retrieved};
use crate::workspace::archive::Manifest;
use crate::workspace::link::Link;
use crate::workspace::{Source, Workspace, Workspaces};

/// The pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// Ask a question.
    #[default]
    Ask,
    /// Look through the knowledge.
    Knowledge,
    /// Set things.
    Settings,
    /// Look for a fault.
    Diagnostics,
    /// Measure this browser.
    Bench,
    /// Run experiments.
    Lab,
}

/// Which workspace is open.
#[derive(Debug, Clone, PartialEq)]
pub enum Open {
    /// The demo, fetched with the page.
    Demo,
    /// One that this browser keeps.
    Kept(Workspace),
    /// One that could not be kept, with its name; it lives until the tab closes.
    Loose(String),
}

/// The gold SQL an answer is compared with.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Gold {
    /// None is given.
    #[default]
    None,
    /// Typed by the user.
    Sql(String),
    /// Task of the open task file, by position.
    Task(usize),
}

/// The comparison of the rows with gold's.
#[derive(Debug, Clone)]
pub struct Score {
    /// Equal or not, and why not.
    pub verdict: Arc<Verdict>,
    /// Gold's rows beside ours, where both ran.
    pub against: Option<Arc<Against>>,
    /// Retrieval scores, for a task that lists its knowledge.
    pub knowledge: Option<Counts>,
}

/// The answer on the page.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Counts the questions, so that a late answer to an earlier one is known.
    pub number: u32,
    /// Who answers.
    pub way: Way,
    /// Where it stands.
    pub stage: Stage,
    /// The question it answers.
    pub question: String,
    /// What was retrieved.
    pub retrieved: Option<Arc<Retrieved>>,
    /// Milliseconds of retrieval.
    pub retrieve_ms: f64,
    /// Milliseconds of adapting and of running the candidates.
    pub adapt_ms: f64,
    /// The adapted answer.
    pub answer: Option<Arc<Answer>>,
    /// What the model was asked.
    pub prompt: Option<Arc<Prompt>>,
    /// The model that is asked.
    pub model: String,
    /// What the model has written so far.
    pub streamed: String,
    /// Tokens of it, about.
    pub tokens: u32,
    /// Milliseconds that its answer took so far.
    pub answer_ms: f64,
    /// The model's answer, whole.
    pub direct: Option<Arc<Direct>>,
    /// Who did the steps of retrieval that a model can do.
    pub steps: Vec<(&'static str, By)>,
    /// The ways that are compared, as far as they have ended.
    pub compared: Vec<Compared>,
    /// The SQL shown; the user may have edited it.
    pub sql: String,
    /// Whether the SQL is the user's.
    pub edited: bool,
    /// The rows.
    pub result: Option<Arc<ResultSet>>,
    /// Whether a query was run after the one of these rows, and refused or failed.
    pub stale: bool,
    /// What went wrong.
    pub trouble: Option<Trouble>,
    /// The comparison with gold.
    pub score: Option<Score>,
    /// Milliseconds of that comparison.
    pub score_ms: f64,
}

/// One of the ways that are compared.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Its name.
    pub name: &'static str,
    /// What it answered.
    pub answered: Arc<Answered>,
    /// Milliseconds it took.
    pub took_ms: f64,
    /// How its rows stand to gold's; None without gold.
    pub standing: Option<Standing>,
}

/// What is known of the model's server.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelStatus {
    /// It was not tested with these settings.
    #[default]
    Untested,
    /// It is being tested.
    Testing,
    /// What the test found.
    Tested(Diagnosis),
}

/// A history file on its way in.
#[derive(Debug, Clone)]
pub struct Import {
    /// The file's bytes.
    pub bytes: Arc<Vec<u8>>,
    /// How it will be read, or why not.
    pub plan: Result<Plan, ImportError>,
}

/// A workspace that came as a file without its database.
#[derive(Debug, Clone)]
pub struct Incomplete {
    /// What its file says.
    pub manifest: Manifest,
    /// Its history.
    pub knowledge: Indexed,
    /// Where the file was fetched from.
    pub source: Option<Source>,
}

/// What the top bar says of the encoder.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum EncoderStatus {
    /// Not needed so far.
    #[default]
    Resting,
    /// Being fetched or started.
    Loading(Work),
    /// Ready on this device ("CPU", "WebGPU, Apple M1"), with a notice where it is not the wanted one.
    Ready(String, Option<String>),
    /// It cannot be had.
    Failed(String),
}

/// All of it. Copies are handles to the same signals.
#[derive(Clone, Copy)]
pub struct State {
    /// Workers.
    pub engine: StoredValue<Rc<Engine>, LocalStorage>,
    /// What confirms, with a way to undo.
    pub toasts: Toasts,
    /// The page shown.
    pub page: RwSignal<Page>,
    /// The section of the page that the address names ("storage"); may be empty.
    pub section: RwSignal<String>,
    /// Settings.
    pub settings: RwSignal<Settings>,
    /// Kept workspaces.
    pub workspaces: RwSignal<Workspaces>,
    /// The open one.
    pub open: RwSignal<Open>,
    /// Why the last file was not opened.
    pub open_error: RwSignal<Option<String>>,
    /// Things to know about the open workspace (a write-ahead log, nothing can be kept).
    pub notices: RwSignal<Vec<String>>,
    /// What to know about the file that was read last, where nothing is wrong with it.
    pub remark: RwSignal<Option<String>>,
    /// Tables of the open database.
    pub overview: RwSignal<Option<Arc<Overview>>>,
    /// Its history.
    pub knowledge: RwSignal<Option<Arc<Indexed>>>,
    /// A history of the open workspace that was removed and can be brought back.
    pub removed_history: RwSignal<Option<Arc<Indexed>>>,
    /// Counts the histories: each one that is put in place of another, or read onto it.
    pub histories: StoredValue<u32>,
    /// The reports of the files read since the workspace was opened, the last one first.
    pub reports: RwSignal<Vec<Arc<Report>>>,
    /// Whether they are shown.
    pub reading_report: RwSignal<bool>,
    /// A file being imported.
    pub import: RwSignal<Option<Import>>,
    /// Whether the dialog that exports the open workspace is open.
    pub exporting: RwSignal<bool>,
    /// A workspace from a file that waits for its database.
    pub incomplete: RwSignal<Option<Arc<Incomplete>>>,
    /// What the page's address asks for and waits for the user's word.
    pub link: RwSignal<Option<Link>>,
    /// Counts the openings of workspaces, so that what was begun for one does not end in another.
    pub openings: StoredValue<u32>,
    /// Work in the background: importing, indexing.
    pub work: RwSignal<Option<Work>>,
    /// Set to stop that work.
    pub stop: RwSignal<bool>,
    /// The encoder.
    pub encoder: RwSignal<EncoderStatus>,
    /// Key for the model's server.
    pub key: RwSignal<String>,
    /// The model's server.
    pub model: RwSignal<ModelStatus>,
    /// Models that the server offers.
    pub offered: RwSignal<Vec<String>>,
    /// Stops what waits for the model.
    pub cancel: StoredValue<Cancel>,
    /// Answers of the model that are remembered.
    pub answers: StoredValue<Rc<std::cell::RefCell<Cache>>, LocalStorage>,
    /// What keeps them in this browser.
    pub keeper: StoredValue<Rc<Keeper>, LocalStorage>,
    /// How many are kept.
    pub kept_answers: RwSignal<KeptAnswers>,
    /// Whether the inspector shows the prompt.
    pub prompt_open: RwSignal<bool>,
    /// Tasks of the open task file.
    pub tasks: RwSignal<Arc<Vec<Task>>>,
    /// Questions to start with.
    pub examples: RwSignal<Arc<Vec<String>>>,
    /// The question being written.
    pub question: RwSignal<String>,
    /// What the answer is compared with.
    pub gold: RwSignal<Gold>,
    /// Whether gold SQL is being written.
    pub writing_gold: RwSignal<bool>,
    /// The answer.
    pub run: RwSignal<Run>,
    /// How the rows are looked at.
    pub rows_view: RwSignal<RowsView>,
    /// The item in the inspector.
    pub selected: RwSignal<Option<u32>>,
    /// Recent questions of this workspace, newest first.
    pub recent: RwSignal<Vec<String>>,
    /// The table, and perhaps its column, that the tree is to show.
    pub reveal: RwSignal<Option<(String, Option<String>)>>,
    /// What the live region says.
    pub said: RwSignal<String>,
    /// Whether another tab has this workspace open; this one then saves nothing.
    pub elsewhere: RwSignal<bool>,
    /// Experiments.
    pub lab: Lab,
    /// The lock on the open workspace.
    pub lock: StoredValue<Option<Lock>, LocalStorage>,
}

impl Default for State {
    /// A page that knows nothing yet.
    fn default() -> Self {
        Self {
            engine: StoredValue::new_local(Rc::new(Engine::default())),
            toasts: Toasts::default(),
            page: RwSignal::new(Page::default()),
            section: RwSignal::new(String::new()),
            settings: RwSignal::new(Settings::load()),
            workspaces: RwSignal::new(Workspaces::default()),
            open: RwSignal::new(Open::Demo),
            open_error: RwSignal::new(None),
            notices: RwSignal::new(Vec::new()),
            remark: RwSignal::new(None),
            overview: RwSignal::new(None),
            knowledge: RwSignal::new(None),
            removed_history: RwSignal::new(None),
            histories: StoredValue::new(0),
            reports: RwSignal::new(Vec::new()),
            reading_report: RwSignal::new(false),
            import: RwSignal::new(None),
            exporting: RwSignal::new(false),
            incomplete: RwSignal::new(None),
            link: RwSignal::new(None),
            openings: StoredValue::new(0),
            work: RwSignal::new(None),
            stop: RwSignal::new(false),
            encoder: RwSignal::new(EncoderStatus::default()),
            key: RwSignal::new(settings::kept_key()),
            model: RwSignal::new(ModelStatus::default()),
            offered: RwSignal::new(Vec::new()),
            cancel: StoredValue::new(Cancel::default()),
            answers: StoredValue::new_local(Rc::new(Cache::with_room(answers::ROOM).into())),
            keeper: StoredValue::new_local(Rc::default()),
            kept_answers: RwSignal::new(KeptAnswers::default()),
            prompt_open: RwSignal::new(false),
            tasks: RwSignal::new(Arc::default()),
            examples: RwSignal::new(Arc::default()),
            question: RwSignal::new(String::new()),
            gold: RwSignal::new(Gold::default()),
            writing_gold: RwSignal::new(false),
            run: RwSignal::new(Run::default()),
            rows_view: RwSignal::new(RowsView::default()),
            selected: RwSignal::new(None),
            recent: RwSignal::new(Vec::new()),
            reveal: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            elsewhere: RwSignal::new(false),
            lab: Lab::default(),
            lock: StoredValue::new_local(None),
        }
    }
}

impl State {
    /// The state of the page around the calling component.
    pub fn here() -> Self {
        expect_context()
    }

    /// Says something that the user should know, once.
    pub fn notify(&self, notice: String) {
        self.notices.update(|notices| {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        });
    }

    /// Changes the settings and keeps them.
    pub fn set(&self, how: impl FnOnce(&mut Settings)) {
        self.settings.update(how);
        self.settings.with_untracked(Settings::save);
    }

    /// The opening that what is shown comes from.
    pub fn opened(&self) -> u32 {
        self.openings.get_value()
    }

    /// Another workspace takes the place of the one shown: work that was begun for that one ends.
    pub fn opens_another(&self) {
        self.openings.update_value(|n| *n = n.wrapping_add(1));
        self.stop.set(true);
        self.work.set(None);
    }

    /// Another history takes the place of the one shown, or more is read onto it; its number.
    pub fn another_history(&self) -> u32 {
        self.histories.update_value(|n| *n = n.wrapping_add(1));
        self.histories.get_value()
    }

    /// The workers.
    pub fn engine(&self) -> Rc<Engine> {
        self.engine.get_value()
    }
}
