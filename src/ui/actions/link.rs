//! Following what the page's address asks for.

use std::time::Duration;

use futures_util::future::{Either, select};
use gloo_timers::future::sleep;
use js_sys::{Function, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, Url};

use super::workspace::{open_blob, open_demo, open_kept};
use super::{ask as question, history};
use crate::browser::fetch;
use crate::ui::components::progress::Work;
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::settings::Way;
use crate::ui::state::{Open, State};
use crate::workspace::link::{self, Address, Link, Resolved};

/// How often a fetch looks whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(100);

/// Follows the address where nobody has to be asked; false where nothing was opened, so that what was open last time is.
///
/// # Errors
/// Why its database could not be opened.
pub(super) async fn start(state: State) -> Result<bool, String> {
    let Ok(link) = read() else { return Ok(false) };
    if needs_word(state, &link) || !(link.demo || link.database.is_some()) {
        return Ok(false);
    }
    match follow(state, link, false).await {
        // A workspace without its database shows nothing yet.
        true => Ok(state.overview.with_untracked(Option::is_some)),
        false => Err(state.open_error.get_untracked().unwrap_or_default()),
    }
}

/// What is left of the address once something is open: the question to the user, a question for the box, what is wrong.
pub(super) fn ask(state: State) {
    match read() {
        Ok(link) if link.is_empty() => {}
        Ok(link) if needs_word(state, &link) => state.link.set(Some(link)),
        Ok(link) if link.demo || link.database.is_some() => {}
        Ok(link) => {
            state.question.set(link.question.unwrap_or_default());
            tidy();
        }
        Err(error) => {
            state.open_error.set(Some(format!("This link cannot be followed. {error} Nothing was fetched.")));
        }
    }
}

/// Whether a foreign file would have to be fetched: one that is kept already need not.
fn needs_word(state: State, link: &Link) -> bool {
    link.foreign() && kept(state, link).is_none()
}

fn kept(state: State, link: &Link) -> Option<crate::workspace::Workspace> {
    let source = link.source()?;
    state.workspaces.with_untracked(|w| w.from_source(&source).cloned())
}

/// Follows a link; `agreed` when the user has seen its addresses. False, with the reason shown, when something cannot be
/// fetched or its database cannot be opened.
pub async fn follow(state: State, link: Link, agreed: bool) -> bool {
    let kept = kept(state, &link);
    let files = if kept.is_some() { Ok((None, None)) } else { fetch_all(state, &link, agreed).await };
    let (database, history) = match files {
        Ok(files) => files,
        Err(error) => {
            state.open_error.set(Some(format!("{error} Nothing was opened.")));
            return false;
        }
    };
    let shown = match (kept, &link.database, database) {
        (Some(workspace), ..) => {
            let id = workspace.id;
            open_kept(state, workspace).await;
            // Its files may have been cleared: then it is off the list, and the same link fetches them again.
            state.open.with_untracked(|open| matches!(open, Open::Kept(w) if w.id == id))
        }
        (None, Some(file), Some(blob)) => open_blob(state, &file.name, &blob, link.source()).await,
        _ => open_demo(state).await,
    };
    if shown {
        tidy();
        spawn_local(go_on(state, link, history, agreed));
    }
    shown
}

/// The files of a link, all before any is opened.
async fn fetch_all(state: State, link: &Link, agreed: bool) -> Result<(Option<Blob>, Option<Blob>), String> {
    let mut fetched = [None, None];
    for (file, place) in [&link.database, &link.history].into_iter().zip(&mut fetched) {
        if let Some(file) = file {
            *place = Some(get(state, file, agreed).await?);
        }
    }
    let [database, history] = fetched;
    Ok((database, history))
}

/// The rest of a link, once its database is open.
async fn go_on(state: State, link: Link, history: Option<Blob>, agreed: bool) {
    let opened = state.opened();
    if let Some(words) = &link.question {
        state.question.set(words.clone());
    }
    if let (Some(file), Some(blob)) = (&link.history, history) {
        history::take(state, &file.name, &blob).await;
    }
    // Another workspace, or a dialog that asks how the history is to be read: the question waits in the box.
    let waits = state.opened() != opened
        || state.import.with_untracked(Option::is_some)
        || state.incomplete.with_untracked(Option::is_some);
    let way = state.settings.with_untracked(|s| s.model.way);
    let encoder = state.settings.with_untracked(|s| s.encoder.clone());
    let indexed =
        state.knowledge.with_untracked(|k| k.as_ref().is_some_and(|k| k.index_of(&encoder).is_some()));
    // A model is another server, which costs: nobody is led to one by a link alone.
    let may = if way == Way::Adapt { indexed } else { agreed };
    if link.question.is_some() && may && !waits {
        question::ask(state).await;
    }
}

/// The user does not want what the link asks for.
pub fn decline(state: State) {
    state.link.set(None);
    tidy();
}

/// Fetches a file of a link, with progress and a way to stop.
async fn get(state: State, file: &Address, agreed: bool) -> Result<Blob, String> {
    if file.foreign && !agreed {
        return Err(format!("{} was not fetched.", file.href));
    }
    let title = format!("Fetching {}", file.name);
    state.stop.set(false);
    let progress = |done: u64, total: u64| {
        let total = (total > 0).then_some(total);
        state.work.set(Some(Work { title: title.clone(), done, total, ..Work::default() }));
    };
    let stopped = async {
        while !state.stop.get_untracked() {
            sleep(LOOK).await;
        }
    };
    let fetched = async {
        if file.foreign {
            // The user has seen this address and agreed to it, and to no other.
            fetch::exact(&file.href, progress).await
        } else {
            fetch::own(&file.href, progress).await
        }
    };
    let ended = select(Box::pin(fetched), Box::pin(stopped)).await;
    state.work.set(None);
    match ended {
        Either::Left((fetched, _)) => fetched,
        Either::Right(_) => Err(format!("{} was stopped.", file.href)),
    }
}

/// Copies a link to what is open, with the question that was asked last.
pub fn copy(state: State, toasts: Toasts) {
    let source = match state.open.get_untracked() {
        Open::Demo => None,
        Open::Kept(workspace) if workspace.source.is_some() => workspace.source,
        _ => return,
    };
    let asked = state.run.with_untracked(|r| r.question.clone());
    download::copy(toasts, "the link", &link::write(&here(), source.as_ref(), &asked));
}

fn here() -> String {
    window().location().href().unwrap_or_default()
}

fn read() -> Result<Link, link::LinkError> {
    let search = window().location().search().unwrap_or_default();
    let page = resolve(&here()).unwrap_or_default();
    link::read(&search, &page, &resolve)
}

/// An address as it is kept: whole, also where it was given relative to the page.
pub(super) fn absolute(address: &str) -> String {
    resolve(address).map_or_else(|| address.to_owned(), |resolved| resolved.href)
}

/// An address as the browser's own parser understands it.
fn resolve(text: &str) -> Option<Resolved> {
    let url = Url::new_with_base(text, &here()).ok()?;
    Some(Resolved {
        href: url.href(),
        scheme: url.protocol(),
        host: url.host(),
        origin: url.origin(),
        path: url.pathname(),
        credentials: !url.username().is_empty() || !url.password().is_empty(),
    })
}

/// Takes the parameters out of the address: from now on it shows what the user does. web-sys has the History API behind
/// a feature that nothing else here needs, so it is reached by name.
fn tidy() {
    let href = here();
    let (before, hash) =
        href.split_once('#').map_or((href.as_str(), String::new()), |(b, h)| (b, format!("#{h}")));
    let clean = format!("{}{hash}", before.split('?').next().unwrap_or_default());
    let history = Reflect::get(&window(), &"history".into()).unwrap_or(JsValue::UNDEFINED);
    let replace =
        Reflect::get(&history, &"replaceState".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
    if let Some(replace) = replace {
        let _ = replace.call3(&history, &JsValue::NULL, &"".into(), &clean.into());
    }
}
