//! The database worker as the page sees it: opens a file, runs queries, can be stopped without losing
//! the database.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Int32Array, Reflect, SharedArrayBuffer};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use super::rpc::{Client, RpcError};
use super::time::patience;
use crate::db::protocol::{About, Request, Response};
use crate::db::{DbError, Overview, QueryLimits, ResultSet};
use crate::ports::Execute;

/// Nothing is reported while a request runs.
type Worker = Client<Request, Response, ()>;

const SCRIPT: &str = "db_worker.js";
/// Time for counting rows and reading samples; what does not fit is left out and said.
const OVERVIEW_MS: u32 = 1_500;
/// How long the worker may take to see that it is stopped: SQLite does not look while one function runs.
const PATIENCE_MS: u32 = 200;
/// What a query may take over its time limit before its worker is ended, for the same reason.
const GRACE_MS: u32 = 1_000;

/// The open database.
pub struct Database {
    worker: RefCell<Option<Rc<Worker>>>,
    /// What is open, kept so that a new worker can open it again.
    file: RefCell<Option<(String, Blob)>>,
    /// Holds the number of the request to stop; only where the page is cross-origin isolated.
    flag: Option<Int32Array>,
    running: Cell<Option<u32>>,
    /// Counts the stops: a query that began before the last one is over.
    stops: Cell<u32>,
    turns: Turns,
}

impl Database {
    /// No database yet; the worker starts with the first file.
    pub fn new() -> Self {
        Self {
            worker: RefCell::new(None),
            file: RefCell::new(None),
            flag: shared_flag(),
            running: Cell::new(None),
            stops: Cell::new(0),
            turns: Turns::default(),
        }
    }

    /// Opens a file in place of the one before; on an error that one stays open.
    ///
    /// # Errors
    /// When the file is not a database that SQLite can open.
    pub async fn open(&self, name: &str, file: &Blob) -> Result<Overview, DbError> {
        let worker = self.start()?;
        open(&worker, name, file, self.flag.as_ref()).await?;
        let request = Request::Overview { budget_ms: OVERVIEW_MS };
        match worker.call(&request, JsValue::UNDEFINED, |()| {}).await.map_err(worker_error)? {
            Response::Overview(overview) => {
                // What still runs is a query on the file before.
                self.close();
                self.worker.replace(Some(worker));
                self.file.replace(Some((name.to_owned(), file.clone())));
                Ok(overview)
            }
            other => Err(unexpected(other)),
        }
    }

    /// What the worker says of itself; None where none is at work.
    pub async fn about(&self) -> Option<About> {
        let worker = self.worker.borrow().clone().filter(|worker| worker.alive())?;
        match worker.call(&Request::About, JsValue::UNDEFINED, |()| {}).await {
            Ok(Response::About(about)) => Some(about),
            _ => None,
        }
    }

    /// The open file.
    pub fn file(&self) -> Option<Blob> {
        self.file.borrow().as_ref().map(|(_, file)| file.clone())
    }

    /// Closes the database and ends its worker.
    pub fn close(&self) {
        self.count_stop();
        if let Some(worker) = self.worker.take() {
            worker.end("the database was closed");
        }
        self.file.take();
    }

    /// Stops the running query, and those that wait for it; they fail with [`DbError::Cancelled`].
    pub fn stop(&self) {
        self.count_stop();
        let (Some(id), Some(worker)) = (self.running.get(), self.worker.borrow().clone()) else { return };
        let Some(flag) = &self.flag else { return worker.end("the query was stopped") };
        let _ = js_sys::Atomics::store(flag, 0, id as i32);
        wasm_bindgen_futures::spawn_local(async move {
            TimeoutFuture::new(PATIENCE_MS).await;
            if worker.waits_for(id) {
                worker.end("the query was stopped");
            }
        });
    }

    fn count_stop(&self) {
        self.stops.set(self.stops.get().wrapping_add(1));
    }

    fn start(&self) -> Result<Rc<Worker>, DbError> {
        // A new worker numbers its requests anew.
        if let Some(flag) = &self.flag {
            let _ = js_sys::Atomics::store(flag, 0, -1);
        }
        Ok(Rc::new(Worker::start(SCRIPT).map_err(worker_error)?))
    }

    /// The worker with the file open; a dead one is replaced.
    async fn ready(&self) -> Result<Rc<Worker>, DbError> {
        let current = self.worker.borrow().clone();
        if let Some(worker) = current.filter(|w| w.alive()) {
            return Ok(worker);
        }
        let Some((name, file)) = self.file.borrow().clone() else { return Err(DbError::NotOpen) };
        let worker = self.start()?;
        let stops = self.stops.get();
        open(&worker, &name, &file, self.flag.as_ref()).await?;
        // Another file may have been opened meanwhile.
        if self.stops.get() != stops {
            return Err(DbError::Cancelled);
        }
        self.worker.replace(Some(worker.clone()));
        Ok(worker)
    }
}

impl Default for Database {
    fn default() -> Self {
        Self::new()
    }
}

impl Execute for Database {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        let stops = self.stops.get();
        let stopped = || self.stops.get() != stops;
        let _turn = self.turns.take().await;
        if stopped() {
            return Err(DbError::Cancelled);
        }
        let worker = self.ready().await?;
        if stopped() {
            return Err(DbError::Cancelled);
        }
        self.running.set(Some(worker.next_id()));
        let request = Request::Execute { sql: sql.to_owned(), limits };
        let call = pin!(worker.call(&request, JsValue::UNDEFINED, |()| {}));
        let late = pin!(patience(limits.timeout_ms.saturating_add(GRACE_MS)));
        let response = select(call, late).await;
        self.running.set(None);
        match response {
            Either::Right(_) => {
                worker.end("the query took too long");
                Err(DbError::Timeout(limits.timeout_ms))
            }
            Either::Left((Ok(Response::Rows(rows)), _)) => Ok(rows),
            Either::Left((Ok(other), _)) => Err(unexpected(other)),
            Either::Left((Err(_), _)) if stopped() => Err(DbError::Cancelled),
            Either::Left((Err(error), _)) => Err(worker_error(error)),
        }
    }
}

/// Queries go to the worker one after the other, so that the time one waits for another is not taken from its own.
#[derive(Default)]
struct Turns {
    taken: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

impl Turns {
    async fn take(&self) -> Turn<'_> {
        while self.taken.get() {
            let (free, freed) = oneshot::channel();
            self.waiting.borrow_mut().push(free);
            let _ = freed.await;
        }
        self.taken.set(true);
        Turn(self)
    }
}

struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.taken.set(false);
        // All of them: the first may be gone.
        for waiting in self.0.waiting.take() {
            let _ = waiting.send(());
        }
    }
}

async fn open(worker: &Worker, name: &str, file: &Blob, flag: Option<&Int32Array>) -> Result<(), DbError> {
    let attachment = Array::of2(file, flag.map_or(&JsValue::UNDEFINED, |f| f.as_ref()));
    let request = Request::Open { name: name.to_owned() };
    match worker.call(&request, attachment.into(), |()| {}).await.map_err(worker_error)? {
        Response::Opened { .. } => Ok(()),
        other => Err(unexpected(other)),
    }
}

fn unexpected(response: Response) -> DbError {
    match response {
        Response::Failed(error) => error,
        _ => {
            DbError::Worker("The database worker gave another answer than asked. Reload the page.".to_owned())
        }
    }
}

fn worker_error(error: RpcError) -> DbError {
    DbError::Worker(error.to_string())
}

/// One shared integer, where the page may have one.
fn shared_flag() -> Option<Int32Array> {
    let isolated = Reflect::get(&js_sys::global(), &"crossOriginIsolated".into()).ok()?;
    isolated.is_truthy().then(|| {
        let flag = Int32Array::new(&SharedArrayBuffer::new(4));
        // Requests are numbered from 0.
        flag.set_index(0, -1);
        flag
    })
}
