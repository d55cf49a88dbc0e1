//! Knowledge: everything the history holds, filtered and grouped.

mod filters;
mod table;

use leptos::prelude::*;

use self::filters::Filters;
use self::table::Table;
use super::add_history::{AddHistory, NoHistory};
use super::inspector::inspector;
use super::rail::IndexState;
use crate::present::catalogue::{Filter, TYPES};
use crate::present::format;
use crate::sql::ComponentType;
use crate::ui::actions::save;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::icon::Icon;
use crate::ui::components::kind::{TypeIcon, kind_class, kind_name};
use crate::ui::components::shell::{Shell, Side, SummaryChip, SummaryChips};
use crate::ui::components::tag::Tone;
use crate::ui::download;
use crate::ui::state::State;

/// The page.
#[component]
pub fn KnowledgePage() -> impl IntoView {
    let state = State::here();
    let filter = RwSignal::new(Filter::default());
    let filters_open = RwSignal::new(false);
    let rail =
        Side { label: "Filters", view: (move || view! { <Filters filter/> }).into(), open: filters_open };
    let chips = vec![SummaryChip { text: "Filters".to_owned(), icon: Icon::Filter, tone: Tone::Neutral }];
    view! {
        <Shell rail inspector=inspector()>
            <Show
                when=move || state.knowledge.with(Option::is_some)
                fallback=move || view! { <h1 class="sr">"Knowledge"</h1><NoHistory/> }
            >
                <SummaryChips
                    chips=Signal::stored(chips.clone())
                    on_press=Callback::new(move |_| filters_open.set(true))
                />
                <Head/>
                <Counts filter/>
                <Table filter/>
            </Show>
        </Shell>
    }
}

#[component]
fn Head() -> impl IntoView {
    let state = State::here();
    let said = move || {
        state.knowledge.with(|k| {
            k.as_ref().map(|k| {
                let items = format::counted(k.base.items.len(), "item", "items");
                let queries = format::counted(k.base.entries.len(), "distinct query", "distinct queries");
                format!("{items} from {queries}")
            })
        })
    };
    view! {
        <div class="head">
            <h1>"Knowledge"</h1>
            <span class="two t12">{said}</span>
            <IndexState/>
            <span class="push"></span>
            <Show when=move || state.reports.with(|r| !r.is_empty())>
                <Button
                    label="Import report"
                    weight=Weight::Quiet
                    on_press=move || state.reading_report.set(true)
                />
            </Show>
            <AddHistory/>
            <Button label="Export" icon=Icon::Download on_press=move || export(state)/>
        </div>
    }
}

/// Downloads the knowledge base.
pub fn export(state: State) {
    match save::knowledge_file(state) {
        Ok(json) => download::text("knowledge.json", "application/json", json.as_bytes()),
        Err(error) => state.notify(error),
    }
}

/// A button a type, with its number of items, and below them their shares.
#[component]
fn Counts(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let counts = Memo::new(move |_| {
        state.knowledge.with(|k| k.as_ref().map_or(TYPES.map(|kind| (kind, 0)), |k| k.base.counts()))
    });
    let shares = move || {
        let counts = counts.get();
        let all = counts.iter().map(|(_, n)| n).sum::<usize>().max(1) as f64;
        let share = |n: usize| n as f64 * 100.0 / all;
        let said = counts.map(|(kind, n)| format!("{} {:.0} %", kind_name(kind), share(n))).join(", ");
        let parts = counts
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(kind, n)| view! { <i class=kind_class(kind) title=kind_name(kind) style:--v=format!("{:.1}%", share(n))></i> })
            .collect_view();
        view! { <div class="sum" role="img" aria-label=format!("Share of each type: {said}")>{parts}</div> }
    };
    view! {
        <div class="pad-x">
            <div class="kcounts">
                {move || counts.get().into_iter().map(|(kind, n)| {
                    let pressed = move || filter.with(|f| f.kind == Some(kind)).to_string();
                    view! {
                        <button
                            type="button"
                            class=format!("kcount {}", kind_class(kind))
                            aria-pressed=pressed
                            on:click=move |_| toggle_kind(filter, kind)
                        >
                            <TypeIcon kind/>
                            <span class="stack-0"><b>{format::count(n as u64)}</b><span class="t11 two">{kind_name(kind)}</span></span>
                        </button>
                    }
                }).collect_view()}
            </div>
            {shares}
        </div>
    }
}

fn toggle_kind(filter: RwSignal<Filter>, kind: ComponentType) {
    filter.update(|f| f.kind = if f.kind == Some(kind) { None } else { Some(kind) });
}
