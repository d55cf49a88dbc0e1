//! The dialog that asks for the database of a workspace that came without it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::archive;
use super::components::button::Button;
use super::components::dialog::Dialog;
use super::components::drop_zone::DropZone;
use super::components::icon::Icon;
use super::components::notice::Notice;
use super::components::tag::Tone;
use super::state::{Incomplete, State};
use crate::present::format;

/// Endings that the file dialog offers.
const FILES: &str = ".sqlite,.sqlite3,.db,.db3,application/vnd.sqlite3";

/// Open while a workspace waits for its database; closing it leaves nothing behind.
#[component]
pub fn IncompleteDialog() -> impl IntoView {
    let state = State::here();
    let title = Signal::derive(move || {
        state.incomplete.with(|i| i.as_ref().map(|i| format!("Open the database of “{}”", i.manifest.name)))
    });
    view! {
        <Dialog
            open=Signal::derive(move || state.incomplete.with(Option::is_some))
            on_close=move || state.incomplete.set(None)
            title=Signal::derive(move || title.get().unwrap_or_default())
        >
            {move || state.incomplete.get().map(|incomplete| view! { <Wanted incomplete/> })}
        </Dialog>
    }
}

#[component]
fn Wanted(incomplete: Arc<Incomplete>) -> impl IntoView {
    let state = State::here();
    let error = RwSignal::new(None::<String>);
    let queries = format::counted(incomplete.knowledge.base.entries.len(), "query", "queries");
    let items = format::counted(incomplete.knowledge.base.items.len(), "item", "items");
    let size = format::bytes(incomplete.manifest.database.bytes);
    let holds = format!("The file holds a history, {queries} and {items}, without its database ({size}).");
    let waiting = StoredValue::new(incomplete);
    let take = move |database: web_sys::Blob, name: String| {
        spawn_local(async move {
            if archive::complete(state, &waiting.get_value(), &database, &name).await {
                state.incomplete.set(None);
            } else {
                error.set(state.open_error.get_untracked());
                state.open_error.set(None);
            }
        });
    };
    let open_now = archive::open_database(state).map(|(name, _)| format!("Use “{name}”, which is open"));
    let actions = move || {
        open_now.clone().map(|label| {
            let press = move || {
                if let Some((name, database)) = archive::open_database(state) {
                    take(database, name);
                }
            };
            view! { <Button label on_press=press/> }
        })
    };
    view! {
        <div class="stack">
            <p class="t12">{holds}</p>
            {move || error.get().map(|error| view! { <Notice tone=Tone::Bad title=error/> })}
            <DropZone
                icon=Icon::Database
                title="Its database"
                button="Choose a file"
                accept=FILES
                on_file=UnsyncCallback::new(move |file: web_sys::File| {
                    let name = file.name();
                    take(file.into(), name);
                })
                actions
            >
                "Drop the SQLite file here, or pick it. It stays on this machine."
            </DropZone>
        </div>
    }
}
