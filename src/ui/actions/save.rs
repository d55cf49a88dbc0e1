//! Keeping and loading knowledge bases.

use std::sync::Arc;

use gloo_storage::{LocalStorage, Storage as _};
use leptos::prelude::*;

use super::keep;
use crate::browser::storage;
use crate::history::store;
use crate::retrieval::Indexed;
use crate::ui::state::{Open, State};
use crate::workspace::Workspace;

/// Folder and file of the list of workspaces.
pub const LIST_FOLDER: &str = "workspaces";
/// See [`LIST_FOLDER`].
pub const LIST: &str = "list.json";
/// Local storage's name for the workspace that was open last.
pub const LAST: &str = "querylore.last-workspace";
/// The database in a workspace's folder.
pub const DATABASE: &str = "database.sqlite";
/// The knowledge base in a workspace's folder.
pub const KNOWLEDGE: &str = "knowledge.json";

/// A history that was removed, in a workspace's folder.
pub const REMOVED: &str = "knowledge.removed.json";

/// Shows the knowledge base in these bytes; a file that cannot be read is said, the database stays open.
pub fn load_knowledge(state: State, bytes: &[u8]) {
    match read_knowledge(bytes) {
        Ok(knowledge) => put_knowledge(state, Some(Arc::new(knowledge))),
        Err(error) => state.notify(error),
    }
}

/// The knowledge base in these bytes.
///
/// # Errors
/// What is wrong with them, in one sentence.
pub(super) fn read_knowledge(bytes: &[u8]) -> Result<Indexed, String> {
    let read = store::from_json(bytes).map_err(|e| e.to_string());
    read.and_then(|stored| Indexed::from_stored(stored).map_err(|e| e.to_string()))
        .map_err(|error| format!("The history was not loaded: {error}"))
}

/// Shows a history in place of the one before; the item in the inspector was of that one.
pub(super) fn put_knowledge(state: State, knowledge: Option<Arc<Indexed>>) {
    state.selected.set(None);
    state.knowledge.set(knowledge);
}

/// The open knowledge base as the bytes of its file.
///
/// # Errors
/// When there is none, or it cannot be written.
pub fn knowledge_file(state: State) -> Result<String, String> {
    let Some(knowledge) = state.knowledge.get_untracked() else {
        return Err("There is no history to keep.".to_owned());
    };
    knowledge.to_json().map_err(|e| e.to_string())
}

/// Keeps the open knowledge base beside its database, or takes the kept one away where there is none; the demo, a loose database and one that another tab has open
/// keep nothing.
pub async fn keep_knowledge(state: State) {
    let Open::Kept(workspace) = state.open.get_untracked() else { return };
    // Another workspace may be opened before the file is written: what belongs to this one is taken now.
    let (opened, before) = (state.opened(), state.knowledge.get_untracked());
    if state.elsewhere.get_untracked() || !still_kept(state, &workspace).await {
        return;
    }
    let now = if state.opened() == opened { state.knowledge.get_untracked() } else { before };
    let folder = workspace.folder();
    let Some(knowledge) = now else { return storage::remove_file(&folder, KNOWLEDGE).await };
    let Err(error) = write_knowledge(&folder, &knowledge).await else { return };
    // The browser may be clearing its storage at this very moment: what is gone by now is put back, and it is tried again.
    if storage::read(&folder, DATABASE).await.is_some() {
        state.notify(error);
    } else if still_kept(state, &workspace).await
        && let Err(error) = write_knowledge(&folder, &knowledge).await
    {
        state.notify(error);
    }
}

fn recent_name(workspace: &Workspace) -> String {
    format!("querylore.recent.{}", workspace.id)
}

/// Keeps the questions asked last of a kept workspace.
pub(super) fn keep_recent(state: State) {
    if let Open::Kept(workspace) = state.open.get_untracked() {
        // A browser that keeps nothing forgets them with the page.
        let _ = state.recent.with_untracked(|recent| LocalStorage::set(recent_name(&workspace), recent));
    }
}

/// The questions asked last of a kept workspace.
pub(super) fn load_recent(state: State, workspace: &Workspace) {
    if let Ok(recent) = LocalStorage::get::<Vec<String>>(recent_name(workspace)) {
        state.recent.set(recent);
    }
}

/// Forgets them with the workspace.
pub(super) fn forget_recent(workspace: &Workspace) {
    LocalStorage::delete(recent_name(workspace));
}

/// Keeps a history that is removed, so that it can be brought back; a kept workspace has it after a reload, too.
pub(super) async fn keep_removed(state: State, knowledge: Arc<Indexed>) {
    state.removed_history.set(Some(knowledge.clone()));
    if let Open::Kept(workspace) = state.open.get_untracked()
        && !state.elsewhere.get_untracked()
        && let Err(error) = write(&workspace.folder(), REMOVED, &knowledge).await
    {
        state.notify(error);
    }
}

async fn write_knowledge(folder: &str, knowledge: &Indexed) -> Result<(), String> {
    write(folder, KNOWLEDGE, knowledge).await
}

async fn write(folder: &str, name: &str, knowledge: &Indexed) -> Result<(), String> {
    let json = knowledge.to_json().map_err(|e| e.to_string())?;
    let blob = storage::blob(json.as_bytes()).map_err(|e| e.to_string())?;
    storage::write(folder, name, &blob).await.map_err(|e| e.to_string())
}

/// Whether the database is still in the browser's storage, which the user, or a browser short of room, may have cleared
/// while the page was open. A database that is gone is put back from the file it was opened from; where that cannot be
/// read any more it lives until the tab closes, and this is said.
async fn still_kept(state: State, workspace: &Workspace) -> bool {
    let folder = workspace.folder();
    let (opened, file) = (state.opened(), state.engine().database.file());
    if storage::read(&folder, DATABASE).await.is_some() {
        return true;
    }
    let back = match file {
        Some(file) => storage::write(&folder, DATABASE, &file).await.is_ok(),
        None => false,
    };
    if back {
        if state.opened() == opened {
            let _ = LocalStorage::set(LAST, Some(workspace.id));
        }
        keep::change(state, |_| {}).await;
        state.notify("This browser's storage was cleared. The open database was put back.".to_owned());
    } else {
        storage::remove(&folder).await;
        if state.opened() != opened {
            return false;
        }
        state.open.set(Open::Loose(workspace.name.clone()));
        state.notify(
            "This browser's storage was cleared. This database lives until the tab closes; Export on the page \
            Knowledge saves its history."
                .to_owned(),
        );
    }
    back
}
