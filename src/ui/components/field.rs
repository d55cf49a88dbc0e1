//! Fields: text, number, choice, tick box.

use leptos::html;
use leptos::prelude::*;

use super::dom;
use super::icon::{Icon, IconView};

/// A line of text. `error` is shown under it and read out with it. In a search field Esc takes the text away, and where
/// there is none leaves the field.
#[component]
pub fn Field(
    /// Its name; read out, and shown above when `show_label` is set.
    #[prop(into)]
    label: String,
    /// Its text.
    #[prop(into)]
    value: Signal<String>,
    /// Receives every change.
    on_input: Callback<String>,
    /// Enter.
    #[prop(optional, into)]
    on_enter: Option<Callback<()>>,
    /// Shown while empty.
    #[prop(optional, into)]
    placeholder: Option<String>,
    /// An icon before the text.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// The key that comes here ("/").
    #[prop(optional, into)]
    key: Option<&'static str>,
    /// `type` of the input ("search", "url", "password").
    #[prop(optional, into)]
    kind: Option<&'static str>,
    /// What is wrong with the text; empty when nothing is.
    #[prop(optional, into)]
    error: Signal<String>,
    /// Whether the name stands above.
    #[prop(optional)]
    show_label: bool,
    /// Classes of the box ("light", "mono", "num").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let error_id = dom::unique_id("error");
    let wrong = Memo::new(move |_| error.with(|e| !e.is_empty()));
    let name = label.clone();
    view! {
        <label class="labelled">
            {show_label.then(|| view! { <span class="label">{name}</span> })}
            <span class=format!("field {class}") class:invalid=wrong>
                {icon.map(|icon| view! { <IconView icon/> })}
                <input
                    type=kind.unwrap_or("text")
                    aria-label=label
                    placeholder=placeholder
                    spellcheck="false"
                    autocomplete="off"
                    aria-invalid=move || wrong.get().to_string()
                    aria-describedby=error_id.clone()
                    data-key=key
                    prop:value=value
                    on:input=move |event| on_input.run(event_target_value(&event))
                    on:keydown=move |event| {
                        if event.is_composing() {
                            return;
                        }
                        if event.key() == "Enter" && let Some(on_enter) = on_enter {
                            on_enter.run(());
                        } else if event.key() == "Escape" && kind == Some("search") {
                            // Esc is for the search only, not for what the page would close next.
                            event.stop_propagation();
                            event.prevent_default();
                            if value.with_untracked(String::is_empty) {
                                dom::blur(&event);
                            } else {
                                on_input.run(String::new());
                            }
                        }
                    }
                />
                {key.map(|key| view! { <kbd class="push" aria-hidden="true">{key}</kbd> })}
            </span>
            <span class="error" id=error_id hidden=move || !wrong.get()>{error}</span>
        </label>
    }
}

/// One of a list, in the browser's own list: arrows, typing and phones work as everywhere. It shows the value in force,
/// also where a choice only opens something that may be left again.
#[component]
pub fn Select(
    /// Its name, read out.
    #[prop(into)]
    label: String,
    /// The choices as (value, words).
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// The value chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the value chosen.
    on_change: Callback<String>,
    /// Classes of the box ("quiet", "mono", "not-phone").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let element = NodeRef::<html::Select>::new();
    // Once the user has chosen, the browser no longer looks at which option is marked as selected.
    let show = move || {
        let shown = element.try_get_untracked().flatten().zip(value.try_get_untracked());
        if let Some((element, value)) = shown {
            element.set_value(&value);
        }
    };
    Effect::new(move |_| {
        options.track();
        value.track();
        request_animation_frame(show);
    });
    let change = move |event| {
        on_change.run(event_target_value(&event));
        show();
    };
    view! {
        <label class=format!("field sel {class}")>
            <select node_ref=element aria-label=label.clone() title=label on:change=change>
                {move || {
                    options
                        .get()
                        .into_iter()
                        .map(|(key, words)| {
                            let this = key.clone();
                            view! { <option value=key selected=move || value.with(|v| *v == this)>{words}</option> }
                        })
                        .collect_view()
                }}
            </select>
        </label>
    }
}

/// A tick box, or with `name` one of the radio buttons of that name.
#[component]
pub fn Check(
    /// Whether it is ticked.
    #[prop(into)]
    checked: Signal<bool>,
    /// Receives the new state.
    on_change: Callback<bool>,
    /// Name of the radio group.
    #[prop(optional, into)]
    name: Option<&'static str>,
    /// The words, and whatever stands behind them.
    children: Children,
) -> impl IntoView {
    view! {
        <label class="check t12">
            <input
                type=if name.is_some() { "radio" } else { "checkbox" }
                name=name
                prop:checked=checked
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
            {children()}
        </label>
    }
}
