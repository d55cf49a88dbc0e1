//! Knowledge: everything the history holds, filtered and grouped.

use std::collections::BTreeSet;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::inspector::inspector;
use super::rail::{HISTORY_FILES, IndexState, download_report};
use crate::present::catalogue::{Filter, Group, Grouping, Line, TYPES, list};
use crate::present::format;
use crate::sql::ComponentType;
use crate::ui::actions::{history, save};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::drop_zone::DropZone;
use crate::ui::components::empty::EmptyState;
use crate::ui::components::field::{Check, Field};
use crate::ui::components::file_input::FileInput;
use crate::ui::components::icon::Icon;
use crate::ui::components::import_report::ImportReportView;
use crate::ui::components::kind::{TypeIcon, TypeLabel, kind_class, kind_name};
use crate::ui::components::shell::{Section, Shell, Side, SummaryChip, SummaryChips};
use crate::ui::components::sql_view::SkeletonText;
use crate::ui::components::tabs::Segmented;
use crate::ui::components::tag::Tone;
use crate::ui::download;
use crate::ui::state::State;

/// Lines drawn in a group before "Show all".
const LINES: usize = 50;

/// The page.
#[component]
pub fn KnowledgePage() -> impl IntoView {
    let state = State::here();
    let filter = RwSignal::new(Filter::default());
    let filters_open = RwSignal::new(false);
    let rail =
        Side { label: "Filters", view: (move || view! { <Filters filter/> }).into(), open: filters_open };
    view! {
        <Shell rail inspector=inspector()>
            <Show when=move || state.knowledge.with(Option::is_some) fallback=move || view! { <NoHistory/> }>
                <SummaryChips
                    chips=Signal::stored(vec![SummaryChip {
                        text: "Filters".to_owned(),
                        icon: Icon::Filter,
                        tone: Tone::Neutral,
                    }])
                    on_press=Callback::new(move |_| filters_open.set(true))
                />
                <Head/>
                <Counts filter/>
                <Table filter/>
            </Show>
        </Shell>
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
            on_files=UnsyncCallback::new(move |files: Vec<web_sys::File>| {
                if let Some(file) = files.into_iter().next() {
                    spawn_local(history::pick(state, file));
                }
            })
        >
            "SQL scripts, or logs in JSON, JSONL or CSV. Querylore learns from them what the schema does not say."
        </DropZone>
    }
}

#[component]
fn Head() -> impl IntoView {
    let state = State::here();
    let pick = RwSignal::new(0_u32);
    let said = move || {
        state.knowledge.with(|k| {
            k.as_ref().map(|k| {
                let items = format::counted(k.base.items.len(), "item", "items");
                let queries = format::counted(k.base.entries.len(), "distinct query", "distinct queries");
                format!("{items} from {queries}")
            })
        })
    };
    let export = move || match save::knowledge_file(state) {
        Ok(json) => download::text("knowledge.json", "application/json", json.as_bytes()),
        Err(error) => state.notices.update(|n| n.push(error)),
    };
    view! {
        <div class="head">
            <h1>"Knowledge"</h1>
            <span class="two t12">{said}</span>
            <span class="push"></span>
            <Button label="Add history" icon=Icon::Upload on_press=move || pick.update(|n| *n += 1)/>
            <Button label="Export" icon=Icon::Download on_press=export/>
            <FileInput
                ask=pick
                accept=HISTORY_FILES
                on_file=UnsyncCallback::new(move |file| spawn_local(history::pick(state, file)))
            />
        </div>
        <div class="pad-x stack"><IndexState/></div>
        {move || state.report.get().map(|report| view! {
            <ImportReportView report on_download=move || download_report(state)/>
        })}
    }
}

/// A button a type, with its number of items.
#[component]
fn Counts(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let counts =
        move || state.knowledge.with(|k| k.as_ref().map_or(TYPES.map(|kind| (kind, 0)), |k| k.base.counts()));
    view! {
        <div class="pad-x">
            <div class="kcounts">
                {move || counts().into_iter().map(|(kind, n)| {
                    let pressed = move || if filter.with(|f| f.kind == Some(kind)) { "true" } else { "false" };
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
        </div>
    }
}

fn toggle_kind(filter: RwSignal<Filter>, kind: ComponentType) {
    filter.update(|f| f.kind = if f.kind == Some(kind) { None } else { Some(kind) });
}

/// The left column: what is listed.
#[component]
fn Filters(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let tables = Memo::new(move |_| {
        state
            .knowledge
            .with(|k| k.iter().flat_map(|k| k.base.tables()).map(|t| (t.name, t.items)).collect::<Vec<_>>())
    });
    let authors = Memo::new(move |_| {
        state
            .knowledge
            .with(|k| k.iter().flat_map(|k| k.base.authors()).map(|t| (t.name, t.items)).collect::<Vec<_>>())
    });
    view! {
        <Section title="Table" note="any of">
            <div class="sect-b"><Choices choices=tables of=|f| &mut f.tables filter mono=true/></div>
        </Section>
        <Section title="Source">
            <div class="sect-b">
                <Check
                    checked=Signal::derive(move || filter.with(|f| f.with_question))
                    on_change=Callback::new(move |on| filter.update(|f| f.with_question = on))
                >"Query has a question"</Check>
                <Check
                    checked=Signal::derive(move || filter.with(|f| f.repeated))
                    on_change=Callback::new(move |on| filter.update(|f| f.repeated = on))
                >"Seen more than once"</Check>
            </div>
        </Section>
        <Show when=move || authors.with(|a| !a.is_empty())>
            <Section title="Authors" note="any of">
                <div class="sect-b"><Choices choices=authors of=|f| &mut f.authors filter mono=false/></div>
            </Section>
        </Show>
    }
}

/// Check boxes over names, each with its number of items.
#[component]
fn Choices(
    choices: Memo<Vec<(String, usize)>>,
    of: fn(&mut Filter) -> &mut BTreeSet<String>,
    filter: RwSignal<Filter>,
    mono: bool,
) -> impl IntoView {
    move || {
        choices
            .get()
            .into_iter()
            .map(|(name, n)| {
                let (shown, kept) = (name.clone(), name.clone());
                let checked = Signal::derive(move || filter.with(|f| of(&mut f.clone()).contains(&name)));
                let on_change = Callback::new(move |on: bool| {
                    filter.update(|f| {
                        let set = of(f);
                        if on {
                            set.insert(kept.clone())
                        } else {
                            set.remove(&kept)
                        };
                    });
                });
                view! {
                    <Check checked on_change>
                        <span class=if mono { "mono cut" } else { "cut" }>{shown}</span>
                        <span class="push three t11">{format::count(n as u64)}</span>
                    </Check>
                }
            })
            .collect_view()
    }
}

#[component]
fn Table(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let grouping = RwSignal::new(Grouping::Type);
    let groups = Memo::new(move |_| {
        state.knowledge.with(|k| match k {
            Some(k) => filter.with(|f| list(&k.base, f, grouping.get())),
            None => Vec::new(),
        })
    });
    let opened = RwSignal::new(BTreeSet::<String>::new());
    let index = Signal::derive(move || match grouping.get() {
        Grouping::Type => 0,
        Grouping::Table => 1,
        Grouping::Query => 2,
    });
    let choose = Callback::new(move |i: usize| {
        grouping.set([Grouping::Type, Grouping::Table, Grouping::Query].get(i).copied().unwrap_or_default());
    });
    view! {
        <div class="row pad-x wrap" data-filter>
            <Field
                label="Search"
                kind="search"
                icon=Icon::Search
                key="/"
                class="light grow search"
                placeholder="Search descriptions, skeletons, questions"
                value=Signal::derive(move || filter.with(|f| f.text.clone()))
                on_input=Callback::new(move |text| filter.update(|f| f.text = text))
            />
            <span class="push"></span>
            <span class="t12 three">"Group by"</span>
            <Segmented label="Group by" options=vec!["Type", "Table", "Query"] selected=index on_select=choose/>
        </div>
        <Show
            when=move || groups.with(|g| !g.is_empty())
            fallback=move || view! {
                <EmptyState
                    icon=Icon::Filter
                    title="No item passes the filter"
                    actions=move || view! { <Button label="Clear the filter" on_press=move || filter.set(Filter::default())/> }
                />
            }
        >
            <table class="tbl fixed kt">
                <colgroup><col class="w-item"/><col/><col class="w-seen"/><col class="w-queries"/><col class="w-last"/></colgroup>
                <thead>
                    <tr>
                        <th scope="col">"Item"</th>
                        <th scope="col">"Skeleton"</th>
                        <th scope="col" class="num">"Seen"</th>
                        <th scope="col" class="num">"Queries"</th>
                        <th scope="col" class="num">"Last used"</th>
                    </tr>
                </thead>
                <tbody>
                    {move || groups.get().into_iter().map(|group| view! { <Rows group opened/> }).collect_view()}
                </tbody>
            </table>
        </Show>
    }
}

#[component]
fn Rows(group: Group, opened: RwSignal<BTreeSet<String>>) -> impl IntoView {
    let head = group.kind.map_or_else(|| group.title.clone(), |k| kind_name(k).to_owned());
    let count = group.lines.len();
    let id = head.clone();
    let all = Memo::new(move |_| opened.with(|o| o.contains(&id)));
    let key = head.clone();
    let toggle = move || {
        opened.update(|o| {
            if !o.remove(&key) {
                o.insert(key.clone());
            }
        });
    };
    let said = format!("{}, most seen first", format::counted(count, "item", "items"));
    let class = group.kind.map_or("grp".to_owned(), |k| format!("grp {}", kind_class(k)));
    let lines = StoredValue::new(group.lines);
    view! {
        <tr class=class>
            <td colspan="5">
                <span class="row">
                    {match group.kind {
                        Some(kind) => view! { <TypeLabel kind/> }.into_any(),
                        None => view! { <b class="med cut">{head}</b> }.into_any(),
                    }}
                    <span class="three">{said}</span>
                    {(count > LINES).then(|| view! {
                        <Button
                            class="push"
                            weight=Weight::Quiet
                            label=Signal::derive(move || if all.get() { "Show fewer" } else { "Show all" }.to_owned())
                            on_press=toggle
                        />
                    })}
                </span>
            </td>
        </tr>
        {move || {
            let shown = if all.get() { usize::MAX } else { LINES };
            lines.with_value(|l| l.iter().take(shown).cloned().map(|line| view! { <Row line/> }).collect_view())
        }}
    }
}

#[component]
fn Row(line: Line) -> impl IntoView {
    let state = State::here();
    let key = line.key;
    let selected = move || state.selected.get() == Some(key);
    view! {
        <tr class:sel=selected on:click=move |_| state.selected.set(Some(key))>
            <td class=kind_class(line.kind)>
                <span class="row">
                    <TypeIcon kind=line.kind/>
                    <button type="button" class="med cut plain" aria-pressed=move || selected().to_string()>
                        {line.title}
                    </button>
                </span>
            </td>
            <td class="cut"><SkeletonText text=line.skeleton/></td>
            <td class="num">{format::count(line.seen)}</td>
            <td class="num">{format::count(line.queries as u64)}</td>
            <td class="num mono">{line.last.unwrap_or_else(|| "–".to_owned())}</td>
        </tr>
    }
}
