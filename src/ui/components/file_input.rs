//! A file dialog without a button of its own: menus and shortcuts open it.

use leptos::html;
use leptos::prelude::*;

use super::dom;

/// Opens the browser's file dialog whenever `ask` changes.
#[component]
pub fn FileInput(
    /// Counts the requests.
    ask: RwSignal<u32>,
    /// File name endings offered (".sqlite,.db").
    accept: &'static str,
    /// Receives the file.
    on_file: UnsyncCallback<web_sys::File>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |before: Option<u32>| {
        let now = ask.get();
        if before.is_some_and(|before| before != now)
            && let Some(input) = input.get_untracked()
        {
            input.click();
        }
        now
    });
    let on_change = move |_| {
        let Some(input) = input.get_untracked() else { return };
        let file = input.files().and_then(|list| dom::files(&list).into_iter().next());
        // Choosing the same file again must be a change again.
        input.set_value("");
        if let Some(file) = file {
            on_file.run(file);
        }
    };
    view! {
        <input class="sr" type="file" tabindex="-1" aria-hidden="true" accept=accept node_ref=input on:change=on_change/>
    }
}
