//! The encoder workers as the page sees them: fetched and started when first needed, one for questions,
//! several for bulk work on the CPU, replaced when they die.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::fetch;
use super::rpc::{Client, RpcError};
use crate::embedding::device::DevicePreference;
use crate::embedding::measure::Speed;
use crate::embedding::protocol::{Event, Loaded, Request, Response};
use crate::ports::{Embed, EmbedError};

type Worker = Client<Request, Response, Event>;

const SCRIPT: &str = "embedder_worker.js";
/// Texts sent to a worker at once in bulk work: a few batches, so that progress moves and a stop is quick.
const CHUNK: usize = 24;
/// Each worker holds the weights, 90 MB for the default encoder.
const MOST_WORKERS: usize = 4;
/// Below this many texts a second worker would take longer to start than it saves.
const BULK: usize = 96;

const OTHER_ANSWER: &str = "The encoder worker gave another answer than asked. Reload the page.";

/// Which encoder, where.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// Name of the encoder; its files lie in `models/NAME`.
    pub encoder: String,
    /// Where it may run.
    pub device: DevicePreference,
}

/// What happens on the way to a ready encoder.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    /// Its weights are being fetched: bytes so far, and the total where the server says it.
    Fetching(u64, u64),
    /// It is being started.
    Starting,
    /// It is ready.
    Ready(Loaded),
    /// It cannot be had.
    Failed(String),
}

/// The encoder workers.
#[derive(Default)]
pub struct Embedder {
    workers: RefCell<Vec<(Wish, Rc<Worker>, Loaded)>>,
    /// Vectors that are known without an encoder, by encoder and text.
    known: RefCell<HashMap<String, HashMap<String, Vec<f32>>>>,
}

impl Embedder {
    /// Takes vectors that need no encoder.
    pub fn remember(&self, encoder: &str, vectors: impl IntoIterator<Item = (String, Vec<f32>)>) {
        self.known.borrow_mut().entry(encoder.to_owned()).or_default().extend(vectors);
    }

    /// Ends all workers; the next text starts them again.
    pub fn end(&self) {
        self.workers.borrow_mut().clear();
    }

    /// Embeds a few texts on one worker.
    ///
    /// # Errors
    /// When the encoder cannot be had or fails.
    pub async fn embed(
        &self,
        wish: &Wish,
        texts: &[String],
        report: &dyn Fn(Status),
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let missing = self.missing(wish, texts);
        if !missing.is_empty() {
            let worker = self.worker(wish, 0, report).await?;
            self.run(wish, &worker, &missing).await?;
        }
        self.collect(wish, texts)
    }

    /// Embeds many texts, on several workers where that is faster; what was done before a stop is kept.
    ///
    /// # Errors
    /// [`EmbedError::Cancelled`] after a stop; otherwise as [`Self::embed`].
    pub async fn bulk(
        &self,
        wish: &Wish,
        texts: &[String],
        progress: &dyn Fn(usize, usize),
        stopped: &dyn Fn() -> bool,
        report: &dyn Fn(Status),
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut missing = self.missing(wish, texts);
        // Texts of like length share a batch without padding; the longest first, so that workers end together.
        missing.sort_by_key(|text| std::cmp::Reverse(text.len()));
        let total = texts.len();
        let done = std::cell::Cell::new(total - missing.len());
        progress(done.get(), total);
        let queue: RefCell<VecDeque<Vec<String>>> =
            RefCell::new(missing.chunks(CHUNK).map(<[String]>::to_vec).collect());
        if !missing.is_empty() {
            let first = self.worker(wish, 0, report).await?;
            let many = missing.len() >= BULK && self.on_cpu(wish);
            let count = if many { cores().clamp(1, MOST_WORKERS) } else { 1 };
            let drain = |position: usize, ready: Option<Rc<Worker>>| {
                let (queue, done) = (&queue, &done);
                async move {
                    let worker = match ready {
                        Some(worker) => worker,
                        None => self.worker(wish, position, &|_| {}).await?,
                    };
                    loop {
                        if stopped() {
                            return Err(EmbedError::Cancelled);
                        }
                        let next = queue.borrow_mut().pop_front();
                        let Some(chunk) = next else { return Ok(()) };
                        self.run(wish, &worker, &chunk).await?;
                        done.set(done.get() + chunk.len());
                        progress(done.get(), total);
                    }
                }
            };
            let mut ready = Some(first);
            let all = (0..count).map(|position| drain(position, ready.take()));
            for ended in futures_util::future::join_all(all).await {
                ended?;
            }
        }
        self.collect(wish, texts)
    }

    /// Measures the encoder on one worker.
    ///
    /// # Errors
    /// As [`Self::embed`].
    pub async fn measure(&self, wish: &Wish, report: &dyn Fn(Status)) -> Result<Vec<Speed>, EmbedError> {
        let worker = self.worker(wish, 0, report).await?;
        let answer = worker.call(&Request::Measure, JsValue::UNDEFINED, |_| {}).await;
        match answer.map_err(|e: RpcError| EmbedError::Failed(e.to_string()))? {
            Response::Measured(speeds) => Ok(speeds),
            Response::Failed(error) => Err(EmbedError::Failed(error)),
            _ => Err(EmbedError::Failed(OTHER_ANSWER.to_owned())),
        }
    }

    /// A view that implements the port.
    pub fn port<'a>(&'a self, wish: Wish, report: &'a dyn Fn(Status)) -> Port<'a> {
        Port { embedder: self, wish, report }
    }

    fn missing(&self, wish: &Wish, texts: &[String]) -> Vec<String> {
        let known = self.known.borrow();
        let known = known.get(&wish.encoder);
        let mut missing: Vec<String> =
            texts.iter().filter(|text| known.is_none_or(|k| !k.contains_key(*text))).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    fn collect(&self, wish: &Wish, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let known = self.known.borrow();
        let vector = |text: &String| known.get(&wish.encoder).and_then(|k| k.get(text)).cloned();
        texts
            .iter()
            .map(|text| vector(text).ok_or_else(|| EmbedError::Failed("A vector is missing.".to_owned())))
            .collect()
    }

    fn on_cpu(&self, wish: &Wish) -> bool {
        self.workers.borrow().iter().any(|(w, _, loaded)| w == wish && !loaded.gpu)
    }

    /// The worker at `position`, started and loaded.
    async fn worker(
        &self,
        wish: &Wish,
        position: usize,
        report: &dyn Fn(Status),
    ) -> Result<Rc<Worker>, EmbedError> {
        // Workers of another encoder or device hold memory for nothing; dead ones answer nothing.
        self.workers.borrow_mut().retain(|(w, worker, _)| w == wish && worker.alive());
        if let Some((_, worker, _)) = self.workers.borrow().get(position) {
            return Ok(worker.clone());
        }
        let started = self.start(wish, report).await;
        match started {
            Ok((worker, loaded)) => {
                report(Status::Ready(loaded.clone()));
                self.workers.borrow_mut().push((wish.clone(), worker.clone(), loaded));
                Ok(worker)
            }
            Err(error) => {
                report(Status::Failed(error.clone()));
                Err(EmbedError::Failed(error))
            }
        }
    }

    async fn start(&self, wish: &Wish, report: &dyn Fn(Status)) -> Result<(Rc<Worker>, Loaded), String> {
        let base = format!("models/{}", wish.encoder);
        let fetching = |so_far, total| report(Status::Fetching(so_far, total));
        let (weights, _) = fetch::cached(&format!("{base}/model.safetensors"), fetching).await?;
        let (vocabulary, _) = fetch::cached(&format!("{base}/vocab.txt"), |_, _| {}).await?;
        report(Status::Starting);
        let worker = Rc::new(Worker::start(SCRIPT).map_err(|e| e.to_string())?);
        let request = Request::Load { encoder: wish.encoder.clone(), device: wish.device };
        let files: Array = [weights, vocabulary].iter().collect::<Array>();
        match worker.call(&request, files.into(), |_| {}).await.map_err(|e| e.to_string())? {
            Response::Loaded(loaded) => Ok((worker, loaded)),
            Response::Failed(error) => Err(error),
            _ => Err(OTHER_ANSWER.to_owned()),
        }
    }

    async fn run(&self, wish: &Wish, worker: &Worker, texts: &[String]) -> Result<(), EmbedError> {
        let request = Request::Embed { texts: texts.to_vec() };
        let answer = worker.call(&request, JsValue::UNDEFINED, |_| {}).await;
        match answer.map_err(|e: RpcError| EmbedError::Failed(e.to_string()))? {
            Response::Vectors { dimension, values } => {
                let rows = values.chunks(dimension.max(1)).map(<[f32]>::to_vec);
                self.remember(&wish.encoder, texts.iter().cloned().zip(rows));
                Ok(())
            }
            Response::Stopped => Err(EmbedError::Cancelled),
            Response::Failed(error) => Err(EmbedError::Failed(error)),
            _ => Err(EmbedError::Failed(OTHER_ANSWER.to_owned())),
        }
    }
}

/// The encoder as a port.
pub struct Port<'a> {
    embedder: &'a Embedder,
    wish: Wish,
    report: &'a dyn Fn(Status),
}

impl Embed for Port<'_> {
    fn encoder(&self) -> &str {
        &self.wish.encoder
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedder.embed(&self.wish, texts, self.report).await
    }
}

fn cores() -> usize {
    web_sys::window().map_or(1, |w| w.navigator().hardware_concurrency() as usize)
}
