//! The embedder worker: answers [`crate::embedding::protocol`] with an encoder on the GPU or the CPU.
//!
//! When the GPU fails in the middle of the work, the encoder is loaded again on the CPU from the same
//! files and the work repeated there, with a notice.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use burn::tensor::Device;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::gpu;
use super::rpc::describe;
use super::worker::{self, Call};
use crate::embedding::device::{self, Adapter, Backend, DevicePreference};
use crate::embedding::encoder::{Encoder, agreement, measure, tiny};
use crate::embedding::protocol::{Loaded, Request, Response};
use crate::embedding::{EncoderSpec, TINY};
use crate::ports::{Embed, EmbedError};

/// Answers the page from now on.
pub fn serve() {
    let worker = Rc::new(EmbedderWorker::default());
    worker::serve(move |request: Request, call: Rc<Call>| {
        let worker = worker.clone();
        async move { worker.answer(request, &call).await }
    });
}

#[derive(Default)]
struct EmbedderWorker {
    session: RefCell<Option<Rc<Session>>>,
    /// The GPU once it has been asked for: burn sets it up only once in a worker.
    gpu: RefCell<Option<Result<Device, String>>>,
}

/// A loaded encoder.
struct Session {
    spec: &'static EncoderSpec,
    encoder: Encoder,
    loaded: Loaded,
    /// Where its files can be read again.
    files: JsValue,
}

impl EmbedderWorker {
    async fn answer(&self, request: Request, call: &Call) -> Response {
        let answer = match request {
            Request::Load { encoder, device } => {
                self.load(&encoder, device, &call.attachment).await.map(Response::Loaded)
            }
            Request::Embed { texts } => self.embed(&texts).await,
            Request::Measure => self.measure().await,
            Request::Memory => Ok(Response::Memory(super::memory())),
        };
        answer.unwrap_or_else(|error| Response::Failed(error.to_string()))
    }

    async fn load(
        &self,
        name: &str,
        preference: DevicePreference,
        files: &JsValue,
    ) -> Result<Loaded, EmbedError> {
        let spec = EncoderSpec::by_name(name)
            .ok_or_else(|| EmbedError::Failed(format!("There is no encoder named \"{name}\".")))?;
        // The old weights go before the new ones come.
        self.session.replace(None);
        let adapter = match preference {
            DevicePreference::Cpu => None,
            _ => gpu::adapter().await,
        };
        let (backend, notice) = device::choose(preference, adapter.as_ref());
        let session = match (backend, adapter) {
            (Backend::Gpu, Some(adapter)) => match self.start_on_gpu(spec, files, &adapter).await {
                Ok(session) => session,
                Err(reason) => {
                    let notice =
                        format!("The GPU ({}) is not used: {reason}. The CPU is used.", adapter.name());
                    start_on_cpu(spec, files, Some(notice)).await?
                }
            },
            _ => start_on_cpu(spec, files, notice).await?,
        };
        let loaded = session.loaded.clone();
        self.session.replace(Some(Rc::new(session)));
        Ok(loaded)
    }

    async fn start_on_gpu(
        &self,
        spec: &'static EncoderSpec,
        files: &JsValue,
        adapter: &Adapter,
    ) -> Result<Session, String> {
        let known = self.gpu.borrow().clone();
        let gpu = match known {
            Some(gpu) => gpu,
            None => {
                let gpu = checked_gpu().await;
                self.gpu.replace(Some(gpu.clone()));
                gpu
            }
        };
        start(spec, files, &gpu?, Backend::Gpu, Some(adapter.name()), None).await
    }

    async fn embed(&self, texts: &[String]) -> Result<Response, EmbedError> {
        let session = self.session()?;
        let dimension = session.encoder.dimension();
        match session.encoder.embed(texts).await {
            Err(EmbedError::Failed(reason)) if session.loaded.gpu => {
                let session = self.move_to_cpu(&session, &reason).await?;
                let values = session.encoder.embed(texts).await?.concat();
                Ok(Response::Vectors { dimension, values, moved: Some(session.loaded.clone()) })
            }
            vectors => Ok(Response::Vectors { dimension, values: vectors?.concat(), moved: None }),
        }
    }

    /// Loads the encoder again on the CPU, unless another request already has.
    async fn move_to_cpu(&self, failed: &Rc<Session>, reason: &str) -> Result<Rc<Session>, EmbedError> {
        self.gpu.replace(Some(Err("it failed before".to_owned())));
        let current = self.session()?;
        if !Rc::ptr_eq(&current, failed) {
            return Ok(current);
        }
        let notice = format!("The GPU stopped working, so the CPU is used. {reason}");
        let session = Rc::new(start_on_cpu(failed.spec, &failed.files, Some(notice)).await?);
        self.session.replace(Some(session.clone()));
        Ok(session)
    }

    async fn measure(&self) -> Result<Response, EmbedError> {
        let session = self.session()?;
        let clock = Cell::new(0.0);
        let now = || {
            // A worker has a clock of its own without a window.
            let performance = js_sys::Reflect::get(&js_sys::global(), &"performance".into());
            if let Ok(performance) = performance.map(JsCast::unchecked_into::<web_sys::Performance>) {
                clock.set(performance.now());
            }
            clock.get()
        };
        measure::speed(&session.encoder, now).await.map(Response::Measured)
    }

    fn session(&self) -> Result<Rc<Session>, EmbedError> {
        let session = self.session.borrow().clone();
        session.ok_or_else(|| EmbedError::Failed("No encoder is loaded yet.".to_owned()))
    }
}

/// The GPU, if it computes what the CPU computes.
async fn checked_gpu() -> Result<Device, String> {
    let gpu = gpu::device().await?;
    agreement::check(&gpu).await?;
    Ok(gpu)
}

async fn start_on_cpu(
    spec: &'static EncoderSpec,
    files: &JsValue,
    notice: Option<String>,
) -> Result<Session, EmbedError> {
    start(spec, files, &Device::flex(), Backend::Cpu, None, notice).await.map_err(EmbedError::Failed)
}

async fn start(
    spec: &'static EncoderSpec,
    files: &JsValue,
    device: &Device,
    backend: Backend,
    adapter: Option<String>,
    notice: Option<String>,
) -> Result<Session, String> {
    let (weights, vocabulary) = if spec.name == TINY.name {
        (tiny::weights(), tiny::vocabulary().into_bytes())
    } else {
        let files = Array::from(files);
        (read(&files.get(0)).await?, read(&files.get(1)).await?)
    };
    let encoder = Encoder::load(spec, &weights, &vocabulary, device).map_err(|error| error.to_string())?;
    let loaded = Loaded {
        encoder: spec.name.to_owned(),
        dimension: encoder.dimension(),
        gpu: backend == Backend::Gpu,
        backend: backend.name().to_owned(),
        adapter,
        notice,
    };
    Ok(Session { spec, encoder, loaded, files: files.clone() })
}

/// The bytes of a blob.
async fn read(file: &JsValue) -> Result<Vec<u8>, String> {
    let blob = file.dyn_ref::<Blob>().ok_or("The encoder's files did not come with the request.")?;
    let buffer = JsFuture::from(blob.array_buffer()).await.map_err(|error| describe(&error))?;
    Ok(Uint8Array::new(&buffer).to_vec())
}
