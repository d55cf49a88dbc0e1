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

/// Shows the knowledge base in these bytes; a file that cannot be read is said, the database stays open.
pub fn load_knowledge(state: State, bytes: &[u8]) {
    let read = store::from_json(bytes).map_err(|e| e.to_string());
    match read.and_then(|stored| Indexed::from_stored(stored).map_err(|e| e.to_string())) {
        Ok(knowledge) => state.knowledge.set(Some(Arc::new(knowledge))),
        Err(error) => state.notify(format!("The history was not loaded: {error}")),
    }
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

/// Keeps the open knowledge base beside its database; the demo, a loose database and one that another tab has open
/// keep nothing.
pub async fn keep_knowledge(state: State) {
    let Open::Kept(workspace) = state.open.get_untracked() else { return };
    if state.elsewhere.get_untracked() || !still_kept(state, &workspace).await {
        return;
    }
    let kept = match knowledge_file(state) {
        Ok(json) => match storage::blob(json.as_bytes()) {
            Ok(blob) => {
                storage::write(&workspace.folder(), KNOWLEDGE, &blob).await.map_err(|e| e.to_string())
            }
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error),
    };
    if let Err(error) = kept {
        state.notify(error);
    }
}

/// Whether the database is still in the browser's storage, which the user, or a browser short of room, may have cleared
/// while the page was open. A database that is gone is put back from the file it was opened from; where that cannot be
/// read any more it lives until the tab closes, and this is said.
async fn still_kept(state: State, workspace: &Workspace) -> bool {
    let folder = workspace.folder();
    if storage::read(&folder, DATABASE).await.is_some() {
        return true;
    }
    let file = state.engine().database.file();
    let back = match file {
        Some(file) => storage::write(&folder, DATABASE, &file).await.is_ok(),
        None => false,
    };
    if back {
        let _ = LocalStorage::set(LAST, Some(workspace.id));
        keep::change(state, |_| {}).await;
        state.notify("This browser's storage was cleared. The open database was put back.".to_owned());
    } else {
        storage::remove(&folder).await;
        state.open.set(Open::Loose(workspace.name.clone()));
        state.notify(
            "This browser's storage was cleared. This database lives until the tab closes; Export on the page \
            Knowledge saves its history."
                .to_owned(),
        );
    }
    back
}
