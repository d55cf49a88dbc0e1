//! The dialog between picking a history file and reading it: how the file will be read.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::history;
use super::components::dialog::Dialog;
use super::components::import_mapping::ImportMapping;
use super::components::notice::Notice;
use super::components::tag::Tone;
use super::database_menu::name;
use super::state::{Import, State};
use crate::history::import::Plan;

/// Open while a picked file waits to be read.
#[component]
pub fn ImportDialog() -> impl IntoView {
    let state = State::here();
    let close = move || state.import.set(None);
    view! {
        <Dialog
            open=Signal::derive(move || state.import.with(Option::is_some))
            on_close=close
            title="Add history"
        >
            {move || {
                state
                    .import
                    .get()
                    .map(|import| match import.plan {
                        Ok(plan) => view! { <Mapping bytes=import.bytes plan/> }.into_any(),
                        Err(error) => {
                            view! {
                                <Notice tone=Tone::Bad title=error.to_string()>"Nothing was changed."</Notice>
                            }
                                .into_any()
                        }
                    })
            }}
        </Dialog>
    }
}

#[component]
fn Mapping(bytes: Arc<Vec<u8>>, mut plan: Plan) -> impl IntoView {
    let state = State::here();
    plan.prefer(&state.open.with_untracked(name));
    let plan = RwSignal::new(plan);
    let bytes = StoredValue::new(bytes);
    let count_again = move || {
        // Until they are counted none is known of this column.
        plan.update(|p| (p.databases, p.database) = (Vec::new(), None));
        spawn_local(async move {
            let (bytes, wanted) = (bytes.get_value(), plan.get_untracked());
            let counted = history::databases(state, &bytes, &wanted).await;
            // The dialog may be closed by now, or another column chosen.
            let column = plan.try_with_untracked(|p| p.mapping.db_id.clone());
            match counted {
                Ok(Some(found)) if column == Some(wanted.mapping.db_id) => {
                    plan.try_update(|p| {
                        p.databases = found;
                        p.prefer(&state.open.with_untracked(name));
                    });
                }
                Err(error) if column.is_some() => {
                    state.import.set(Some(Import { bytes, plan: Err(error) }));
                }
                _ => {}
            }
        });
    };
    view! {
        <ImportMapping
            plan
            on_database_column=count_again
            on_confirm=move || spawn_local(history::read(state, plan.get_untracked()))
            on_cancel=move || state.import.set(None)
        />
    }
}
