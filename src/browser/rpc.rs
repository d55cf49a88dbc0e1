//! Calls from the page to a web worker: request ids, progress events, errors as values, a ready
//! handshake with a version, and a clean end when the worker dies.
//!
//! A message is a JavaScript array `[kind, id, payload, attachment]`. The payload is a postcard encoding
//! of one Rust value in a transferred buffer: it crosses the boundary without being cloned, and 64-bit
//! integers, NaN and raw bytes arrive as they were. The attachment is whatever must stay a JavaScript
//! value (a `File`, a `SharedArrayBuffer`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::incidents;
use crate::incident::Source;

/// Page and worker of one build carry the same version, so that a stale cached worker is noticed.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-protocol-1");

/// Kinds of messages, the first element of each.
pub(super) mod kind {
    /// Worker → page: ready; the payload is its version.
    pub const READY: u32 = 0;
    /// Page → worker: a request.
    pub const REQUEST: u32 = 1;
    /// Worker → page: the one response to a request.
    pub const RESPONSE: u32 = 2;
    /// Worker → page: progress of a request.
    pub const EVENT: u32 = 3;
    /// Worker → page: it panicked; the payload is the message, the file and the line.
    pub const PANIC: u32 = 4;
}

/// Why a call did not come back with a response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RpcError {
    /// The worker could not start or ended; what the browser said.
    #[error("The background worker stopped: {0}")]
    Died(String),
    /// Page and worker come from different builds.
    #[error("This page was updated while it was open. Reload it to go on.")]
    Version,
    /// A message could not be read.
    #[error("The background worker sent something unreadable: {0}")]
    Decode(String),
}

type EventHandler = Box<dyn FnMut(Vec<u8>)>;

struct Pending {
    done: oneshot::Sender<Result<Vec<u8>, RpcError>>,
    on_event: EventHandler,
}

#[derive(Default)]
enum Phase {
    #[default]
    Starting,
    Ready,
    Dead(RpcError),
}

#[derive(Default)]
struct Shared {
    phase: Phase,
    waiting: Vec<oneshot::Sender<()>>,
    pending: HashMap<u32, Pending>,
    next_id: u32,
}

impl Shared {
    /// Fails every pending call and lets every waiting one see the new phase.
    fn die(&mut self, error: RpcError) {
        if matches!(self.phase, Phase::Dead(_)) {
            return;
        }
        self.phase = Phase::Dead(error.clone());
        for (_, call) in self.pending.drain() {
            let _ = call.done.send(Err(error.clone()));
        }
        self.wake();
    }

    fn wake(&mut self) {
        for waiting in self.waiting.drain(..) {
            let _ = waiting.send(());
        }
    }
}

/// A running worker that answers `Request` with `Response` and reports `Event` meanwhile.
pub struct Client<Request, Response, Event> {
    worker: Worker,
    shared: Rc<RefCell<Shared>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::Event)>,
    _types: PhantomData<(Request, Response, Event)>,
}

impl<Request: Serialize, Response: DeserializeOwned, Event: DeserializeOwned + 'static>
    Client<Request, Response, Event>
{
    /// Starts the worker script at `url` (a module).
    ///
    /// # Errors
    /// When the browser refuses to start a worker at all.
    pub fn start(url: &str) -> Result<Self, RpcError> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(url, &options).map_err(|e| RpcError::Died(describe(&e)))?;
        let shared = Rc::new(RefCell::new(Shared::default()));
        let on_message = {
            let shared = shared.clone();
            Closure::new(move |event: MessageEvent| receive(&shared, &event.data()))
        };
        let on_error = {
            let (shared, script) = (shared.clone(), url.to_owned());
            Closure::new(move |event: web_sys::Event| {
                let message = event
                    .dyn_ref::<web_sys::ErrorEvent>()
                    .map(|e| e.message())
                    .filter(|m| !m.is_empty())
                    .unwrap_or_else(|| "its file could not be loaded".to_owned());
                incidents::record(Source::Worker, "a worker ended", &format!("{script}: {message}"));
                shared.borrow_mut().die(RpcError::Died(message));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, shared, _on_message: on_message, _on_error: on_error, _types: PhantomData })
    }

    /// Whether calls can still be made.
    pub fn alive(&self) -> bool {
        !matches!(self.shared.borrow().phase, Phase::Dead(_))
    }

    /// The id that the next call will have; a cancel flag names it.
    pub fn next_id(&self) -> u32 {
        self.shared.borrow().next_id
    }

    /// Whether the call of this id was sent and not answered yet.
    pub fn waits_for(&self, id: u32) -> bool {
        self.shared.borrow().pending.contains_key(&id)
    }

    /// Sends `request` with an optional JavaScript value and waits for its response.
    ///
    /// # Errors
    /// When the worker is dead or dies before it answers.
    pub async fn call(
        &self,
        request: &Request,
        attachment: JsValue,
        mut on_event: impl FnMut(Event) + 'static,
    ) -> Result<Response, RpcError> {
        let payload = postcard::to_stdvec(request).map_err(|e| RpcError::Decode(e.to_string()))?;
        let (done, answer) = oneshot::channel();
        let id = {
            let mut shared = self.shared.borrow_mut();
            let id = shared.next_id;
            shared.next_id = id.wrapping_add(1);
            id
        };
        self.ready().await?;
        let on_event: EventHandler = Box::new(move |bytes| {
            if let Ok(event) = postcard::from_bytes(&bytes) {
                on_event(event);
            }
        });
        self.shared.borrow_mut().pending.insert(id, Pending { done, on_event });
        if let Err(error) = post(&self.worker, kind::REQUEST, id, &payload, &attachment) {
            self.shared.borrow_mut().pending.remove(&id);
            return Err(RpcError::Died(describe(&error)));
        }
        let bytes = answer.await.unwrap_or_else(|_| Err(RpcError::Died("it was ended".to_owned())))?;
        postcard::from_bytes(&bytes).map_err(|e| RpcError::Decode(e.to_string()))
    }

    /// Ends the worker at once; every pending call fails with `reason`.
    pub fn end(&self, reason: &str) {
        self.worker.terminate();
        self.shared.borrow_mut().die(RpcError::Died(reason.to_owned()));
    }

    async fn ready(&self) -> Result<(), RpcError> {
        loop {
            let waiting = {
                let mut shared = self.shared.borrow_mut();
                match &shared.phase {
                    Phase::Ready => return Ok(()),
                    Phase::Dead(error) => return Err(error.clone()),
                    Phase::Starting => {
                        let (sender, receiver) = oneshot::channel();
                        shared.waiting.push(sender);
                        receiver
                    }
                }
            };
            let _ = waiting.await;
        }
    }
}

impl<Request, Response, Event> Drop for Client<Request, Response, Event> {
    fn drop(&mut self) {
        self.worker.terminate();
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
    }
}

fn receive(shared: &Rc<RefCell<Shared>>, data: &JsValue) {
    let Some((what, id, payload, _)) = unpack(data) else { return };
    match what {
        kind::READY => {
            let mut shared = shared.borrow_mut();
            if payload == VERSION.as_bytes() {
                shared.phase = Phase::Ready;
                shared.wake();
            } else {
                incidents::record(Source::Worker, "a worker was of another build", "");
                shared.die(RpcError::Version);
            }
        }
        kind::RESPONSE => {
            let call = shared.borrow_mut().pending.remove(&id);
            if let Some(call) = call {
                let _ = call.done.send(Ok(payload));
            }
        }
        kind::EVENT => {
            // Taken out while it runs: the handler may make calls of its own.
            let call = shared.borrow_mut().pending.remove(&id);
            if let Some(mut call) = call {
                (call.on_event)(payload);
                shared.borrow_mut().pending.insert(id, call);
            }
        }
        kind::PANIC => incidents::from_worker(&payload),
        _ => {}
    }
}

/// Where a message can be posted: a worker, or the scope inside one.
pub(super) trait Port {
    fn post(&self, message: &JsValue, transfer: &JsValue) -> Result<(), JsValue>;
}

impl Port for Worker {
    fn post(&self, message: &JsValue, transfer: &JsValue) -> Result<(), JsValue> {
        self.post_message_with_transfer(message, transfer)
    }
}

pub(super) fn post(
    port: &impl Port,
    what: u32,
    id: u32,
    payload: &[u8],
    attachment: &JsValue,
) -> Result<(), JsValue> {
    let bytes = Uint8Array::from(payload);
    let message = Array::of4(&what.into(), &id.into(), &bytes, attachment);
    port.post(&message, &Array::of1(&bytes.buffer()))
}

pub(super) fn unpack(data: &JsValue) -> Option<(u32, u32, Vec<u8>, JsValue)> {
    let message = data.dyn_ref::<Array>()?;
    let what = message.get(0).as_f64()? as u32;
    let id = message.get(1).as_f64()? as u32;
    let payload = message.get(2).dyn_into::<Uint8Array>().ok()?.to_vec();
    Some((what, id, payload, message.get(3)))
}

/// What a thrown JavaScript value says.
pub fn describe(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map(|e| String::from(e.message()))
        .or_else(|| error.as_string())
        .unwrap_or_else(|| format!("{error:?}"))
}
