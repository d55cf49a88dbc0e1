//! The list of keys, opened with "?" and shown in the settings.

use leptos::prelude::*;

use crate::present::keys::LIST;

/// Keys and what they do, as a list.
#[component]
pub fn ShortcutList() -> impl IntoView {
    view! {
        <dl class="keys">
            {LIST.into_iter().map(|(keys, does)| view! { <dt><kbd>{keys}</kbd></dt><dd>{does}</dd> }).collect_view()}
        </dl>
        <p class="t11 three mt-2">"Single keys rest while you type."</p>
    }
}
