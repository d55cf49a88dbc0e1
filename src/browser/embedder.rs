//! The encoder workers as the page sees them: fetched and started when first needed, one for questions,
//! several for bulk work on the CPU, replaced when they die.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::fetch;
use super::rpc::{Client, RpcError};
use crate::embedding::EncoderSpec;
use crate::embedding::device::DevicePreference;
use crate::embedding::protocol::{Loaded, Request, Response, Speed};
use crate::ports::{Embed, EmbedError};

type Worker = Client<Request, Response, ()>;

const SCRIPT: &str = "embedder_worker.js";
/// Each worker holds the weights: 90 MB for the default encoder.
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
    /// A worker died of its GPU: the next ones do without.
    gpu_died: Cell<bool>,
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
            self.run(wish, 0, &missing, report).await?;
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
        let done = Cell::new(total - missing.len());
        progress(done.get(), total);
        let chunk = EncoderSpec::by_name(&wish.encoder).map_or(1, |spec| spec.chunk);
        let queue: RefCell<VecDeque<Vec<String>>> =
            RefCell::new(missing.chunks(chunk).map(<[String]>::to_vec).collect());
        if !missing.is_empty() {
            self.worker(wish, 0, report).await?;
            let many = missing.len() >= BULK && self.on_cpu(wish);
            let count = if many { cores().clamp(1, MOST_WORKERS) } else { 1 };
            let drain = |position: usize| {
                let (queue, done) = (&queue, &done);
                async move {
                    loop {
                        if stopped() {
                            return Err(EmbedError::Cancelled);
                        }
                        let next = queue.borrow_mut().pop_front();
                        let Some(chunk) = next else { return Ok(()) };
                        self.run(wish, position, &chunk, report).await?;
                        done.set(done.get() + chunk.len());
                        progress(done.get(), total);
                    }
                }
            };
            let all = (0..count).map(drain);
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

    /// Bytes of memory of each worker.
    pub async fn memory(&self) -> Vec<u64> {
        let alive = |(_, worker, _): &(Wish, Rc<Worker>, Loaded)| worker.alive().then(|| worker.clone());
        let workers: Vec<Rc<Worker>> = self.workers.borrow().iter().filter_map(alive).collect();
        let mut found = Vec::new();
        for worker in workers {
            if let Ok(Response::Memory(bytes)) =
                worker.call(&Request::Memory, JsValue::UNDEFINED, |_| {}).await
            {
                found.push(bytes);
            }
        }
        found
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
        let files: JsValue = [weights, vocabulary].iter().collect::<Array>().into();
        if wish.device != DevicePreference::Cpu && !self.gpu_died.get() {
            match load(wish, wish.device, &files).await {
                Err(RpcError::Died(_)) => self.gpu_died.set(true),
                other => return other.map_err(|e| e.to_string())?,
            }
        }
        let (worker, mut loaded) =
            load(wish, DevicePreference::Cpu, &files).await.map_err(|e| e.to_string())??;
        if wish.device != DevicePreference::Cpu {
            loaded.notice = Some(
                "The GPU stopped the encoder, so the CPU is used until the page is reloaded.".to_owned(),
            );
        }
        Ok((worker, loaded))
    }

    /// Embeds texts on the worker at `position`; once more, on the CPU, when it dies of its GPU.
    async fn run(
        &self,
        wish: &Wish,
        position: usize,
        texts: &[String],
        report: &dyn Fn(Status),
    ) -> Result<(), EmbedError> {
        let request = Request::Embed { texts: texts.to_vec() };
        let worker = self.worker(wish, position, report).await?;
        let on_gpu = !self.on_cpu(wish);
        let mut answer = worker.call(&request, JsValue::UNDEFINED, |_| {}).await;
        if matches!(answer, Err(RpcError::Died(_))) && on_gpu {
            self.gpu_died.set(true);
            let worker = self.worker(wish, position, report).await?;
            answer = worker.call(&request, JsValue::UNDEFINED, |_| {}).await;
        }
        match answer.map_err(|e: RpcError| EmbedError::Failed(e.to_string()))? {
            Response::Vectors { dimension, values, moved } => {
                let rows = values.chunks(dimension.max(1)).map(<[f32]>::to_vec);
                self.remember(&wish.encoder, texts.iter().cloned().zip(rows));
                if let Some(loaded) = moved {
                    if let Some((_, _, known)) = self.workers.borrow_mut().get_mut(position) {
                        *known = loaded.clone();
                    }
                    report(Status::Ready(loaded));
                }
                Ok(())
            }
            Response::Failed(error) => Err(EmbedError::Failed(error)),
            _ => Err(EmbedError::Failed(OTHER_ANSWER.to_owned())),
        }
    }
}

/// A new worker with the encoder loaded; the inner error is the worker's own.
async fn load(
    wish: &Wish,
    device: DevicePreference,
    files: &JsValue,
) -> Result<Result<(Rc<Worker>, Loaded), String>, RpcError> {
    let worker = Rc::new(Worker::start(SCRIPT)?);
    let request = Request::Load { encoder: wish.encoder.clone(), device };
    Ok(match worker.call(&request, files.clone(), |_| {}).await? {
        Response::Loaded(loaded) => Ok((worker, loaded)),
        Response::Failed(error) => Err(error),
        _ => Err(OTHER_ANSWER.to_owned()),
    })
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
