//! SQL to write: a text area over the same highlighted text.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::dom;
use super::sql_view::token_class;
use crate::sql::tokens::tokenize;

/// Longer text is edited without colours: tokenizing at every key stroke would be felt.
const HIGHLIGHTS_UP_TO: usize = 20_000;

/// An editor for one query. Ctrl Enter runs it, Esc leaves it; Tab leaves the field as everywhere.
#[component]
pub fn SqlEditor(
    /// The text.
    text: RwSignal<String>,
    /// Runs it.
    #[prop(into)]
    on_run: Callback<()>,
    /// Leaves without running.
    #[prop(optional, into)]
    on_cancel: Option<Callback<()>>,
    /// What it is, for screen readers.
    #[prop(optional, into)]
    label: Option<String>,
) -> impl IntoView {
    let plain = Memo::new(move |_| text.with(|t| t.len() > HIGHLIGHTS_UP_TO));
    let on_key = move |event: KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        if event.key() == "Enter" && dom::command_key(&event) {
            event.prevent_default();
            on_run.run(());
        } else if event.key() == "Escape"
            && let Some(on_cancel) = on_cancel
        {
            event.stop_propagation();
            on_cancel.run(());
        }
    };
    let highlighted = move || {
        text.with(|sql| {
            let whole = if plain.get() { Vec::new() } else { tokenize(sql) };
            let mut out: Vec<AnyView> = whole
                .into_iter()
                .map(|token| {
                    let part = sql.get(token.start..token.end).unwrap_or_default().to_owned();
                    match token_class(token.kind) {
                        Some(class) => view! { <span class=class>{part}</span> }.into_any(),
                        None => part.into_any(),
                    }
                })
                .collect();
            if plain.get() {
                out.push(sql.clone().into_any());
            }
            // A last line end has a height only when something follows it.
            out.push("\u{200b}".into_any());
            out
        })
    };
    view! {
        <div class="sql-edit">
            <pre aria-hidden="true">{highlighted}</pre>
            <textarea
                aria-label=label.unwrap_or_else(|| "SQL".to_owned())
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=on_key
            ></textarea>
        </div>
    }
}
