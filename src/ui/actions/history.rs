//! Adding a history and indexing it.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::{Blob, File};

use super::save::{keep_knowledge, load_knowledge};
use super::{SLICE_MS, breathe, encoder, now, workspace};
use crate::browser::storage;
use crate::history::import::{self, Plan};
use crate::history::{Builder, store};
use crate::retrieval::Indexed;
use crate::ui::components::progress::Work;
use crate::ui::settings::Settings;
use crate::ui::state::{Import, State};
use crate::workspace::archive;

/// Looks at a history file and shows how it would be read; a knowledge base is opened at once, and so is a workspace,
/// which brings its history along.
pub async fn pick(state: State, file: File) {
    let head = storage::range(&file, 0, archive::HEAD_BYTES).await.unwrap_or_default();
    if archive::is_archive(&file.name(), &head) {
        return workspace::open_file(state, file).await;
    }
    match storage::bytes(&file).await {
        Ok(bytes) => look(state, &file.name(), bytes).await,
        Err(error) => state.notify(error.to_string()),
    }
}

/// Takes in a history that a link names: as [`pick`], and read at once where it leaves no choice.
pub(super) async fn take(state: State, name: &str, blob: &Blob) {
    match storage::bytes(blob).await {
        Ok(bytes) => look(state, name, bytes).await,
        Err(error) => return state.notify(error.to_string()),
    }
    let plan = state.import.with_untracked(|import| import.as_ref().and_then(|i| i.plan.clone().ok()));
    if let Some(plan) = plan.filter(|plan| plan.databases.len() < 2) {
        read(state, plan).await;
    }
}

async fn look(state: State, name: &str, bytes: Vec<u8>) {
    // A knowledge base that this page or the command line wrote needs no reading.
    if store::from_json(&bytes).is_ok() {
        load_knowledge(state, &bytes);
        state.report.set(None);
        keep_knowledge(state).await;
    } else {
        let plan = import::inspect(name, &bytes);
        state.import.set(Some(Import { bytes: Arc::new(bytes), plan }));
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
    let opened = state.opened();
    state.stop.set(false);
    let start = now();
    loop {
        let slice = now();
        let mut more = true;
        while more && now() - slice < SLICE_MS {
            more = builder.step();
        }
        if !more || state.stop.get_untracked() || state.opened() != opened {
            break;
        }
        let (done, total) = builder.progress();
        state.work.set(Some(work("Reading", "queries", done, total, now() - start)));
        breathe().await;
    }
    if state.opened() != opened {
        return;
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
    if state.opened() != opened {
        return;
    }
    index(state).await;
}

/// Embeds whatever has no vector yet; what was embedded before a stop is not embedded again.
pub async fn index(state: State) {
    let Some(knowledge) = state.knowledge.get_untracked() else { return };
    let texts = knowledge.base.texts();
    let all: Vec<String> = texts.queries.iter().chain(&texts.items).cloned().collect();
    let opened = state.opened();
    state.stop.set(false);
    let start = now();
    let engine = state.engine();
    if let Some((encoder, vectors)) = knowledge.known_vectors() {
        engine.embedder.remember(&encoder, vectors);
    }
    // Another workspace may be opened meanwhile: these vectors are not of its history.
    let here = move || state.opened() == opened;
    let progress = move |done: usize, total: usize| {
        if !here() {
            return;
        }
        state.work.set(Some(work("Indexing", "texts", done, total, now() - start)));
    };
    let stopped = move || state.stop.get_untracked() || !here();
    progress(0, all.len());
    let wish = state.settings.with_untracked(Settings::wish);
    let report = |status| encoder::report(state, status);
    let made = engine.embedder.bulk(&wish, &all, &progress, &stopped, &report).await;
    if !here() {
        return;
    }
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
