//! The database worker's side: opens the bytes that come beside a message, answers requests, looks at the
//! shared flag while a query runs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Int32Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync};

use super::rpc::describe;
use super::worker::{Call, serve};
use crate::db::protocol::{About, Request, Response};
use crate::db::session::{File, State, handle};
use crate::db::{DbError, Host};

thread_local! {
    /// The shared flag, where the page has one, and the request that runs now.
    static FLAG: RefCell<Option<Int32Array>> = const { RefCell::new(None) };
    static RUNNING: Cell<u32> = const { Cell::new(0) };
}

/// Serves until the page ends this worker.
pub fn run() {
    let state = Rc::new(RefCell::new(State::new(host)));
    serve(move |request: Request, call: Rc<Call>| {
        RUNNING.set(call.id);
        let response = match handle(&mut state.borrow_mut(), request, || attached(&call.attachment)) {
            Response::About(about) => Response::About(About { memory: Some(super::memory()), ..about }),
            response => response,
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

/// The file that came beside an `Open` request, behind it the shared flag or undefined.
fn attached(attachment: &JsValue) -> Result<File<Slices>, DbError> {
    let parts: &Array = attachment.unchecked_ref();
    if let Ok(flag) = parts.get(1).dyn_into::<Int32Array>() {
        FLAG.replace(Some(flag));
    }
    let unreadable = |e: JsValue| DbError::Open(format!("The file cannot be read: {}", describe(&e)));
    let file: Blob = parts.get(0).dyn_into().map_err(unreadable)?;
    let reader = FileReaderSync::new().map_err(unreadable)?;
    Ok((file.size() as u64, Slices { file, reader, at: 0.0 }))
}

/// A file read slice by slice, so that memory holds it once and not once more on its way there.
struct Slices {
    file: Blob,
    reader: FileReaderSync,
    at: f64,
}

impl std::io::Read for Slices {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        /// Large enough that a call costs nothing beside its bytes.
        const SLICE: usize = 16 << 20;
        let end = self.at + buffer.len().min(SLICE) as f64;
        let failed = |e: JsValue| std::io::Error::other(describe(&e));
        let slice = self.file.slice_with_f64_and_f64(self.at, end).map_err(failed)?;
        let bytes = Uint8Array::new(&self.reader.read_as_array_buffer(&slice).map_err(failed)?.into());
        let read = (bytes.length() as usize).min(buffer.len());
        let target = buffer.get_mut(..read).unwrap_or_default();
        bytes.copy_to(target);
        self.at += read as f64;
        Ok(read)
    }
}
