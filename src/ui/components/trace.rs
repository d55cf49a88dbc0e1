//! The stages of one answer on one line: Retrieve 34 ms — Adapt — Run 12 ms.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::present::trace::{Step, StepState};

/// The stages in order. The words for screen readers include the state.
#[component]
pub fn Trace(
    /// The stages.
    #[prop(into)]
    steps: Signal<Vec<Step>>,
) -> impl IntoView {
    view! {
        <div class="trace">
            {move || {
                steps
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(i, step)| {
                        let (class, said) = match step.state {
                            StepState::Waiting => ("", ", not yet"),
                            StepState::Now => ("now", ", running"),
                            StepState::Done => ("done", ", done"),
                            StepState::Failed => ("c-bad", ", failed"),
                        };
                        let mark = match step.state {
                            StepState::Waiting => None,
                            StepState::Now => Some(view! { <span class="spin"></span> }.into_any()),
                            StepState::Done => Some(view! { <IconView icon=Icon::Check small=true/> }.into_any()),
                            StepState::Failed => Some(view! { <IconView icon=Icon::Close small=true/> }.into_any()),
                        };
                        view! {
                            {(i > 0).then(|| view! { <i class="sep"></i> })}
                            <span class=class>{mark}{step.text}<span class="sr">{said}</span></span>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}
