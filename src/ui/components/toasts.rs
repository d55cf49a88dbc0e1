//! Toasts: they confirm, with a way to undo, or say why a key did nothing; they never warn.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::button::{Button, IconButton, Weight};
use super::icon::{Icon, IconView};

/// How long a toast stands.
const STAYS: Duration = Duration::from_secs(6);

#[derive(Clone)]
struct Toast {
    id: u32,
    text: String,
    icon: Icon,
    undo: Option<Undo>,
}

/// Not a `Callback`: that goes with the component that made it, and a toast outlives the item or row it is about.
type Undo = Arc<dyn Fn() + Send + Sync>;

/// The toasts in view. Provide one as context and show it with [`ToastHost`].
#[derive(Clone, Copy)]
pub struct Toasts {
    shown: RwSignal<Vec<Toast>>,
    next: StoredValue<u32>,
    held: RwSignal<bool>,
}

impl Default for Toasts {
    fn default() -> Self {
        Self { shown: RwSignal::new(Vec::new()), next: StoredValue::new(0), held: RwSignal::new(false) }
    }
}

impl Toasts {
    /// Confirms something ("Copied SQL").
    pub fn confirm(self, text: impl Into<String>) {
        self.push(text.into(), Icon::Check, None);
    }

    /// Says why a key did nothing.
    pub fn remark(self, text: impl Into<String>) {
        let text = text.into();
        // A key that is pressed again says nothing new.
        if self.shown.with_untracked(|shown| shown.iter().all(|toast| toast.text != text)) {
            self.push(text, Icon::Info, None);
        }
    }

    /// Confirms a removal that `undo` takes back ("Removed “superhero”").
    pub fn removed(self, text: impl Into<String>, undo: impl Fn() + Send + Sync + 'static) {
        self.push(text.into(), Icon::Check, Some(Arc::new(undo)));
    }

    /// Takes back the newest removal that is still in view; false when there is none (Ctrl Z).
    pub fn undo(self) -> bool {
        let found = self
            .shown
            .with_untracked(|shown| shown.iter().rev().find_map(|t| t.undo.clone().map(|undo| (t.id, undo))));
        let Some((id, undo)) = found else { return false };
        self.close(id);
        undo();
        true
    }

    fn push(self, text: String, icon: Icon, undo: Option<Undo>) {
        let id = self.next.get_value();
        self.next.set_value(id.wrapping_add(1));
        self.shown.update(|shown| shown.push(Toast { id, text, icon, undo }));
        self.expire(id);
    }

    fn expire(self, id: u32) {
        set_timeout(
            move || {
                // A toast that is read or about to be pressed stays.
                if self.held.try_get_untracked().unwrap_or_default() {
                    self.expire(id)
                } else {
                    self.close(id)
                }
            },
            STAYS,
        );
    }

    fn close(self, id: u32) {
        self.shown.try_update(|shown| shown.retain(|t| t.id != id));
    }
}

/// Where toasts appear, bottom left; a polite live region. They stay while the pointer or the focus is on them.
#[component]
pub fn ToastHost(
    /// What to show.
    toasts: Toasts,
) -> impl IntoView {
    let held = toasts.held;
    view! {
        <div
            class="toasts"
            role="status"
            aria-live="polite"
            on:pointerenter=move |_| held.set(true)
            on:pointerleave=move |_| held.set(false)
            on:focusin=move |_| held.set(true)
            on:focusout=move |_| held.set(false)
        >
            <For each=move || toasts.shown.get() key=|toast| toast.id let:toast>
                <div class="toast">
                    <IconView icon=toast.icon class=if toast.icon == Icon::Check { "c-ok" } else { "" }/>
                    <span class="grow">{toast.text.clone()}</span>
                    {toast.undo.clone().map(|undo| {
                        let press = move || {
                            toasts.close(toast.id);
                            held.set(false);
                            undo();
                        };
                        view! { <Button label="Undo" key="Ctrl Z" weight=Weight::Quiet class="small" on_press=press/> }
                    })}
                    <IconButton
                        icon=Icon::Close
                        label="Close"
                        class="small"
                        on_press=move || {
                            held.set(false);
                            toasts.close(toast.id);
                        }
                    />
                </div>
            </For>
        </div>
    }
}
