//! The files of the Lab in this browser: the list of experiments, their run files, the task files they need.
//!
//! Where nothing can be kept, all of it lives until the tab closes.

use std::sync::Arc;

use leptos::prelude::*;

use crate::bench::run::FileMark;
use crate::bench::run::RunFile;
use crate::bench::task::read_tasks;
use crate::browser::storage::{self, StorageError};
use crate::experiment::kept::{self, Experiment, tasks_file};
use crate::ui::lab::TaskFile;
use crate::ui::state::State;

/// Belongs to no workspace: a run is of a task file and a history, whichever are open.
const FOLDER: &str = "runs";
const LIST: &str = "list.json";

async fn bytes_of(name: &str) -> Option<Vec<u8>> {
    let file = storage::read(FOLDER, name).await?;
    storage::bytes(&file).await.ok()
}

async fn write(name: &str, bytes: &[u8]) -> Result<(), StorageError> {
    storage::write(FOLDER, name, &storage::blob(bytes)?).await
}

/// Says once why nothing is kept.
fn said(state: State, written: Result<(), StorageError>) {
    if let Err(error) = written {
        let why = match error {
            StorageError::Absent => {
                "This browser keeps nothing here. Runs live until the tab closes; Export saves them."
                    .to_owned()
            }
            error => error.to_string(),
        };
        state.lab.remark.set(Some(why));
    }
}

/// Reads the list, once.
pub async fn load(state: State) {
    let lab = state.lab;
    if lab.loaded.get_untracked() {
        return;
    }
    if let Some(bytes) = bytes_of(LIST).await {
        match kept::from_json(&bytes) {
            Ok(list) => lab.list.set(list),
            Err(error) => lab.trouble.set(Some(error.to_string())),
        }
    }
    // One that ran when its tab was closed is further than was noted, unless another tab runs it now.
    for kept in lab.list.get_untracked().iter().filter(|kept| kept.standing == kept::Standing::Running) {
        load_runs(state, kept).await;
        recount(state, &kept.id);
    }
    lab.loaded.set(true);
}

/// Counts an experiment's answers anew.
pub fn recount(state: State, id: &str) {
    let runs = state.lab.runs.with_untracked(|runs| runs.get(id).cloned()).unwrap_or_default();
    state.lab.list.update(|list| {
        if let Some(kept) = list.iter_mut().find(|kept| kept.id == id) {
            kept.recount(&runs);
        }
    });
}

/// Changes the list, read afresh: another tab may have changed it.
async fn change(state: State, how: impl Fn(&mut Vec<Experiment>)) {
    let lab = state.lab;
    lab.list.update(&how);
    let mut list = match bytes_of(LIST).await.map(|bytes| kept::from_json(&bytes)) {
        Some(Ok(list)) => list,
        _ => lab.list.get_untracked(),
    };
    how(&mut list);
    match kept::to_json(&list) {
        Ok(json) => said(state, write(LIST, json.as_bytes()).await),
        Err(error) => lab.trouble.set(Some(error.to_string())),
    }
}

/// Keeps an experiment in the place it had, or as the newest.
pub async fn put(state: State, kept: &Experiment) {
    change(state, |list| match list.iter_mut().find(|known| known.id == kept.id) {
        Some(known) => *known = kept.clone(),
        None => list.insert(0, kept.clone()),
    })
    .await;
}

/// Takes an experiment off the list; its files stay until [`forget`].
pub async fn take_off(state: State, id: &str) {
    change(state, |list| list.retain(|kept| kept.id != id)).await;
}

/// Deletes the run files of an experiment that is on the list no more.
pub async fn forget(state: State, kept: &Experiment) {
    if state.lab.find(&kept.id).is_some() {
        return;
    }
    for file in kept.files() {
        storage::remove_file(FOLDER, &file).await;
    }
}

/// Reads the runs of an experiment, where they were not read yet; a run that was not begun is empty.
pub async fn load_runs(state: State, kept: &Experiment) {
    let lab = state.lab;
    if lab.runs.with_untracked(|runs| runs.contains_key(&kept.id)) {
        return;
    }
    let cells = kept.setup.cells();
    let mut runs = Vec::new();
    for (at, name) in kept.files().into_iter().enumerate() {
        let begun = bytes_of(&name).await.map(|bytes| RunFile::parse(&bytes));
        let empty = || RunFile {
            header: cells.get(at).map(|cell| kept.setup.header(*cell, "")).unwrap_or_default(),
            ..RunFile::default()
        };
        runs.push(match begun {
            Some(Ok(run)) => run,
            Some(Err(error)) => {
                lab.trouble.set(Some(format!("A run file of “{}”: {error}", kept.name)));
                empty()
            }
            None => empty(),
        });
    }
    lab.runs.update(|all| drop(all.insert(kept.id.clone(), Arc::new(runs))));
}

/// Keeps a run.
pub async fn put_run(state: State, kept: &Experiment, cell: usize, run: &RunFile) {
    let files = kept.files();
    let (Some(name), Ok(bytes)) = (files.get(cell), run.to_bytes()) else { return };
    said(state, write(name, &bytes).await);
}

/// Takes in a task file, and keeps it where an experiment needs it.
pub async fn keep_tasks(state: State, file: &TaskFile) {
    let name = tasks_file(&file.mark.sha256);
    if storage::read(FOLDER, &name).await.is_none() {
        said(state, write(&name, &file.bytes).await);
    }
}

/// Makes a task file known by its hash.
pub fn know(state: State, file: &Arc<TaskFile>) {
    state.lab.tasks.update(|all| drop(all.insert(file.mark.sha256.clone(), file.clone())));
}

/// Reads the kept task file of this mark, where it is not known.
pub async fn load_tasks(state: State, mark: &FileMark) -> Option<Arc<TaskFile>> {
    if let Some(known) = state.lab.tasks_now(&mark.sha256) {
        return Some(known);
    }
    let bytes = bytes_of(&tasks_file(&mark.sha256)).await?;
    let tasks = read_tasks(&bytes).ok()?;
    // A file of another hash under this name is damaged.
    let own = FileMark::of(&mark.name, &bytes);
    if own.sha256 != mark.sha256 {
        return None;
    }
    let file = Arc::new(TaskFile { mark: own, bytes, tasks });
    know(state, &file);
    Some(file)
}
