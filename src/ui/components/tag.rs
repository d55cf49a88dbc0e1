//! Tags: one or two words about the thing beside them.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

/// What a tag or notice says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// How something was made.
    #[default]
    Neutral,
    /// Done, equal, verified.
    Ok,
    /// Less than asked: shortened, cut, a fallback.
    Warn,
    /// Not done, different.
    Bad,
    /// A mark of our own ("adapted").
    Accent,
}

impl Tone {
    /// The class that carries its colours.
    pub fn class(self) -> &'static str {
        match self {
            Self::Neutral => "",
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Accent => "accent",
        }
    }

    /// The icon that goes with it, so that colour never stands alone.
    pub fn icon(self) -> Option<Icon> {
        match self {
            Self::Neutral | Self::Accent => None,
            Self::Ok => Some(Icon::Check),
            Self::Warn => Some(Icon::Warn),
            Self::Bad => Some(Icon::Close),
        }
    }
}

/// A tag; Ok, Warn and Bad bring their icon.
#[component]
pub fn Tag(
    /// The words.
    #[prop(into)]
    text: Signal<String>,
    /// What it says.
    #[prop(optional)]
    tone: Tone,
    /// Another icon.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// More classes ("push").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let icon = icon.or(tone.icon());
    view! {
        <span class=format!("tag {} {class}", tone.class())>
            {icon.map(|icon| view! { <IconView icon/> })}
            {text}
        </span>
    }
}
