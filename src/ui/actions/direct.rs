//! Asking a language model.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::ask::{Asking, not_indexed};
use super::{answers, encoder, model, now};
use crate::history::KnowledgeBase;
use crate::llm::{Cancel, Delta, tokens};
use crate::pipeline::Answered;
use crate::pipeline::direct::{Event, Inputs, Shot, direct};
use crate::present::pace::Pace;
use crate::retrieval::model::{self as steps, By, Found, retrieve_with};
use crate::retrieval::{Retrieved, retrieve_question};
use crate::ui::settings::Settings;
use crate::ui::state::{Run, Stage, Trouble};

/// Milliseconds between two looks at a growing answer.
const SHOW_EVERY_MS: f64 = 80.0;

/// Asks the model of the settings.
pub(super) async fn ask(asking: &Asking) -> Result<Arc<Answered>, Trouble> {
    let cancel = asking.state.cancel.get_value();
    let (retrieved, shots) = retrieve(asking, &cancel).await?;
    asking.update(|r| r.retrieved = Some(Arc::new(retrieved)));
    answer(asking, &shots, &cancel).await
}

/// What the history knows about the question, and the examples for the prompt; nothing where there is no history.
pub(super) async fn retrieve(asking: &Asking, cancel: &Cancel) -> Result<(Retrieved, Vec<Shot>), Trouble> {
    let state = asking.state;
    let settings = state.settings.get_untracked();
    let knowledge = state.knowledge.get_untracked();
    let Some(knowledge) = knowledge.as_deref() else { return Ok((Retrieved::default(), Vec::new())) };
    let Some(index) = knowledge.index_of(&settings.encoder) else {
        return Err(not_indexed(&settings.encoder));
    };
    let knowledge = &knowledge.base;
    let started = now();
    let question = asking.question();
    let engine = state.engine();
    let report = |status| encoder::report(state, status);
    let embedder = engine.embedder.port(settings.wish(), &report);
    let failed = |error: crate::ports::EmbedError| Trouble::Other(error.to_string());
    let wanted = settings.model.steps;
    let (retrieved, shots) = if wanted.phrases || wanted.rerank {
        let server = model::server(state).map_err(Trouble::Other)?;
        let known = state.answers.get_value();
        let remembering = crate::llm::Cached::new(&server, &known);
        let by = steps::Asking {
            model: &remembering,
            name: &settings.model.ask.model,
            context_tokens: settings.model.ask.context_tokens,
            cancel,
        };
        let schema =
            state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
        let found =
            retrieve_with(by, wanted, &embedder, index, knowledge, &schema, &question, settings.retrieval);
        let found = found.await;
        spawn_local(answers::keep(state));
        let Found { retrieved, picks, phrases, rerank, .. } = found.map_err(failed)?;
        let shots = match &rerank {
            By::Model { .. } => picks.iter().map(Shot::from).collect(),
            _ => settings.model.shots.of(&retrieved),
        };
        asking.update(|r| r.steps = vec![("Key phrases", phrases), ("Reranking", rerank)]);
        (retrieved, shots)
    } else {
        let found = retrieve_question(&embedder, index, knowledge, &question, settings.retrieval);
        let retrieved = found.await.map_err(failed)?;
        let shots = settings.model.shots.of(&retrieved);
        (retrieved, shots)
    };
    asking.update(|r| r.retrieve_ms = now() - started);
    Ok((retrieved, shots))
}

/// The model's answer with these examples, shown as it is written.
pub(super) async fn answer(
    asking: &Asking,
    shots: &[Shot],
    cancel: &Cancel,
) -> Result<Arc<Answered>, Trouble> {
    let state = asking.state;
    let Settings { model: wanted, limits, .. } = state.settings.get_untracked();
    let server = model::server(state).map_err(Trouble::Other)?;
    let overview = state.overview.get_untracked();
    let Some(overview) = overview else { return Err(Trouble::Other("Open a database first.".to_owned())) };
    let knowledge = state.knowledge.get_untracked();
    let empty = KnowledgeBase::default();
    let question = asking.question();
    let inputs = Inputs {
        question: &question,
        schema: &overview.schema,
        tables: &overview.tables,
        knowledge: knowledge.as_ref().map_or(&empty, |k| &k.base),
        shots,
    };
    let pending = RefCell::new(Pending::new());
    let heard = |event: &Event<'_>| match event {
        Event::Stage(_) => {}
        Event::Prompt(prompt) => asking.update(|r| {
            r.prompt = Some(Arc::new((*prompt).clone()));
            r.model.clone_from(&wanted.ask.model);
            r.stage = Stage::Answer;
            r.answer_ms = 0.0;
            pending.borrow_mut().pace = Pace::new(now());
        }),
        Event::Delta(_, delta) => {
            let mut pending = pending.borrow_mut();
            pending.hear(delta);
            if now() - pending.shown_at > SHOW_EVERY_MS {
                asking.update(|r| pending.show(r));
            }
        }
        // A second attempt writes anew.
        Event::Attempt(_) => asking.update(|r| {
            pending.borrow_mut().show(r);
            r.streamed.clear();
        }),
    };
    let engine = state.engine();
    let answered = direct(&inputs, &wanted.ask, &server, &engine.database, limits, &heard, cancel).await;
    Ok(Arc::new(Answered::Direct(Box::new(answered))))
}

/// Pieces of an answer that are not shown yet: a fast model writes more often than a page can be drawn.
struct Pending {
    text: String,
    tokens: u32,
    shown_at: f64,
    /// While the computer sleeps no time of an answer passes.
    pace: Pace,
}

impl Pending {
    fn new() -> Self {
        Self { text: String::new(), tokens: 0, shown_at: 0.0, pace: Pace::new(now()) }
    }

    fn hear(&mut self, delta: &Delta) {
        let (Delta::Text(text) | Delta::Reasoning(text)) = delta;
        self.tokens += tokens::estimate(text);
        if let Delta::Text(text) = delta {
            self.text.push_str(text);
        }
    }

    fn show(&mut self, run: &mut Run) {
        self.shown_at = now();
        run.tokens += std::mem::take(&mut self.tokens);
        self.pace.update(self.shown_at, run.tokens as usize);
        run.answer_ms = self.pace.worked_ms();
        run.streamed.push_str(&std::mem::take(&mut self.text));
    }
}
