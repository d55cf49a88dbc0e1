//! The port over HTTP, for the command line.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::{Cancel, Completion, Delta, Endpoint, Head, LlmError, Reader, Request, models};
use crate::ports::Complete;

/// Seconds for a connection.
const CONNECT_S: u64 = 10;

/// A server that is asked over HTTP. Requests run on threads of their own, so any executor may wait for them.
#[derive(Debug)]
pub struct HttpModel {
    endpoint: Endpoint,
    client: reqwest::Client,
    runtime: Arc<Runtime>,
    silence_s: u32,
}

/// A client for this program's requests.
///
/// # Errors
/// When the system's certificates cannot be used.
pub fn client() -> Result<reqwest::Client, reqwest::Error> {
    // Fails when a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(CONNECT_S))
        // A prompt and the headers of a key go where they were meant to go, and nowhere else.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("querylore/", env!("CARGO_PKG_VERSION")))
        .build()
}

impl HttpModel {
    /// Nothing is sent yet. An answer is given up when nothing arrives for `silence_s` seconds.
    ///
    /// # Errors
    /// When no thread or client can be made.
    pub fn new(endpoint: Endpoint, silence_s: u32) -> Result<Self, LlmError> {
        let failed = |reason: String| LlmError::Unreachable { url: endpoint.base().to_owned(), reason };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = Arc::new(runtime.map_err(|e| failed(e.to_string()))?);
        let client = client().map_err(|e| failed(e.to_string()))?;
        Ok(Self { endpoint, client, runtime, silence_s })
    }

    /// Names of the models that the server offers.
    ///
    /// # Errors
    /// When it cannot be asked or gives no list.
    pub async fn models(&self) -> Result<Vec<String>, LlmError> {
        let url = self.endpoint.models_url();
        let mut request = self.client.get(&url).timeout(Duration::from_secs(self.silence_s.into()));
        for (name, value) in self.endpoint.headers() {
            request = request.header(name, value);
        }
        let asked = url.clone();
        let task = self.runtime.spawn(async move {
            let answer = request.send().await.map_err(|error| unreachable(&asked, &error))?;
            let head = head(&answer, &asked, "");
            let body = answer.text().await.map_err(|error| unreachable(&asked, &error))?;
            Ok((head, body))
        });
        let (head, body) = task.await.map_err(|error| LlmError::Malformed(error.to_string()))??;
        if head.status >= 300 {
            let mut reader = Reader::new(head);
            reader.feed(body.as_bytes())?;
            return reader.finish().map(|_| Vec::new());
        }
        models::names(&body).map_err(|_| LlmError::NotAnApi(url))
    }
}

impl Complete for HttpModel {
    fn endpoint(&self) -> &str {
        self.endpoint.base()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let url = self.endpoint.url_of(request);
        let mut post = self.client.post(&url).header("Content-Type", "application/json");
        for (name, value) in self.endpoint.headers() {
            post = post.header(name, value);
        }
        let post = post.body(request.body().to_string());
        let (sender, mut deltas) = mpsc::unbounded_channel();
        let (model, silence_s) = (request.model.clone(), self.silence_s);
        let task = self.runtime.spawn(read(post, url, model, silence_s, sender));
        let stop = task.abort_handle();
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    // Closes the connection, which stops the server's work.
                    stop.abort();
                    return Err(LlmError::Cancelled);
                }
                delta = deltas.recv() => match delta {
                    Some(delta) => on_delta(&delta),
                    None => break,
                },
            }
        }
        task.await.map_err(|error| LlmError::Malformed(error.to_string()))?
    }
}

/// Reads one answer to its end.
async fn read(
    post: reqwest::RequestBuilder,
    url: String,
    model: String,
    silence_s: u32,
    deltas: mpsc::UnboundedSender<Delta>,
) -> Result<Completion, LlmError> {
    let patience = Duration::from_secs(silence_s.into());
    let silent = |_| LlmError::Silent(silence_s);
    let answer = tokio::time::timeout(patience, post.send()).await.map_err(silent)?;
    let mut answer = answer.map_err(|error| unreachable(&url, &error))?;
    let mut reader = Reader::new(head(&answer, &url, &model));
    while !reader.is_done() {
        let piece = tokio::time::timeout(patience, answer.chunk()).await.map_err(silent)?;
        // A connection that breaks is an answer that ends too early; the reader says so.
        let Ok(Some(bytes)) = piece else { break };
        for delta in reader.feed(&bytes)? {
            let _ = deltas.send(delta);
        }
    }
    reader.finish()
}

fn head(answer: &reqwest::Response, url: &str, model: &str) -> Head {
    let header =
        |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Head {
        status: answer.status().as_u16(),
        content_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
        date: header("date"),
        url: url.to_owned(),
        model: model.to_owned(),
    }
}

/// Why there is no connection, in the words of the innermost error.
fn unreachable(url: &str, error: &reqwest::Error) -> LlmError {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    LlmError::Unreachable {
        url: url.to_owned(),
        reason: innermost.to_string().trim_end_matches('.').to_owned(),
    }
}
