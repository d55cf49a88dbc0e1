//! The dialog that exports the open workspace: what the file will hold, and whether the database is in it.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::archive;
use super::components::button::{Button, Weight};
use super::components::dialog::Dialog;
use super::components::field::Check;
use super::components::icon::Icon;
use super::components::toasts::Toasts;
use super::database_menu::name;
use super::state::State;
use crate::present::format;

/// Open while `State::exporting` says so.
#[component]
pub fn ExportDialog() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let with_database = RwSignal::new(true);
    let history = Signal::derive(move || {
        state.knowledge.with(|k| {
            k.as_ref().map(|k| {
                let queries = format::counted(k.base.entries.len(), "query", "queries");
                let items = format::counted(k.base.items.len(), "item", "items");
                let vectors = k.index.as_ref().map_or_else(
                    || "not indexed yet".to_owned(),
                    |(encoder, index)| {
                        let n = index.entries().len() + index.items().len();
                        format!("{} of {encoder}", format::counted(n, "vector", "vectors"))
                    },
                );
                format!("{queries}, {items}, {vectors}")
            })
        })
    });
    // Anew at each opening: the size is that of the database which is open then.
    let size =
        move || state.exporting.get().then(|| archive::open_database(state)).flatten().map(|(_, b)| b.size());
    let go = move || {
        state.exporting.set(false);
        spawn_local(archive::export(state, toasts, with_database.get_untracked()));
    };
    let close = move || state.exporting.set(false);
    view! {
        <Dialog
            open=state.exporting
            on_close=close
            title=Signal::derive(move || format!("Export “{}”", state.open.with(name)))
            actions=move || view! {
                <Button
                    label="Export"
                    icon=Icon::Download
                    weight=Weight::Primary
                    disabled=Signal::derive(move || history.with(Option::is_none) && !with_database.get())
                    on_press=go
                />
            }
        >
            <div class="stack t12">
                <p>"One file that opens as a workspace of its own, here or on another machine. Nothing is indexed again."</p>
                <dl class="kv">
                    <dt>"History"</dt>
                    <dd>{move || history.get().unwrap_or_else(|| "none".to_owned())}</dd>
                </dl>
                <Check checked=with_database on_change=Callback::new(move |on| with_database.set(on))>
                    {move || format!("With the database, {}", format::bytes(size().unwrap_or_default() as u64))}
                </Check>
                <p class="three">
                    {move || if with_database.get() {
                        "Whoever gets the file can read all of the database."
                    } else {
                        "Whoever opens the file is asked for the database. The queries, with the values in them, are in it."
                    }}
                </p>
                <p class="three">"Settings, keys and answers are never in it."</p>
            </div>
        </Dialog>
    }
}
