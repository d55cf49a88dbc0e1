//! Light, dark, or as the system.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

/// The theme chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its name as kept in storage and in `data-theme`; None for the system's.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The theme of that name; any other name is the system's.
    pub fn from_name(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// The other of light and dark, from what is seen now.
    pub fn switched(self) -> Self {
        let dark = match self {
            Self::Dark => true,
            Self::Light => false,
            Self::System => system_is_dark(),
        };
        if dark { Self::Light } else { Self::Dark }
    }

    /// Sets `data-theme` on the root element.
    pub fn apply(self) {
        let Some(root) = document().document_element() else { return };
        // Neither call fails on an element of the document.
        let _ = match self.name() {
            Some(name) => root.set_attribute("data-theme", name),
            None => root.remove_attribute("data-theme"),
        };
    }
}

fn system_is_dark() -> bool {
    window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|query| query.matches())
}

/// Switches between light and dark.
#[component]
pub fn ThemeButton(
    /// The theme chosen; the caller applies and keeps it.
    #[prop(into)]
    theme: Signal<Theme>,
    /// Receives the new theme.
    on_change: Callback<Theme>,
) -> impl IntoView {
    const LABEL: &str = "Switch between light and dark";
    view! {
        <button
            type="button"
            class="btn quiet icon"
            aria-label=LABEL
            title=LABEL
            on:click=move |_| on_change.run(theme.get_untracked().switched())
        >
            <IconView icon=Icon::Theme/>
        </button>
    }
}
