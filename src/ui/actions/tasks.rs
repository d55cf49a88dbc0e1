//! Task files: opening one, choosing a task.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::{ask, experiment};
use crate::bench::task;
use crate::browser::storage;
use crate::present::format::counted;
use crate::ui::database_menu::name;
use crate::ui::state::{Gold, State};

/// Opens a task file in place of the one before.
pub async fn open(state: State, file: File) {
    let read = match storage::bytes(&file).await {
        Ok(bytes) => task::read_tasks(&bytes).map(|tasks| (tasks, bytes)).map_err(|e| e.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match read {
        Ok((tasks, bytes)) => {
            experiment::take_tasks(state, &file.name(), bytes);
            let open = state.open.with_untracked(name);
            let (tasks, others) = task::of_database(tasks, &open);
            state.remark.set((others > 0).then(|| {
                let (ours, others) =
                    (counted(tasks.len(), "task", "tasks"), counted(others, "task", "tasks"));
                format!("“{}”: {ours} on {open}; {others} on other databases are left out.", file.name())
            }));
            state.gold.set(Gold::None);
            state.tasks.set(Arc::new(tasks));
            choose(state, 0);
        }
        Err(error) => state.open_error.set(Some(format!("“{}”: {error}", file.name()))),
    }
}

/// Takes a task's gold, puts its question in the box and asks it.
pub fn choose(state: State, position: usize) {
    let Some(question) = state.tasks.with_untracked(|t| t.get(position).map(|t| t.question.clone())) else {
        return;
    };
    state.gold.set(Gold::Task(position));
    state.question.set(question);
    spawn_local(ask::ask(state));
}
