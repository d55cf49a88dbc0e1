//! A small real model behind a real server: Qwen2.5-Coder-0.5B, where `make model` fetched it.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use querylore::embedding::weights::native;
use querylore::llm::native::HttpModel;
use querylore::llm::{Cancel, Endpoint, Message, Request};
use querylore::ports::Complete as _;
use querylore::ports::blocking::block_on;
use serde_json::Value as Json;

use crate::workspace::lab;

/// The server, ended with the test.
struct Llama {
    child: Child,
    url: String,
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the server; Err says in one line why not.
fn start() -> Result<Llama, String> {
    let folder: PathBuf = native::cache_folder().ok_or("no cache folder")?.join("qwen2.5-coder-0.5b");
    if !folder.join("model.gguf").exists() || !folder.join("node_modules/node-llama-cpp").exists() {
        return Err(format!("there is no model in {} (make model fetches it)", folder.display()));
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new("node")
        .arg("scripts/llama.mjs")
        .arg(&folder)
        .arg(port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("node does not start: {e}"))?;
    let url = format!("http://127.0.0.1:{port}");
    let client = HttpModel::new(Endpoint::new(&url).unwrap(), 60).unwrap();
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Err(format!("scripts/llama.mjs ended with {status}; run it by hand to see why"));
        }
        if block_on(client.models()).is_ok_and(|models| !models.is_empty()) && ready(&client) {
            return Ok(Llama { child, url });
        }
        if started.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            return Err("scripts/llama.mjs did not load the model within two minutes".to_owned());
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Whether the model is loaded.
fn ready(client: &HttpModel) -> bool {
    let request = Request { messages: vec![Message::user("Hi")], max_tokens: 1, ..Request::default() };
    block_on(client.complete(&request, &mut |_| {}, &Cancel::default())).is_ok()
}

#[test]
fn a_real_model_answers_a_question() {
    let llama = match start() {
        Ok(llama) => llama,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    let question = "List+the+name+of+every+ship+whose+port+is+'Nord'.";
    let arguments = format!(
        "ask --history {{}}/history.sql --database {{}}/ships.sqlite --encoder tiny --question {question} --llm {} --context 4096 --json --gold SELECT+'Bea'",
        llama.url
    );
    let output = lab(&arguments, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let done: Json = serde_json::from_slice(&output.stdout).unwrap();
    let attempt = &done["direct"]["attempts"][0];
    assert!(attempt["answer"]["usage"]["prompt"].as_u64().unwrap() > 100, "{attempt}");
    assert_eq!(done["equal"], true, "{}", done["direct"]["answer"]);
}
