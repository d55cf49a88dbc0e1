//! The left column of Ask: the database, the history, recent questions.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::add_history::AddHistory;
use crate::history::KnowledgeBase;
use crate::present::format;
use crate::present::schema::{nodes, size};
use crate::sql::ComponentType;
use crate::ui::actions::{ask, history};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::kind::{TypeLabel, kind_class, kind_name};
use crate::ui::components::progress::Progress;
use crate::ui::components::schema_tree::{SchemaTree, Used};
use crate::ui::components::shell::Section;
use crate::ui::state::{Page, State};

/// The left column.
#[component]
pub fn Rail() -> impl IntoView {
    let state = State::here();
    // Of hundreds of tables it is made once, not for every row that looks into it.
    let tables = Memo::new(move |_| {
        state.overview.with(|o| o.as_ref().map(|o| Arc::new(nodes(o))).unwrap_or_default())
    });
    let size = Signal::derive(move || tables.with(|tables| size(tables)));
    let used = Memo::new(move |_| used(state));
    view! {
        <Section title="Database" note=size>
            <div data-filter><SchemaTree tables used reveal=state.reveal/></div>
        </Section>
        <HistorySection/>
        <RecentSection/>
    }
}

/// Names that the answer in view uses.
fn used(state: State) -> Used {
    state.knowledge.with(|knowledge| {
        state.run.with(|run| {
            let (Some(knowledge), Some(answer)) = (knowledge, &run.answer) else { return Used::default() };
            let items: Vec<_> = knowledge.base.items_of(answer.entry).map(|(_, item)| item).collect();
            Used::new(items.iter().flat_map(|i| &i.tables), items.iter().flat_map(|i| &i.columns))
        })
    })
}

#[component]
fn HistorySection() -> impl IntoView {
    let state = State::here();
    let queries = Signal::derive(move || {
        state.knowledge.with(|k| match k {
            Some(k) => format::counted(k.base.entries.len(), "query", "queries"),
            None => "none yet".to_owned(),
        })
    });
    view! {
        <Section title="History" note=queries>
            <div class="sect-b stack">
                {move || state.knowledge.get().map(|k| view! { <Counts base=k.base.counts()/> })}
                {move || state.knowledge.get().map(|k| summary(state, &k.base))}
                <IndexState/>
                <div class="row wrap">
                    <AddHistory/>
                    <Show when=move || state.knowledge.with(Option::is_none) && state.removed_history.with(Option::is_some)>
                        <Button
                            label="Bring the removed one back"
                            weight=Weight::Quiet
                            on_press=move || spawn_local(history::bring_back(state))
                        />
                    </Show>
                    <Show when=move || state.knowledge.with(Option::is_some)>
                        <Button
                            label="Remove history"
                            weight=Weight::Quiet
                            on_press=move || spawn_local(history::remove(state))
                        />
                    </Show>
                </div>
            </div>
        </Section>
    }
}

/// One line a type: its name, a bar, its number of items.
#[component]
fn Counts(base: [(ComponentType, usize); 5]) -> impl IntoView {
    let most = base.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
    view! {
        <div class="bars history">
            {base
                .into_iter()
                .map(|(kind, n)| {
                    let share = format!("{:.0}%", n as f64 * 100.0 / most as f64);
                    view! {
                        <span><TypeLabel kind/></span>
                        <span class=format!("track {}", kind_class(kind))><i style:--v=share></i></span>
                        <a class="n" href=Page::Knowledge.href() aria-label=format!("{n} {}", kind_name(kind).to_lowercase())>
                            {format::count(n as u64)}
                        </a>
                    }
                })
                .collect_view()}
        </div>
    }
}

fn summary(state: State, base: &KnowledgeBase) -> impl IntoView + use<> {
    let items = format::counted(base.items.len(), "item", "items");
    let queries = format::counted(base.entries.len(), "query", "queries");
    view! {
        <p class="t11 three">
            {format!("{items} from {queries}. ")}
            {move || {
                state
                    .reports
                    .with(|reports| reports.first().cloned())
                    .map(|report| {
                        let said = format!("{}: {} merged, {} skipped. ", report.name, report.merged, report.skipped.len());
                        let read = move |_| state.reading_report.set(true);
                        view! { {said} <button type="button" class="link" on:click=read>"Import report"</button> }
                    })
            }}
        </p>
    }
}

/// What the index is doing: at work, ready, or missing.
#[component]
pub fn IndexState() -> impl IntoView {
    let state = State::here();
    // The progress is made once, so that its button keeps the focus.
    let busy = Memo::new(move |_| state.work.with(Option::is_some));
    move || {
        if busy.get() {
            let work = Signal::derive(move || state.work.get().unwrap_or_default());
            return view! { <Progress work on_cancel=Callback::new(move |()| state.stop.set(true))/> }
                .into_any();
        }
        let encoder = state.settings.with(|s| s.encoder.clone());
        state.knowledge.with(|k| match k {
            None => ().into_any(),
            Some(k) => match k.index_of(&encoder) {
                Some(index) => {
                    let vectors = format::count((index.entries().len() + index.items().len()) as u64);
                    let old = k.not_indexed();
                    let again = (old > 0).then(|| view! {
                        <p class="t11 two">
                            <span class="c-warn"><IconView icon=Icon::Warn small=true/></span>
                            {format!(" {} not yet indexed", format::counted(old, "description", "descriptions"))}
                        </p>
                        <Button label="Index now" on_press=move || spawn_local(history::index(state))/>
                    });
                    view! {
                        <p class="t11 two" title=format!("With {encoder}")>
                            <span class="c-ok"><IconView icon=Icon::Check small=true/></span>
                            {format!(" Indexed, {vectors} vectors")}
                        </p>
                        {again}
                    }
                    .into_any()
                }
                None => view! {
                    <p class="t11 two">{format!("Not indexed with {encoder}.")}</p>
                    <Button
                        label="Index now"
                        weight=Weight::Primary
                        on_press=move || spawn_local(history::index(state))
                    />
                }
                .into_any(),
            },
        })
    }
}

#[component]
fn RecentSection() -> impl IntoView {
    let state = State::here();
    view! {
        <Show when=move || state.recent.with(|r| !r.is_empty())>
            <Section title="Recent questions">
                <div class="list">
                    {move || {
                        state
                            .recent
                            .get()
                            .into_iter()
                            .map(|question| {
                                let shown = question.clone();
                                let asked = question.clone();
                                let now = move || state.run.with(|r| r.question == asked).then_some("true");
                                let again = move |_| {
                                    state.question.set(question.clone());
                                    spawn_local(ask::ask(state));
                                };
                                view! {
                                    <button type="button" class="a" aria-current=now on:click=again>
                                        <span class="cut">{shown}</span>
                                    </button>
                                }
                            })
                            .collect_view()
                    }}
                </div>
            </Section>
        </Show>
    }
}
