//! The knowledge that an answer uses, as a strip of cards.

use leptos::prelude::*;

use super::kind::{TypeIcon, kind_class, kind_name};
use crate::present::format;
use crate::sql::ComponentType;

/// A knowledge item on a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Index into `KnowledgeBase::items`.
    pub key: u32,
    /// Its type.
    pub kind: ComponentType,
    /// Its title in words.
    pub title: String,
    /// What tells it from others of its title; may be empty.
    pub remark: String,
    /// Its score for the question.
    pub score: Option<f32>,
    /// How often it was seen.
    pub seen: u64,
}

/// One item. A button: Enter or Space selects it, and everything that belongs to it is lit.
#[component]
pub fn KnowledgeCard(
    /// The item.
    card: Card,
    /// The selected item.
    #[prop(into)]
    selected: Signal<Option<u32>>,
    /// Receives the item pressed.
    on_select: Callback<u32>,
) -> impl IntoView {
    let Card { key, kind, title, remark, score, seen } = card;
    let whole = if remark.is_empty() { title.clone() } else { format!("{title} · {remark}") };
    view! {
        <button
            type="button"
            class=format!("know {}", kind_class(kind))
            aria-pressed=move || (selected.get() == Some(key)).to_string()
            data-item=key.to_string()
            on:click=move |_| on_select.run(key)
        >
            <TypeIcon kind/>
            <span class="d" title=whole>
                {title}
                {(!remark.is_empty()).then(|| view! { <span class="remark">{remark}</span> })}
            </span>
            {score.map(|score| view! { <span class="s num">{format::score(score)}</span> })}
            <span class="m"><em>{kind_name(kind)}</em>{format!(" · seen {}", format::times(seen))}</span>
        </button>
    }
}

/// The items in the order of their scores; on a phone they swipe.
#[component]
pub fn KnowledgeStrip(
    /// The items.
    #[prop(into)]
    cards: Signal<Vec<Card>>,
    /// The selected item.
    #[prop(into)]
    selected: Signal<Option<u32>>,
    /// Receives the item pressed.
    on_select: Callback<u32>,
) -> impl IntoView {
    view! {
        <ul class="strip">
            <For
                each=move || cards.get()
                key=|card| (card.key, card.score.map(f32::to_bits))
                let:card
            >
                <li><KnowledgeCard card selected on_select/></li>
            </For>
        </ul>
    }
}
