//! A choice among values, each with its words.

use leptos::prelude::*;

use super::field::Select;

/// One of a few values. The browser's list knows them by their place, so a value needs no text of its own.
#[component]
pub fn Choice<T: Clone + PartialEq + Send + Sync + 'static>(
    /// Its name, read out.
    #[prop(into)]
    label: String,
    /// The values with their words.
    choices: Signal<Vec<(T, String)>>,
    /// The value chosen.
    value: Signal<T>,
    /// Receives the value chosen.
    on_change: Callback<T>,
    /// Classes of the box ("quiet", "not-phone").
    #[prop(optional, into)]
    class: &'static str,
) -> impl IntoView {
    let options = Signal::derive(move || {
        choices.with(|choices| {
            let options =
                choices.iter().enumerate().map(|(place, (_, words))| (place.to_string(), words.clone()));
            options.collect::<Vec<_>>()
        })
    });
    let chosen = Signal::derive(move || {
        let place =
            choices.with(|choices| value.with(|v| choices.iter().position(|(choice, _)| choice == v)));
        place.map(|place| place.to_string()).unwrap_or_default()
    });
    let choose = Callback::new(move |place: String| {
        let found = place.parse::<usize>().ok();
        let found =
            found.and_then(|place| choices.with_untracked(|c| c.get(place).map(|(value, _)| value.clone())));
        if let Some(value) = found {
            on_change.run(value);
        }
    });
    view! { <Select label options value=chosen on_change=choose class/> }
}
