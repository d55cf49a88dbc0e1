//! The full value of a cell.

use leptos::prelude::*;

use super::button::{Button, Weight};
use super::dialog::Dialog;
use super::icon::Icon;
use crate::db::Value;
use crate::present::{cells, format};

/// Characters of a text drawn at first, and with each press for more: all of a long one would stall the page.
const PIECE: usize = 20_000;

/// Shows one value in full: text as it is, piece by piece where it is long; blobs in hex. What is copied or downloaded is
/// all of it. Esc closes it.
#[component]
pub fn ValueDialog(
    /// The value; None closes.
    value: RwSignal<Option<Value>>,
    /// Copies it.
    on_copy: Callback<String>,
    /// Downloads it.
    on_save: Callback<Value>,
) -> impl IntoView {
    let open = Signal::derive(move || value.with(Option::is_some));
    let title = Signal::derive(move || value.with(|v| v.as_ref().map(describe).unwrap_or_default()));
    let chars = RwSignal::new(PIECE);
    Effect::new(move |_| {
        value.track();
        chars.set(PIECE);
    });
    let piece = Memo::new(move |_| {
        let chars = chars.get();
        value.with(|v| v.as_ref().map(|value| cells::piece(value, chars)).unwrap_or_default())
    });
    let copy = move || {
        if let Some(text) = value.with_untracked(|v| v.as_ref().map(cells::copied)) {
            on_copy.run(text);
        }
    };
    let save = move || {
        if let Some(value) = value.get_untracked() {
            on_save.run(value);
        }
    };
    let more =
        move || format!("The first {} are shown.", format::counted(chars.get(), "character", "characters"));
    view! {
        <Dialog
            open
            title
            on_close=move || value.set(None)
            actions=move || view! {
                <Button label="Download" icon=Icon::Download on_press=save/>
                <Button label="Copy" icon=Icon::Copy on_press=copy/>
            }
        >
            <pre class="cell-value" tabindex="0">{move || piece.with(|(text, _)| text.clone())}</pre>
            <Show when=move || piece.with(|(_, cut)| *cut)>
                <p class="row t12 three">
                    {more}
                    <Button
                        label=format!("Show {} more", format::count(PIECE as u64))
                        weight=Weight::Quiet
                        on_press=move || chars.update(|chars| *chars += PIECE)
                    />
                </p>
            </Show>
        </Dialog>
    }
}

fn describe(value: &Value) -> String {
    let name = cells::type_name(value);
    let size = cells::size_note(value).map(|size| format!(", {size}")).unwrap_or_default();
    match value {
        Value::Text(text) => {
            format!("{name}, {}{size}", format::counted(text.chars().count(), "character", "characters"))
        }
        Value::InvalidText(bytes) => {
            format!("{name}, not valid UTF-8, {}", format::bytes(bytes.len() as u64))
        }
        Value::Blob(bytes) => format!("{name}, {}", format::bytes(bytes.len() as u64)),
        Value::Null | Value::Integer(_) | Value::Real(_) => name.to_owned(),
    }
}
