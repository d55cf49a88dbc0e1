//! Language models over fetch: the port [`Complete`], the list of models, and what a page can find out about a server
//! that it cannot reach.

use futures_util::future::{Either, select};
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit, RequestMode, Response};

use super::rpc::describe;
use super::time::patience;
use crate::llm::{Cancel, Completion, Delta, Endpoint, Head, LlmError, Reader, Request, models};
use crate::ports::Complete;

/// A server that is asked by fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchModel {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Seconds without a byte after which an answer is given up.
    pub silence_s: u32,
}

impl Complete for FetchModel {
    fn endpoint(&self) -> &str {
        self.endpoint.base()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        let url = self.endpoint.url_of(request);
        let body = request.body().to_string();
        let mut connection = self.connect(&url, Some(&body), &request.model, cancel).await?;
        let mut reader = Reader::new(connection.head.clone());
        while !reader.is_done() {
            let Some(bytes) = connection.next(cancel, self.silence_s).await? else { break };
            for delta in reader.feed(&bytes)? {
                on_delta(&delta);
            }
        }
        match reader.finish() {
            Err(LlmError::Empty { .. }) if connection.broke => Err(LlmError::CutStream(0)),
            answer => answer,
        }
    }
}

impl FetchModel {
    /// Names of the models that the server offers.
    ///
    /// # Errors
    /// When it cannot be asked or gives no list.
    pub async fn models(&self, cancel: &Cancel) -> Result<Vec<String>, LlmError> {
        let url = self.endpoint.models_url();
        let mut connection = self.connect(&url, None, "", cancel).await?;
        let mut body = Vec::new();
        while let Some(bytes) = connection.next(cancel, self.silence_s).await? {
            body.extend(bytes);
        }
        if connection.head.status >= 300 {
            let mut reader = Reader::new(connection.head.clone());
            reader.feed(&body)?;
            return reader.finish().map(|_| Vec::new());
        }
        models::names(&String::from_utf8_lossy(&body)).map_err(|_| LlmError::NotAnApi(url))
    }

    /// Whether anything answers at the address, though the page may not read what: a refused origin and a dead server
    /// look alike to fetch, and this tells them apart.
    pub async fn answers_at_all(&self) -> bool {
        let options = RequestInit::new();
        options.set_mode(RequestMode::NoCors);
        let asked = self.endpoint.models_url();
        let Some(window) = web_sys::window() else { return false };
        let answer = JsFuture::from(window.fetch_with_str_and_init(&asked, &options));
        let patience = std::pin::pin!(patience(self.silence_s.saturating_mul(1000)));
        matches!(select(answer, patience).await, Either::Left((Ok(_), _)))
    }

    async fn connect(
        &self,
        url: &str,
        body: Option<&str>,
        model: &str,
        cancel: &Cancel,
    ) -> Result<Connection, LlmError> {
        let unreachable =
            |error: JsValue| LlmError::Unreachable { url: url.to_owned(), reason: describe(&error) };
        let headers = Headers::new().map_err(unreachable)?;
        for (name, value) in self.endpoint.headers() {
            headers.set(&name, &value).map_err(unreachable)?;
        }
        let abort = Abort(AbortController::new().map_err(unreachable)?);
        let options = RequestInit::new();
        if let Some(body) = body {
            options.set_method("POST");
            options.set_body(&body.into());
            headers.set("Content-Type", "application/json").map_err(unreachable)?;
        }
        options.set_headers(&headers);
        // A prompt and the headers of a key go where they were meant to go, and nowhere else.
        let _ = Reflect::set(&options, &"redirect".into(), &"manual".into());
        options.set_signal(Some(&abort.0.signal()));
        let window = web_sys::window().ok_or_else(|| unreachable("there is no window".into()))?;
        let answer = JsFuture::from(window.fetch_with_str_and_init(url, &options));
        let answer = within(answer, cancel, self.silence_s).await?.map_err(unreachable)?;
        let answer: Response = answer.unchecked_into();
        let header = |name: &str| answer.headers().get(name).ok().flatten();
        let kind = Reflect::get(&answer, &"type".into()).ok().and_then(|kind| kind.as_string());
        // The browser hides where a redirect leads, and its status.
        let redirected = kind.is_some_and(|kind| kind == "opaqueredirect");
        let head = Head {
            status: if redirected { 302 } else { answer.status() },
            content_type: header("content-type").unwrap_or_default(),
            retry_after: header("retry-after"),
            date: header("date"),
            url: url.to_owned(),
            model: model.to_owned(),
        };
        let body = answer.body().map(|body| body.get_reader().unchecked_into());
        Ok(Connection { head, body, broke: false, _abort: abort })
    }
}

/// An answer on its way; dropped, it closes the connection, so that the server stops working.
struct Connection {
    head: Head,
    body: Option<ReadableStreamDefaultReader>,
    /// Whether it ended with an error.
    broke: bool,
    _abort: Abort,
}

impl Connection {
    /// The next piece of the body; None at its end. A connection that breaks is an end too: what reads the answer
    /// knows whether it came too early.
    async fn next(&mut self, cancel: &Cancel, silence_s: u32) -> Result<Option<Vec<u8>>, LlmError> {
        let Some(body) = &self.body else { return Ok(None) };
        let Ok(piece) = within(JsFuture::from(body.read()), cancel, silence_s).await? else {
            self.broke = true;
            return Ok(None);
        };
        let piece: Object = piece.unchecked_into();
        let value = Reflect::get(&piece, &"value".into()).unwrap_or(JsValue::UNDEFINED);
        Ok(value.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
    }
}

struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What `future` gives, unless the user stops or nothing comes for too long.
async fn within(
    future: JsFuture,
    cancel: &Cancel,
    silence_s: u32,
) -> Result<Result<JsValue, JsValue>, LlmError> {
    if cancel.is_cancelled() {
        return Err(LlmError::Cancelled);
    }
    let patience = std::pin::pin!(patience(silence_s.saturating_mul(1000)));
    let ends = std::pin::pin!(async {
        match select(std::pin::pin!(cancel.cancelled()), patience).await {
            Either::Left(_) => LlmError::Cancelled,
            Either::Right(_) => LlmError::Silent(silence_s),
        }
    });
    match select(future, ends).await {
        Either::Left((result, _)) => Ok(result),
        Either::Right((error, _)) => Err(error),
    }
}

/// What the browser has been told about pages that reach for the local network ("granted", "prompt", "denied"); None
/// where it does not ask.
pub async fn local_network_permission() -> Option<String> {
    let navigator = web_sys::window()?.navigator();
    let permissions = Reflect::get(&navigator, &"permissions".into()).ok().filter(JsValue::is_truthy)?;
    let query = Reflect::get(&permissions, &"query".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    let wish = Object::new();
    Reflect::set(&wish, &"name".into(), &"local-network-access".into()).ok()?;
    let promise = query.call1(&permissions, &wish).ok()?.dyn_into::<js_sys::Promise>().ok()?;
    let status = JsFuture::from(promise).await.ok()?;
    Reflect::get(&status, &"state".into()).ok()?.as_string()
}
