//! Diagnostics: versions, what the browser can do, what is kept, the last answer, what went wrong.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::incidents;
use crate::present::diagnostics::{Row, Section, report, sections};
use crate::ui::actions::diagnostics::gather;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::shell::Shell;
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::state::State;

/// The page.
#[component]
pub fn DiagnosticsPage() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let facts = RwSignal::new(None);
    let reading = RwSignal::new(false);
    let read = move || {
        if reading.get_untracked() {
            return;
        }
        reading.set(true);
        spawn_local(async move {
            let gathered = gather(state).await;
            reading.try_set(false);
            facts.try_set(Some(gathered));
        });
    };
    read();
    let told = Memo::new(move |_| facts.with(|facts| facts.as_ref().map(report).unwrap_or_default()));
    let shown = Memo::new(move |_| facts.with(|facts| facts.as_ref().map(sections)));
    let missing = Signal::derive(move || facts.with(Option::is_none));
    view! {
        <Shell>
            <div class="setpage diagnostics">
                <h1>"Diagnostics"</h1>
                <p class="two">
                    "For whoever looks for a fault. The report names no table, question, query, value or key; of an address it has \
                     the host at most."
                </p>
                <div class="row wrap mt-2">
                    <Button
                        label="Copy report"
                        icon=Icon::Copy
                        weight=Weight::Primary
                        disabled=missing
                        on_press=move || told.with_untracked(|text| download::copy(toasts, "report", text))
                    />
                    <Button label="Read again" icon=Icon::Refresh disabled=reading on_press=read/>
                    <Button
                        label="Clear the list of errors"
                        weight=Weight::Quiet
                        on_press=move || {
                            incidents::clear();
                            read();
                        }
                    />
                </div>
                {move || match shown.get() {
                    None => view! { <p class="t12 three mt-2" role="status">"Reading"</p> }.into_any(),
                    Some(all) => all.into_iter().map(section).collect_view().into_any(),
                }}
                <details class="told">
                    <summary><h2>"The report as it is copied"</h2></summary>
                    <pre class="mono" tabindex="0" aria-label="Report">{told}</pre>
                </details>
            </div>
        </Shell>
    }
}

fn section(section: Section) -> impl IntoView {
    view! {
        <h2>{section.title}</h2>
        <dl class="kv">{section.rows.into_iter().map(row).collect_view()}</dl>
    }
}

fn row(row: Row) -> impl IntoView {
    let mark = row.good.map(|good| {
        let (class, icon) = if good { ("c-ok", Icon::Check) } else { ("c-warn", Icon::Warn) };
        view! { <span class=class><IconView icon small=true/></span> " " }
    });
    view! { <dt>{row.name}</dt><dd>{mark}{row.value}</dd> }
}
