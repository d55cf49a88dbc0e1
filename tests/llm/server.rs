//! A server with the OpenAI-compatible API that behaves as the name of the model says.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::{Value as Json, json};

/// What the server saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// Bodies of the requests.
    pub requests: Mutex<Vec<Json>>,
    /// The last Authorization header.
    pub key: Mutex<Option<String>>,
    /// Streams whose client went away before their end.
    pub abandoned: AtomicUsize,
}

/// A running server; it ends with the test's process.
pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
}

impl Server {
    pub fn start() -> Self {
        let seen = Arc::new(Seen::default());
        let app = axum::Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/v1/models", get(models))
            .with_state(seen.clone());
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                sender.send(listener.local_addr().unwrap()).unwrap();
                axum::serve(listener, app).await.unwrap();
            });
        });
        Self { address: receiver.recv().unwrap(), seen }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

async fn models() -> Response {
    json_of(200, &json!({"object": "list", "data": [{"id": "sql"}, {"id": "prose"}]}))
}

fn json_of(status: u16, json: &Json) -> Response {
    let mut response = ([("content-type", "application/json")], json.to_string()).into_response();
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

fn chunk(text: &str) -> String {
    format!(
        "data: {}\r\n\r\n",
        json!({"model": "scripted", "choices": [{"index": 0, "delta": {"content": text}}]})
    )
}

fn end(reason: &str) -> String {
    let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 12}});
    format!("data: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// Bytes of a text in small pieces, also inside characters.
fn pieces(text: String) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    let pieces: Vec<Bytes> = text.into_bytes().chunks(7).map(Bytes::copy_from_slice).collect();
    stream::iter(pieces.into_iter().map(Ok))
}

fn events(stream: impl Stream<Item = Result<Bytes, std::io::Error>> + Send + 'static) -> Response {
    ([("content-type", "text/event-stream")], Body::from_stream(stream)).into_response()
}

fn said(text: &str) -> Response {
    events(pieces(format!(
        ": hello\n\n{}{}",
        text.split_inclusive(' ').map(chunk).collect::<String>(),
        end("stop")
    )))
}

/// Counts a stream that is dropped.
struct Guard(Arc<Seen>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.abandoned.fetch_add(1, Ordering::Relaxed);
    }
}

async fn chat(State(seen): State<Arc<Seen>>, headers: HeaderMap, body: String) -> Response {
    let request: Json = serde_json::from_str(&body).unwrap();
    let model = request["model"].as_str().unwrap().to_owned();
    let last = request["messages"]
        .as_array()
        .unwrap()
        .last()
        .map_or("", |m| m["content"].as_str().unwrap())
        .to_owned();
    *seen.key.lock().unwrap() = headers.get("authorization").map(|key| key.to_str().unwrap().to_owned());
    let asked = {
        let mut requests = seen.requests.lock().unwrap();
        requests.push(request.clone());
        requests.iter().filter(|old| old["model"] == request["model"]).count()
    };
    let error = |status: u16, message: &str| json_of(status, &json!({"error": {"message": message}}));
    match model.as_str() {
        "sql" => said("Here it is:\n```sql\nSELECT name FROM ships WHERE port = 'Süd';\n```\n"),
        "json" => json_of(
            200,
            &json!({"choices": [{"message": {"content": "SELECT 1"}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 5, "completion_tokens": 2}}),
        ),
        "prose" => said("I am sorry, the schema does not say."),
        "two" => said("SELECT 1; SELECT name FROM ships;"),
        "delete" => said("DELETE FROM ships"),
        "attach" => said("ATTACH 'other.db' AS other"),
        "mend" if asked == 1 => said("SELECT nam FROM ships"),
        "mend" => said("SELECT name FROM ships"),
        "piers" => said("COUNT(*) FROM piers"),
        // Every other answer is good.
        "unplanned" if asked % 2 == 1 => said("SELECT nothing FROM piers"),
        "unplanned" => said("```sql\nSELECT COUNT(*) FROM piers;\n```"),
        "describe" => {
            let list: Json = serde_json::from_str(last.split("Pieces:\n").nth(1).unwrap()).unwrap();
            let described =
                |p: &Json| json!({"idx": p["idx"], "name": "A piece", "description": "What it means."});
            let list: Vec<Json> = list.as_array().unwrap().iter().map(described).collect();
            said(&json!({"summary": "Show the described ships.", "pieces": list}).to_string())
        }
        "no-options" if request.get("stream_options").is_some() => {
            error(400, "Unknown parameter: stream_options")
        }
        "no-options" => said("SELECT 1"),
        "cut" => {
            // After a while, so that what was sent before has arrived.
            let broken = stream::once(async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                Err(std::io::Error::other("broken"))
            });
            events(pieces(chunk("SELECT na")).chain(broken))
        }
        "ends" => events(pieces(chunk("SELECT na"))),
        "length" => events(pieces(chunk("SELECT a FROM (") + &end("length"))),
        "in-stream" => events(pieces(
            chunk("SEL") + "data: {\"error\": {\"code\": 400, \"message\": \"context size exceeded\"}}\n\n",
        )),
        "empty" => events(pieces(end("stop"))),
        "401" => error(401, "Incorrect API key provided"),
        "404" => StatusCode::NOT_FOUND.into_response(),
        "unknown" => error(404, "The model `unknown` does not exist"),
        "429" => {
            let mut response = error(429, "slow down");
            response.headers_mut().insert("retry-after", "7".parse().unwrap());
            response
        }
        "500" => error(500, "it broke"),
        "page" => "<!doctype html><title>Hello</title>".into_response(),
        "slow" => {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            said("SELECT 2")
        }
        "endless" => events(stream::repeat_with(|| Ok(Bytes::from(chunk(&"x".repeat(4_000)))))),
        "dripping" => {
            let guard = Guard(seen);
            let drops = stream::unfold((guard, 0), |(guard, n)| async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                (n < 3_000).then(|| (Ok(Bytes::from(chunk("x"))), (guard, n + 1)))
            });
            events(drops)
        }
        other => panic!("no such script: {other}"),
    }
}
