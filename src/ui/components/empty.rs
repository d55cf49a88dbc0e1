//! Empty states: what belongs here and how to get it.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

/// An empty place with what to do next.
#[component]
pub fn EmptyState(
    /// A large icon.
    icon: Icon,
    /// What to do, or what happened.
    #[prop(into)]
    title: Signal<String>,
    /// Buttons.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// One or two sentences.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <IconView icon/>
            <h2>{title}</h2>
            {children.map(|children| view! { <p class="t12">{children()}</p> })}
            {actions.map(|actions| view! { <div class="row wrap mt-1">{actions.run()}</div> })}
        </div>
    }
}
