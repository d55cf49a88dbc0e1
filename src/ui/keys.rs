//! Keyboard shortcuts of the whole page, and their list.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::actions::ask;
use super::components::dialog::Dialog;
use super::components::shortcuts::ShortcutList;
use super::components::toasts::Toasts;
use super::state::{Page, Stage, State};

/// Whether the list of shortcuts is open.
#[derive(Clone, Copy)]
struct ListOpen(RwSignal<bool>);

const KEYS: [(&str, &str); 9] = [
    ("Ctrl ↵", "Ask, run"),
    ("Esc", "Stop the answer; else close the inspector"),
    ("/", "Filter the list in view"),
    ("g then a, k, s", "Go to Ask, Knowledge, Settings"),
    ("↑ ↓ ← →", "Move in the tree and the table"),
    ("↵", "Open in the inspector; open the full value"),
    ("j, k", "Next and previous item of the answer"),
    ("Ctrl Z", "Take back a removal"),
    ("?", "This list"),
];

/// Listens for shortcuts until the page goes.
pub fn listen(state: State, toasts: Toasts) {
    let list = ListOpen(RwSignal::new(false));
    provide_context(list);
    let after_g = StoredValue::new(false);
    let listener = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let key = event.key();
        if key == "Escape" {
            let stage = state.run.with_untracked(|r| r.stage);
            if !matches!(stage, Stage::Idle | Stage::Done) {
                ask::stop(state);
            } else if state.selected.get_untracked().is_some() {
                state.selected.set(None);
            }
            return;
        }
        let typing = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()).is_some_and(|e| {
            e.closest("input, textarea, select, dialog, [role=menu]").ok().flatten().is_some()
        });
        let command = event.ctrl_key() || event.meta_key();
        if command && key == "z" && !typing && toasts.undo() {
            event.prevent_default();
        }
        if typing || command || event.alt_key() || !state.settings.with_untracked(|s| s.single_keys) {
            return;
        }
        if after_g.get_value() {
            after_g.set_value(false);
            match key.as_str() {
                "a" => Page::Ask.go(),
                "k" => Page::Knowledge.go(),
                "s" => Page::Settings.go(),
                _ => {}
            }
            return;
        }
        match key.as_str() {
            "g" => after_g.set_value(true),
            "?" => list.0.set(true),
            "j" => step(state, 1),
            "k" => step(state, -1),
            "/" => {
                let filter = document().query_selector("[data-filter] input").ok().flatten();
                if let Some(input) = filter.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
                    event.prevent_default();
                    let _ = input.focus();
                }
            }
            _ => {}
        }
    });
    on_cleanup(move || listener.remove());
}

/// Selects the next or previous retrieved item.
fn step(state: State, by: isize) {
    let Some(retrieved) = state.run.with_untracked(|r| r.retrieved.clone()) else { return };
    let at = state.selected.get_untracked().and_then(|s| retrieved.items.iter().position(|h| h.item == s));
    let next = at.map_or(0, |at| (at as isize + by).clamp(0, retrieved.items.len() as isize - 1) as usize);
    state.selected.set(retrieved.items.get(next).map(|hit| hit.item));
}

/// The dialog that lists the shortcuts.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let ListOpen(open) = expect_context();
    view! {
        <Dialog open on_close=move || open.set(false) title="Keys">
            <ShortcutList shortcuts=KEYS.to_vec()/>
        </Dialog>
    }
}
