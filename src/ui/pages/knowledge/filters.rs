//! The left column of Knowledge: what is listed.

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::present::catalogue::{Filter, sources};
use crate::present::format;
use crate::ui::components::field::Check;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::kind::{kind_class, kind_name};
use crate::ui::components::shell::Section;
use crate::ui::state::State;

/// The left column.
#[component]
pub fn Filters(filter: RwSignal<Filter>) -> impl IntoView {
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
        <Types filter/>
        <Section title="Table" note="any of">
            <div class="sect-b"><Choices choices=tables of=|f| &mut f.tables filter mono=true/></div>
        </Section>
        <Sources filter/>
        <Show when=move || authors.with(|a| !a.is_empty())>
            <Section title="Authors" note="any of">
                <div class="sect-b"><Choices choices=authors of=|f| &mut f.authors filter mono=false/></div>
            </Section>
        </Show>
    }
}

/// All types, or one of them.
#[component]
fn Types(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let lines = Memo::new(move |_| {
        state.knowledge.with(|k| {
            let counts = k.iter().flat_map(|k| k.base.counts());
            let all = (None, k.as_ref().map_or(0, |k| k.base.items.len()));
            std::iter::once(all).chain(counts.map(|(kind, n)| (Some(kind), n))).collect::<Vec<_>>()
        })
    });
    view! {
        <Section title="Type">
            <div class="list pb-2">
                {move || lines.get().into_iter().map(|(kind, n)| {
                    let current = move || filter.with(|f| f.kind == kind).then_some("true");
                    let choose = move |_| filter.update(|f| f.kind = kind);
                    let icon = kind.map(|kind| view! {
                        <span class=format!("ty {}", kind_class(kind))><IconView icon=Icon::from(kind)/></span>
                    });
                    view! {
                        <button type="button" class="a" aria-current=current on:click=choose>
                            {icon}
                            {kind.map_or("All types", kind_name)}
                            <span class="ct">{format::count(n as u64)}</span>
                        </button>
                    }
                }).collect_view()}
            </div>
        </Section>
    }
}

/// What is known about an item's queries, and what was changed by hand.
#[component]
fn Sources(filter: RwSignal<Filter>) -> impl IntoView {
    let state = State::here();
    let counts = Memo::new(move |_| {
        state.knowledge.with(|k| k.as_ref().map(|k| sources(&k.base)).unwrap_or_default())
    });
    view! {
        <Section title="Source">
            <div class="sect-b">
                <SourceCheck words="Query has a question" of=|f| &mut f.with_question filter n=Signal::derive(move || counts.get().with_question)/>
                <SourceCheck words="Seen more than once" of=|f| &mut f.repeated filter n=Signal::derive(move || counts.get().repeated)/>
                <SourceCheck words="Hidden or edited" of=|f| &mut f.edited filter n=Signal::derive(move || counts.get().edited)/>
            </div>
        </Section>
    }
}

#[component]
fn SourceCheck(
    words: &'static str,
    of: fn(&mut Filter) -> &mut bool,
    filter: RwSignal<Filter>,
    n: Signal<usize>,
) -> impl IntoView {
    view! {
        <Check
            checked=Signal::derive(move || filter.with(|f| *of(&mut f.clone())))
            on_change=Callback::new(move |on| filter.update(|f| *of(f) = on))
        >
            {words}
            <span class="push three t11">{move || format::count(n.get() as u64)}</span>
        </Check>
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
