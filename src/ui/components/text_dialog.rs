//! A dialog that asks for a text.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;

use super::button::{Button, Weight};
use super::dialog::Dialog;
use super::dom;
use super::field::Field;

/// Asks for one text, a line (Enter takes it) or several (Ctrl Enter does). It begins with `start` at each opening.
#[component]
pub fn TextDialog(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What it is about.
    #[prop(into)]
    title: String,
    /// Name of the text.
    #[prop(into)]
    label: String,
    /// The button that takes the text ("Open").
    #[prop(into)]
    button: String,
    /// The text to begin with.
    #[prop(optional, into)]
    start: Signal<String>,
    /// Receives the text; the dialog is closed before.
    on_text: Callback<String>,
    /// `type` of the field ("url"); a text area where it is None.
    #[prop(optional, into)]
    kind: Option<&'static str>,
    /// Shown while empty.
    #[prop(optional, into)]
    placeholder: &'static str,
    /// A sentence below.
    #[prop(optional, into)]
    help: &'static str,
    /// More buttons.
    #[prop(optional, into)]
    more: Option<ViewFn>,
) -> impl IntoView {
    let text = RwSignal::new(String::new());
    Effect::new(move |_| {
        if open.get() {
            text.set(start.get_untracked());
            // Not the button that closes: the text is what one came for.
            dom::focus_later("dialog[open] :is(.dialog-b input, .dialog-b textarea)".to_owned());
        }
    });
    let go = move || {
        open.set(false);
        on_text.run(text.get_untracked());
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && dom::command_key(&event) && !event.is_composing() {
            event.prevent_default();
            go();
        }
    };
    let label = StoredValue::new(label);
    let button = StoredValue::new(button);
    let more = StoredValue::new(more);
    let body = move || match kind {
        Some(kind) => view! {
            <Field
                label=label.get_value()
                kind
                placeholder
                value=text
                on_input=Callback::new(move |new| text.set(new))
                on_enter=Callback::new(move |()| go())
            />
        }
        .into_any(),
        None => view! {
            <textarea
                class="area"
                rows="4"
                aria-label=label.get_value()
                placeholder=placeholder
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=on_key
            ></textarea>
        }
        .into_any(),
    };
    view! {
        <Dialog
            open
            on_close=move || open.set(false)
            title
            actions=move || view! {
                {more.get_value().map(|more| more.run())}
                <Button label=button.get_value() weight=Weight::Primary on_press=go/>
            }
        >
            <form on:submit=move |event: SubmitEvent| event.prevent_default()>{body}</form>
            {(!help.is_empty()).then(|| view! { <p class="t12 three mt-2">{help}</p> })}
        </Dialog>
    }
}
