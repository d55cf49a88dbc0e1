//! Adding a history and indexing it.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::File;

use super::save::{keep_knowledge, load_knowledge};
use super::{SLICE_MS, breathe, encoder, now};
use crate::browser::storage;
use crate::history::import::{self, Plan};
use crate::history::{Builder, store};
use crate::retrieval::Indexed;
use crate::ui::components::progress::Work;
use crate::ui::settings::Settings;
use crate::ui::state::{Import, State};

/// Looks at a history file and shows how it would be read; a knowledge base is opened at once.
pub async fn pick(state: State, file: File) {
    match storage::bytes(&file).await {
        // A knowledge base that this page or the command line wrote needs no reading.
        Ok(bytes) if store::from_json(&bytes).is_ok() => {
            load_knowledge(state, &bytes);
            state.report.set(None);
            keep_knowledge(state).await;
        }
        Ok(bytes) => {
            let plan = import::inspect(&file.name(), &bytes);
            state.import.set(Some(Import { bytes: Arc::new(bytes), plan }));
        }
        Err(error) => state.notify(error.to_string()),
    }
}

/// Reads the picked file as `plan` says, on top of the history that is there, and indexes it.
pub async fn read(state: State, plan: Plan) {
    let Some(picked) = state.import.get_untracked() else { return };
    let history = match import::read(&picked.bytes, &plan) {
        Ok(history) => history,
        Err(error) => {
            return state.import.set(Some(Import { bytes: picked.bytes, plan: Err(error) }));
        }
    };
    state.import.set(None);
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let before = state.knowledge.get_untracked();
    let base = before.as_ref().map(|k| k.base.clone()).unwrap_or_default();
    let mut builder = Builder::onto(base, history, schema);
    state.stop.set(false);
    let start = now();
    loop {
        let slice = now();
        let mut more = true;
        while more && now() - slice < SLICE_MS {
            more = builder.step();
        }
        if !more || state.stop.get_untracked() {
            break;
        }
        let (done, total) = builder.progress();
        state.work.set(Some(work("Reading", "queries", done, total, now() - start)));
        breathe().await;
    }
    let (base, report) = builder.finish();
    state.report.set(Some(Arc::new(report)));
    state.said.set("The history is read.".to_owned());
    state.knowledge.set(Some(Arc::new(Indexed::without_vectors(base))));
    keep_knowledge(state).await;
    // Texts that were embedded before need no second time.
    if let Some((encoder, vectors)) = before.and_then(|k| k.known_vectors()) {
        state.engine().embedder.remember(&encoder, vectors);
    }
    index(state).await;
}

/// Embeds whatever has no vector yet; what was embedded before a stop is not embedded again.
pub async fn index(state: State) {
    let Some(knowledge) = state.knowledge.get_untracked() else { return };
    let texts = knowledge.base.texts();
    let all: Vec<String> = texts.queries.iter().chain(&texts.items).cloned().collect();
    state.stop.set(false);
    let start = now();
    let engine = state.engine();
    if let Some((encoder, vectors)) = knowledge.known_vectors() {
        engine.embedder.remember(&encoder, vectors);
    }
    let progress = move |done: usize, total: usize| {
        state.work.set(Some(work("Indexing", "texts", done, total, now() - start)));
    };
    let stopped = move || state.stop.get_untracked();
    progress(0, all.len());
    let wish = state.settings.with_untracked(Settings::wish);
    let report = |status| encoder::report(state, status);
    let made = engine.embedder.bulk(&wish, &all, &progress, &stopped, &report).await;
    state.work.set(None);
    match made {
        Ok(vectors) => {
            // The history may have grown meanwhile; these vectors belong to the one that was read above.
            match Indexed::with_vectors(knowledge.base.clone(), &wish.encoder, vectors) {
                Ok(indexed) => {
                    state.knowledge.set(Some(Arc::new(indexed)));
                    state.said.set("The history is indexed.".to_owned());
                    keep_knowledge(state).await;
                }
                Err(error) => state.notify(error.to_string()),
            }
        }
        Err(error) => state.notify(error.to_string()),
    }
}

/// How far a piece of work is, with its rate and the time left.
pub(super) fn work(title: &str, unit: &str, done: usize, total: usize, elapsed_ms: f64) -> Work {
    let seconds = elapsed_ms / 1000.0;
    let rate = if seconds > 0.0 { done as f64 / seconds } else { 0.0 };
    Work {
        title: title.to_owned(),
        done: done as u64,
        total: Some(total as u64),
        unit: Some(unit.to_owned()),
        // An estimate from less than a second's work would jump about.
        seconds_left: (seconds > 1.0 && done > 0).then(|| (total - done.min(total)) as f64 / rate),
        note: if seconds > 1.0 { format!("{rate:.0} a second") } else { String::new() },
    }
}
