//! The database worker as the page sees it: opens a file, runs queries, can be stopped without losing
//! the database.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Int32Array, Reflect, SharedArrayBuffer};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use super::rpc::{Client, RpcError};
use crate::db::protocol::{About, Request, Response};
use crate::db::{DbError, Overview, QueryLimits, ResultSet};
use crate::ports::Execute;

/// Nothing is reported while a request runs.
type Worker = Client<Request, Response, ()>;

const SCRIPT: &str = "db_worker.js";
/// Time for counting rows and reading samples; what does not fit is left out and said.
const OVERVIEW_MS: u32 = 1_500;

/// The open database.
pub struct Database {
    worker: RefCell<Option<Rc<Worker>>>,
    /// What is open, kept so that a new worker can open it again.
    file: RefCell<Option<(String, Blob)>>,
    /// Holds the number of the request to stop; only where the page is cross-origin isolated.
    flag: Option<Int32Array>,
    running: Cell<Option<u32>>,
    stopping: Cell<bool>,
}

impl Database {
    /// No database yet; the worker starts with the first file.
    pub fn new() -> Self {
        Self {
            worker: RefCell::new(None),
            file: RefCell::new(None),
            flag: shared_flag(),
            running: Cell::new(None),
            stopping: Cell::new(false),
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
        self.worker.take();
        self.file.take();
    }

    /// Stops the running query; it fails with [`DbError::Cancelled`].
    pub fn stop(&self) {
        let Some(id) = self.running.get() else { return };
        self.stopping.set(true);
        match &self.flag {
            Some(flag) => {
                let _ = js_sys::Atomics::store(flag, 0, id as i32);
            }
            None => {
                if let Some(worker) = self.worker.borrow().as_ref() {
                    worker.end("the query was stopped");
                }
            }
        }
    }

    fn start(&self) -> Result<Rc<Worker>, DbError> {
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
        open(&worker, &name, &file, self.flag.as_ref()).await?;
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
        self.stopping.set(false);
        let worker = self.ready().await?;
        self.running.set(Some(worker.next_id()));
        let request = Request::Execute { sql: sql.to_owned(), limits };
        let response = worker.call(&request, JsValue::UNDEFINED, |()| {}).await;
        self.running.set(None);
        match response {
            Ok(Response::Rows(rows)) => Ok(rows),
            Ok(other) => Err(unexpected(other)),
            Err(_) if self.stopping.get() => Err(DbError::Cancelled),
            Err(error) => Err(worker_error(error)),
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
