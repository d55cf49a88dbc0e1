//! The list of kept workspaces, and keeping a new one. Several tabs may do so at a time: the list is read afresh before
//! each change, and changed by one tab after the other.

use std::time::Duration;

use gloo_timers::future::sleep;
use leptos::prelude::*;
use web_sys::Blob;

use super::save::{DATABASE, KNOWLEDGE, LIST, LIST_FOLDER, forget_recent};
use crate::browser::lock::{self, Asked, Lock};
use crate::browser::storage::{self, StorageError};
use crate::present::format;
use crate::retrieval::Indexed;
use crate::ui::state::State;
use crate::workspace::{Source, Workspace, Workspaces};

/// How often, and how many times, the list is tried while another tab changes it.
const WAIT: Duration = Duration::from_millis(20);
const TRIES: u32 = 100;
/// Folders that are looked for where the list is damaged.
const MOST_FOUND: u32 = 200;

/// The name of the lock on a workspace.
pub(super) fn lock_name(id: u32) -> String {
    format!("querylore-workspace-{id}")
}

/// Reads the list and deletes the files of workspaces that were removed, or never kept whole. Gives what is to be said of
/// it, where the list was damaged.
pub(super) async fn load(state: State) -> Option<String> {
    let (list, said) = read().await?;
    let removed: Vec<Workspace> = list.removed().to_vec();
    state.workspaces.set(list);
    for workspace in removed {
        // Another tab may be writing it at this moment.
        let asked = lock::ask(&lock_name(workspace.id), false, || {}).await;
        if !matches!(asked, Asked::Elsewhere) {
            storage::remove(&workspace.folder()).await;
            forget_recent(&workspace);
            change(state, |list| list.forget(workspace.id)).await;
        }
    }
    said
}

/// The list, and what is to be said of it.
async fn read() -> Option<(Workspaces, Option<String>)> {
    let file = storage::read(LIST_FOLDER, LIST).await?;
    let bytes = storage::bytes(&file).await.ok()?;
    match Workspaces::from_json(&String::from_utf8_lossy(&bytes)) {
        Some(list) => Some((list, None)),
        None => Some(found_again().await),
    }
}

/// The databases whose folders are there, where the list of them is damaged, and how many there are in words.
async fn found_again() -> (Workspaces, Option<String>) {
    let mut found = Vec::new();
    for id in 0..MOST_FOUND {
        if let Some(file) = storage::read(&Workspace::folder_of(id), DATABASE).await {
            found.push((id, file.size() as u64));
        }
    }
    let count = format::counted(found.len(), "database was", "databases were");
    let said = format!("The list of databases could not be read. {count} found again, under a new name.");
    let list = Workspaces::found_again(&found);
    // What cannot be written is found again, and said again, by the next who reads it.
    if let Ok(blob) = storage::blob(list.to_json().as_bytes()) {
        let _ = storage::write(LIST_FOLDER, LIST, &blob).await;
    }
    (list, Some(said))
}

/// Whether the list has a workspace, read afresh.
pub(super) async fn is_listed(id: u32) -> bool {
    read().await.is_some_and(|(list, _)| list.get(id).is_some())
}

/// Changes the list; what keeps it from being written is said.
pub(super) async fn change(state: State, how: impl FnOnce(&mut Workspaces)) {
    if let Err(error) = try_change(state, how).await {
        state.notify(error.to_string());
    }
}

async fn try_change<T>(state: State, how: impl FnOnce(&mut Workspaces) -> T) -> Result<T, StorageError> {
    let mut alone = lock::ask("querylore-list", false, || {}).await;
    for _ in 0..TRIES {
        if !matches!(alone, Asked::Elsewhere) {
            break;
        }
        sleep(WAIT).await;
        alone = lock::ask("querylore-list", false, || {}).await;
    }
    let mut list = match read().await {
        Some((list, said)) => {
            said.into_iter().for_each(|said| state.notify(said));
            list
        }
        None => state.workspaces.get_untracked(),
    };
    let made = how(&mut list);
    storage::write(LIST_FOLDER, LIST, &storage::blob(list.to_json().as_bytes())?).await?;
    state.workspaces.set(list);
    Ok(made)
}

/// Keeps a new workspace, whole or not at all, and holds its lock. It is listed when all of its files are there.
///
/// # Errors
/// The reason, in words, when it cannot be kept; then nothing is left of it.
pub(super) async fn keep_new(
    state: State,
    name: &str,
    database: &Blob,
    knowledge: Option<&Indexed>,
    source: Option<Source>,
) -> Result<(Workspace, Option<Lock>), String> {
    let reserved = try_change(state, |list| list.reserve(name, database.size() as u64, source)).await;
    let workspace = reserved.map_err(|e| e.to_string())?;
    let asked = lock::ask(&lock_name(workspace.id), false, move || {
        state.lock.set_value(None);
        state.elsewhere.set(true);
    })
    .await;
    let folder = workspace.folder();
    let written = async {
        if let Some(knowledge) = knowledge {
            let json = knowledge.to_json().map_err(|e| e.to_string())?;
            let blob = storage::blob(json.as_bytes()).map_err(|e| e.to_string())?;
            storage::write(&folder, KNOWLEDGE, &blob).await.map_err(|e| e.to_string())?;
        }
        storage::write(&folder, DATABASE, database).await.map_err(|e| e.to_string())?;
        let listed = try_change(state, |list| {
            list.put_back(&workspace);
            list.get(workspace.id).cloned()
        });
        let listed = listed.await.map_err(|e| e.to_string())?;
        listed.ok_or_else(|| StorageError::Other("another tab removed it".to_owned()).to_string())
    };
    match written.await {
        Ok(kept) => {
            let lock = if let Asked::Held(lock) = asked { Some(lock) } else { None };
            Ok((kept, lock))
        }
        Err(error) => {
            storage::remove(&folder).await;
            let _ = try_change(state, |list| list.forget(workspace.id)).await;
            Err(error)
        }
    }
}
