//! The port over HTTP.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use querylore::llm::native::HttpModel;
use querylore::llm::{Cancel, Completion, Delta, Endpoint, LlmError, Message, Request, send};
use querylore::ports::Complete as _;
use querylore::ports::blocking::block_on;

use crate::server::Server;

fn request(model: &str) -> Request {
    Request {
        model: model.into(),
        messages: vec![Message::user("Which ships?")],
        max_tokens: 100,
        ..Request::default()
    }
}

fn ask(server: &Server, model: &str, silence_s: u32) -> (Result<Completion, LlmError>, String) {
    let endpoint = Endpoint::new(&server.url()).unwrap().with_key("sk-test").unwrap();
    let client = HttpModel::new(endpoint, silence_s).unwrap();
    let mut heard = String::new();
    let mut on_delta = |delta: &Delta| {
        if let Delta::Text(text) = delta {
            heard.push_str(text);
        }
    };
    let answer = block_on(send(&client, &mut request(model), &mut on_delta, &Cancel::default()));
    (answer, heard)
}

#[test]
fn a_stream_arrives_piece_by_piece_with_the_key_sent() {
    let server = Server::start();
    let (answer, heard) = ask(&server, "sql", 10);
    let answer = answer.unwrap();
    assert_eq!(answer.text, "Here it is:\n```sql\nSELECT name FROM ships WHERE port = 'Süd';\n```\n");
    assert_eq!(heard, answer.text);
    assert_eq!(answer.usage.map(|usage| (usage.prompt, usage.completion)), Some((30, 12)));
    assert_eq!(server.seen.key.lock().unwrap().as_deref(), Some("Bearer sk-test"));
    assert_eq!(ask(&server, "json", 10).0.unwrap().text, "SELECT 1");
    let (answer, _) = ask(&server, "no-options", 10);
    assert_eq!(answer.unwrap().text, "SELECT 1");
}

#[test]
fn every_failure_is_told_apart() {
    use LlmError as E;
    let server = Server::start();
    type Case = (&'static str, fn(&E) -> bool);
    let cases: [Case; 12] = [
        ("cut", |e| *e == E::CutStream(9)),
        ("ends", |e| *e == E::CutStream(9)),
        ("in-stream", |e| matches!(e, E::TooLong(_))),
        ("empty", |e| *e == E::Empty { thought: false }),
        ("401", |e| matches!(e, E::Unauthorised(message) if message.contains("Incorrect"))),
        ("404", |e| matches!(e, E::NotFound(url) if url.ends_with("/v1/chat/completions"))),
        ("unknown", |e| matches!(e, E::UnknownModel { model, .. } if model == "unknown")),
        ("429", |e| matches!(e, E::RateLimited { retry_after_s: Some(7), .. })),
        ("500", |e| matches!(e, E::Server { status: 500, .. })),
        ("page", |e| matches!(e, E::NotAnApi(_))),
        ("endless", |e| matches!(e, E::Endless(_))),
        ("length", |e| matches!(e, E::Cancelled)),
    ];
    for (model, fits) in cases {
        match ask(&server, model, 10).0 {
            Err(error) => assert!(fits(&error), "{model}: {error:?}"),
            Ok(answer) => {
                assert!(model == "length" && answer.text.starts_with("SELECT"), "{model}: {answer:?}")
            }
        }
    }
}

#[test]
fn a_slow_first_byte_is_waited_for_but_not_for_ever() {
    let server = Server::start();
    assert_eq!(ask(&server, "slow", 30).0.unwrap().text, "SELECT 2");
    assert_eq!(ask(&server, "slow", 1).0, Err(LlmError::Silent(1)));
}

#[test]
fn stopping_closes_the_connection() {
    let server = Server::start();
    let client = HttpModel::new(Endpoint::new(&server.url()).unwrap(), 10).unwrap();
    let cancel = Cancel::default();
    let mut pieces = 0;
    let mut on_delta = |_: &Delta| {
        pieces += 1;
        if pieces == 3 {
            cancel.cancel();
        }
    };
    let started = Instant::now();
    let answer = block_on(client.complete(&request("dripping"), &mut on_delta, &cancel));
    assert_eq!(answer, Err(LlmError::Cancelled));
    assert!(started.elapsed() < Duration::from_secs(10));
    while server.seen.abandoned.load(Ordering::Relaxed) == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "the server still sends");
        std::thread::sleep(Duration::from_millis(20));
    }
    // Before the first byte, too.
    let cancel = Cancel::default();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        other.cancel();
    });
    let started = Instant::now();
    let answer = block_on(client.complete(&request("slow"), &mut |_| {}, &cancel));
    assert_eq!(answer, Err(LlmError::Cancelled));
    assert!(started.elapsed() < Duration::from_millis(1_400), "{:?}", started.elapsed());
    thread.join().unwrap();
}

#[test]
fn models_are_listed_and_a_missing_server_is_named() {
    let server = Server::start();
    let client = HttpModel::new(Endpoint::new(&server.url()).unwrap(), 10).unwrap();
    assert_eq!(block_on(client.models()).unwrap(), ["prose", "sql"]);
    // A port that was just free.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = HttpModel::new(Endpoint::new(&format!("http://{free}")).unwrap(), 10).unwrap();
    let answer = block_on(client.complete(&request("sql"), &mut |_| {}, &Cancel::default()));
    assert!(
        matches!(&answer, Err(LlmError::Unreachable { url, .. }) if url.contains(&free.to_string())),
        "{answer:?}"
    );
    assert!(matches!(block_on(client.models()), Err(LlmError::Unreachable { .. })));
}
