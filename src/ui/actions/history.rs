//! Adding a history and indexing it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, File};

use super::save::{keep_knowledge, put_knowledge, read_knowledge};
use super::{SLICE_MS, breathe, encoder, now, workspace};
use crate::browser::embedder::Wish;
use crate::browser::storage;
use crate::history::Builder;
use crate::history::import::{self, Plan};
use crate::history::store::{self, StoreError};
use crate::ports::EmbedError;
use crate::retrieval::Indexed;
use crate::ui::components::progress::Work;
use crate::ui::settings::Settings;
use crate::ui::state::{Import, State};
use crate::workspace::archive;

const INDEXING: &str = "Indexing";

/// Looks at a history file and shows how it would be read; a knowledge base is opened at once, and so is a workspace,
/// which brings its history along.
pub async fn pick(state: State, file: File) {
    let opened = state.opened();
    let head = storage::range(&file, 0, archive::HEAD_BYTES).await.unwrap_or_default();
    if archive::is_archive(&file.name(), &head) {
        return workspace::open_file(state, file).await;
    }
    match storage::bytes(&file).await {
        // Another workspace may have been opened meanwhile: the file was not picked for that one.
        _ if state.opened() != opened => {}
        Ok(bytes) => look(state, &file.name(), bytes).await,
        Err(error) => state.notify(error.to_string()),
    }
}

/// Takes in a history that a link names: as [`pick`], and read at once where it leaves no choice.
pub(super) async fn take(state: State, name: &str, blob: &Blob) {
    let opened = state.opened();
    match storage::bytes(blob).await {
        _ if state.opened() != opened => return,
        Ok(bytes) => look(state, name, bytes).await,
        Err(error) => return state.notify(error.to_string()),
    }
    if state.opened() != opened {
        return;
    }
    let plan = state.import.with_untracked(|import| import.as_ref().and_then(|i| i.plan.clone().ok()));
    if let Some(plan) = plan.filter(|plan| plan.databases.len() < 2) {
        read(state, plan).await;
    }
}

async fn look(state: State, name: &str, bytes: Vec<u8>) {
    match store::from_json(&bytes) {
        Err(StoreError::NotKnowledge) => {
            let plan = import::inspect(name, &bytes);
            state.import.set(Some(Import { bytes: Arc::new(bytes), plan }));
        }
        // A knowledge base that this page or the command line wrote needs no reading; of one that is damaged or newer
        // it is said what is wrong.
        _ => replace(state, &bytes).await,
    }
}

/// Puts a knowledge base in place of the open history, which Undo brings back.
async fn replace(state: State, bytes: &[u8]) {
    match read_knowledge(bytes) {
        Ok(new) => put(state, Some(Arc::new(new)), "The history was replaced").await,
        Err(error) => state.notify(error),
    }
}

/// Takes the open history away, which Undo brings back; the database stays.
pub async fn remove(state: State) {
    put(state, None, "The history was removed").await;
}

async fn put(state: State, new: Option<Arc<Indexed>>, said: &str) {
    // What is made of the history before is of no more use.
    state.stop.set(true);
    let before = state.knowledge.get_untracked();
    let (reports, opened) = (state.reports.get_untracked(), state.opened());
    state.reports.set(Vec::new());
    put_knowledge(state, new);
    if before.is_some() {
        state.toasts.removed(said, move || {
            // Another workspace has its own history.
            if state.opened() != opened {
                return state.said.set("Another database is open. Nothing was changed.".to_owned());
            }
            state.stop.set(true);
            state.reports.set(reports.clone());
            put_knowledge(state, before.clone());
            spawn_local(keep_knowledge(state));
        });
    }
    keep_knowledge(state).await;
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
    if !same(&before, &state.knowledge.get_untracked()) {
        // Another history took the place of the one that was read onto.
        return state.work.set(None);
    }
    let (base, report) = builder.finish();
    let (nothing, stopped) = (report.kept + report.merged == 0, report.unread > 0);
    state.reports.update(|reports| reports.insert(0, Arc::new(report)));
    if nothing {
        state.work.set(None);
        let why = if stopped { "Reading was stopped." } else { "No query could be read." };
        state.said.set(format!("{why} Nothing was changed."));
        return state.reading_report.set(true);
    }
    state.said.set("The history is read.".to_owned());
    put_knowledge(state, Some(Arc::new(Indexed::without_vectors(base))));
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

/// Whether two histories are one and the same.
pub(super) fn same(a: &Option<Arc<Indexed>>, b: &Option<Arc<Indexed>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Embeds whatever has no vector yet; what was embedded before a stop is not embedded again. What is edited meanwhile
/// is embedded, too.
pub async fn index(state: State) {
    let opened = state.opened();
    state.stop.set(false);
    while state.opened() == opened {
        let Some(knowledge) = state.knowledge.get_untracked() else { break };
        let wish = state.settings.with_untracked(Settings::wish);
        let made = embed(state, &knowledge, &wish).await;
        // Another workspace may have been opened meanwhile: these vectors are not of its history.
        if state.opened() != opened {
            return;
        }
        let vectors = match made {
            Ok(vectors) => vectors,
            Err(error) => {
                state.work.set(None);
                return state.notify(error.to_string());
            }
        };
        // The history may have changed meanwhile; what of its texts is the same is not embedded again.
        let now = state.knowledge.get_untracked();
        let Some(now) = now.filter(|now| now.base.texts() == knowledge.base.texts()) else { continue };
        state.work.set(None);
        match Indexed::with_vectors(now.base.clone(), &wish.encoder, vectors) {
            Ok(indexed) => {
                state.knowledge.set(Some(Arc::new(indexed)));
                state.said.set("The history is indexed.".to_owned());
                keep_knowledge(state).await;
            }
            Err(error) => state.notify(error.to_string()),
        }
        return;
    }
}

async fn embed(state: State, knowledge: &Indexed, wish: &Wish) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts = knowledge.base.texts();
    let all: Vec<String> = texts.queries.iter().chain(&texts.items).cloned().collect();
    let opened = state.opened();
    let start = now();
    let engine = state.engine();
    if let Some((encoder, vectors)) = knowledge.known_vectors() {
        engine.embedder.remember(&encoder, vectors);
    }
    let here = move || state.opened() == opened;
    let progress = move |done: usize, total: usize| {
        if here() {
            state.work.set(Some(work(INDEXING, "texts", done, total, now() - start)));
        }
    };
    let stopped = move || state.stop.get_untracked() || !here();
    progress(0, all.len());
    let report = |status| encoder::report(state, status);
    engine.embedder.bulk(wish, &all, &progress, &stopped, &report).await
}

/// Whether the work is indexing, which takes in what is edited meanwhile.
pub fn is_indexing(work: &Work) -> bool {
    work.title == INDEXING
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
