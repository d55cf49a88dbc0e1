//! Answers of models that are remembered over a reload: a file of this browser, written while answers come.

use std::cell::Cell;

use gloo_storage::{LocalStorage, Storage as _};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use super::now;
use crate::browser::storage::{self, StorageError};
use crate::llm::Cache;
use crate::ui::state::State;

/// Bytes of answers that are kept at most: descriptions of some 8,000 queries.
pub const ROOM: usize = 5_000_000;

const FOLDER: &str = "model-answers";
const FILE: &str = "answers.json";
/// Changed where the answers are cleared, so that other tabs clear theirs.
const CLEARED: &str = "querylore.answers-cleared";
/// Milliseconds between two writes while answers come, at least.
const PAUSE_MS: f64 = 2_000.0;

/// What is kept, for the settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptAnswers {
    /// Number of answers.
    pub count: usize,
    /// Their bytes, about.
    pub bytes: usize,
    /// Why they are not kept.
    pub trouble: Option<String>,
}

/// What was written, and when.
#[derive(Debug, Default)]
pub struct Keeper {
    /// Changes of the cache that the file has.
    kept: Cell<u64>,
    /// When the file was written, as the file says.
    written: Cell<f64>,
    /// When the next write is due.
    due: Cell<f64>,
    /// Whether a write is going on, and another one is wanted.
    writing: Cell<bool>,
    again: Cell<bool>,
}

/// Forgets the answers when another tab does.
pub fn listen(state: State) {
    let listener = window_event_listener_untyped("storage", move |event| {
        let key =
            js_sys::Reflect::get(&event, &JsValue::from_str("key")).ok().and_then(|key| key.as_string());
        if key.as_deref() == Some(CLEARED) {
            state.answers.get_value().borrow_mut().clear();
            forget(state);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Reads the kept answers.
pub async fn load(state: State) {
    let trouble = take_in(state).await.err();
    let changes = state.answers.get_value().borrow().changes();
    state.keeper.get_value().kept.set(changes);
    tell(state, trouble);
}

/// Takes in what another tab wrote since this one last did.
async fn take_in(state: State) -> Result<(), String> {
    let keeper = state.keeper.get_value();
    let Some(file) = storage::read(FOLDER, FILE).await else { return Ok(()) };
    if file.last_modified() == keeper.written.get() {
        return Ok(());
    }
    let bytes = storage::bytes(&file).await.map_err(|e| e.to_string())?;
    keeper.written.set(file.last_modified());
    let kept = Cache::from_json(&bytes).map_err(|e| e.to_string())?;
    state.answers.get_value().borrow_mut().take_in(kept);
    Ok(())
}

/// Writes what is new, while answers come one after the other: not more often than every few seconds.
pub fn keep_now_and_then(state: State) {
    let keeper = state.keeper.get_value();
    if now() >= keeper.due.get() && !keeper.writing.get() {
        spawn_local(keep(state));
    }
}

/// Writes what is new.
pub async fn keep(state: State) {
    let (keeper, answers) = (state.keeper.get_value(), state.answers.get_value());
    if keeper.writing.replace(true) {
        return keeper.again.set(true);
    }
    loop {
        keeper.again.set(false);
        let changes = answers.borrow().changes();
        if changes != keeper.kept.get() {
            let started = now();
            let written = write(state).await;
            // A large file is written the less often.
            keeper.due.set(now() + PAUSE_MS.max(20.0 * (now() - started)));
            tell(state, written.err().map(|e| e.to_string()));
        }
        if !keeper.again.get() {
            break;
        }
    }
    keeper.writing.set(false);
}

async fn write(state: State) -> Result<(), StorageError> {
    let (keeper, answers) = (state.keeper.get_value(), state.answers.get_value());
    // A file that cannot be read is written anew: what it held can be asked for again.
    let _ = take_in(state).await;
    let (json, changes) = {
        let answers = answers.borrow();
        (answers.to_json(), answers.changes())
    };
    // Once: what cannot be kept now is not tried again for the same answers.
    keeper.kept.set(changes);
    storage::write(FOLDER, FILE, &storage::blob(json.as_bytes())?).await?;
    if let Some(file) = storage::read(FOLDER, FILE).await {
        keeper.written.set(file.last_modified());
    }
    Ok(())
}

/// Forgets all answers, here and in other tabs.
pub async fn clear(state: State) {
    state.answers.get_value().borrow_mut().clear();
    storage::remove(FOLDER).await;
    let _ = LocalStorage::set(CLEARED, js_sys::Date::now());
    forget(state);
}

/// What is empty needs no file.
fn forget(state: State) {
    let changes = state.answers.get_value().borrow().changes();
    state.keeper.get_value().kept.set(changes);
    tell(state, None);
}

fn tell(state: State, trouble: Option<String>) {
    let (count, bytes) = {
        let answers = state.answers.get_value();
        let answers = answers.borrow();
        (answers.len(), answers.bytes())
    };
    state.kept_answers.set(KeptAnswers { count, bytes, trouble });
}
