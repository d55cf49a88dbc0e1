//! Adding a history and indexing it.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, File};

use super::save::{keep_knowledge, keep_removed, put_knowledge, read_knowledge};
use super::{SLICE_MS, breathe, encoder, now, workspace};
use crate::browser::embedder::Wish;
use crate::browser::storage;
use crate::history::import::{self, Counting, ImportError, Inspection, Plan, RawHistory, Reading, Source};
use crate::history::store::{self, StoreError};
use crate::history::{Builder, Stepwise};
use crate::ports::EmbedError;
use crate::present::format;
use crate::present::pace::Pace;
use crate::retrieval::Indexed;
use crate::ui::components::progress::Work;
use crate::ui::settings::Settings;
use crate::ui::state::{Import, State};
use crate::workspace::archive;

const INDEXING: &str = "Indexing";
const STOPPED: &str = "Reading was stopped. Nothing was changed.";
/// Work that is over sooner shows no progress.
const SHOWN_AFTER_MS: f64 = 300.0;

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
    // A knowledge base that this page or the command line wrote needs no reading; of one that is damaged or newer it is
    // said what is wrong.
    if !matches!(store::from_json(&bytes), Err(StoreError::NotKnowledge)) {
        return replace(state, &bytes).await;
    }
    let opened = state.opened();
    state.stop.set(false);
    let plan = inspect(state, name, &bytes).await;
    if state.opened() != opened {
        return;
    }
    state.work.set(None);
    match plan.transpose() {
        Some(plan) => state.import.set(Some(Import { bytes: Arc::new(bytes), plan })),
        None => state.said.set(STOPPED.to_owned()),
    }
}

/// How a file can be read; None where looking was stopped.
async fn inspect(state: State, name: &str, bytes: &[u8]) -> Result<Option<Plan>, ImportError> {
    let text = import::decode(bytes)?;
    let source = Source::look(name, &text)?;
    let mut inspection = Inspection::new(&source)?;
    match in_slices(state, "Looking through the file", None, &mut inspection).await {
        true => inspection.finish().map(Some),
        false => Ok(None),
    }
}

/// The databases that the rows of a picked file name, by the mapping of `plan`; None where counting was stopped, or
/// another workspace opened meanwhile.
pub async fn databases(
    state: State,
    bytes: &[u8],
    plan: &Plan,
) -> Result<Option<Vec<(String, usize)>>, ImportError> {
    let text = import::decode(bytes)?;
    let source = Source::planned(plan, &text)?;
    let mut counting = Counting::new(&source, plan);
    let opened = state.opened();
    state.stop.set(false);
    let whole = in_slices(state, "Counting the databases", None, &mut counting).await;
    if state.opened() == opened {
        state.work.set(None);
    }
    Ok(whole.then(|| counting.finish()))
}

/// The records of a file; None where reading was stopped.
async fn records(state: State, bytes: &[u8], plan: &Plan) -> Result<Option<RawHistory>, ImportError> {
    let text = import::decode(bytes)?;
    let source = Source::planned(plan, &text)?;
    let mut reading = Reading::new(&source, plan)?;
    Ok(in_slices(state, "Reading", None, &mut reading).await.then(|| reading.finish()))
}

/// Does long work, a slice at a time, and shows how far it is (in bytes, where it counts nothing else). False where it
/// was stopped, or another workspace was opened.
async fn in_slices(state: State, title: &str, unit: Option<&str>, job: &mut impl Stepwise) -> bool {
    let opened = state.opened();
    let start = now();
    let mut pace = Pace::new(start);
    loop {
        let slice = now();
        let mut more = true;
        while more && now() - slice < SLICE_MS {
            more = job.step();
        }
        if !more {
            return true;
        }
        if state.stop.get_untracked() || state.opened() != opened {
            return false;
        }
        let (done, total) = job.progress();
        pace.update(now(), done);
        // What is over at once is not worth the flicker.
        if now() - start > SHOWN_AFTER_MS {
            state.work.set(Some(work(title, unit, done, total, &pace)));
        }
        breathe().await;
    }
}

/// Puts a knowledge base in place of the open history, which Undo brings back.
async fn replace(state: State, bytes: &[u8]) {
    match read_knowledge(bytes) {
        Ok(new) => put(state, Some(Arc::new(new)), "The history was replaced").await,
        Err(error) => state.notify(error),
    }
}

/// Takes the open history away; the database stays, and the history can be brought back until another one is removed.
pub async fn remove(state: State) {
    let Some(before) = state.knowledge.get_untracked() else { return };
    keep_removed(state, before).await;
    put(state, None, "The history was removed").await;
}

/// Brings the removed history back where there is none now.
pub async fn bring_back(state: State) {
    if state.knowledge.with_untracked(Option::is_none)
        && let Some(before) = state.removed_history.get_untracked()
    {
        put_knowledge(state, Some(before));
        keep_knowledge(state).await;
    }
}

async fn put(state: State, new: Option<Arc<Indexed>>, said: &str) {
    // What is made of the history before is of no more use.
    state.stop.set(true);
    let before = state.knowledge.get_untracked();
    let (reports, opened) = (state.reports.get_untracked(), state.opened());
    state.reports.set(Vec::new());
    put_knowledge(state, new);
    let history = state.another_history();
    if before.is_some() {
        state.toasts.removed(said, move || {
            // Another workspace has its own history, and what was read since is not to be lost.
            if state.opened() != opened {
                return state.notify("Another database is open. Nothing was changed.".to_owned());
            }
            if state.histories.get_value() != history {
                return state.notify("The history has changed since. Nothing was undone.".to_owned());
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
    state.import.set(None);
    state.stop.set(false);
    let opened = state.opened();
    let history = records(state, &picked.bytes, &plan).await;
    if state.opened() != opened {
        return;
    }
    let history = match history.transpose() {
        Some(Ok(history)) => history,
        Some(Err(error)) => {
            return state.import.set(Some(Import { bytes: picked.bytes, plan: Err(error) }));
        }
        None => {
            state.work.set(None);
            return state.said.set(STOPPED.to_owned());
        }
    };
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let before = state.knowledge.get_untracked();
    let base = before.as_ref().map(|k| k.base.clone()).unwrap_or_default();
    let mut builder = Builder::onto(base, history, schema);
    in_slices(state, "Learning from", Some("queries"), &mut builder).await;
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
    state.another_history();
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
    let pace = Cell::new(Pace::new(now()));
    let engine = state.engine();
    if let Some((encoder, vectors)) = knowledge.known_vectors() {
        engine.embedder.remember(&encoder, vectors);
    }
    let here = move || state.opened() == opened;
    let progress = |done: usize, total: usize| {
        if here() {
            let mut so_far = pace.get();
            so_far.update(now(), done);
            pace.set(so_far);
            state.work.set(Some(work(INDEXING, Some("texts"), done, total, &so_far)));
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

/// How far a piece of work is, with its rate and the time left; without a unit it counts bytes.
pub(super) fn work(title: &str, unit: Option<&str>, done: usize, total: usize, pace: &Pace) -> Work {
    let rate = pace.rate().map(|rate| match unit {
        Some(_) => format!("{rate:.0} a second"),
        None => format!("{} a second", format::bytes(rate as u64)),
    });
    Work {
        title: title.to_owned(),
        done: done as u64,
        total: Some(total as u64),
        unit: unit.map(str::to_owned),
        seconds_left: pace.seconds_left(total),
        note: rate.unwrap_or_default(),
    }
}
