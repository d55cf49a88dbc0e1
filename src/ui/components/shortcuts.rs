//! The list of keys, opened with "?".

use leptos::prelude::*;

/// The keys of the page and what they do.
pub const SHORTCUTS: [(&str, &str); 14] = [
    ("Ctrl ↵", "Ask, run, check"),
    ("Esc", "Stop the answer; else close the inspector"),
    ("/", "Filter the list in view"),
    ("g then a, k, s", "Go to Ask, Knowledge, Settings"),
    ("j, k", "Next and previous item or row"),
    ("↑ ↓ ← →", "Move in the tree and the table"),
    ("↵", "Open in the inspector; open the full value"),
    ("p, d", "Pin, drop the open item"),
    ("e", "Edit the SQL"),
    ("c", "Compare with gold"),
    ("t", "Test the model endpoint"),
    ("Ctrl Z", "Take back a removal"),
    ("F6", "Go round bar, rail, centre, inspector"),
    ("?", "This list"),
];

/// Keys and what they do, as a list; stands in a dialog.
#[component]
pub fn ShortcutList(
    /// The keys, as (keys, what they do).
    #[prop(optional, into)]
    shortcuts: Option<Vec<(&'static str, &'static str)>>,
) -> impl IntoView {
    let lines = shortcuts.unwrap_or_else(|| SHORTCUTS.to_vec());
    view! {
        <dl class="keys">
            {lines
                .into_iter()
                .map(|(keys, does)| view! { <dt><kbd>{keys}</kbd></dt><dd>{does}</dd> })
                .collect_view()}
        </dl>
        <p class="t11 three mt-2">"Single keys rest while you type."</p>
    }
}
