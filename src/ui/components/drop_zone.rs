//! A place to drop a file on, with a button that opens the file dialog.

use leptos::ev::DragEvent;
use leptos::prelude::*;

use super::button::{Button, Weight};
use super::dom;
use super::file_input::FileInput;
use super::icon::{Icon, IconView};

/// Takes a file by drop or by choice. The button is reached by Tab; the zone itself needs no keyboard.
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
    /// Receives the file; of several that are dropped together the first.
    on_file: UnsyncCallback<web_sys::File>,
    /// More buttons.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// One or two sentences.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let over = RwSignal::new(false);
    let ask = RwSignal::new(0_u32);
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        if let Some(file) = dom::dropped_files(&event).into_iter().next() {
            on_file.run(file);
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
                <FileInput ask accept on_file/>
                <Button
                    label=button
                    icon=Icon::File
                    weight=Weight::Primary
                    on_press=move || ask.update(|n| *n += 1)
                />
                {actions.map(|actions| actions.run())}
            </div>
        </div>
    }
}
