//! Opening, keeping, renaming and removing databases.

use std::sync::Arc;

use gloo_storage::{LocalStorage, Storage as _};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, File};

use super::save::{DATABASE, KNOWLEDGE, LAST, LIST, LIST_FOLDER, keep_list, load_knowledge};
use crate::bench::task;
use crate::browser::lock::{self, Asked};
use crate::browser::{fetch, storage};
use crate::retrieval::remembered;
use crate::ui::components::toasts::Toasts;
use crate::ui::state::{Gold, Open, Run, State};
use crate::workspace::{Workspace, Workspaces};

const DEMO: &str = "demo/";

/// Opens what was open last time, else the demo.
pub async fn start(state: State) {
    if let Some(list) = storage::read(LIST_FOLDER, LIST).await
        && let Ok(bytes) = storage::bytes(&list).await
    {
        let mut list = Workspaces::from_json(&String::from_utf8_lossy(&bytes));
        for folder in list.forget_removed() {
            storage::remove(&folder).await;
        }
        state.workspaces.set(list);
    }
    let last: Option<u32> = LocalStorage::get(LAST).ok().flatten();
    let kept = last.and_then(|id| state.workspaces.with_untracked(|w| w.get(id).cloned()));
    match kept {
        Some(workspace) => open_kept(state, workspace).await,
        None => open_demo(state).await,
    }
}

/// Opens the demo workspace that comes with the page.
pub async fn open_demo(state: State) {
    let database = match fetch::blob(&format!("{DEMO}norhaven.sqlite"), |_, _| {}).await {
        Ok(blob) => blob,
        Err(error) => return state.open_error.set(Some(error)),
    };
    if !show(state, Open::Demo, "Norhaven Ferries", &database).await {
        return;
    }
    let _ = LocalStorage::set(LAST, None::<u32>);
    if let Ok(blob) = fetch::blob(&format!("{DEMO}knowledge.json"), |_, _| {}).await
        && let Ok(bytes) = storage::bytes(&blob).await
    {
        load_knowledge(state, &bytes);
    }
    if let Ok(blob) = fetch::blob(&format!("{DEMO}tasks.json"), |_, _| {}).await
        && let Ok(bytes) = storage::bytes(&blob).await
        && let Ok(tasks) = task::read_tasks(&bytes)
    {
        state.tasks.set(Arc::new(tasks));
    }
    if let Ok(blob) = fetch::blob(&format!("{DEMO}workspace.json"), |_, _| {}).await
        && let Ok(bytes) = storage::bytes(&blob).await
    {
        #[derive(serde::Deserialize)]
        struct Story {
            questions: Vec<String>,
        }
        if let Ok(story) = serde_json::from_slice::<Story>(&bytes) {
            state.examples.set(Arc::new(story.questions));
        }
    }
    if let Ok(blob) = fetch::blob(&format!("{DEMO}vectors.bin"), |_, _| {}).await
        && let Ok(bytes) = storage::bytes(&blob).await
        && let Some(known) = remembered::from_bytes(&bytes)
    {
        state.engine().embedder.remember(&known.encoder, known.vectors);
    }
}

/// Opens a kept workspace; one whose files are gone is taken off the list.
pub async fn open_kept(state: State, workspace: Workspace) {
    let folder = workspace.folder();
    let Some(file) = storage::read(&folder, DATABASE).await else {
        state.workspaces.update(|w| w.remove(workspace.id));
        keep_list(state).await;
        let name = &workspace.name;
        state
            .open_error
            .set(Some(format!("“{name}” is no longer in this browser's storage. Open its file again.")));
        return open_demo(state).await;
    };
    let name = workspace.name.clone();
    let id = workspace.id;
    if !show(state, Open::Kept(workspace), &name, &file).await {
        return;
    }
    let _ = LocalStorage::set(LAST, Some(id));
    hold(state, id, false).await;
    if let Some(file) = storage::read(&folder, KNOWLEDGE).await
        && let Ok(bytes) = storage::bytes(&file).await
    {
        load_knowledge(state, &bytes);
    }
}

/// Opens a picked or dropped file and keeps it.
pub async fn open_file(state: State, file: File) {
    open_new(state, &file.name(), &file).await;
}

/// Opens a database from an address and keeps it.
pub async fn open_address(state: State, address: &str) {
    match fetch::blob(address, |_, _| {}).await {
        Ok(blob) => {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().filter(|n| !n.is_empty()).unwrap_or("database");
            open_new(state, name, &blob).await;
        }
        Err(error) => state.open_error.set(Some(error)),
    }
}

async fn open_new(state: State, name: &str, blob: &Blob) {
    if !show(state, Open::Loose(name.to_owned()), name, blob).await {
        return;
    }
    let mut list = state.workspaces.get_untracked();
    let workspace = list.add(name, blob.size() as u64);
    match storage::write(&workspace.folder(), DATABASE, blob).await {
        Ok(()) => {
            let _ = LocalStorage::set(LAST, Some(workspace.id));
            state.workspaces.set(list);
            keep_list(state).await;
            hold(state, workspace.id, false).await;
            // Last: whoever sees the kept name can reload.
            state.open.set(Open::Kept(workspace));
        }
        Err(error) => {
            storage::remove(&workspace.folder()).await;
            state.notify(error.to_string());
        }
    }
}

/// Takes the lock on a workspace, from another tab where `steal` says so; without it this tab saves nothing.
pub async fn hold(state: State, id: u32, steal: bool) {
    let lost = move || {
        state.lock.set_value(None);
        state.elsewhere.set(true);
    };
    let asked = lock::ask(&format!("querylore-workspace-{id}"), steal, lost).await;
    state.elsewhere.set(matches!(asked, Asked::Elsewhere));
    if let Asked::Held(held) = asked {
        state.lock.set_value(Some(held));
    }
}

/// Takes the open workspace over from another tab, with what that tab saved last.
pub async fn take_over(state: State) {
    let Open::Kept(workspace) = state.open.get_untracked() else { return };
    hold(state, workspace.id, true).await;
    if let Some(file) = storage::read(&workspace.folder(), KNOWLEDGE).await
        && let Ok(bytes) = storage::bytes(&file).await
    {
        load_knowledge(state, &bytes);
    }
}

/// Renames a kept workspace.
pub async fn rename(state: State, id: u32, name: &str) {
    state.workspaces.update(|w| w.rename(id, name));
    if let Some(renamed) = state.workspaces.with_untracked(|w| w.get(id).cloned()) {
        state.open.update(|open| {
            if matches!(open, Open::Kept(w) if w.id == id) {
                *open = Open::Kept(renamed);
            }
        });
    }
    keep_list(state).await;
}

/// Takes a kept workspace off the list; its files stay until the page is left, so that this can be undone.
pub async fn take_off(state: State, id: u32) {
    state.workspaces.update(|w| w.remove(id));
    keep_list(state).await;
    if matches!(state.open.get_untracked(), Open::Kept(w) if w.id == id) {
        open_demo(state).await;
    }
}

/// Takes a kept workspace off the list and offers to put it back.
pub async fn remove(state: State, toasts: Toasts, kept: Workspace) {
    take_off(state, kept.id).await;
    toasts.removed(format!("Removed “{}”", kept.name), move || {
        spawn_local(put_back(state, kept.clone()));
    });
}

/// Puts a workspace back that was taken off, and opens it.
pub async fn put_back(state: State, workspace: Workspace) {
    state.workspaces.update(|w| w.put_back(&workspace));
    keep_list(state).await;
    open_kept(state, workspace).await;
}

/// Opens the bytes and shows them with an empty history; false, with the reason shown, when they are no
/// database: the one before stays.
async fn show(state: State, open: Open, name: &str, blob: &Blob) -> bool {
    match state.engine().database.open(name, blob).await {
        Ok(overview) => {
            state.open_error.set(None);
            state.lock.set_value(None);
            state.elsewhere.set(false);
            state.notices.set(overview.notices.clone());
            state.overview.set(Some(Arc::new(overview)));
            state.open.set(open);
            state.knowledge.set(None);
            state.report.set(None);
            state.tasks.set(Arc::default());
            state.examples.set(Arc::default());
            state.recent.set(Vec::new());
            state.selected.set(None);
            state.gold.set(Gold::None);
            state.question.set(String::new());
            state.run.set(Run::default());
            true
        }
        Err(error) => {
            state.open_error.set(Some(format!("“{name}”: {error} Nothing was changed.")));
            false
        }
    }
}
