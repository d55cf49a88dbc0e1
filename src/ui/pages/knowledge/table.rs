//! The table of items: one stop of Tab, groups that fold.

use std::collections::{BTreeMap, BTreeSet};

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use crate::present::catalogue::{Filter, Group, Grouping, Line, Stop, list, shown, tab_stop};
use crate::present::format;
use crate::ui::components::button::Button;
use crate::ui::components::dom;
use crate::ui::components::empty::EmptyState;
use crate::ui::components::field::Field;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::kind::{TypeIcon, TypeLabel, kind_class, kind_name};
use crate::ui::components::sql_view::SkeletonText;
use crate::ui::components::tabs::Segmented;
use crate::ui::components::tag::Tag;
use crate::ui::state::State;

/// Lines drawn in each of several groups, so that the groups are seen side by side.
const OF_SEVERAL: usize = 8;
/// Lines drawn in a group that stands alone.
const ALONE: usize = 200;
/// Lines that "Show more" adds.
const MORE: usize = 1000;
/// Groups drawn at first, and added by "Show more".
const GROUPS: usize = 100;

/// What the view of the table keeps.
#[derive(Clone, Copy)]
struct Shown {
    groups: Memo<Vec<Group>>,
    /// How many groups are drawn.
    drawn: RwSignal<usize>,
    /// Heads of the folded groups.
    folded: RwSignal<BTreeSet<String>>,
    /// Lines drawn of a group, where that was changed, by its head.
    limits: RwSignal<BTreeMap<String, usize>>,
    /// The stop visited last.
    visited: RwSignal<Option<Stop>>,
    /// The stop that Tab comes to.
    tab_stop: Memo<Option<Stop>>,
}

fn limit_of(limits: &BTreeMap<String, usize>, head: &str, groups: usize) -> usize {
    limits.get(head).copied().unwrap_or(if groups > 1 { OF_SEVERAL } else { ALONE })
}

fn head_of(group: &Group) -> String {
    group.kind.map_or_else(|| group.title.clone(), |kind| kind_name(kind).to_owned())
}

/// Search, grouping and the table. Up, Down, Home and End move in it, Right and Left unfold and fold a group, Enter
/// opens an item in the inspector; an open inspector follows.
#[component]
pub fn Table(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let grouping = RwSignal::new(Grouping::Type);
    let groups = Memo::new(move |_| {
        state.knowledge.with(|k| match k {
            Some(k) => filter.with(|f| list(&k.base, f, grouping.get())),
            None => Vec::new(),
        })
    });
    let folded = RwSignal::new(BTreeSet::<String>::new());
    let limits = RwSignal::new(BTreeMap::<String, usize>::new());
    let visited = RwSignal::new(None::<Stop>);
    let drawn = RwSignal::new(GROUPS);
    let tab_stop = Memo::new(move |_| {
        groups.with(|groups| {
            folded.with(|folded| {
                limits.with(|limits| {
                    let lines = groups.iter().take(drawn.get()).enumerate().map(|(at, group)| {
                        let head = head_of(group);
                        let limit = limit_of(limits, &head, groups.len());
                        (at, shown(group, folded.contains(&head), limit))
                    });
                    tab_stop(lines, visited.get())
                })
            })
        })
    });
    let view = Shown { groups, drawn, folded, limits, visited, tab_stop };
    const GROUPINGS: [Grouping; 3] = [Grouping::Type, Grouping::Table, Grouping::Query];
    let chosen = Signal::derive(move || GROUPINGS.iter().position(|g| *g == grouping.get()).unwrap_or(0));
    let choose = Callback::new(move |i: usize| {
        grouping.set(GROUPINGS.get(i).copied().unwrap_or_default());
        drawn.set(GROUPS);
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
            <span class="t12 three not-phone">"Group by"</span>
            <Segmented label="Group by" options=vec!["Type", "Table", "Query"] selected=chosen on_select=choose/>
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
            <Rows view/>
        </Show>
    }
}

#[component]
fn Rows(view: Shown) -> impl IntoView {
    let body = NodeRef::<html::Tbody>::new();
    let rest = move || view.groups.with(Vec::len).saturating_sub(view.drawn.get());
    let on_key = move |event: KeyboardEvent| {
        let Some(root) = body.get_untracked() else { return };
        match event.key().as_str() {
            "ArrowRight" => fold(view, false),
            "ArrowLeft" => fold(view, true),
            _ if dom::step_stops(&event, &root) => {}
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <table class="tbl fixed kt" aria-label="Items">
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
            <tbody node_ref=body data-rows on:keydown=on_key>
                {move || {
                    let groups = view.groups.get().into_iter().take(view.drawn.get()).enumerate();
                    groups.map(|(at, group)| view! { <GroupRows view at group/> }).collect_view()
                }}
            </tbody>
        </table>
        <Show when=move || { rest() > 0 }>
            <div class="tail">
                {move || format!("{} not shown.", format::counted(rest(), "group", "groups"))}
                <button type="button" class="link" on:click=move |_| view.drawn.update(|n| *n += GROUPS)>
                    {move || format!("Show {} more", rest().min(GROUPS))}
                </button>
            </div>
        </Show>
    }
}

/// Folds or unfolds the group of the stop with the focus; from a line, Left goes to its head first.
fn fold(view: Shown, fold: bool) {
    let Some(stop) = view.visited.get_untracked() else { return };
    let at = match stop {
        Stop::Head(at) => at,
        Stop::More(at) | Stop::Line(at, _) if fold => {
            return dom::focus_later(format!("[data-head='{at}']"));
        }
        _ => return,
    };
    let Some(head) = view.groups.with_untracked(|groups| groups.get(at).map(head_of)) else { return };
    view.folded.update(|folded| {
        if fold {
            folded.insert(head);
        } else {
            folded.remove(&head);
        }
    });
}

#[component]
fn GroupRows(view: Shown, at: usize, group: Group) -> impl IntoView {
    let Shown { groups, folded, limits, visited, tab_stop, .. } = view;
    let head = StoredValue::new(head_of(&group));
    let kind = group.kind;
    let count = group.lines.len();
    let group = StoredValue::new(group);
    let is_folded = Memo::new(move |_| head.with_value(|head| folded.with(|folded| folded.contains(head))));
    let limit = Memo::new(move |_| {
        head.with_value(|head| limits.with(|limits| limit_of(limits, head, groups.with_untracked(Vec::len))))
    });
    let toggle = move |_| {
        folded.update(|folded| {
            let head = head.get_value();
            if !folded.remove(&head) {
                folded.insert(head);
            }
        });
    };
    let more = move |_| {
        let all = limit.get_untracked() >= count;
        limits.update(|limits| {
            let head = head.get_value();
            if all {
                limits.remove(&head);
            } else {
                limits.insert(head, limit.get_untracked().max(ALONE).saturating_add(MORE));
            }
        });
    };
    let more_words = move || match count.saturating_sub(limit.get()) {
        0 => "Show fewer".to_owned(),
        rest if rest <= MORE => "Show all".to_owned(),
        _ => format!("Show {} more", format::count(MORE as u64)),
    };
    let least = if groups.with_untracked(Vec::len) > 1 { OF_SEVERAL } else { ALONE };
    let stop_at = move |stop: Stop| move || if tab_stop.get() == Some(stop) { "0" } else { "-1" };
    let icon = Signal::derive(move || if is_folded.get() { Icon::Right } else { Icon::Down });
    let said = format!("{}, most seen first", format::counted(count, "item", "items"));
    let class = kind.map_or("grp".to_owned(), |k| format!("grp {}", kind_class(k)));
    view! {
        <tr class=class>
            <td colspan="5">
                <span class="row">
                    <button
                        type="button"
                        class="plain row fold-b"
                        data-stop
                        data-head=at.to_string()
                        aria-expanded=move || (!is_folded.get()).to_string()
                        tabindex=stop_at(Stop::Head(at))
                        on:focus=move |_| visited.set(Some(Stop::Head(at)))
                        on:click=toggle
                    >
                        <IconView icon small=true class="three"/>
                        {match kind {
                            Some(kind) => view! { <TypeLabel kind/> }.into_any(),
                            None => view! { <b class="med cut">{head.get_value()}</b> }.into_any(),
                        }}
                    </button>
                    <span class="three cut">{said}</span>
                    {(count > least).then(|| view! {
                        <button
                            type="button"
                            class="link push"
                            data-stop
                            tabindex=stop_at(Stop::More(at))
                            hidden=is_folded
                            on:focus=move |_| visited.set(Some(Stop::More(at)))
                            on:click=more
                        >
                            {more_words}
                            <span class="sr">{format!(" of {}", head.get_value())}</span>
                        </button>
                    })}
                </span>
            </td>
        </tr>
        {move || group.with_value(|group| {
            shown(group, is_folded.get(), limit.get())
                .iter()
                .cloned()
                .map(|line| view! { <Row view at line/> })
                .collect_view()
        })}
    }
}

#[component]
fn Row(view: Shown, at: usize, line: Line) -> impl IntoView {
    let state = State::here();
    let key = line.key;
    let stop = Stop::Line(at, key);
    let selected = move || state.selected.get() == Some(key);
    let on_focus = move |_| {
        view.visited.set(Some(stop));
        // An open inspector follows the keyboard.
        if state.selected.get_untracked().is_some_and(|open| open != key) {
            state.selected.set(Some(key));
        }
    };
    let last = line.last.unwrap_or_else(|| "–".to_owned());
    let day = format::day(&last).to_owned();
    view! {
        <tr class:sel=selected class:off=line.hidden on:click=move |_| state.selected.set(Some(key))>
            <td class=kind_class(line.kind)>
                <span class="row">
                    <TypeIcon kind=line.kind/>
                    <button
                        type="button"
                        class="med cut plain"
                        data-stop
                        data-item=key.to_string()
                        aria-pressed=move || selected().to_string()
                        tabindex=move || if view.tab_stop.get() == Some(stop) { "0" } else { "-1" }
                        on:focus=on_focus
                    >
                        {line.title}
                        {(!line.remark.is_empty()).then(|| view! { <span class="remark">{line.remark}</span> })}
                    </button>
                    {line.hidden.then(|| view! { <Tag text="hidden" class="push"/> })}
                </span>
            </td>
            <td class="cut"><SkeletonText text=line.skeleton/></td>
            <td class="num">{format::count(line.seen)}</td>
            <td class="num">{format::count(line.queries as u64)}</td>
            <td class="num mono" title=last>{day}</td>
        </tr>
    }
}
