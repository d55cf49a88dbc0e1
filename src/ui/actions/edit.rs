//! What a person changes about an item: its description, whether it is retrieved.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::history;
use super::save::keep_knowledge;
use crate::history::Edit;
use crate::retrieval::Indexed;
use crate::ui::components::toasts::Toasts;
use crate::ui::state::{EncoderStatus, State};

/// Gives an item another description; None brings back the one made by rules. Where the encoder is at hand the item is
/// embedded again, else it stays marked as not yet indexed.
pub fn describe(state: State, toasts: Toasts, key: u32, description: Option<String>) {
    let Some((title, before)) = item(state, key, |edit| edit.description.clone()) else { return };
    let changed = change(state, |knowledge| knowledge.described(key, description.as_deref()));
    let now = item(state, key, |edit| edit.description.clone()).and_then(|(_, now)| now);
    if !changed || now == before {
        return;
    }
    let opened = state.opened();
    let said = format!("Changed the description of “{title}”");
    toasts.removed(said, move || {
        undo(state, opened, (key, &title), |knowledge| knowledge.described(key, before.as_deref()));
    });
}

/// Leaves an item out of retrieval, or takes it in again.
pub fn hide(state: State, toasts: Toasts, key: u32, hidden: bool) {
    let Some((title, _)) = item(state, key, |_| ()) else { return };
    if !change(state, |knowledge| knowledge.with_hidden(key, hidden)) {
        return;
    }
    let said = if hidden {
        format!("“{title}” is no longer retrieved")
    } else {
        format!("“{title}” is retrieved again")
    };
    let opened = state.opened();
    toasts.removed(said, move || {
        undo(state, opened, (key, &title), |knowledge| knowledge.with_hidden(key, !hidden));
    });
}

/// The title of an item and what `read` takes from its edit.
fn item<T>(state: State, key: u32, read: impl Fn(&Edit) -> T) -> Option<(String, T)> {
    state.knowledge.with_untracked(|k| {
        let item = k.as_ref()?.base.items.get(key as usize)?;
        Some((item.title.clone(), read(&item.edit)))
    })
}

/// Takes a change back, unless another workspace or history is open: its items are others.
fn undo(state: State, opened: u32, (key, title): (u32, &str), how: impl FnOnce(&Indexed) -> Indexed) {
    let there = item(state, key, |_| ()).is_some_and(|(now, ())| now == title);
    if state.opened() == opened && there {
        change(state, how);
    } else {
        state.said.set("Another history is open. Nothing was changed.".to_owned());
    }
}

/// Puts a changed history in place, and keeps or indexes it; false where nothing can be changed now.
fn change(state: State, how: impl FnOnce(&Indexed) -> Indexed) -> bool {
    let indexing = state.work.with_untracked(|work| work.as_ref().map(history::is_indexing));
    // Whoever reads or describes puts a history in place that is made of the one it began with.
    if indexing == Some(false) {
        state.notify("The history is being changed. Edit its items afterwards.".to_owned());
        return false;
    }
    let Some(before) = state.knowledge.get_untracked() else { return false };
    let changed = how(&before);
    let at_hand = matches!(state.encoder.get_untracked(), EncoderStatus::Ready(..));
    let embed = at_hand && indexing.is_none() && changed.not_indexed() > 0;
    state.knowledge.set(Some(Arc::new(changed)));
    spawn_local(async move {
        // Indexing keeps what it made.
        if embed { history::index(state).await } else { keep_knowledge(state).await }
    });
    true
}
