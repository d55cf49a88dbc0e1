//! Progress: a count, a bar, the time left, and a way to stop.

use leptos::prelude::*;

use super::button::Button;
use super::icon::Icon;
use crate::present::format;

/// How far a piece of work is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Work {
    /// What is done ("Indexing").
    pub title: String,
    /// Done so far.
    pub done: u64,
    /// Of how many; None while that is not known.
    pub total: Option<u64>,
    /// What is counted ("items"); None counts bytes.
    pub unit: Option<String>,
    /// Seconds left, where they can be told.
    pub seconds_left: Option<f64>,
    /// The rate and whatever else helps ("45 a second, 2 workers").
    pub note: String,
}

impl Work {
    /// The count in words: `318 of 497 items`, `31.2 MB of 45.3 MB`.
    pub fn count(&self) -> String {
        let say = |n: u64| if self.unit.is_some() { format::count(n) } else { format::bytes(n) };
        let unit = self.unit.as_deref().map(|u| format!(" {u}")).unwrap_or_default();
        match self.total {
            Some(total) => format!("{} of {}{unit}", say(self.done), say(total)),
            None => format!("{}{unit}", say(self.done)),
        }
    }

    /// The part done in per cent, 0 to 100.
    pub fn percent(&self) -> f64 {
        let total = self.total.unwrap_or(0).max(1) as f64;
        if self.total.is_some() { (self.done as f64 / total * 100.0).clamp(0.0, 100.0) } else { 0.0 }
    }
}

/// Progress of work that takes more than a second.
#[component]
pub fn Progress(
    /// How far it is.
    #[prop(into)]
    work: Signal<Work>,
    /// Stops it; without, there is no button.
    #[prop(optional, into)]
    on_cancel: Option<Callback<()>>,
    /// One more sentence.
    #[prop(optional, into)]
    help: Option<String>,
) -> impl IntoView {
    let left = move || work.with(|w| w.seconds_left.map(format::time_left).unwrap_or_default());
    view! {
        <div class="pad stack">
            <div class="row">
                <b class="strong">{move || work.with(|w| w.title.clone())}</b>
                <span class="two num">{move || work.with(Work::count)}</span>
                <span class="push"></span>
                {on_cancel.map(|on_press| view! { <Button label="Cancel" icon=Icon::Stop on_press/> })}
            </div>
            <div
                class="prog"
                role="progressbar"
                aria-label=move || work.with(|w| w.title.clone())
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=move || work.with(|w| w.total.map(|_| format!("{:.0}", w.percent())))
                aria-valuetext=move || work.with(Work::count)
            >
                <i style:--v=move || work.with(|w| format!("{:.1}%", w.percent()))></i>
            </div>
            <div class="row t12 three num">
                <span>{left}</span>
                <span class="push">{move || work.with(|w| w.note.clone())}</span>
            </div>
            {help.map(|text| view! { <p class="t12 three">{text}</p> })}
        </div>
    }
}
