//! What the Lab knows, as signals.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use crate::bench::run::{FileMark, RunFile};
use crate::bench::task::Task;
use crate::experiment::Setup;
use crate::experiment::kept::Experiment;
use crate::llm::Cancel;
use crate::llm::budget::Ledger;
use crate::present::lab::Live;

/// A task file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskFile {
    /// Its name and hash.
    pub mark: FileMark,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// All of its tasks.
    pub tasks: Vec<Task>,
}

/// What stops or holds the experiment that runs.
#[derive(Default)]
pub struct Control {
    /// Nothing more is begun.
    pub paused: Cell<bool>,
    /// What is on its way ends.
    pub cancel: Cancel,
    /// What it may use.
    pub ledger: RefCell<Rc<Ledger>>,
}

/// The runs of each experiment that was looked at, by its id.
pub type Runs = HashMap<String, Arc<Vec<RunFile>>>;

/// All of it. Copies are handles to the same signals.
#[derive(Clone, Copy)]
pub struct Lab {
    /// Experiments, newest first.
    pub list: RwSignal<Vec<Experiment>>,
    /// Whether the list was read.
    pub loaded: RwSignal<bool>,
    /// The one shown; None for a new one.
    pub shown: RwSignal<Option<String>>,
    /// Their runs.
    pub runs: RwSignal<Runs>,
    /// Task files by hash.
    pub tasks: RwSignal<HashMap<String, Arc<TaskFile>>>,
    /// The open task file.
    pub file: RwSignal<Option<Arc<TaskFile>>>,
    /// The set-up of the next one, as far as the user chooses it.
    pub draft: RwSignal<Setup>,
    /// The one at work.
    pub live: RwSignal<Option<Live>>,
    /// What stops it.
    pub control: StoredValue<Rc<Control>, LocalStorage>,
    /// What went wrong, where the Lab is.
    pub trouble: RwSignal<Option<String>>,
    /// What is to be said of what was done last.
    pub remark: RwSignal<Option<String>>,
    /// Scoring again: done and of how many.
    pub scoring: RwSignal<Option<(usize, usize)>>,
    /// The run whose answers are listed.
    pub cell: RwSignal<usize>,
    /// The answer in the inspector: its task's place.
    pub answer: RwSignal<Option<usize>>,
    /// Whether the set-up is in view as a sheet, on narrow screens.
    pub setup_open: RwSignal<bool>,
}

impl Default for Lab {
    fn default() -> Self {
        Self {
            list: RwSignal::default(),
            loaded: RwSignal::new(false),
            shown: RwSignal::default(),
            runs: RwSignal::default(),
            tasks: RwSignal::default(),
            file: RwSignal::default(),
            draft: RwSignal::new(Setup::default()),
            live: RwSignal::default(),
            control: StoredValue::new_local(Rc::default()),
            trouble: RwSignal::default(),
            remark: RwSignal::default(),
            scoring: RwSignal::default(),
            cell: RwSignal::default(),
            answer: RwSignal::default(),
            setup_open: RwSignal::new(false),
        }
    }
}

impl Lab {
    /// The experiment shown.
    pub fn shown_one(self) -> Option<Experiment> {
        let id = self.shown.get()?;
        self.list.with(|list| list.iter().find(|kept| kept.id == id).cloned())
    }

    /// Its runs; none while they are read.
    pub fn shown_runs(self) -> Arc<Vec<RunFile>> {
        let id = self.shown.get().unwrap_or_default();
        self.runs.with(|runs| runs.get(&id).cloned()).unwrap_or_default()
    }

    /// The tasks of the file with this hash; none where it is not at hand.
    pub fn tasks_of(self, sha256: &str) -> Option<Arc<TaskFile>> {
        self.tasks.with(|tasks| tasks.get(sha256).cloned())
    }

    /// The same, of what may not be tracked.
    pub fn tasks_now(self, sha256: &str) -> Option<Arc<TaskFile>> {
        self.tasks.with_untracked(|tasks| tasks.get(sha256).cloned())
    }

    /// The experiment of this id.
    pub fn find(self, id: &str) -> Option<Experiment> {
        self.list.with_untracked(|list| list.iter().find(|kept| kept.id == id).cloned())
    }
}
