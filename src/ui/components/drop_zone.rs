//! A place to drop files on, with a button that opens the file dialog.

use leptos::ev::DragEvent;
use leptos::html;
use leptos::prelude::*;

use super::button::{Button, Weight};
use super::dom;
use super::icon::{Icon, IconView};

/// Takes files by drop or by choice. The button is reached by Tab; the zone itself needs no keyboard.
#[component]
pub fn DropZone(
    /// A large icon.
    icon: Icon,
    /// What belongs here ("Open a database").
    #[prop(into)]
    title: Signal<String>,
    /// The button ("Choose a file").
    #[prop(into)]
    button: Signal<String>,
    /// File name endings offered by the dialog (".sqlite,.db").
    #[prop(optional, into)]
    accept: &'static str,
    /// Whether several files may be taken at once.
    #[prop(optional)]
    multiple: bool,
    /// Receives the files.
    on_files: UnsyncCallback<Vec<web_sys::File>>,
    /// More buttons.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// One or two sentences.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let over = RwSignal::new(false);
    let input = NodeRef::<html::Input>::new();
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let files = dom::dropped_files(&event);
        if !files.is_empty() {
            on_files.run(files);
        }
    };
    let on_change = move |_| {
        if let Some(input) = input.get_untracked() {
            let files = input.files().map(|list| dom::files(&list)).unwrap_or_default();
            // Choosing the same file again must be a change again.
            input.set_value("");
            if !files.is_empty() {
                on_files.run(files);
            }
        }
    };
    view! {
        <div
            class="empty drop"
            class:over=over
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=on_drop
        >
            <IconView icon/>
            <h2>{title}</h2>
            {children.map(|children| view! { <p class="t12">{children()}</p> })}
            <div class="row wrap mt-1">
                <input
                    node_ref=input
                    type="file"
                    hidden
                    tabindex="-1"
                    accept=accept
                    multiple=multiple
                    aria-label=button
                    on:change=on_change
                />
                <Button
                    label=button
                    icon=Icon::File
                    weight=Weight::Primary
                    on_press=move || {
                        if let Some(input) = input.get_untracked() {
                            input.click();
                        }
                    }
                />
                {actions.map(|actions| actions.run())}
            </div>
        </div>
    }
}
