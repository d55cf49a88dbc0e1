//! Opening, renaming and removing databases.

use std::sync::Arc;

use gloo_storage::{LocalStorage, Storage as _};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, File};

use super::save::{
    DATABASE, KNOWLEDGE, LAST, REMOVED, keep_knowledge, load_knowledge, load_recent, read_knowledge,
};
use super::{archive, experiment, keep, link};
use crate::bench::task;
use crate::browser::lock::{self, Asked};
use crate::browser::{fetch, storage};
use crate::retrieval::{Indexed, remembered};
use crate::ui::components::toasts::Toasts;
use crate::ui::state::{Gold, Open, Run, State};
use crate::workspace::{Source, Workspace, Workspaces, archive as format, link as address, stem};

const DEMO: &str = "demo/";

/// Opens what the page's address asks for, else what was open last time, else the demo.
pub async fn start(state: State) {
    let said = keep::load(state).await;
    match link::start(state).await {
        Ok(true) => {}
        Ok(false) => {
            open_last(state).await;
            link::ask(state);
        }
        Err(error) => {
            open_last(state).await;
            state.open_error.set(Some(error));
        }
    }
    // What is opened brings its own notices, and takes others away.
    if let Some(said) = said {
        state.notify(said);
    }
}

async fn open_last(state: State) {
    let last: Option<u32> = LocalStorage::get(LAST).ok().flatten();
    let kept = last.and_then(|id| state.workspaces.with_untracked(|w| w.get(id).cloned()));
    match kept {
        Some(workspace) => open_kept(state, workspace).await,
        None => {
            let _ = open_demo(state).await;
        }
    }
}

/// Opens the demo workspace that comes with the page; false, with the reason shown, when it cannot be fetched.
pub async fn open_demo(state: State) -> bool {
    let database = match fetch::blob(&format!("{DEMO}norhaven.sqlite"), |_, _| {}).await {
        Ok(blob) => blob,
        Err(error) => {
            state.open_error.set(Some(error));
            return false;
        }
    };
    if !show(state, Open::Demo, "Norhaven Ferries", &database).await {
        return false;
    }
    let opened = state.opened();
    let _ = LocalStorage::set(LAST, None::<u32>);
    // What was opened meanwhile must not get what belongs to the demo.
    let file = async |name: &str| {
        let blob = fetch::blob(&format!("{DEMO}{name}"), |_, _| {}).await.ok()?;
        storage::bytes(&blob).await.ok().filter(|_| state.opened() == opened)
    };
    if let Some(bytes) = file("knowledge.json").await {
        load_knowledge(state, &bytes);
    }
    if let Some(bytes) = file("tasks.json").await
        && let Ok(tasks) = task::read_tasks(&bytes)
    {
        state.tasks.set(Arc::new(tasks));
        experiment::take_tasks(state, "norhaven-tasks.json", bytes);
    }
    if let Some(bytes) = file("workspace.json").await {
        #[derive(serde::Deserialize)]
        struct Story {
            questions: Vec<String>,
        }
        if let Ok(story) = serde_json::from_slice::<Story>(&bytes) {
            state.examples.set(Arc::new(story.questions));
        }
    }
    if let Some(bytes) = file("vectors.bin").await
        && let Some(known) = remembered::from_bytes(&bytes)
    {
        state.engine().embedder.remember(&known.encoder, known.vectors);
    }
    true
}

/// Opens a kept workspace; one whose files are gone is taken off the list.
pub async fn open_kept(state: State, workspace: Workspace) {
    let folder = workspace.folder();
    let Some(file) = storage::read(&folder, DATABASE).await else {
        keep::change(state, |w| w.remove(workspace.id)).await;
        open_demo(state).await;
        state.open_error.set(Some(gone(&workspace.name)));
        return;
    };
    let (name, id, kept) = (workspace.name.clone(), workspace.id, workspace.clone());
    if !show(state, Open::Kept(workspace), &name, &file).await {
        return;
    }
    let opened = state.opened();
    load_recent(state, &kept);
    let _ = LocalStorage::set(LAST, Some(id));
    hold(state, id, false).await;
    let bytes = async |name: &str| {
        let file = storage::read(&folder, name).await?;
        storage::bytes(&file).await.ok().filter(|_| state.opened() == opened)
    };
    if let Some(bytes) = bytes(KNOWLEDGE).await {
        load_knowledge(state, &bytes);
    } else if let Some(removed) = bytes(REMOVED).await.and_then(|bytes| read_knowledge(&bytes).ok()) {
        state.removed_history.set(Some(Arc::new(removed)));
    }
}

fn gone(name: &str) -> String {
    format!("“{name}” is no longer in this browser's storage. Open its file again.")
}

/// Opens a picked or dropped file, a database or a workspace, and keeps it.
pub async fn open_file(state: State, file: File) {
    open_blob(state, &file.name(), &file, None).await;
}

/// Opens a database or a workspace from an address and keeps it.
pub async fn open_address(state: State, address: &str) {
    match fetch::blob(address, |_, _| {}).await {
        Ok(blob) => {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let source = Source { database: link::absolute(address), history: None };
            open_blob(state, &address::file_name(path), &blob, Some(source)).await;
        }
        Err(error) => state.open_error.set(Some(error)),
    }
}

/// Opens what a file of this name holds; false, with the reason shown, when that cannot be opened.
pub(super) async fn open_blob(state: State, name: &str, blob: &Blob, source: Option<Source>) -> bool {
    let head = storage::range(blob, 0, format::HEAD_BYTES).await.unwrap_or_default();
    if format::is_archive(name, &head) {
        return archive::open(state, name, blob, source).await;
    }
    open_new(state, New { file: name, name: stem(name), database: blob, knowledge: None, source }).await
}

/// A workspace on its way in.
pub(super) struct New<'a> {
    /// What messages call it.
    pub(super) file: &'a str,
    /// The name it gets, where no other has it.
    pub(super) name: &'a str,
    /// The bytes of its database.
    pub(super) database: &'a Blob,
    /// Its history, where it brings one.
    pub(super) knowledge: Option<Indexed>,
    /// Where it was fetched from.
    pub(super) source: Option<Source>,
}

/// Opens a new workspace and keeps it, whole or not at all; false, with the reason shown, when its database cannot be
/// opened. Where it cannot be kept it lives until the tab closes, and the page says so. It bears the name of its file until it is kept.
pub(super) async fn open_new(state: State, new: New<'_>) -> bool {
    if !show(state, Open::Loose(new.file.to_owned()), new.file, new.database).await {
        return false;
    }
    let opened = state.opened();
    let knowledge = new.knowledge.map(Arc::new);
    if knowledge.is_some() {
        state.knowledge.set(knowledge.clone());
    }
    let kept = keep::keep_new(state, new.name, new.database, knowledge.as_deref(), new.source).await;
    if state.opened() != opened {
        return true;
    }
    match kept {
        Ok((workspace, lock)) => {
            let _ = LocalStorage::set(LAST, Some(workspace.id));
            state.lock.set_value(lock);
            // Last: whoever sees the kept name can reload.
            state.open.set(Open::Kept(workspace));
            // Until here nothing that was added or changed could be kept.
            let same = state.knowledge.with_untracked(|now| match (now, &knowledge) {
                (Some(now), Some(before)) => Arc::ptr_eq(now, before),
                (now, _) => now.is_none(),
            });
            if !same {
                keep_knowledge(state).await;
            }
        }
        Err(error) => state.notify(error),
    }
    true
}

/// Takes the lock on a workspace, from another tab where `steal` says so; without it this tab saves nothing.
pub async fn hold(state: State, id: u32, steal: bool) {
    let lost = move || {
        state.lock.set_value(None);
        state.elsewhere.set(true);
    };
    let asked = lock::ask(&keep::lock_name(id), steal, lost).await;
    state.elsewhere.set(matches!(asked, Asked::Elsewhere));
    if let Asked::Held(held) = asked {
        state.lock.set_value(Some(held));
    }
}

/// Takes the open workspace over from another tab, with what that tab saved last.
pub async fn take_over(state: State) {
    let Open::Kept(workspace) = state.open.get_untracked() else { return };
    let opened = state.opened();
    hold(state, workspace.id, true).await;
    if !keep::is_listed(workspace.id).await {
        // Whoever had it took it off the list; it is open here, so it is wanted.
        keep::change(state, |list| list.put_back(&workspace)).await;
        if state.workspaces.with_untracked(|list| list.get(workspace.id).is_some()) {
            let _ = LocalStorage::set(LAST, Some(workspace.id));
            state.notify(format!("“{}” was removed in another tab. It was put back.", workspace.name));
        } else if state.opened() == opened {
            state.open.set(Open::Loose(workspace.name.clone()));
            state.notify(format!(
                "“{}” was removed in another tab. It lives until this tab closes; Export saves it.",
                workspace.name
            ));
            return;
        }
    }
    if let Some(file) = storage::read(&workspace.folder(), KNOWLEDGE).await
        && let Ok(bytes) = storage::bytes(&file).await
        && state.opened() == opened
    {
        load_knowledge(state, &bytes);
    }
}

/// Renames a kept workspace.
pub async fn rename(state: State, id: u32, name: &str) {
    keep::change(state, |w| w.rename(id, name)).await;
    if let Some(renamed) = state.workspaces.with_untracked(|w| w.get(id).cloned()) {
        state.open.update(|open| {
            if matches!(open, Open::Kept(w) if w.id == id) {
                *open = Open::Kept(renamed);
            }
        });
    }
}

/// Takes a kept workspace off the list; its files stay until the page is left, so that this can be undone.
pub async fn take_off(state: State, id: u32) {
    keep::change(state, |w| w.remove(id)).await;
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
    keep::change(state, |w: &mut Workspaces| w.put_back(&workspace)).await;
    match state.workspaces.with_untracked(|w| w.get(workspace.id).cloned()) {
        Some(back) => open_kept(state, back).await,
        // Another tab was opened meanwhile, which deletes what was removed.
        None => state.open_error.set(Some(gone(&workspace.name))),
    }
}

/// Opens the bytes and shows them with an empty history; false, with the reason shown, when they are no
/// database: the one before stays.
async fn show(state: State, open: Open, name: &str, blob: &Blob) -> bool {
    match state.engine().database.open(name, blob).await {
        Ok(overview) => {
            state.opens_another();
            state.open_error.set(None);
            state.lock.set_value(None);
            state.elsewhere.set(false);
            state.notices.set(overview.notices.clone());
            state.overview.set(Some(Arc::new(overview)));
            state.open.set(open);
            state.knowledge.set(None);
            state.removed_history.set(None);
            state.reports.set(Vec::new());
            state.import.set(None);
            state.tasks.set(Arc::default());
            state.lab.file.set(None);
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
