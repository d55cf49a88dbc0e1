//! One knowledge item in full: what it says, why it was chosen, where it comes from.

use leptos::prelude::*;

use super::button::{Button, IconButton};
use super::icon::Icon;
use super::kind::{TypeIcon, TypeLabel, kind_class};
use super::shell::Section;
use super::sql_view::SkeletonText;
use super::tag::{Tag, Tone};
use crate::history::entry::tag;
use crate::present::format;
use crate::present::item::{ItemView, Reason, Source};
use crate::sql::ComponentType;

/// Source queries shown before "Show more".
const SOURCES: usize = 3;

/// The inspector of an item. Esc closes it (a key of the page).
#[component]
pub fn ItemInspector(
    /// The item.
    item: ItemView,
    /// Closes the inspector.
    #[prop(into)]
    on_close: Callback<()>,
    /// Opens the editor of the description.
    #[prop(into)]
    on_edit: Callback<()>,
    /// Hides the item (true), or takes it in again.
    on_hide: Callback<bool>,
    /// Whether nothing can be changed now.
    #[prop(into)]
    busy: Signal<bool>,
    /// Copies a text.
    on_copy: Callback<String>,
    /// Opens another item.
    on_item: Callback<u32>,
    /// Opens a source query.
    on_entry: Callback<u32>,
) -> impl IntoView {
    let ItemView {
        key: _,
        kind,
        title,
        remark,
        description,
        edit,
        skeleton,
        values,
        score,
        why,
        occurs_with,
        sources,
        seen,
    } = item;
    let copy = skeleton.clone();
    let of = seen;
    view! {
        <div class="ins-h stack">
            <div class="row">
                <TypeLabel kind/>
                <span class="push"></span>
                <IconButton icon=Icon::Close label="Close" on_press=on_close class="not-sheet"/>
            </div>
            <h2 tabindex="-1">{title}</h2>
            {(!remark.is_empty()).then(|| view! { <p class="t11 three mono wraps">{remark}</p> })}
            <p class="t12 two">{description}</p>
            {(!edit.is_none()).then(|| view! {
                <div class="row wrap">
                    {edit.hidden.then(|| view! { <Tag text="hidden, not retrieved" tone=Tone::Warn/> })}
                    {edit.description.is_some().then(|| view! { <Tag text="described by hand" tone=Tone::Accent/> })}
                    {edit.indexed_as.is_some().then(|| view! { <Tag text="not yet indexed" tone=Tone::Warn/> })}
                </div>
            })}
            <div class="row wrap">
                <Button label="Edit description" disabled=busy on_press=on_edit/>
                {if edit.hidden {
                    view! { <Button label="Retrieve again" key="D" disabled=busy on_press=move || on_hide.run(false)/> }.into_any()
                } else {
                    view! { <Button label="Hide" icon=Icon::Drop key="D" disabled=busy on_press=move || on_hide.run(true)/> }.into_any()
                }}
            </div>
        </div>
        <Section
            title="Skeleton"
            actions=move || {
                let copy = copy.clone();
                view! {
                    <IconButton icon=Icon::Copy label="Copy skeleton" on_press=move || on_copy.run(copy.clone())/>
                }
            }
        >
            <div class="sect-b stack">
                <div class="skel"><SkeletonText text=skeleton/></div>
                {(!values.is_empty()).then(|| view! { <ValuesSeen values/> })}
            </div>
        </Section>
        {(!why.is_empty())
            .then(|| {
                view! {
                    <Section title="Why it was chosen" note=score.map(format::score).unwrap_or_default()>
                        <div class="sect-b">
                            <ul class="why">{why.into_iter().map(|r| reason(r, kind)).collect_view()}</ul>
                        </div>
                    </Section>
                }
            })}
        {(!occurs_with.is_empty())
            .then(|| {
                view! {
                    <Section title="Occurs with" note="in the same query">
                        <ul class="sect-b occurs">
                            {occurs_with
                                .into_iter()
                                .map(|c| {
                                    view! {
                                        <li>
                                            <button type="button" on:click=move |_| on_item.run(c.key)>
                                                <TypeIcon kind=c.kind/>
                                                <span class="cut">
                                                    {c.title}
                                                    {(!c.remark.is_empty()).then(|| view! { <span class="remark">{c.remark}</span> })}
                                                </span>
                                                <span class="push three nowrap">{format::share(c.together, of)}</span>
                                            </button>
                                        </li>
                                    }
                                })
                                .collect_view()}
                        </ul>
                    </Section>
                }
            })}
        <Sources sources kind seen on_entry/>
    }
}

#[component]
fn ValuesSeen(values: Vec<(String, u64)>) -> impl IntoView {
    view! {
        <dl class="kv">
            <dt>"Values seen"</dt>
            <dd>
                {values
                    .into_iter()
                    .map(|(text, n)| {
                        view! { <div><span class="mono">{text}</span> " " <span class="three">{format::times(n)}</span></div> }
                    })
                    .collect_view()}
            </dd>
        </dl>
    }
}

fn reason(reason: Reason, kind: ComponentType) -> impl IntoView {
    let phrase = reason
        .phrase
        .map(|text| view! { <span class=format!("phrase {}", kind_class(kind))>{text}</span> " " });
    view! {
        <li>
            <span>{phrase}{reason.text}</span>
            <span class="tr"><i style:--v=format!("{:.0}%", reason.bar * 100.0)></i></span>
            <span class="num two">{reason.figure}</span>
        </li>
    }
}

#[component]
fn Sources(sources: Vec<Source>, kind: ComponentType, seen: u64, on_entry: Callback<u32>) -> impl IntoView {
    let all = RwSignal::new(false);
    let count = sources.len();
    let note = format!(
        "{} in {}",
        format::times(seen),
        format::counted(count, "distinct query", "distinct queries")
    );
    let sources = StoredValue::new(sources);
    let list = move || {
        let limit = if all.get() { usize::MAX } else { SOURCES };
        sources.with_value(|s| s.iter().take(limit).cloned().collect::<Vec<_>>())
    };
    view! {
        <Section title="Source queries" note=note>
            <ul class=format!("src {}", kind_class(kind))>
                <For each=list key=|source| source.entry let:source>
                    <li>
                        <button type="button" on:click=move |_| on_entry.run(source.entry)>
                            <span class="row">
                                <span class="med">{tag(source.entry)}</span>
                                {match source.question.clone() {
                                    Some(question) => view! { <span class="cut">{question}</span> }.into_any(),
                                    None => view! { <span class="cut three">"no question in the log"</span> }.into_any(),
                                }}
                                {source.adapted.then(|| view! { <Tag text="adapted" tone=Tone::Accent class="push"/> })}
                            </span>
                            <span class="mono">
                                {source.excerpt.then_some("…")}<mark>{source.sql.clone()}</mark>{source.excerpt.then_some("…")}
                            </span>
                            <span class="t11 three">{source.note.clone()}</span>
                        </button>
                    </li>
                </For>
                <Show when=move || { count > SOURCES && !all.get() }>
                    <li>
                        <button type="button" class="link" on:click=move |_| all.set(true)>
                            {format!("Show {} more", count - SOURCES)}
                        </button>
                    </li>
                </Show>
            </ul>
        </Section>
    }
}
