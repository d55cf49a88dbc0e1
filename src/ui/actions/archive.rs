//! A workspace as one file: exporting the open one, opening one from a file.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::Blob;

use super::workspace::{New, open_new};
use crate::browser::storage;
use crate::present::format;
use crate::retrieval::Indexed;
use crate::ui::components::progress::Work;
use crate::ui::components::toasts::Toasts;
use crate::ui::database_menu::name;
use crate::ui::download;
use crate::ui::state::{Incomplete, State};
use crate::workspace::Source;
use crate::workspace::archive::{
    ArchiveError, Checksum, Database, Layout, Manifest, Opening, Step, Writer, Written, file_name, knowledge,
};

/// Bytes of a database that are in the page's memory at a time.
const CHUNK: u64 = 4 * 1024 * 1024;
/// A database above this takes long enough for its progress to be shown.
const LARGE: u64 = 64 * 1024 * 1024;

/// Offers the open workspace as a file.
pub async fn export(state: State, toasts: Toasts, with_database: bool) {
    match put_together(state, with_database).await {
        Ok((name, blob)) => {
            download::blob(&name, "application/zip", &blob);
            toasts.confirm(format!("Exported {name}, {}", format::bytes(blob.size() as u64)));
        }
        Err(error) => state.notify(error),
    }
}

async fn put_together(state: State, with_database: bool) -> Result<(String, Blob), String> {
    let Some(database) = state.engine().database.file() else {
        return Err("No database is open: there is nothing to export.".to_owned());
    };
    let workspace = state.open.with_untracked(name);
    let knowledge = state.knowledge.get_untracked();
    let json = knowledge.as_ref().map(|k| k.to_json()).transpose().map_err(|e| e.to_string())?;
    let words = |e: ArchiveError| e.to_string();
    let mut writer = Writer::default();
    if with_database {
        writer.start_database().map_err(words)?;
    }
    let mut sum = Checksum::new();
    let on_chunk = |chunk: &[u8]| {
        sum.update(chunk);
        if with_database { writer.database(chunk).map_err(words) } else { Ok(()) }
    };
    through(state, "Exporting", &database, on_chunk).await?;
    let identity = Database { bytes: database.size() as u64, crc32: sum.finalize() };
    let encoder = knowledge.as_ref().and_then(|k| k.index.as_ref()).map(|(encoder, _)| encoder.as_str());
    let now = String::from(js_sys::Date::new_0().to_iso_string());
    let manifest = Manifest::new(&workspace, &now, encoder, identity, (json.is_some(), with_database));
    let Written { head, tail } = writer.finish(&manifest, json.as_deref()).map_err(words)?;
    let part = |bytes: &[u8]| storage::blob(bytes).map_err(|e| e.to_string());
    let parts = if with_database { vec![part(&head)?, database, part(&tail)?] } else { vec![part(&head)?] };
    let blob = storage::joined(&parts).map_err(|e| e.to_string())?;
    Ok((file_name(&manifest.name), blob))
}

/// Opens a workspace from a file, as a new one; false, with the reason shown, when it cannot be opened: then nothing is
/// left of it. One without its database waits for that.
pub(super) async fn open(state: State, file: &str, blob: &Blob, source: Option<Source>) -> bool {
    let opened = state.opened();
    let (manifest, knowledge, layout) = match look(state, blob).await {
        Ok(found) => found,
        Err(error) => {
            state.open_error.set(Some(format!("“{file}”: {error} Nothing was changed.")));
            return false;
        }
    };
    if state.opened() != opened {
        return false;
    }
    let Some(part) = layout.database else {
        let Some(knowledge) = knowledge else {
            state.open_error.set(Some(format!("“{file}” holds neither a database nor a history.")));
            return false;
        };
        state.open_error.set(None);
        state.incomplete.set(Some(Arc::new(Incomplete { manifest, knowledge, source })));
        return true;
    };
    let Ok(database) = storage::slice(blob, part.range.0, part.range.1) else {
        state.open_error.set(Some(format!("“{file}” cannot be read. Nothing was changed.")));
        return false;
    };
    let encoder = encoder_of(knowledge.as_ref());
    let new = New { file, name: &manifest.name, database: &database, knowledge, source };
    let shown = open_new(state, new).await;
    if shown {
        tell_encoder(state, encoder);
    }
    shown
}

/// Gives a workspace that came without its database this one; false, with the reason shown, when it is none.
pub async fn complete(state: State, incomplete: &Incomplete, database: &Blob, file: &str) -> bool {
    let mut sum = Checksum::new();
    let on_chunk = |chunk: &[u8]| {
        sum.update(chunk);
        Ok(())
    };
    if let Err(error) = through(state, "Checking", database, on_chunk).await {
        state.open_error.set(Some(format!("“{file}”: {error}")));
        return false;
    }
    let (manifest, knowledge) = (&incomplete.manifest, incomplete.knowledge.clone());
    let encoder = encoder_of(Some(&knowledge));
    let source = incomplete.source.clone();
    let new = New { file, name: &manifest.name, database, knowledge: Some(knowledge), source };
    let shown = open_new(state, new).await;
    if shown {
        tell_encoder(state, encoder);
        let then = manifest.database;
        if (then.bytes, then.crc32) != (database.size() as u64, sum.finalize()) {
            let (then, now) = (format::bytes(then.bytes), format::bytes(database.size() as u64));
            state.notify(format!(
                    "This is not the database that the history was exported with ({then} then, {now} now). Where its tables differ, answers fail."
                ));
        }
    }
    shown
}

/// The open database, for a workspace that came without one.
pub fn open_database(state: State) -> Option<(String, Blob)> {
    let name = state.open.with_untracked(name);
    state.engine().database.file().map(|file| (name, file))
}

/// Everything in a workspace file but its database, checked; of that the checksum.
async fn look(state: State, file: &Blob) -> Result<(Manifest, Option<Indexed>, Layout), String> {
    let words = |e: ArchiveError| e.to_string();
    let bytes =
        async |start: u64, end: u64| storage::range(file, start, end).await.map_err(|e| e.to_string());
    let mut opening = Opening::new(file.size() as u64);
    let layout = loop {
        match opening.step().map_err(words)? {
            Step::Read(range) => opening.add(range.start, bytes(range.start, range.end).await?),
            Step::Found(layout) => break layout,
        }
    };
    let (start, end) = layout.manifest.range;
    let manifest = Manifest::read(&bytes(start, end).await?, &layout).map_err(words)?;
    let knowledge = match &layout.knowledge {
        Some(part) => {
            let stored = knowledge(&bytes(part.range.0, part.range.1).await?, part).map_err(words)?;
            let indexed = Indexed::from_stored(stored);
            Some(indexed.map_err(|e| words(ArchiveError::Damaged(e.to_string())))?)
        }
        None => None,
    };
    if let Some(part) = &layout.database {
        let database = storage::slice(file, part.range.0, part.range.1).map_err(|e| e.to_string())?;
        let mut sum = Checksum::new();
        let on_chunk = |chunk: &[u8]| {
            sum.update(chunk);
            Ok(())
        };
        through(state, "Checking", &database, on_chunk).await?;
        if sum.finalize() != part.crc32 {
            return Err(words(ArchiveError::Damaged("its database has changed".to_owned())));
        }
    }
    Ok((manifest, knowledge, layout))
}

/// Hands the bytes of a blob on in chunks; with progress, and a way to stop, where it is large.
async fn through(
    state: State,
    title: &str,
    blob: &Blob,
    mut on_chunk: impl FnMut(&[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let total = blob.size() as u64;
    // Whoever is at work shows that.
    let shown = total > LARGE && state.work.with_untracked(Option::is_none);
    if shown {
        state.stop.set(false);
    }
    let mut ended = Ok(());
    let mut start = 0;
    while ended.is_ok() && start < total {
        let end = total.min(start + CHUNK);
        ended = match storage::range(blob, start, end).await {
            Ok(chunk) => on_chunk(&chunk),
            Err(error) => Err(error.to_string()),
        };
        start = end;
        if shown {
            let work = Work { title: title.to_owned(), done: end, total: Some(total), ..Work::default() };
            state.work.set(Some(work));
            if state.stop.get_untracked() {
                ended = Err("Stopped.".to_owned());
            }
        }
    }
    if shown {
        state.work.set(None);
    }
    ended
}

fn encoder_of(knowledge: Option<&Indexed>) -> Option<String> {
    knowledge?.index.as_ref().map(|(encoder, _)| encoder.clone())
}

/// Vectors of another encoder than the one chosen are kept and not used: that is said.
fn tell_encoder(state: State, encoder: Option<String>) {
    let chosen = state.settings.with_untracked(|s| s.encoder.clone());
    if let Some(encoder) = encoder.filter(|encoder| *encoder != chosen) {
        state.notify(format!(
                "This history is indexed with {encoder}, and {chosen} is chosen. Choose {encoder} in Settings, Encoder, or index the history again."
            ));
    }
}
