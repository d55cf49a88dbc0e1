//! The statistics of the open task file.

use leptos::prelude::*;

use crate::bench::stats::stats;
use crate::present::format;
use crate::present::lab::statistics::{Table, tables};
use crate::ui::state::State;

/// The tables, folded away until they are wanted.
#[component]
pub fn Statistics() -> impl IntoView {
    let lab = State::here().lab;
    let open = RwSignal::new(false);
    // Counting parses every reference query, so it waits until someone looks.
    let counted = Memo::new(move |_| {
        open.get().then(|| lab.file.get()).flatten().map(|file| tables(&stats(&file.tasks)))
    });
    let name = move || {
        lab.file.with(|file| {
            file.as_ref().map(|file| {
                format!("{}, {}", file.mark.name, format::counted(file.tasks.len(), "task", "tasks"))
            })
        })
    };
    let on_toggle = move |event: leptos::ev::Event| {
        let details = event.target().and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(t).ok());
        open.set(details.is_some_and(|details| details.has_attribute("open")));
    };
    view! {
        <div class="body">
            <details class="panel stats" on:toggle=on_toggle>
                <summary><h2>"Statistics of the task file"</h2><span class="t12 three">{name}</span></summary>
                <div class="stat-tables">
                    {move || counted.get().map(|tables| tables.into_iter().map(table).collect_view())}
                </div>
            </details>
        </div>
    }
}

fn table(table: Table) -> impl IntoView {
    let Table { title, note, head, rows } = table;
    let heads = head.into_iter().enumerate().map(|(at, name)| {
        let class = if at > 0 { "num" } else { "" };
        view! { <th scope="col" class=class>{name}</th> }
    });
    let rows = rows.into_iter().map(|row| {
        let cells = row.into_iter().enumerate().map(|(at, text)| {
            if at > 0 {
                view! { <td class="num">{text}</td> }.into_any()
            } else {
                view! { <th scope="row">{text}</th> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <section>
            <h3>{title}</h3>
            <p class="t11 three">{note}</p>
            <table class="by"><thead><tr>{heads.collect_view()}</tr></thead><tbody>{rows.collect_view()}</tbody></table>
        </section>
    }
}
