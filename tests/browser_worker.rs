//! Calls to workers and files in the browser's own storage, in a real page.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{join, join_all};
use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use querylore::browser::rpc::{Client, RpcError, VERSION};
use querylore::browser::storage;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Blob, BlobPropertyBag, Url};

wasm_bindgen_test_configure!(run_in_browser);

/// Payloads are text: postcard writes its length and its bytes, which a scripted worker can send back as they are.
type Echo = Client<String, String, String>;

/// A worker made of `script`, in which `ready(version)` and `answer(kind, id, bytes)` speak the protocol.
fn worker(script: &str) -> Echo {
    let whole = format!(
        "const VERSION = '{VERSION}';
         const send = (kind, id, bytes) => postMessage([kind, id, bytes, undefined], [bytes.buffer]);
         const ready = version => send(0, 0, new TextEncoder().encode(version));
         const answer = (id, bytes) => send(2, id, bytes.slice());
         const event = (id, bytes) => send(3, id, bytes.slice());
         {script}"
    );
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&whole.into()), &options).unwrap();
    Echo::start(&Url::create_object_url_with_blob(&blob).unwrap()).unwrap()
}

async fn call(client: &Echo, text: &str) -> Result<String, RpcError> {
    client.call(&text.to_owned(), JsValue::UNDEFINED, |_| {}).await
}

#[wasm_bindgen_test]
async fn answers_reach_their_calls_in_any_order() {
    let client = worker(
        "const held = [];
         onmessage = ({ data: [, id, bytes] }) => {
           held.push([id, bytes]);
           if (held.length === 5) held.reverse().forEach(([id, bytes]) => answer(id, bytes));
         };
         ready(VERSION);",
    );
    let texts = ["", "one", "zwei", "三", "a longer text with a \0 in it"];
    let answers = join_all(texts.map(|text| call(&client, text))).await;
    for (text, answer) in texts.iter().zip(answers) {
        assert_eq!(answer.as_deref(), Ok(*text));
    }
    assert!(client.alive());
}

#[wasm_bindgen_test]
async fn progress_comes_before_the_answer_and_only_to_its_call() {
    let client = worker(
        "onmessage = ({ data: [, id, bytes] }) => {
           event(id, bytes); event(id, bytes); event(id + 100, bytes); answer(id, bytes); event(id, bytes);
         };
         ready(VERSION);",
    );
    let seen = Rc::new(RefCell::new(Vec::new()));
    let watched = async |text: &str| {
        let seen = seen.clone();
        let heard = move |event: String| seen.borrow_mut().push(event);
        client.call(&text.to_owned(), JsValue::UNDEFINED, heard).await
    };
    let (a, b) = (watched("a").await, watched("b").await);
    assert_eq!((a.as_deref(), b.as_deref()), (Ok("a"), Ok("b")));
    TimeoutFuture::new(50).await;
    assert_eq!(*seen.borrow(), ["a", "a", "b", "b"]);
}

#[wasm_bindgen_test]
async fn a_worker_of_another_build_is_refused() {
    let client =
        worker("ready('0.0.0-protocol-0'); onmessage = ({ data: [, id, bytes] }) => answer(id, bytes);");
    let (first, second) = join(call(&client, "a"), call(&client, "b")).await;
    assert_eq!((first, second), (Err(RpcError::Version), Err(RpcError::Version)));
    assert!(!client.alive());
}

#[wasm_bindgen_test]
async fn a_worker_that_cannot_start_fails_its_calls() {
    for script in ["this is not a program", "throw new Error('no memory');"] {
        let client = worker(script);
        assert!(matches!(call(&client, "a").await, Err(RpcError::Died(_))), "{script}");
        assert!(!client.alive());
    }
    let missing = Echo::start("no-such-worker.js").unwrap();
    assert!(matches!(call(&missing, "a").await, Err(RpcError::Died(_))));
}

#[wasm_bindgen_test]
async fn a_worker_that_dies_fails_every_pending_call() {
    let client = worker(
        "onmessage = () => setTimeout(() => { throw new Error('out of memory'); }, 20);
         ready(VERSION);",
    );
    let ended = join_all(["a", "b", "c"].map(|text| call(&client, text))).await;
    for answer in ended {
        assert!(matches!(answer, Err(RpcError::Died(why)) if why.contains("out of memory")));
    }
    assert!(matches!(call(&client, "later").await, Err(RpcError::Died(_))));
}

#[wasm_bindgen_test]
async fn ending_a_worker_fails_its_calls_with_the_reason() {
    let client = worker("ready(VERSION); onmessage = () => {};");
    let end = async {
        TimeoutFuture::new(50).await;
        client.end("the user stopped it");
    };
    let (answer, ()) = join(call(&client, "a"), end).await;
    assert_eq!(answer, Err(RpcError::Died("the user stopped it".to_owned())));
}

#[wasm_bindgen_test]
async fn what_cannot_be_read_is_an_error_of_one_call() {
    let client = worker(
        "onmessage = ({ data: [, id, bytes] }) =>
           answer(id, id === 0 ? new Uint8Array([200, 255, 255]) : bytes);
         ready(VERSION);
         postMessage('not of this protocol'); postMessage([7, 0]); postMessage(null);",
    );
    assert!(matches!(call(&client, "a").await, Err(RpcError::Decode(_))));
    assert_eq!(call(&client, "b").await.as_deref(), Ok("b"));
}

async fn content(folder: &str, name: &str) -> Option<Vec<u8>> {
    let file = storage::read(folder, name).await?;
    storage::bytes(&file).await.ok()
}

#[wasm_bindgen_test]
async fn a_file_is_kept_replaced_and_removed() {
    let folder = "browser-test";
    storage::remove(folder).await;
    assert_eq!(content(folder, "a").await, None);
    for bytes in [vec![0u8, 255, 10, 13], vec![7; 300_000], vec![]] {
        storage::write(folder, "a", &storage::blob(&bytes).unwrap()).await.unwrap();
        assert_eq!(content(folder, "a").await, Some(bytes));
    }
    storage::write(folder, "b", &storage::blob(&[1]).unwrap()).await.unwrap();
    storage::remove(folder).await;
    assert_eq!((content(folder, "a").await, content(folder, "b").await), (None, None));
    let (used, granted) = storage::estimate().await.unwrap();
    assert!(used < granted);
}

#[wasm_bindgen_test]
async fn a_name_the_storage_refuses_is_an_error_not_a_loss() {
    let folder = "browser-test-names";
    storage::write(folder, "kept", &storage::blob(&[1, 2]).unwrap()).await.unwrap();
    for name in ["", "..", "a/b"] {
        assert!(storage::write(folder, name, &storage::blob(&[3]).unwrap()).await.is_err(), "{name:?}");
    }
    assert_eq!(content(folder, "kept").await, Some(vec![1, 2]));
    storage::remove(folder).await;
}
