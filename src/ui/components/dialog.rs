//! A modal dialog.

use leptos::html;
use leptos::prelude::*;

use super::button::IconButton;
use super::dom;
use super::icon::Icon;

/// A dialog over the page. The browser's own modal dialog keeps the focus inside and gives it back; Esc and a
/// click beside it close it. Its content is made anew at each opening.
#[component]
pub fn Dialog(
    /// Whether it is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Closes it; sets `open` to false.
    #[prop(into)]
    on_close: Callback<()>,
    /// What it is about.
    #[prop(into)]
    title: Signal<String>,
    /// Whether it is wide, for tables.
    #[prop(optional)]
    wide: bool,
    /// Buttons at its foot.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// Its content.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let title_id = dom::unique_id("dialog");
    let labelled_by = title_id.clone();
    Effect::new(move |_| {
        let Some(dialog) = element.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let content = move || {
        open.get().then(|| {
            view! {
                <div class="dialog-b">{children()}</div>
                {actions.clone().map(|actions| view! { <div class="dialog-f">{actions.run()}</div> })}
            }
        })
    };
    view! {
        <dialog
            class="dialog"
            class:wide=wide
            node_ref=element
            aria-labelledby=labelled_by
            on:close=move |_| {
                if open.get_untracked() {
                    on_close.run(());
                }
            }
            on:click=move |event| {
                // A click on the dialog element itself, not its content, is a click on the backdrop.
                let beside = event.target().zip(element.get_untracked()).is_some_and(|(target, dialog)| {
                    let dialog: &web_sys::EventTarget = &dialog;
                    target == *dialog
                });
                if beside {
                    on_close.run(());
                }
            }
        >
            <div class="sect-h line">
                <h2 id=title_id.clone()>{title}</h2>
                <IconButton icon=Icon::Close label="Close" class="push" on_press=on_close/>
            </div>
            {content}
        </dialog>
    }
}
