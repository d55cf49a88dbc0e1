//! Tabs and segmented controls: one of a few.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;
use crate::present::keys::next_choice;

/// A tab.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// Its name.
    pub label: String,
    /// A count behind the name, shown when above zero.
    pub count: usize,
}

impl Tab {
    /// A tab without a count.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), count: 0 }
    }

    /// A tab with a count.
    pub fn counted(label: impl Into<String>, count: usize) -> Self {
        Self { label: label.into(), count }
    }
}

/// A row of tabs. Left, Right, Home and End move between them and select; only the selected one is in the Tab
/// order.
#[component]
pub fn Tabs(
    /// What the tabs are about, for screen readers.
    #[prop(into)]
    label: String,
    /// The tabs.
    #[prop(into)]
    tabs: Signal<Vec<Tab>>,
    /// Index of the selected one.
    #[prop(into)]
    selected: Signal<usize>,
    /// Receives the index chosen.
    on_select: Callback<usize>,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        let count = tabs.with_untracked(Vec::len);
        let Some(next) = next_choice(&event.key(), selected.get_untracked(), count, false) else { return };
        event.prevent_default();
        on_select.run(next);
        focus_chosen(list, "[aria-selected='true']");
    };
    view! {
        <div class="tabs" role="tablist" aria-label=label node_ref=list on:keydown=on_key>
            {move || {
                tabs.get()
                    .into_iter()
                    .enumerate()
                    .map(|(i, tab)| {
                        let is = move || selected.get() == i;
                        view! {
                            <button
                                type="button"
                                role="tab"
                                aria-selected=move || is().to_string()
                                tabindex=move || if is() { "0" } else { "-1" }
                                on:click=move |_| on_select.run(i)
                            >
                                {tab.label}
                                {(tab.count > 0).then(|| view! { <span class="tag accent">{tab.count}</span> })}
                            </button>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}

/// The chosen one is the focusable one only after the next update.
fn focus_chosen(list: NodeRef<html::Div>, chosen: &'static str) {
    request_animation_frame(move || {
        if let Some(list) = list.try_get_untracked().flatten()
            && let Some(element) = dom::matching(&list, chosen).first()
        {
            dom::focus(element);
        }
    });
}

/// A segmented control: radio buttons in a row. Tab comes to the chosen one; arrows, Home and End choose.
#[component]
pub fn Segmented(
    /// What is chosen, for screen readers.
    #[prop(into)]
    label: String,
    /// The names.
    options: Vec<&'static str>,
    /// Index of the chosen one.
    #[prop(into)]
    selected: Signal<usize>,
    /// Receives the index chosen.
    on_select: Callback<usize>,
    /// Keys of the page, each with the option it chooses; pressed again it goes back to the first.
    #[prop(optional)]
    keys: Vec<(&'static str, usize)>,
    /// More classes ("not-phone").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let list = NodeRef::<html::Div>::new();
    let keys = StoredValue::new(keys);
    let count = options.len();
    let on_key = move |event: KeyboardEvent| {
        let Some(next) = next_choice(&event.key(), selected.get_untracked(), count, true) else { return };
        event.prevent_default();
        on_select.run(next);
        focus_chosen(list, "[aria-checked='true']");
    };
    view! {
        <div class=format!("seg {class}") role="radiogroup" aria-label=label node_ref=list on:keydown=on_key>
            {options
                .into_iter()
                .enumerate()
                .map(|(i, name)| {
                    let is = move || selected.get() == i;
                    // The page's key presses the button that carries it now.
                    let key = move || {
                        let now = selected.get();
                        let leads_here = |to: usize| if to == now { i == 0 } else { i == to };
                        keys.with_value(|keys| keys.iter().find(|(_, to)| leads_here(*to)).map(|(key, _)| *key))
                    };
                    view! {
                        <button
                            type="button"
                            role="radio"
                            aria-checked=move || is().to_string()
                            tabindex=move || if is() { "0" } else { "-1" }
                            data-key=key
                            on:click=move |_| on_select.run(i)
                        >
                            {name}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
}
