//! The Lab's experiments: begun, held, gone on with, scored again, removed; run files opened and saved.

mod drive;
mod files;
pub mod store;

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::bench::run::FileMark;
use crate::bench::task::{places_of, read_tasks};
use crate::experiment::Setup;
use crate::experiment::estimate::{Estimate, estimate};
use crate::experiment::kept::{Experiment, Standing};
use crate::experiment::setup::model_mark;
use crate::llm::budget::Limits;
use crate::present::lab::{Live, name as named};
use crate::present::pace::Pace;
use crate::ui::components::toasts::Toasts;
use crate::ui::database_menu::name;
use crate::ui::lab::{Control, TaskFile};
use crate::ui::state::State;

pub use files::{export, open_run, save_runs, score_again, show_rows};

/// Milliseconds since 1970, and how many minutes this clock is behind universal time.
pub fn wall_clock() -> (f64, f64) {
    (js_sys::Date::now(), js_sys::Date::new_0().get_timezone_offset())
}

/// Takes in the task file that is open now.
pub fn take_tasks(state: State, file_name: &str, bytes: Vec<u8>) {
    if let Ok(tasks) = read_tasks(&bytes) {
        let file = Arc::new(TaskFile { mark: FileMark::of(file_name, &bytes), bytes, tasks });
        store::know(state, &file);
        state.lab.file.set(Some(file));
    }
}

/// Opens a task file for the Lab.
pub async fn open_tasks(state: State, file: web_sys::File) {
    match crate::browser::storage::bytes(&file).await {
        Ok(bytes) => match read_tasks(&bytes) {
            Ok(_) => {
                take_tasks(state, &file.name(), bytes);
                state.lab.trouble.set(None);
                new_one(state);
            }
            Err(error) => state.lab.trouble.set(Some(format!("“{}”: {error}", file.name()))),
        },
        Err(error) => state.lab.trouble.set(Some(format!("“{}”: {error}", file.name()))),
    }
}

/// The set-up of the next experiment: what the user chose, on what is open.
pub fn filled(state: State) -> Setup {
    let lab = state.lab;
    let mut setup = lab.draft.get();
    let settings = state.settings.get();
    setup.database = state.open.with(name);
    lab.file.with(|file| {
        if let Some(file) = file {
            setup.tasks = file.mark.clone();
            setup.task_count = file.tasks.len();
            setup.places = places_of(&file.tasks, &setup.database);
        }
    });
    state.knowledge.with(|knowledge| {
        if let Some(knowledge) = knowledge {
            setup.history = FileMark::of(&setup.database, knowledge.base.identity().as_bytes());
            setup.history_queries = knowledge.base.entries.len();
        }
    });
    setup.encoder = settings.encoder;
    (setup.level, setup.threshold) = (settings.retrieval.level, settings.retrieval.threshold);
    setup.timeout_ms = settings.limits.timeout_ms;
    let set_up = !settings.model.address.trim().is_empty();
    setup.model = (setup.asks() && set_up).then(|| model_mark(&settings.model.ask));
    setup
}

/// What a set-up will use; None while a database or its tasks are missing.
pub fn estimated(state: State, setup: &Setup) -> Option<Estimate> {
    let overview = state.overview.get()?;
    let knowledge = state.knowledge.get();
    let empty = crate::history::KnowledgeBase::default();
    let knowledge = knowledge.as_ref().map_or(&empty, |knowledge| &knowledge.base);
    let file = state.lab.tasks_of(&setup.tasks.sha256)?;
    let tasks: Vec<_> = setup.places.iter().filter_map(|place| file.tasks.get(*place)).collect();
    let asked = state.settings.with(|settings| settings.model.ask.clone());
    // Answers of an experiment with the same runs on the same tasks tell what the next ones will be like.
    let runs = state.lab.list.with(|list| {
        let like = list.iter().find(|kept| {
            let known = &kept.setup;
            (known.cells(), &known.tasks, &known.model, known.shots)
                == (setup.cells(), &setup.tasks, &setup.model, setup.shots)
        })?;
        state.lab.runs.with(|runs| runs.get(&like.id).cloned())
    });
    let done: Vec<_> = runs.iter().flat_map(|runs| runs.iter()).map(|run| run.outcomes.clone()).collect();
    Some(estimate(setup, &tasks, (&overview.schema, &overview.tables, knowledge), &asked, &done))
}

/// Begins what is set up.
pub fn start(state: State) {
    let lab = state.lab;
    let setup = untrack(move || filled(state));
    if let Some(problem) = setup.problem() {
        return lab.trouble.set(Some(problem));
    }
    if lab.live.with_untracked(Option::is_some) {
        return lab.trouble.set(Some("Another experiment runs. Pause it first.".to_owned()));
    }
    let (began_ms, _) = wall_clock();
    let id = format!("{:x}-{:03x}", began_ms as u64, (js_sys::Math::random() * 4_096.0) as u32);
    let kept = Experiment {
        id: id.clone(),
        name: named(&setup),
        began_ms,
        setup,
        standing: Standing::Running,
        ..Experiment::default()
    };
    lab.list.update(|list| list.insert(0, kept.clone()));
    lab.setup_open.set(false);
    show(state, Some(id.clone()));
    spawn_local(async move {
        if let Some(file) = lab.file.get_untracked() {
            store::keep_tasks(state, &file).await;
        }
        store::put(state, &kept).await;
        run(state, id).await;
    });
}

/// Goes on with an experiment that is held.
pub fn go_on(state: State, id: String) {
    spawn_local(run(state, id));
}

async fn run(state: State, id: String) {
    let lab = state.lab;
    if lab.live.with_untracked(Option::is_some) {
        return lab.trouble.set(Some("Another experiment runs. Pause it first.".to_owned()));
    }
    let Some(kept) = lab.find(&id) else { return };
    lab.trouble.set(None);
    lab.remark.set(None);
    lab.control.set_value(Rc::new(Control::default()));
    // Before anything is waited for, so that nothing is begun twice.
    lab.live.set(Some(Live { id: id.clone(), done: kept.done, ..Live::default() }));
    store::load_runs(state, &kept).await;
    store::recount(state, &id);
    let Some(mut kept) = lab.find(&id) else { return lab.live.set(None) };
    lab.live.set(Some(Live {
        id: id.clone(),
        done: kept.done,
        preparing: "making ready".to_owned(),
        spent: kept.spent,
        pace: Pace::new(super::now()),
        ..Live::default()
    }));
    kept.standing = Standing::Running;
    kept.failed.clear();
    store::put(state, &kept).await;
    kept.standing = drive::drive(state, &mut kept).await;
    store::put(state, &kept).await;
    lab.live.set(None);
    let done = kept.done >= kept.total();
    let words = crate::present::lab::progress::spoken(&kept, None);
    state.said.set(if done {
        format!("The experiment is done: {words}.")
    } else {
        format!("The experiment is held: {words}.")
    });
}

/// Begins nothing more; what is on its way is waited for.
pub fn pause(state: State) {
    state.lab.control.get_value().paused.set(true);
    state.lab.live.update(|live| {
        if let Some(live) = live {
            live.pausing = true;
        }
    });
}

/// Ends what is on its way too.
pub fn cancel(state: State) {
    state.lab.control.get_value().cancel.cancel();
}

/// Changes the limits of an experiment, also of the one that runs.
pub fn limit(state: State, id: String, limits: Limits) {
    let Some(mut kept) = state.lab.find(&id) else { return };
    kept.setup.limits = limits;
    if state.lab.live.with_untracked(|live| live.as_ref().is_some_and(|live| live.id == id)) {
        state.lab.control.get_value().ledger.borrow().limit(limits);
    }
    spawn_local(async move { store::put(state, &kept).await });
}

/// Shows an experiment, or with None the set-up of the next one.
pub fn show(state: State, id: Option<String>) {
    let lab = state.lab;
    lab.answer.set(None);
    lab.cell.set(0);
    lab.trouble.set(None);
    if lab.scoring.with_untracked(Option::is_none) {
        lab.remark.set(None);
    }
    lab.shown.set(id.clone());
    let Some(kept) = id.and_then(|id| lab.find(&id)) else { return };
    spawn_local(async move {
        store::load_tasks(state, &kept.setup.tasks).await;
        store::load_runs(state, &kept).await;
    });
}

/// Shows the set-up of the next experiment.
pub fn new_one(state: State) {
    show(state, None);
}

/// Takes over the set-up of an experiment for the next one.
pub fn duplicate(state: State, setup: Setup) {
    state.lab.draft.set(setup);
    new_one(state);
}

/// Removes an experiment, and offers to bring it back.
pub fn remove(state: State, toasts: Toasts, kept: Experiment) {
    let lab = state.lab;
    if lab.live.with_untracked(|live| live.as_ref().is_some_and(|live| live.id == kept.id)) {
        return lab.trouble.set(Some("It runs. Cancel it first.".to_owned()));
    }
    let at = lab.list.with_untracked(|list| list.iter().position(|one| one.id == kept.id)).unwrap_or(0);
    if lab.shown.with_untracked(|shown| shown.as_ref() == Some(&kept.id)) {
        new_one(state);
    }
    let back = kept.clone();
    spawn_local(async move {
        store::take_off(state, &kept.id).await;
        let gone = kept.clone();
        toasts.removed(format!("Removed “{}”", kept.name), move || {
            let back = back.clone();
            lab.list.update(|list| list.insert(at.min(list.len()), back.clone()));
            spawn_local(async move { store::put(state, &back).await });
        });
        // What can no longer be brought back needs no room.
        gloo_timers::future::TimeoutFuture::new(60_000).await;
        store::forget(state, &gone).await;
    });
}
