//! The full value of a cell.

use leptos::prelude::*;

use super::button::Button;
use super::dialog::Dialog;
use super::icon::Icon;
use crate::db::Value;
use crate::present::{cells, format};

/// Longest text drawn at once; more would stall the page. Copying takes all of it.
const SHOWN_CHARS: usize = 200_000;

/// Shows one value in full: text as it is, blobs in hex. Esc closes it.
#[component]
pub fn ValueDialog(
    /// The value; None closes.
    value: RwSignal<Option<Value>>,
    /// Copies it.
    on_copy: Callback<String>,
) -> impl IntoView {
    let open = Signal::derive(move || value.with(Option::is_some));
    let title = Signal::derive(move || value.with(|v| v.as_ref().map(describe).unwrap_or_default()));
    let text = move || {
        value.with(|v| match v {
            Some(Value::Blob(bytes)) => cells::hex(bytes),
            Some(other) => cells::full(other),
            None => String::new(),
        })
    };
    let shown = move || {
        let text = text();
        match text.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    };
    let copy = move || on_copy.run(text());
    view! {
        <Dialog
            open
            title
            on_close=move || value.set(None)
            actions=move || view! { <Button label="Copy" icon=Icon::Copy on_press=copy/> }
        >
            <pre class="cell-value" tabindex="0">{shown}</pre>
        </Dialog>
    }
}

fn describe(value: &Value) -> String {
    let name = cells::type_name(value);
    match value {
        Value::Text(text) => {
            format!("{name}, {}", format::counted(text.chars().count(), "character", "characters"))
        }
        Value::InvalidText(bytes) => {
            format!("{name}, not valid UTF-8, {}", format::bytes(bytes.len() as u64))
        }
        Value::Blob(bytes) => format!("{name}, {}", format::bytes(bytes.len() as u64)),
        Value::Null | Value::Integer(_) | Value::Real(_) => name.to_owned(),
    }
}
