//! Buttons.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

/// The weight of a button; at most one primary button is in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// The one main action.
    Primary,
    /// An outlined button.
    #[default]
    Normal,
    /// Text only.
    Quiet,
    /// Text only, for what removes something.
    Danger,
}

impl Weight {
    fn class(self) -> &'static str {
        match self {
            Self::Primary => "btn primary",
            Self::Normal => "btn",
            Self::Quiet => "btn quiet",
            Self::Danger => "btn quiet danger",
        }
    }
}

/// A button that says its result ("Choose a file"), with an optional icon before and key after the words.
/// Enter and Space press it.
#[component]
pub fn Button(
    /// The words.
    #[prop(into)]
    label: Signal<String>,
    /// What it does.
    #[prop(into)]
    on_press: Callback<()>,
    /// Its weight.
    #[prop(optional)]
    weight: Weight,
    /// An icon before the words.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// The key that does the same, shown after the words.
    #[prop(optional, into)]
    key: Option<&'static str>,
    /// Whether it cannot be pressed now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// More classes.
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    view! {
        <button type="button" class=format!("{} {class}", weight.class()) data-key=key disabled=disabled on:click=move |_| on_press.run(())>
            {icon.map(|icon| view! { <IconView icon/> })}
            {label}
            {key.map(|key| view! { <kbd aria-hidden="true">{key}</kbd> })}
        </button>
    }
}

/// A square button with an icon only; `label` is its name for screen readers and its tooltip.
#[component]
pub fn IconButton(
    /// The icon.
    icon: Icon,
    /// The name.
    #[prop(into)]
    label: Signal<String>,
    /// What it does.
    #[prop(into)]
    on_press: Callback<()>,
    /// More classes ("push", "small").
    #[prop(optional, into)]
    class: &'static str,
    /// Whether it cannot be pressed now.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    view! {
        <button type="button" class=format!("btn quiet icon {class}") aria-label=label title=label disabled=disabled on:click=move |_| on_press.run(())>
            <IconView icon/>
        </button>
    }
}
