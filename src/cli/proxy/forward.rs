//! Passing requests on, within the rules.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::{Map, Value as Json, json};

use super::budget::{Budget, Limit, Limits, Refusal};
use crate::llm::native::client;
use crate::llm::{Endpoint, Head, Reader, models as list, tokens};

/// Bytes of a request at most.
const MOST_BYTES: usize = 1 << 20;
/// Bytes of an upstream error that are passed on.
const MOST_OF_AN_ERROR: usize = 64 << 10;
/// Seconds without a byte from upstream.
const SILENCE: Duration = Duration::from_secs(600);

/// Fields of a request that are passed on; others (tools, several answers at once) could cost anything.
const PASSED: [&str; 14] = [
    "model",
    "messages",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "logprobs",
    "top_logprobs",
    "response_format",
    "presence_penalty",
    "frequency_penalty",
    "reasoning_effort",
];

/// Who may do what.
#[derive(Debug)]
pub(super) struct Rules {
    /// Models that may be used; empty for all.
    pub models: Vec<String>,
    /// Origins of other pages, in lower case, without a slash at the end.
    pub origins: Vec<String>,
    /// Tokens that one answer may have.
    pub max_tokens: u64,
    /// Whether a web server in front names the client.
    pub forwarded: bool,
    /// Budgets.
    pub limits: Limits,
}

/// The proxy.
#[derive(Clone)]
pub(super) struct Forward(Arc<Inner>);

struct Inner {
    upstream: Endpoint,
    rules: Rules,
    client: reqwest::Client,
    budget: Mutex<Budget>,
    started: Instant,
}

/// A refusal in the form of the API.
struct Refused {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after_s: Option<u64>,
}

fn refused(status: StatusCode, code: &'static str, message: impl Into<String>) -> Refused {
    Refused { status, code, message: message.into(), retry_after_s: None }
}

impl Forward {
    pub(super) fn new(upstream: Endpoint, rules: Rules) -> Result<Self, String> {
        let client = client().map_err(|e| format!("No HTTP client can be made: {e}."))?;
        let budget = Mutex::new(Budget::new(rules.limits, 0.0));
        Ok(Self(Arc::new(Inner { upstream, rules, client, budget, started: Instant::now() })))
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        self.0.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page's origin where it is another one than this server's, if it may use the proxy.
    fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refused> {
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(None) };
        let text = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let own = text.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
        if own {
            return Ok(None);
        }
        if self.0.rules.origins.contains(&text) {
            return Ok(Some(origin.clone()));
        }
        let message = format!(
            "The page at {text} may not use this proxy. Whoever runs it can add --allow-origin {text}."
        );
        Err(refused(StatusCode::FORBIDDEN, "origin_not_allowed", message))
    }

    fn client_of(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let named =
            headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
        let last = named.and_then(|list| list.rsplit(',').next()?.trim().parse().ok());
        last.filter(|_| self.0.rules.forwarded).unwrap_or(peer.ip())
    }

    fn upstream(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        self.0
            .upstream
            .headers()
            .into_iter()
            .fold(request, |request, (name, value)| request.header(name, value))
    }

    /// Sends a request to the upstream; nothing of its errors names a key.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<reqwest::Response, Refused> {
        let sent = tokio::time::timeout(SILENCE, self.upstream(request).send()).await;
        let bad = |message: &str| refused(StatusCode::BAD_GATEWAY, "upstream_failed", message);
        match sent {
            Err(_) => Err(bad("The model's server does not answer. Try again later.")),
            Ok(Err(_)) => Err(bad("The model's server cannot be reached. Tell whoever runs this proxy.")),
            Ok(Ok(answer)) if matches!(answer.status().as_u16(), 401 | 403) => {
                Err(bad("The model's server does not accept this proxy's key. Tell whoever runs this proxy."))
            }
            Ok(Ok(answer)) if answer.status().is_redirection() => {
                Err(bad("The model's server sends on to another address. Tell whoever runs this proxy."))
            }
            Ok(Ok(answer)) => Ok(answer),
        }
    }

    /// The request as it goes on, and the tokens that it may use.
    fn checked(&self, body: &[u8]) -> Result<(Json, String, u64), Refused> {
        let wrong = |message: &str| refused(StatusCode::BAD_REQUEST, "invalid_request", message);
        let json: Json = serde_json::from_slice(body).map_err(|_| wrong("The request is not JSON."))?;
        let fields = json.as_object().ok_or_else(|| wrong("The request is not a JSON object."))?;
        let model = fields.get("model").and_then(Json::as_str).unwrap_or_default().to_owned();
        let rules = &self.0.rules;
        if !rules.models.is_empty() && !rules.models.contains(&model) {
            let message = format!(
                "The model “{model}” is not offered here. Choose one of: {}.",
                rules.models.join(", ")
            );
            return Err(refused(StatusCode::NOT_FOUND, "model_not_found", message));
        }
        let messages = fields.get("messages").filter(|messages| messages.is_array());
        let messages = messages.ok_or_else(|| wrong("“messages” is missing or not a list."))?;
        let mut passed: Map<String, Json> = fields
            .iter()
            .filter(|(name, _)| PASSED.contains(&name.as_str()))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        let asked = |name: &str| fields.get(name).and_then(Json::as_u64);
        let limit =
            asked("max_completion_tokens").or_else(|| asked("max_tokens")).unwrap_or(rules.max_tokens);
        let limit = limit.clamp(1, rules.max_tokens);
        let name =
            if fields.contains_key("max_completion_tokens") { "max_completion_tokens" } else { "max_tokens" };
        passed.insert(name.to_owned(), json!(limit));
        let prompt = u64::from(tokens::estimate(&messages.to_string()));
        Ok((Json::Object(passed), model, prompt + limit))
    }
}

/// POST /v1/chat/completions.
pub(super) async fn chat(
    State(forward): State<Forward>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let origin = match forward.origin(&headers) {
        Ok(origin) => origin,
        Err(refused) => return answer(refused, None),
    };
    match pass(&forward, peer, &headers, body).await {
        Ok(response) => allow(response, origin.as_ref()),
        Err(refused) => answer(refused, origin.as_ref()),
    }
}

async fn pass(
    forward: &Forward,
    peer: SocketAddr,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refused> {
    let body = axum::body::to_bytes(body, MOST_BYTES).await.map_err(|_| {
        let message = format!("The request is longer than {} KB. Shorten the prompt.", MOST_BYTES >> 10);
        refused(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", message)
    })?;
    let (request, model, tokens) = forward.checked(&body)?;
    let client = forward.client_of(peer, headers);
    let now_s = forward.0.started.elapsed().as_secs_f64();
    forward.budget().admit(client, tokens, now_s).map_err(over)?;
    let mut account = Account { forward: forward.clone(), client, counted: tokens, used: 0, reader: None };

    let url = forward.0.upstream.chat_url();
    let post =
        forward.0.client.post(&url).header("Content-Type", "application/json").body(request.to_string());
    let came = forward.send(post).await?;
    let status = came.status();
    let kept: Vec<(HeaderName, HeaderValue)> = [header::CONTENT_TYPE, header::RETRY_AFTER]
        .into_iter()
        .filter_map(|name| Some((name.clone(), came.headers().get(name)?.clone())))
        .collect();
    let most = if status.is_success() { usize::MAX } else { MOST_OF_AN_ERROR };
    if status.is_success() {
        account.used =
            u64::from(tokens::estimate(&request.get("messages").map(Json::to_string).unwrap_or_default()));
        let content_type = came.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        account.reader = Some(Reader::new(Head { status: 200, content_type, url, model, ..Head::default() }));
    }
    let mut sent = 0;
    let stream = came.bytes_stream().map_err(std::io::Error::other);
    // The account closes with the stream, however it ends.
    let stream = stream.map(move |piece: Result<Bytes, std::io::Error>| {
        let piece = piece?;
        sent += piece.len();
        if sent > most || !account.read(&piece) {
            return Err(std::io::Error::other("the answer has no end"));
        }
        Ok(piece)
    });
    let mut response = Response::new(Body::from_stream(stream));
    *response.status_mut() = StatusCode::from_u16(status.as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
    response.headers_mut().extend(kept);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// What a request used, settled when it ends.
struct Account {
    forward: Forward,
    client: IpAddr,
    counted: u64,
    /// Tokens of the prompt, once the upstream took it.
    used: u64,
    reader: Option<Reader>,
}

impl Account {
    /// Counts a piece; false where the answer should end.
    fn read(&mut self, piece: &[u8]) -> bool {
        match &mut self.reader {
            // An error inside the stream is passed on like everything else.
            Some(reader) => !matches!(reader.feed(piece), Err(crate::llm::LlmError::Endless(_))),
            None => true,
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let mut used = self.used;
        if let Some(reader) = self.reader.take() {
            let so_far = reader.so_far();
            let text =
                u64::from(tokens::estimate(&so_far.text)) + u64::from(tokens::estimate(&so_far.reasoning));
            let usage = so_far.usage.or_else(|| reader.finish().ok()?.usage);
            used = usage.map_or(used + text, |usage| u64::from(usage.prompt) + u64::from(usage.completion));
        }
        self.forward.budget().settle(self.client, self.counted, used);
    }
}

fn over(Refusal { limit, retry_after_s }: Refusal) -> Refused {
    let (code, message) = match limit {
        Limit::Rate => ("rate_limit_exceeded", "Too many requests in a minute."),
        Limit::Client => ("client_budget_used", "Your share of this proxy's budget is used up."),
        Limit::Total => ("budget_used", "This proxy's budget is used up."),
    };
    let wait = match retry_after_s {
        seconds if seconds < 120 => format!("{seconds} seconds"),
        seconds if seconds < 7_200 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{} hours", seconds.div_ceil(3_600)),
    };
    let message = format!("{message} Try again in {wait}.");
    Refused { status: StatusCode::TOO_MANY_REQUESTS, code, message, retry_after_s: Some(retry_after_s) }
}

/// GET /v1/models: those that may be used.
pub(super) async fn models(State(forward): State<Forward>, headers: HeaderMap) -> Response {
    let origin = match forward.origin(&headers) {
        Ok(origin) => origin,
        Err(refused) => return answer(refused, None),
    };
    let names = match &forward.0.rules.models {
        names if !names.is_empty() => Ok(names.clone()),
        _ => upstream_models(&forward).await,
    };
    match names {
        Ok(names) => {
            let data: Vec<Json> = names.iter().map(|name| json!({"id": name, "object": "model"})).collect();
            allow(axum_json(&json!({"object": "list", "data": data})), origin.as_ref())
        }
        Err(refused) => answer(refused, origin.as_ref()),
    }
}

async fn upstream_models(forward: &Forward) -> Result<Vec<String>, Refused> {
    let bad = |message: String| refused(StatusCode::BAD_GATEWAY, "upstream_failed", message);
    let came = forward.send(forward.0.client.get(forward.0.upstream.models_url())).await?;
    let body = tokio::time::timeout(SILENCE, came.text()).await;
    let body = body.ok().and_then(Result::ok).unwrap_or_default();
    list::names(&body).map_err(bad)
}

/// OPTIONS: what a browser asks before a page of another origin sends its request.
pub(super) async fn preflight(State(forward): State<Forward>, headers: HeaderMap) -> Response {
    match forward.origin(&headers) {
        Ok(origin) => {
            let mut response = StatusCode::NO_CONTENT.into_response();
            let headers = response.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static("content-type, authorization"),
            );
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
            allow(response, origin.as_ref())
        }
        Err(refused) => answer(refused, None),
    }
}

fn axum_json(json: &Json) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response()
}

/// Lets a page of another origin read the answer.
fn allow(mut response: Response, origin: Option<&HeaderValue>) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Retry-After"));
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    }
    response
}

fn answer(refused: Refused, origin: Option<&HeaderValue>) -> Response {
    let Refused { status, code, message, retry_after_s } = refused;
    let mut response =
        axum_json(&json!({"error": {"message": message, "type": "proxy_error", "code": code}}));
    *response.status_mut() = status;
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    allow(response, origin)
}
