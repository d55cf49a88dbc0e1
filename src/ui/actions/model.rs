//! The language model's server: how it is reached, its test, and describing the history with it.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use super::save::keep_knowledge;
use super::{answers, history, now};
use crate::browser::model::{FetchModel, local_network_permission};
use crate::llm::diagnosis::{Seen, Trial, diagnose};
use crate::llm::{self, Cached, Cancel, Endpoint, LlmError, Message, Request};
use crate::present::pace::Pace;
use crate::retrieval::Indexed;
use crate::retrieval::model::{Asking, describe};
use crate::ui::components::progress::Work;
use crate::ui::state::{ModelStatus, State};

/// Tokens that a test's answer may take; a reasoning model thinks first.
const TRIAL_TOKENS: u32 = 200;
/// Seconds that a test waits.
const TRIAL_S: u32 = 30;

/// The server that the settings name.
///
/// # Errors
/// One sentence that says what is missing or wrong.
pub fn server(state: State) -> Result<FetchModel, String> {
    let wanted = state.settings.with_untracked(|s| s.model.clone());
    if wanted.ask.model.trim().is_empty() && !wanted.address.trim().is_empty() {
        return Err("No model is chosen. Choose one in Settings, Model.".to_owned());
    }
    endpoint(state).map(|endpoint| FetchModel { endpoint, silence_s: wanted.silence_s })
}

fn endpoint(state: State) -> Result<Endpoint, String> {
    let (address, headers) =
        state.settings.with_untracked(|s| (s.model.address.clone(), s.model.headers.clone()));
    if address.trim().is_empty() {
        return Err("No model is set up. Enter a server in Settings, Model.".to_owned());
    }
    let key = state.key.get_untracked();
    Endpoint::new(&address)
        .and_then(|endpoint| endpoint.with_key(&key))
        .and_then(|endpoint| endpoint.with_headers(&headers))
        .map_err(|error| error.to_string())
}

/// Asks the server for its models and the chosen model for a few words, and says what it finds.
pub async fn test(state: State) {
    let endpoint = match endpoint(state) {
        Ok(endpoint) => endpoint,
        Err(why) => {
            let found = llm::diagnosis::wrong_address(&why);
            return state.model.set(ModelStatus::Tested(found));
        }
    };
    state.model.set(ModelStatus::Testing);
    let server = FetchModel { endpoint, silence_s: TRIAL_S };
    let cancel = Cancel::default();
    let models = server.models(&cancel).await;
    let hidden = match &models {
        Err(LlmError::Unreachable { .. } | LlmError::Silent(_)) => {
            Some((server.answers_at_all().await, local_network_permission().await))
        }
        _ => None,
    };
    let mut model = state.settings.with_untracked(|s| s.model.ask.model.clone());
    if let Ok(models) = &models {
        state.offered.set(models.clone());
        // A server with one model leaves no choice.
        if let [only] = models.as_slice()
            && model.is_empty()
        {
            model.clone_from(only);
            state.set(|s| s.model.ask.model.clone_from(only));
        }
    }
    let trial = match &models {
        Ok(models) if !model.is_empty() && (models.is_empty() || models.contains(&model)) => {
            Some(trial(&server, &model, &cancel).await)
        }
        _ => None,
    };
    let page = window().location().href().unwrap_or_default();
    let base = server.endpoint.base().to_owned();
    let found = diagnose(&Seen { page: &page, base: &base, model: &model, models, hidden, trial });
    state.said.set(found.title.clone());
    state.model.set(ModelStatus::Tested(found));
}

async fn trial(server: &FetchModel, model: &str, cancel: &Cancel) -> Result<Trial, LlmError> {
    let mut request = Request {
        model: model.to_owned(),
        messages: vec![Message::user(
            "Write the numbers from 1 to 5, with spaces between them, and nothing else.",
        )],
        max_tokens: TRIAL_TOKENS,
        logprobs: Some(1),
        ..Request::default()
    };
    let (started, mut pieces) = (now(), 0);
    let answer = llm::send(server, &mut request, &mut |_| pieces += 1, cancel).await?;
    let tokens = answer.usage.map_or_else(|| llm::tokens::estimate(&answer.text), |usage| usage.completion);
    Ok(Trial {
        took_ms: now() - started,
        tokens,
        streamed: pieces > 1,
        logprobs: !answer.logprobs.is_empty(),
    })
}

/// What describing the history with the model would cost, in one sentence.
pub fn cost_of_descriptions(state: State) -> Option<String> {
    let server = server(state).ok()?;
    let knowledge = state.knowledge.get()?;
    let schema = state.overview.with(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let (name, context_tokens) =
        state.settings.with(|s| (s.model.ask.model.clone(), s.model.ask.context_tokens));
    let cancel = Cancel::default();
    let asking = Asking { model: &server, name: &name, context_tokens, cancel: &cancel };
    let answers = state.answers.get_value();
    let cost = describe::cost(asking, &knowledge.base, &schema, &answers.borrow());
    Some(cost.sentence())
}

/// Has the model describe the history's queries and items, and indexes them again. What was described before a stop, or
/// before the page was left, is not asked for again.
pub async fn describe_history(state: State) {
    let (server, knowledge) = match (server(state), state.knowledge.get_untracked()) {
        (Ok(server), Some(knowledge)) => (server, knowledge),
        (Err(why), _) => return state.notify(why),
        (_, None) => return,
    };
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let (name, context_tokens) =
        state.settings.with_untracked(|s| (s.model.ask.model.clone(), s.model.ask.context_tokens));
    let cancel = Cancel::default();
    let opened = state.opened();
    state.stop.set(false);
    // The button that stops other work stops this one, too.
    let stopping = {
        let cancel = cancel.clone();
        Effect::new(move |_| {
            if state.stop.get() {
                cancel.cancel();
            }
        })
    };
    let known = state.answers.get_value();
    let remembering = Cached::new(&server, &known);
    let asking = Asking { model: &remembering, name: &name, context_tokens, cancel: &cancel };
    let mut base = knowledge.base.clone();
    let (mut pace, last) = (Pace::new(now()), Rc::new(Cell::new(0)));
    let on_progress = &mut |done: usize, total: usize| {
        // What another workspace shows is not of this work.
        if state.opened() != opened {
            return cancel.cancel();
        }
        last.set(done);
        pace.update(now(), done);
        state.work.set(Some(history::work("Describing", Some("queries"), done, total, &pace)));
        answers::keep_now_and_then(state);
    };
    on_progress(0, base.entries.len());
    let report = describe::describe(asking, &mut base, &schema, on_progress).await;
    stopping.dispose();
    answers::keep(state).await;
    if state.opened() != opened {
        return;
    }
    state.work.set(None::<Work>);
    // Another history may have taken the place of the one that was described.
    if !history::same(&Some(knowledge.clone()), &state.knowledge.get_untracked()) {
        return;
    }
    state.notify(report.sentence());
    let vectors = knowledge.known_vectors();
    state.knowledge.set(Some(Arc::new(Indexed::without_vectors(base))));
    keep_knowledge(state).await;
    if let Some((encoder, vectors)) = vectors {
        state.engine().embedder.remember(&encoder, vectors);
    }
    if state.opened() != opened {
        return;
    }
    history::index(state).await;
}
