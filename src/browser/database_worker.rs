//! The database worker's side: opens the bytes that come beside a message, answers requests, looks at the
//! shared flag while a query runs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Int32Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync};

use super::rpc::describe;
use super::worker::{Call, serve};
use crate::db::protocol::{About, Request, Response};
use crate::db::session::{State, handle};
use crate::db::{DbError, Host};

thread_local! {
    /// The shared flag, where the page has one, and the request that runs now.
    static FLAG: RefCell<Option<Int32Array>> = const { RefCell::new(None) };
    static RUNNING: Cell<u32> = const { Cell::new(0) };
}

/// Serves until the page ends this worker.
pub fn run() {
    let state = Rc::new(RefCell::new(State::new(host)));
    serve(move |mut request: Request, call: Rc<Call>| {
        RUNNING.set(call.id);
        let response = match attach(&mut request, &call.attachment) {
            Ok(()) => match handle(&mut state.borrow_mut(), request) {
                Response::About(about) => Response::About(About { memory: Some(super::memory()), ..about }),
                response => response,
            },
            Err(error) => Response::Failed(error),
        };
        std::future::ready(response)
    });
}

fn host() -> Host {
    Host { now_ms: now, cancelled: Box::new(cancelled) }
}

fn now() -> f64 {
    let scope = js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>();
    scope.performance().map_or(0.0, |p| p.now())
}

fn cancelled() -> bool {
    FLAG.with_borrow(|flag| {
        flag.as_ref()
            .and_then(|flag| js_sys::Atomics::load(flag, 0).ok())
            .is_some_and(|stopped| stopped == RUNNING.get() as i32)
    })
}

/// Puts the file's bytes into an `Open` request; beside them comes the shared flag or undefined.
fn attach(request: &mut Request, attachment: &JsValue) -> Result<(), DbError> {
    let Request::Open { bytes, .. } = request else { return Ok(()) };
    let parts: &Array = attachment.unchecked_ref();
    if let Ok(flag) = parts.get(1).dyn_into::<Int32Array>() {
        FLAG.replace(Some(flag));
    }
    let unreadable = |e: JsValue| DbError::Open(format!("The file cannot be read: {}", describe(&e)));
    let file: Blob = parts.get(0).dyn_into().map_err(unreadable)?;
    let buffer = FileReaderSync::new().and_then(|r| r.read_as_array_buffer(&file)).map_err(unreadable)?;
    *bytes = js_sys::Uint8Array::new(&buffer).to_vec();
    Ok(())
}
