//! SQL to write: a text area over the same highlighted text, with what is wrong marked at its place.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;
use super::icon::{Icon, IconView};
use super::sql_view::token_class;
use crate::present::fault::{Fault, Fix};
use crate::sql::tokens::{Token, tokenize};

/// Longer text is edited without colours: tokenizing at every key stroke would be felt.
const HIGHLIGHTS_UP_TO: usize = 20_000;

/// An editor for one query. Ctrl Enter runs it, Esc leaves it, Alt Enter takes the first fix of what is wrong; Tab
/// leaves the field as everywhere.
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
    /// What is wrong with the text that ran last; it is shown while the text is that one.
    #[prop(optional, into)]
    fault: Option<Signal<Option<Fault>>>,
    /// What it is, for screen readers.
    #[prop(optional, into)]
    label: Option<String>,
    /// Shown while empty.
    #[prop(optional, into)]
    placeholder: Option<&'static str>,
) -> impl IntoView {
    let area = NodeRef::<html::Textarea>::new();
    let plain = Memo::new(move |_| text.with(|t| t.len() > HIGHLIGHTS_UP_TO));
    let wrong = Memo::new(move |_| {
        let fault = fault.and_then(|fault| fault.get())?;
        text.with(|text| (*text == fault.sql).then_some(fault))
    });
    let mend = move |fix: Fix| {
        let mended = wrong.with_untracked(|fault| fault.as_ref().and_then(|fault| fault.mended(&fix)));
        if let Some((area, (sql, cursor))) = area.get_untracked().zip(mended) {
            replace(&area, text, sql, cursor);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        if event.key() == "Enter" && dom::command_key(&event) {
            event.prevent_default();
            on_run.run(());
        } else if event.key() == "Enter" && event.alt_key() {
            event.prevent_default();
            let first = wrong.with_untracked(|fault| fault.as_ref().and_then(|f| f.fixes.first().cloned()));
            first.into_iter().for_each(mend);
        } else if event.key() == "Escape"
            && let Some(on_cancel) = on_cancel
        {
            event.stop_propagation();
            on_cancel.run(());
        }
    };
    // What went wrong is where the reader goes on; once, not when they come back to the same text.
    Effect::new(move |_| {
        let Some(fault) = fault.and_then(|fault| fault.get()) else { return };
        let Some(area) = area.get() else { return };
        dom::focus(&area);
        if let Some((from, to)) = fault.selection() {
            let _ = area.set_selection_range(from, to);
        }
    });
    let highlighted = move || {
        text.with(|sql| {
            wrong.with(|fault| {
                let whole = if plain.get() { Vec::new() } else { tokenize(sql) };
                let mut out: Vec<AnyView> =
                    whole.into_iter().map(|token| piece(sql, token, fault.as_ref())).collect();
                if plain.get() {
                    out.push(sql.clone().into_any());
                }
                let at_end = fault.as_ref().and_then(|fault| fault.place.as_ref());
                if at_end.is_some_and(|place| place.range.is_empty()) {
                    out.push(view! { <span class="err">"\u{a0}"</span> }.into_any());
                }
                // A last line end has a height only when something follows it.
                out.push("\u{200b}".into_any());
                out
            })
        })
    };
    let message = dom::unique_id("fault");
    let described_by = message.clone();
    view! {
        <div class="sql-edit">
            <pre aria-hidden="true">{highlighted}</pre>
            <textarea
                node_ref=area
                aria-label=label.unwrap_or_else(|| "SQL".to_owned())
                aria-invalid=move || wrong.with(Option::is_some).to_string()
                aria-describedby=described_by
                placeholder=placeholder
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                prop:value=text
                on:input=move |event| text.set(event_target_value(&event))
                on:keydown=on_key
            ></textarea>
        </div>
        {fault.map(|_| {
            let on_fix = Callback::new(mend);
            view! { <div class="sql-said" id=message role="status">{move || said(wrong.get(), on_fix)}</div> }
        })}
    }
}

/// A token in its ink, marked where it is what is wrong.
fn piece(sql: &str, token: Token, fault: Option<&Fault>) -> AnyView {
    let part = sql.get(token.start..token.end).unwrap_or_default().to_owned();
    let place = fault.and_then(|fault| fault.place.as_ref());
    let marked = place.is_some_and(|place| place.range.start <= token.start && token.end <= place.range.end);
    match (marked, token_class(token.kind)) {
        (true, class) => {
            view! { <span class=format!("err {}", class.unwrap_or_default())>{part}</span> }.into_any()
        }
        (false, Some(class)) => view! { <span class=class>{part}</span> }.into_any(),
        (false, None) => part.into_any(),
    }
}

/// The line below: what is wrong and what would mend it, else which keys there are.
fn said(fault: Option<Fault>, on_fix: Callback<Fix>) -> impl IntoView {
    let Some(fault) = fault else {
        return view! { <span class="t11 three not-phone">"Ctrl ↵ runs it, Esc leaves it as it was."</span> }
            .into_any();
    };
    let sentence = fault.sentence();
    let note = (!fault.note.is_empty()).then(|| format!(" {}", fault.note));
    let fixes = fault
        .fixes
        .into_iter()
        .enumerate()
        .map(|(i, fix)| {
            let label = format!("Use {}", fix.text);
            let press = move || on_fix.run(fix.clone());
            let key = (i == 0).then_some("Alt ↵");
            view! {
                <button type="button" class="btn small" on:click=move |_| press()>
                    {label}
                    {key.map(|key| view! { <kbd aria-hidden="true">{key}</kbd> })}
                </button>
            }
        })
        .collect_view();
    view! {
        <IconView icon=Icon::Bad small=true class="c-bad"/>
        <span class="c-bad">{sentence}</span>
        <span class="two">{note}</span>
        {fixes}
    }
    .into_any()
}

/// Puts another text into the field as if it were typed, so that the browser can take it back; where it cannot, the text
/// is set.
fn replace(area: &web_sys::HtmlTextAreaElement, text: RwSignal<String>, sql: String, cursor: u32) {
    dom::focus(area);
    area.select();
    if !dom::insert_text(&sql) {
        text.set(sql);
        area.set_value(&text.get_untracked());
    }
    let _ = area.set_selection_range(cursor, cursor);
}
