//! What went wrong in this tab, kept until it is closed: panics, workers that ended, and what the page reports.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use wasm_bindgen::prelude::*;
use web_sys::DedicatedWorkerGlobalScope;

use super::rpc::{kind, post};
use crate::incident::{Incident, Place, Ring, Source};

thread_local! {
    static RING: RefCell<Ring> = const { RefCell::new(Ring::new()) };
}

/// Where a panic of the page is written, so that it is still known after a reload.
const PANIC: &str = "querylore.panic";
const PANICKED: &str = "a program of the page panicked";

/// Adds an incident of now.
pub fn record(source: Source, what: &'static str, text: &str) {
    push(Incident { at_ms: js_sys::Date::now(), source, what, text: text.to_owned(), place: None, times: 1 });
}

/// All incidents, the newest first.
pub fn newest_first() -> Vec<Incident> {
    RING.with(|ring| ring.try_borrow().map(|ring| ring.newest_first().cloned().collect()).unwrap_or_default())
}

/// Forgets them.
pub fn clear() {
    RING.with(|ring| {
        if let Ok(mut ring) = ring.try_borrow_mut() {
            ring.clear();
        }
    });
}

fn push(incident: Incident) {
    // A panic may come from anywhere, also from within this list.
    RING.with(|ring| {
        if let Ok(mut ring) = ring.try_borrow_mut() {
            ring.push(incident);
        }
    });
}

/// Writes panics to the console and to the list of the page; a worker sends its own there.
pub fn hook_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        let (file, line) = info.location().map_or(("", 0), |at| (at.file(), at.line()));
        match js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() {
            Ok(scope) => {
                if let Ok(payload) = postcard::to_stdvec(&(said(info), file, line)) {
                    let _ = post(&scope, kind::PANIC, 0, &payload, &JsValue::UNDEFINED);
                }
            }
            Err(_) => {
                if let Some(session) = session() {
                    let _ = session.set_item(PANIC, &format!("{}|{line}|{file}", js_sys::Date::now()));
                }
                panicked(js_sys::Date::now(), said(info), file.to_owned(), line);
            }
        }
    }));
}

fn said(info: &PanicHookInfo<'_>) -> String {
    info.payload_as_str().unwrap_or_default().to_owned()
}

fn panicked(at_ms: f64, text: String, file: String, line: u32) {
    let place = Some(Place { file, line });
    push(Incident { at_ms, source: Source::Panic, what: PANICKED, text, place, times: 1 });
}

/// Takes in the panic that a worker sent.
pub(super) fn from_worker(payload: &[u8]) {
    if let Ok((text, file, line)) = postcard::from_bytes::<(String, String, u32)>(payload) {
        panicked(js_sys::Date::now(), text, file, line);
    }
}

/// Takes in the panic that ended the page before it was reloaded.
pub fn recall() {
    let Some(session) = session() else { return };
    let Some(kept) = session.get_item(PANIC).ok().flatten() else { return };
    let _ = session.remove_item(PANIC);
    let mut parts = kept.splitn(3, '|');
    let (at, line, file) = (parts.next(), parts.next(), parts.next());
    if let (Some(Ok(at)), Some(Ok(line)), Some(file)) = (at.map(str::parse), line.map(str::parse), file) {
        panicked(at, "Before the page was reloaded.".to_owned(), file.to_owned(), line);
    }
}

fn session() -> Option<web_sys::Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}
