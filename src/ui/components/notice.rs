//! Notices: first what happened, then what to do next. They stand above what they are about.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::tag::Tone;

/// A notice. Warn and Bad are read out when they appear; the others wait for their turn.
#[component]
pub fn Notice(
    /// Neutral for how something was made, Warn for less than asked, Bad for not done.
    #[prop(optional)]
    tone: Tone,
    /// Its icon; by default that of the tone.
    #[prop(optional, into)]
    icon: Option<Icon>,
    /// What happened, one sentence.
    #[prop(into)]
    title: Signal<String>,
    /// Buttons under the text.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// What stands at the right end (the trace).
    #[prop(optional, into)]
    aside: Option<ViewFn>,
    /// Its own box instead of a band.
    #[prop(optional)]
    card: bool,
    /// What it means and what to do.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let icon = icon.unwrap_or(match tone {
        Tone::Neutral | Tone::Accent => Icon::Info,
        Tone::Ok => Icon::Check,
        Tone::Warn => Icon::Warn,
        Tone::Bad => Icon::Bad,
    });
    let role = if matches!(tone, Tone::Warn | Tone::Bad) { "alert" } else { "status" };
    let card = if card { "card" } else { "" };
    view! {
        <div class=format!("notice {} {card}", tone.class()) role=role>
            <IconView icon/>
            <div class="grow">
                <b>{title}</b>
                " "
                {children.map(|children| children())}
                {actions.map(|actions| view! { <div class="row wrap">{actions.run()}</div> })}
            </div>
            {aside.map(|aside| aside.run())}
        </div>
    }
}
