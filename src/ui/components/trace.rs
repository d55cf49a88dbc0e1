//! The stages of one answer on one line: Retrieve 34 ms — Adapt — Run 12 ms.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageState {
    /// Not begun.
    Waiting,
    /// At work.
    Now,
    /// Done.
    Done,
    /// Failed.
    Failed,
}

/// A stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name and figure ("Retrieve 34 ms").
    pub text: String,
    /// Where it stands.
    pub state: StageState,
}

/// The stages in order. The words for screen readers include the state.
#[component]
pub fn Trace(
    /// The stages.
    #[prop(into)]
    stages: Signal<Vec<Stage>>,
) -> impl IntoView {
    view! {
        <div class="trace">
            {move || {
                stages
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(i, stage)| {
                        let (class, said) = match stage.state {
                            StageState::Waiting => ("", ", not yet"),
                            StageState::Now => ("now", ", running"),
                            StageState::Done => ("done", ", done"),
                            StageState::Failed => ("c-bad", ", failed"),
                        };
                        let mark = match stage.state {
                            StageState::Waiting => None,
                            StageState::Now => Some(view! { <span class="spin"></span> }.into_any()),
                            StageState::Done => Some(view! { <IconView icon=Icon::Check small=true/> }.into_any()),
                            StageState::Failed => Some(view! { <IconView icon=Icon::Close small=true/> }.into_any()),
                        };
                        view! {
                            {(i > 0).then(|| view! { <i class="sep"></i> })}
                            <span class=class>{mark}{stage.text}<span class="sr">{said}</span></span>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}
