//! The right column: everything about one item.

use leptos::prelude::*;

use super::prompt::PromptPanel;
use crate::history::entry::tag;
use crate::present::item::item_view;
use crate::present::layout;
use crate::ui::actions::edit;
use crate::ui::actions::history::is_indexing;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::dialog::Dialog;
use crate::ui::components::dom;
use crate::ui::components::item_inspector::ItemInspector;
use crate::ui::components::shell::Side;
use crate::ui::components::sql_view::SqlView;
use crate::ui::components::text_dialog::TextDialog;
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::state::{Page, State};

/// The title of the item; it takes the focus where the element that had it is gone.
pub const HEAD: &str = ".inspector h2[tabindex]";

/// The right column while an item is selected; on narrow screens a sheet, and closing the sheet deselects the item.
pub fn inspector() -> Signal<Option<Side>> {
    let state = State::here();
    let open = RwSignal::new(false);
    let prompt = Memo::new(move |_| {
        state.page.get() == Page::Ask && state.prompt_open.get() && state.run.with(|r| r.prompt.is_some())
    });
    Effect::new(move |_| open.set(state.selected.get().is_some() || prompt.get()));
    // The item that was chosen last takes the place of the prompt.
    Effect::new(move |_| {
        if state.selected.get().is_some() {
            state.prompt_open.set(false);
        }
    });
    Effect::new(move |was: Option<bool>| {
        let is = open.get();
        if was == Some(true) && !is {
            state.selected.set(None);
            state.prompt_open.set(false);
        }
        is
    });
    // The column stays while one item follows another, and with it the focus.
    let any = Memo::new(move |_| state.selected.with(Option::is_some));
    Signal::derive(move || {
        if prompt.get() && !any.get() {
            return Some(Side { label: "Prompt", view: (move || view! { <PromptPanel/> }).into(), open });
        }
        let side = Side { label: "Item", view: (move || view! { <Inspector/> }).into(), open };
        any.get().then_some(side)
    })
}

/// The selected item, and the source query that was opened from it.
#[component]
fn Inspector() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let entry = RwSignal::new(None::<u32>);
    let view = Memo::new(move |_| {
        let key = state.selected.get()?;
        state.knowledge.with(|k| {
            let k = k.as_ref()?;
            state
                .run
                .with(|r| item_view(&k.base, key, r.retrieved.as_deref(), r.answer.as_ref().map(|a| a.entry)))
        })
    });
    let source = Signal::derive(move || {
        let id = entry.get()?;
        state.knowledge.with(|k| k.as_ref()?.base.entries.get(id as usize).cloned())
    });
    let editing = RwSignal::new(false);
    let said =
        Signal::derive(move || view.with(|v| v.as_ref().map(|v| v.description.clone()).unwrap_or_default()));
    let edited = Memo::new(move |_| view.with(|v| v.as_ref().is_some_and(|v| v.edit.description.is_some())));
    let describe = move |text: Option<String>| {
        if let Some(key) = state.selected.get_untracked() {
            edit::describe(state, toasts, key, text);
        }
    };
    let hide = Callback::new(move |hidden: bool| {
        if let Some(key) = state.selected.get_untracked() {
            edit::hide(state, toasts, key, hidden);
            dom::focus_later(HEAD.to_owned());
        }
    });
    let busy =
        Signal::derive(move || state.work.with(|work| work.as_ref().is_some_and(|work| !is_indexing(work))));
    view! {
        {move || view.get().map(|item| view! {
            <ItemInspector
                item
                busy
                on_edit=move || editing.set(true)
                on_hide=hide
                on_close=move || state.selected.set(None)
                on_copy=Callback::new(move |text: String| download::copy(toasts, "skeleton", &text))
                on_item=Callback::new(move |key| {
                    state.selected.set(Some(key));
                    dom::focus_later(HEAD.to_owned());
                })
                on_entry=Callback::new(move |id| entry.set(Some(id)))
            />
        })}
        <TextDialog
            open=editing
            title="Edit the description"
            label="Description"
            button="Save"
            start=said
            help="Questions are compared with the description. It is kept with the history (the demo's until the tab closes); an empty one brings back the description made by rules."
            on_text=Callback::new(move |text| describe(Some(text)))
            more=move || view! {
                <Show when=move || edited.get()>
                    <Button
                        label="Back to the rules' description"
                        weight=Weight::Quiet
                        on_press=move || {
                            editing.set(false);
                            describe(None);
                        }
                    />
                </Show>
            }
        />
        <Dialog
            open=Signal::derive(move || entry.get().is_some())
            on_close=move || entry.set(None)
            title=Signal::derive(move || source.get().map(|e| format!("Query {}", tag(e.id))).unwrap_or_default())
        >
            {move || source.get().map(|e| view! {
                <p class="t12 two">{e.question.clone().unwrap_or_else(|| "no question in the log".to_owned())}</p>
                <p class="t11 three">{crate::present::item::note(&e)}</p>
                <SqlView sql=Signal::stored(layout::broken(&e.sql)) label="Source query"/>
            })}
        </Dialog>
    }
}
