//! Tabs and segmented controls: one of a few.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;

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
        let count = tabs.with(Vec::len);
        let Some(last) = count.checked_sub(1) else { return };
        let now = selected.get().min(last);
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1) % count,
            "ArrowLeft" => (now + last) % count,
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        on_select.run(next);
        // The selected tab is the focusable one after the next update.
        request_animation_frame(move || {
            if let Some(list) = list.get_untracked()
                && let Some(tab) = dom::matching(&list, "[aria-selected='true']").first()
            {
                dom::focus(tab);
            }
        });
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

/// A segmented control: buttons of which one is pressed. Each is reached by Tab.
#[component]
pub fn Segmented(
    /// What is chosen, for screen readers.
    #[prop(into)]
    label: String,
    /// The names.
    options: Vec<&'static str>,
    /// Index of the pressed one.
    #[prop(into)]
    selected: Signal<usize>,
    /// Receives the index chosen.
    on_select: Callback<usize>,
    /// More classes ("not-phone").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    view! {
        <span class=format!("seg {class}") role="group" aria-label=label>
            {options
                .into_iter()
                .enumerate()
                .map(|(i, name)| {
                    view! {
                        <button
                            type="button"
                            aria-pressed=move || (selected.get() == i).to_string()
                            on:click=move |_| on_select.run(i)
                        >
                            {name}
                        </button>
                    }
                })
                .collect_view()}
        </span>
    }
}
