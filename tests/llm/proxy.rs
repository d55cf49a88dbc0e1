//! `lab proxy` between a client and the scripted server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

use crate::server::Server;
use crate::workspace::{command, folder};

/// A running proxy, ended with the test.
struct Proxy {
    child: Child,
    url: String,
    runtime: Runtime,
    client: reqwest::Client,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Proxy {
    fn start(upstream: &str, more: &str) -> Self {
        let arguments =
            format!("proxy --dir {{}} --listen 127.0.0.1:0 --upstream {upstream} --key-env SECRET {more}");
        let mut child = command(folder(), &arguments)
            .env("SECRET", "sk-secret")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (url, offer) = line.trim().strip_prefix("Querylore is at ").unwrap().split_once(' ').unwrap();
        assert!(offer.starts_with("with ") && offer.contains(" tokens, all clients have "), "{offer}");
        let url = url.to_owned();
        let client = querylore::llm::native::client().unwrap();
        Self { child, url, runtime: Runtime::new().unwrap(), client }
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, HeaderMap, String) {
        let mut request = self.client.request(method, format!("{}{path}", self.url)).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.runtime.block_on(async {
            let answer = request.send().await.unwrap();
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            (status, headers, answer.text().await.unwrap_or_default())
        })
    }

    fn chat(&self, model: &str) -> (u16, HeaderMap, String) {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "hi"}], "n": 5, "max_tokens": 100_000, "stream": true});
        self.send(
            Method::POST,
            "/v1/chat/completions",
            &[("content-type", "application/json")],
            &body.to_string(),
        )
    }
}

fn error(body: &str) -> (String, String) {
    let json: Json = serde_json::from_str(body).unwrap();
    let text = |name: &str| json["error"][name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

#[test]
fn the_page_and_the_model_come_from_one_address() {
    let server = Server::start();
    let proxy = Proxy::start(&server.url(), "--model sql --model 401 --max-tokens 50");
    let (status, headers, page) = proxy.send(Method::GET, "/", &[], "");
    assert!(
        status == 200 && page.contains("<title>Page") && headers.contains_key("cross-origin-embedder-policy")
    );

    let (status, headers, body) = proxy.chat("sql");
    assert_eq!((status, headers["content-type"].as_bytes()), (200, &b"text/event-stream"[..]));
    assert!(body.contains("SELECT") && body.contains("[DONE]"), "{body}");
    let sent = server.seen.requests.lock().unwrap()[0].clone();
    // The key is the proxy's, the limit too, and several answers at once are not passed on.
    assert_eq!(server.seen.key.lock().unwrap().as_deref(), Some("Bearer sk-secret"));
    assert_eq!((&sent["max_tokens"], sent.get("n")), (&json!(50), None));

    let (_, _, list) = proxy.send(Method::GET, "/v1/models", &[], "");
    assert_eq!(querylore::llm::models::names(&list).unwrap(), ["401", "sql"]);
    let (status, _, body) = proxy.chat("prose");
    assert_eq!((status, error(&body).0.as_str()), (404, "model_not_found"));
    // Trouble with the proxy's own key is not the client's, and its words stay here.
    let (status, _, body) = proxy.chat("401");
    let (code, message) = error(&body);
    assert_eq!((status, code.as_str()), (502, "upstream_failed"));
    assert!(message.contains("Tell whoever runs this proxy") && !body.contains("Incorrect"), "{body}");
}

#[test]
fn errors_of_the_model_are_passed_on() {
    let server = Server::start();
    let proxy = Proxy::start(&server.url(), "");
    let (status, headers, body) = proxy.chat("429");
    assert_eq!((status, headers["retry-after"].as_bytes()), (429, &b"7"[..]));
    assert!(body.contains("slow down"));
    assert_eq!(proxy.chat("500").0, 500);
    assert_eq!(proxy.chat("page").0, 200);
    let (status, _, body) = proxy.chat("cut");
    assert!(status == 200 && !body.contains("[DONE]"));
    let (_, _, list) = proxy.send(Method::GET, "/v1/models", &[], "");
    assert_eq!(querylore::llm::models::names(&list).unwrap(), ["prose", "sql"]);
    for bad in ["", "[]", "{}", r#"{"model": "sql"}"#] {
        let (status, _, body) = proxy.send(Method::POST, "/v1/chat/completions", &[], bad);
        assert_eq!((status, error(&body).0.as_str()), (400, "invalid_request"), "{bad}");
    }
    let (status, _, body) = proxy.send(Method::POST, "/v1/chat/completions", &[], &" ".repeat((1 << 20) + 1));
    assert_eq!((status, error(&body).0.as_str()), (413, "request_too_large"));
}

#[test]
fn budgets_refuse_with_the_time_to_wait() {
    let server = Server::start();
    let proxy = Proxy::start(&server.url(), "--rate 2");
    assert_eq!((proxy.chat("sql").0, proxy.chat("sql").0), (200, 200));
    let (status, headers, body) = proxy.chat("sql");
    assert_eq!((status, error(&body).0.as_str()), (429, "rate_limit_exceeded"));
    let wait: u64 = headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");

    // 42 tokens were used of each request that might have used 2,048: what was not used is given back.
    let proxy = Proxy::start(&server.url(), "--client-tokens 2200");
    let used = (0..10).take_while(|_| proxy.chat("sql").0 == 200).count();
    assert!((3..=4).contains(&used), "{used}");
    let (status, _, body) = proxy.chat("sql");
    assert_eq!((status, error(&body).0.as_str()), (429, "client_budget_used"));

    let proxy = Proxy::start(&server.url(), "--total-requests 1");
    assert_eq!(proxy.chat("sql").0, 200);
    let (_, headers, body) = proxy.chat("sql");
    assert_eq!(error(&body).0, "budget_used");
    assert!(error(&body).1.ends_with("Try again in 24 hours."), "{body}");
    assert!(headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 86_000);

    // Clients behind a web server are told apart by what it says, only where that is wanted.
    let proxy = Proxy::start(&server.url(), "--client-requests 1 --forwarded");
    let body = json!({"model": "sql", "messages": []}).to_string();
    let from = |address: &str| {
        proxy.send(Method::POST, "/v1/chat/completions", &[("x-forwarded-for", address)], &body).0
    };
    assert_eq!((from("1.1.1.1, 10.0.0.1"), from("10.0.0.2"), from("9.9.9.9, 10.0.0.1")), (200, 200, 429));
}

#[test]
fn other_pages_need_leave() {
    let server = Server::start();
    let proxy = Proxy::start(&server.url(), "--allow-origin https://class.example/");
    let host = proxy.url.clone();
    let from = |method: Method, origin: &str| {
        let body = json!({"model": "sql", "messages": []}).to_string();
        proxy.send(method, "/v1/chat/completions", &[("origin", origin)], &body)
    };
    let (status, headers, _) = from(Method::POST, "https://class.example");
    assert_eq!(
        (status, headers["access-control-allow-origin"].as_bytes()),
        (200, &b"https://class.example"[..])
    );
    assert_eq!(from(Method::POST, &host).0, 200);
    for origin in ["https://evil.example", "null", "https://class.example.evil.example"] {
        let (status, headers, body) = from(Method::POST, origin);
        assert_eq!((status, error(&body).0.as_str()), (403, "origin_not_allowed"), "{origin}");
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
    let (status, headers, _) = from(Method::OPTIONS, "https://class.example");
    assert_eq!(
        (status, headers["access-control-allow-headers"].as_bytes()),
        (204, &b"content-type, authorization"[..])
    );
    assert_eq!(from(Method::OPTIONS, "https://evil.example").0, 403);
    assert_eq!(server.seen.requests.lock().unwrap().len(), 2);
}

#[test]
fn an_upstream_that_is_not_there_is_said() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = Proxy::start(&format!("http://{free}"), "");
    let (status, _, body) = proxy.chat("sql");
    assert_eq!((status, error(&body).0.as_str()), (502, "upstream_failed"));
    assert!(!body.contains(&free.to_string()), "{body}");
}
