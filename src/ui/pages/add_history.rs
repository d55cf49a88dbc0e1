//! Adding a history: the button, and the invitation where there is none.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::actions::history;
use crate::ui::components::button::Button;
use crate::ui::components::drop_zone::DropZone;
use crate::ui::components::file_input::FileInput;
use crate::ui::components::icon::Icon;
use crate::ui::state::State;

/// Endings that the file dialog offers for a history.
pub const HISTORY_FILES: &str = ".sql,.json,.jsonl,.ndjson,.csv,.tsv,.txt";

/// The button; it rests while there is no database or another history is being read.
#[component]
pub fn AddHistory() -> impl IntoView {
    let state = State::here();
    let pick = RwSignal::new(0_u32);
    view! {
        <Button
            label="Add history"
            icon=Icon::Upload
            on_press=move || pick.update(|n| *n += 1)
            disabled=Signal::derive(move || state.overview.with(Option::is_none) || state.work.with(Option::is_some))
        />
        <FileInput ask=pick accept=HISTORY_FILES on_file=UnsyncCallback::new(move |file| spawn_local(history::pick(state, file)))/>
    }
}

/// The invitation to add a history, where there is none.
#[component]
pub fn NoHistory() -> impl IntoView {
    let state = State::here();
    view! {
        <DropZone
            icon=Icon::History
            title="Add the queries you already have"
            button="Add history"
            accept=HISTORY_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(history::pick(state, file)))
        >
            "SQL scripts, or logs in JSON, JSONL or CSV. Querylore learns from them what the schema does not say."
        </DropZone>
    }
}
