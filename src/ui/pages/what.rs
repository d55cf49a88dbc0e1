//! What happened, in one notice above the answer, with the stages on its way.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::present::told::{Course, Outcome, Told, happened};
use crate::present::trace::{Progress, Step, steps};
use crate::sql::Schema;
use crate::ui::actions::ask;
use crate::ui::components::icon::Icon;
use crate::ui::components::notice::Notice;
use crate::ui::components::tag::Tone;
use crate::ui::components::trace::Trace;
use crate::ui::settings::Way;
use crate::ui::state::{EncoderStatus, State};

/// What happened, with the stages.
#[component]
pub fn What() -> impl IntoView {
    let state = State::here();
    let trace = move || {
        let steps = Signal::derive(move || stages(state));
        view! { <Trace steps/> }
    };
    // The answer before an edit, which is one press away.
    let edited =
        Memo::new(move |_| state.run.with(|r| r.edited && (r.answer.is_some() || r.direct.is_some())));
    move || {
        let (outcome, Told { title, text, .. }) = told(state);
        let (tone, icon) = match outcome {
            Outcome::Whole => (Tone::Neutral, Icon::History),
            Outcome::Less => (Tone::Warn, Icon::Warn),
            Outcome::Nothing => (Tone::Bad, Icon::Bad),
        };
        view! {
            <Notice tone icon title aside=trace>
                {text}
                <Show when=move || edited.get()>
                    " "
                    <button type="button" class="link" on:click=move |_| spawn_local(ask::restore(state))>
                        "Back to the answer"
                    </button>
                </Show>
                <Show when=move || state.run.with(|r| r.prompt.is_some())>
                    " "
                    <button type="button" class="link" on:click=move |_| open_prompt(state)>"See the prompt"</button>
                </Show>
            </Notice>
        }
    }
}

/// Shows the prompt in the inspector.
pub fn open_prompt(state: State) {
    state.selected.set(None);
    state.prompt_open.set(true);
}

fn told(state: State) -> (Outcome, Told) {
    let encoder = encoder(state);
    let none = Schema::default();
    state.overview.with(|overview| {
        state.run.with(|run| {
            happened(Course {
                stage: run.stage,
                answer: run.answer.as_deref(),
                direct: run.direct.as_deref(),
                trouble: run.trouble.as_ref(),
                sql: &run.sql,
                edited: run.edited,
                model: &run.model,
                steps: &run.steps,
                encoder: &encoder,
                schema: overview.as_ref().map_or(&none, |overview| &overview.schema),
            })
        })
    })
}

/// What the encoder is doing while a question waits for it.
fn encoder(state: State) -> String {
    match state.encoder.get() {
        EncoderStatus::Loading(work) if work.total.is_some() => {
            format!("{} {}. Once only, kept in this browser.", work.title, work.count())
        }
        EncoderStatus::Loading(work) => work.title,
        _ => String::new(),
    }
}

fn stages(state: State) -> Vec<Step> {
    state.run.with(|run| {
        steps(&Progress {
            by_model: run.way != Way::Adapt,
            stage: run.stage,
            retrieved_ms: run.retrieved.is_some().then_some(run.retrieve_ms),
            adapted: run.answer.is_some(),
            prompt_tokens: run.prompt.as_ref().map(|prompt| prompt.tokens),
            written: (run.tokens, run.answer_ms),
            ran_ms: run.result.as_ref().map(|result| result.elapsed_ms),
            scored: run.score.is_some(),
            ended: run.direct.is_some() || run.trouble.is_some(),
            stale: run.stale,
        })
    })
}
