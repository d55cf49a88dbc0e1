//! The list of keys, opened with "?".

use leptos::prelude::*;

/// Keys and what they do, as a list; stands in a dialog.
#[component]
pub fn ShortcutList(
    /// The keys, as (keys, what they do).
    shortcuts: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    view! {
        <dl class="keys">
            {shortcuts
                .into_iter()
                .map(|(keys, does)| view! { <dt><kbd>{keys}</kbd></dt><dd>{does}</dd> })
                .collect_view()}
        </dl>
        <p class="t11 three mt-2">"Single keys rest while you type."</p>
    }
}
