//! What happened, in one notice above the answer, with the stages on its way.

use leptos::prelude::*;

use crate::present::answer::adapted;
use crate::present::{format, model};
use crate::ui::components::icon::Icon;
use crate::ui::components::notice::Notice;
use crate::ui::components::tag::Tone;
use crate::ui::components::trace::{Stage as TraceStage, StageState, Trace};
use crate::ui::settings::Way;
use crate::ui::state::{Run, Stage, State, Trouble};

/// What happened, with the stages.
#[component]
pub fn What() -> impl IntoView {
    let state = State::here();
    let trace = move || {
        let stages = Signal::derive(move || stages(state));
        view! { <span class="not-phone"><Trace stages/></span> }
    };
    move || {
        let (tone, title, text) = happened(state);
        view! {
            <Notice tone icon=if tone == Tone::Neutral { Icon::History } else { tone.icon().unwrap_or(Icon::Warn) } title aside=trace>
                {text}
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

fn happened(state: State) -> (Tone, String, String) {
    state.run.with(|run| {
        if let Some(direct) = &run.direct
            && matches!(run.trouble, None | Some(Trouble::Model))
            && !run.edited
        {
            let told = model::told(direct, &run.model, &run.steps);
            let tone = match (direct.answer.is_ok(), told.less) {
                (false, _) => Tone::Bad,
                (true, true) => Tone::Warn,
                (true, false) => Tone::Neutral,
            };
            return (tone, told.title, told.text);
        }
        if let Some(trouble) = &run.trouble {
            return match trouble {
                Trouble::Adapt(error) => (Tone::Warn, error.to_string(), String::new()),
                Trouble::Model => (Tone::Bad, "The model gave no answer.".to_owned(), String::new()),
                Trouble::Db(error) => (Tone::Bad, error.to_string(), String::new()),
                Trouble::Other(text) => (Tone::Bad, text.clone(), String::new()),
            };
        }
        match (&run.stage, &run.answer) {
            _ if run.edited && (run.answer.is_some() || run.direct.is_some()) => {
                (Tone::Neutral, "Edited by hand.".to_owned(), String::new())
            }
            (_, Some(answer)) => {
                let told = adapted(answer);
                (if told.less { Tone::Warn } else { Tone::Neutral }, told.title, told.text)
            }
            (Stage::Retrieve, _) => (Tone::Neutral, "Looking for knowledge".to_owned(), encoder(state)),
            (Stage::Adapt, _) => (Tone::Neutral, "Adapting the nearest queries".to_owned(), String::new()),
            (Stage::Answer, _) => (
                Tone::Neutral,
                format!("{} is answering", run.model),
                "The query runs when it is complete.".to_owned(),
            ),
            (Stage::Run, _) => (Tone::Neutral, "Running".to_owned(), String::new()),
            _ => (Tone::Neutral, "Run by hand.".to_owned(), "No model was used.".to_owned()),
        }
    })
}

/// What the encoder is doing while a question waits for it.
fn encoder(state: State) -> String {
    use crate::ui::state::EncoderStatus;
    match state.encoder.get() {
        EncoderStatus::Loading(work) if work.total.is_some() => {
            format!("{} {}. Once only, kept in this browser.", work.title, work.count())
        }
        EncoderStatus::Loading(work) => work.title,
        _ => String::new(),
    }
}

fn stages(state: State) -> Vec<TraceStage> {
    state.run.with(|run| {
        if run.way != Way::Adapt {
            return model_stages(run);
        }
        let order = [
            (Stage::Retrieve, "Retrieve", run.retrieved.is_some().then_some(run.retrieve_ms)),
            (Stage::Adapt, "Adapt", None),
            (Stage::Run, "Run", run.result.as_ref().map(|r| r.elapsed_ms)),
            (Stage::Score, "Score", None),
        ];
        order
            .into_iter()
            .filter(|(stage, _, _)| {
                *stage != Stage::Score || run.score.is_some() || run.stage == Stage::Score
            })
            .filter(|(stage, _, _)| run.answer.is_some() || run.retrieved.is_some() || *stage != Stage::Adapt)
            .map(|(stage, name, ms)| {
                let done = match stage {
                    Stage::Retrieve => run.retrieved.is_some(),
                    Stage::Adapt => run.answer.is_some(),
                    Stage::Run => run.result.is_some(),
                    _ => run.score.is_some(),
                };
                let failed = run.trouble.is_some() && run.stage == Stage::Done && !done;
                let state = match (done, failed, run.stage == stage) {
                    (true, _, _) => StageState::Done,
                    (_, true, _) => StageState::Failed,
                    (_, _, true) => StageState::Now,
                    _ => StageState::Waiting,
                };
                let text = match ms {
                    Some(ms) if done => format!("{name} {}", format::duration(ms)),
                    _ => name.to_owned(),
                };
                TraceStage { text, state }
            })
            .collect()
    })
}

/// The stages of an answer by a model.
fn model_stages(run: &Run) -> Vec<TraceStage> {
    let (_, took_ms) = run.answer_ms;
    let speed = f64::from(run.tokens) / (took_ms / 1000.0).max(0.001);
    let prompt = run.prompt.as_ref().map(|p| format!("Prompt {} tokens", format::count(u64::from(p.tokens))));
    let answer = (run.tokens > 0).then(|| format!("Answer {} tokens, {speed:.0}/s", run.tokens));
    let rows = run.result.as_ref().map(|r| format!("Run {}", format::duration(r.elapsed_ms)));
    let ended = run.direct.is_some() || run.trouble.is_some();
    let mut stages = vec![
        (
            "Retrieve",
            run.retrieved.as_ref().map(|_| format!("Retrieve {}", format::duration(run.retrieve_ms))),
            run.stage == Stage::Retrieve,
        ),
        ("Prompt", prompt, false),
        ("Answer", answer, run.stage == Stage::Answer),
        ("Run", rows, run.stage == Stage::Run),
    ];
    if run.score.is_some() || run.stage == Stage::Score {
        stages.push(("Score", run.score.as_ref().map(|_| "Score".to_owned()), run.stage == Stage::Score));
    }
    stages
        .into_iter()
        .map(|(name, done, now)| {
            let state = match (&done, now) {
                (_, true) => StageState::Now,
                (Some(_), false) => StageState::Done,
                (None, false) if ended && run.stage == Stage::Done => StageState::Failed,
                (None, false) => StageState::Waiting,
            };
            TraceStage { text: done.unwrap_or_else(|| name.to_owned()), state }
        })
        .collect()
}
