//! Icons: 16 px, 12 px beside small text, drawn from one sprite.

use leptos::prelude::*;

use crate::sql::ComponentType;

/// The icons of the sprite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each is named after its symbol.
pub enum Icon {
    Calculation,
    Condition,
    Relation,
    Dimension,
    Output,
    Table,
    Key,
    Link,
    Search,
    Play,
    Stop,
    Pause,
    Pin,
    Drop,
    Close,
    Right,
    Down,
    Check,
    Warn,
    Bad,
    Info,
    Clock,
    Copy,
    Download,
    Upload,
    Gear,
    Theme,
    Database,
    History,
    Plus,
    File,
    Refresh,
    Lock,
    Chip,
    Model,
    Share,
    Dots,
    Filter,
    Book,
    Flask,
    Rank,
    Ask,
    Bulb,
    Mark,
}

impl Icon {
    /// Reference to the symbol.
    pub fn href(self) -> &'static str {
        match self {
            Self::Calculation => "#i-calculation",
            Self::Condition => "#i-condition",
            Self::Relation => "#i-relation",
            Self::Dimension => "#i-dimension",
            Self::Output => "#i-output",
            Self::Table => "#i-table",
            Self::Key => "#i-key",
            Self::Link => "#i-link",
            Self::Search => "#i-search",
            Self::Play => "#i-play",
            Self::Stop => "#i-stop",
            Self::Pause => "#i-pause",
            Self::Pin => "#i-pin",
            Self::Drop => "#i-drop",
            Self::Close => "#i-x",
            Self::Right => "#i-right",
            Self::Down => "#i-down",
            Self::Check => "#i-check",
            Self::Warn => "#i-warn",
            Self::Bad => "#i-bad",
            Self::Info => "#i-info",
            Self::Clock => "#i-clock",
            Self::Copy => "#i-copy",
            Self::Download => "#i-down-tray",
            Self::Upload => "#i-up-tray",
            Self::Gear => "#i-gear",
            Self::Theme => "#i-theme",
            Self::Database => "#i-db",
            Self::History => "#i-history",
            Self::Plus => "#i-plus",
            Self::File => "#i-file",
            Self::Refresh => "#i-refresh",
            Self::Lock => "#i-lock",
            Self::Chip => "#i-chip",
            Self::Model => "#i-model",
            Self::Share => "#i-share",
            Self::Dots => "#i-dots",
            Self::Filter => "#i-filter",
            Self::Book => "#i-book",
            Self::Flask => "#i-flask",
            Self::Rank => "#i-rank",
            Self::Ask => "#i-ask",
            Self::Bulb => "#i-bulb",
            Self::Mark => "#i-mark",
        }
    }
}

impl From<ComponentType> for Icon {
    fn from(kind: ComponentType) -> Self {
        match kind {
            ComponentType::Calculation => Self::Calculation,
            ComponentType::Condition => Self::Condition,
            ComponentType::Relation => Self::Relation,
            ComponentType::Dimension => Self::Dimension,
            ComponentType::Output => Self::Output,
        }
    }
}

/// The symbols that every [`Icon`] refers to; stands once, first in the page.
#[component]
pub fn IconSprite() -> impl IntoView {
    view! { <div class="sprite" aria-hidden="true" inner_html=include_str!("icons.svg")></div> }
}

/// One icon. It says nothing to a screen reader: a word stands beside it or labels its button.
#[component]
pub fn IconView(
    /// Which.
    #[prop(into)]
    icon: Signal<Icon>,
    /// 12 px instead of 16.
    #[prop(optional)]
    small: bool,
    /// More classes.
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let size = if small { "i i-12" } else { "i" };
    view! {
        <svg class=format!("{size} {class}") aria-hidden="true">
            <use href=move || icon.get().href()></use>
        </svg>
    }
}
