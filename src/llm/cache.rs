//! Answers that are remembered, by the hash of everything that was sent. The caller keeps the file.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::chat::{Completion, Delta, Request};
use super::{Cancel, LlmError};
use crate::ports::Complete;

const FORMAT: &str = "querylore-answers";
const VERSION: u32 = 1;
/// Bytes of answers that are kept where nothing else is said; the oldest go first.
const MOST_BYTES: usize = 64 << 20;

/// Remembered answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Cache {
    answers: BTreeMap<String, Completion>,
    /// Keys, oldest first.
    order: VecDeque<String>,
    bytes: usize,
    /// Bytes that there is room for.
    room: usize,
    /// Counts the changes.
    changes: u64,
}

impl Default for Cache {
    fn default() -> Self {
        Self { answers: BTreeMap::new(), order: VecDeque::new(), bytes: 0, room: MOST_BYTES, changes: 0 }
    }
}

/// Why a file is no cache.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// Some other file, or a damaged one.
    #[error(
        "This is not a file of remembered answers, or it is damaged. Delete it; answers are asked for again."
    )]
    NotAnswers,
    /// Written by a later version of this program.
    #[error("The remembered answers have version {0}; this program reads version 1. Use its newest version.")]
    Newer(u32),
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    answers: Vec<(String, Completion)>,
}

/// The name under which an answer is remembered: a hash over the endpoint and the whole request. Parameters that a
/// server turned out to refuse make no difference: they were not known when the request was first made.
pub fn key(endpoint: &str, request: &Request) -> String {
    let request = Request { leave_out: Vec::new(), ..request.clone() };
    let mut hash = Sha256::new();
    hash.update(endpoint.as_bytes());
    hash.update([0]);
    hash.update(request.body().to_string().as_bytes());
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Cache {
    /// Number of answers.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Bytes that the answers have, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The answer of that name.
    pub fn get(&self, key: &str) -> Option<&Completion> {
        self.answers.get(key)
    }

    /// An empty cache with room for so many bytes.
    pub fn with_room(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    /// Counts the changes: whoever keeps the file knows by it whether there is anything new.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Remembers an answer; the oldest ones go when there is no more room.
    pub fn put(&mut self, key: String, answer: Completion) {
        self.changes += 1;
        self.bytes += size(&answer);
        match self.answers.insert(key.clone(), answer) {
            Some(old) => self.bytes -= size(&old),
            None => self.order.push_back(key),
        }
        while self.bytes > self.room {
            let Some(old) = self.order.pop_front().and_then(|key| self.answers.remove(&key)) else { break };
            self.bytes -= size(&old);
        }
    }

    /// Takes in the answers of another cache that this one does not have, as older than its own.
    pub fn take_in(&mut self, older: Self) {
        let empty = Self::with_room(self.room);
        let own = std::mem::replace(self, empty);
        let changes = own.changes;
        let new = |key: &String| !own.answers.contains_key(key);
        let older = older.pairs().filter(|(key, _)| new(key)).collect::<Vec<_>>();
        for (key, answer) in older.into_iter().chain(own.pairs()) {
            self.put(key, answer);
        }
        self.changes = changes + 1;
    }

    /// Keys with their answers, oldest first.
    fn pairs(mut self) -> impl Iterator<Item = (String, Completion)> {
        let order = std::mem::take(&mut self.order);
        order.into_iter().filter_map(move |key| self.answers.remove(&key).map(|answer| (key, answer)))
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self { changes: self.changes + 1, ..Self::with_room(self.room) };
    }

    /// The file of the answers.
    pub fn to_json(&self) -> String {
        let answers = self.order.iter().filter_map(|key| Some((key.clone(), self.answers.get(key)?.clone())));
        let file = File { format: FORMAT.to_owned(), version: VERSION, answers: answers.collect() };
        serde_json::to_string(&file).unwrap_or_default()
    }

    /// Reads the file of answers.
    ///
    /// # Errors
    /// When it is another file, damaged, or of a later version.
    pub fn from_json(bytes: &[u8]) -> Result<Self, CacheError> {
        let file: File = serde_json::from_slice(bytes).map_err(|_| CacheError::NotAnswers)?;
        match (file.format == FORMAT, file.version) {
            (false, _) => return Err(CacheError::NotAnswers),
            (true, VERSION) => {}
            (true, version) => return Err(CacheError::Newer(version)),
        }
        let mut cache = Self::default();
        for (key, answer) in file.answers {
            cache.put(key, answer);
        }
        Ok(cache)
    }
}

/// About what an answer takes in the file, with its key.
fn size(answer: &Completion) -> usize {
    let logprobs: usize = answer.logprobs.iter().map(|l| 32 + l.token.len() + 32 * l.top.len()).sum();
    200 + answer.text.len() + answer.reasoning.len() + logprobs
}

/// Hears of an answer that was not known: its key, what was asked, what came.
pub type OnNew<'a> = dyn Fn(&str, &Request, &Completion) + 'a;

/// A model whose answers are remembered.
pub struct Cached<'a, M> {
    model: &'a M,
    cache: &'a RefCell<Cache>,
    on_new: Option<&'a OnNew<'a>>,
}

impl<'a, M: Complete> Cached<'a, M> {
    /// Puts a cache before a model.
    pub fn new(model: &'a M, cache: &'a RefCell<Cache>) -> Self {
        Self { model, cache, on_new: None }
    }

    /// Tells of every answer that was not known, with its key, before anyone else has it: what was paid for can be kept.
    pub fn telling(self, on_new: &'a OnNew<'a>) -> Self {
        Self { on_new: Some(on_new), ..self }
    }
}

impl<M: Complete> Complete for Cached<'_, M> {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        let key = key(self.endpoint(), request);
        let known = self.cache.borrow().get(&key).cloned();
        if let Some(answer) = known {
            on_delta(&Delta::Text(answer.text.clone()));
            return Ok(Completion { cached: true, ..answer });
        }
        let answer = self.model.complete(request, on_delta, cancel).await?;
        if let Some(on_new) = self.on_new {
            on_new(&key, request, &answer);
        }
        self.cache.borrow_mut().put(key, answer.clone());
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Message;
    use crate::llm::ask_tests::Scripted;
    use crate::ports::blocking::block_on;

    #[test]
    fn the_same_request_is_sent_once() {
        let (model, cache) = (Scripted::new(&["one", "two"]), RefCell::default());
        let cached = Cached::new(&model, &cache);
        let mut heard = String::new();
        let mut ask = |content: &str| {
            let request = Request { messages: vec![Message::user(content)], ..Request::default() };
            let mut on_delta = |delta: &Delta| {
                if let Delta::Text(text) = delta {
                    heard.push_str(text);
                }
            };
            let answer = block_on(cached.complete(&request, &mut on_delta, &Cancel::default())).unwrap();
            (answer.text, answer.cached)
        };
        assert_eq!(ask("a"), ("one".into(), false));
        assert_eq!(ask("a"), ("one".into(), true));
        assert_eq!(ask("b"), ("two".into(), false));
        assert_eq!(heard, "oneonetwo");
        assert_eq!(model.asked.borrow().len(), 2);

        let file = cache.borrow().to_json();
        let read = Cache::from_json(file.as_bytes()).unwrap();
        assert_eq!(read.to_json(), file);
        assert_eq!((read.len(), read.bytes()), (cache.borrow().len(), cache.borrow().bytes()));
        assert_eq!(Cache::from_json(b"{}"), Err(CacheError::NotAnswers));
        assert_eq!(Cache::from_json(&file.as_bytes()[..20]), Err(CacheError::NotAnswers));
        let newer = file.replace("\"version\":1", "\"version\":2");
        assert_eq!(Cache::from_json(newer.as_bytes()), Err(CacheError::Newer(2)));
    }

    #[test]
    fn failures_are_not_remembered_and_every_parameter_counts() {
        let (model, cache) = (Scripted::failing(LlmError::Silent(1)), RefCell::default());
        let cached = Cached::new(&model, &cache);
        let request = Request::default();
        assert!(block_on(cached.complete(&request, &mut |_| {}, &Cancel::default())).is_err());
        assert!(cache.borrow().is_empty());
        let warmer = Request { temperature: 0.5, ..request.clone() };
        assert_ne!(key("a", &request), key("a", &warmer));
        assert_ne!(key("a", &request), key("b", &request));
        let refused = Request { leave_out: vec!["seed".into()], ..request.clone() };
        assert_eq!(key("a", &request), key("a", &refused));
    }

    #[test]
    fn the_oldest_answers_go_when_there_is_no_room() {
        let mut cache = Cache::default();
        let model = Scripted::new(&["x"]);
        let answer = block_on(model.complete(&Request::default(), &mut |_| {}, &Cancel::default())).unwrap();
        let long = Completion { text: "x".repeat(MOST_BYTES / 3), ..answer };
        for key in ["a", "b", "c", "c", "d"] {
            cache.put(key.to_owned(), long.clone());
        }
        assert!(cache.bytes() <= MOST_BYTES && cache.len() == 2);
        assert!(cache.get("a").is_none() && cache.get("d").is_some());
        cache.clear();
        assert_eq!((cache.len(), cache.bytes()), (0, 0));
    }

    fn answer(text: &str) -> Completion {
        let model = Scripted::new(&[text]);
        block_on(model.complete(&Request::default(), &mut |_| {}, &Cancel::default())).unwrap()
    }

    #[test]
    fn another_tabs_answers_are_taken_in_as_older() {
        let cache = |keys: &[&str]| {
            let mut cache = Cache::with_room(3 * size(&answer("x")));
            keys.iter().for_each(|key| cache.put((*key).to_owned(), answer("x")));
            cache
        };
        let mut ours = cache(&["c", "b"]);
        let before = ours.changes();
        ours.take_in(cache(&["z", "a", "b"]));
        assert!(ours.changes() > before);
        // No room for four: the oldest is gone, and the own ones are the newest.
        assert_eq!(ours.order, ["a", "c", "b"].map(str::to_owned));
        assert_eq!(ours.bytes(), 3 * size(&answer("x")));
        let before = ours.changes();
        ours.clear();
        assert!(ours.is_empty() && ours.changes() > before);
        ours.put("big".into(), answer(&"x".repeat(10_000)));
        assert!(ours.is_empty(), "the room is the same after clearing");
    }

    #[test]
    fn the_file_holds_neither_key_nor_headers_nor_address() {
        use crate::llm::Endpoint;
        struct At(Endpoint, Scripted);
        impl Complete for At {
            fn endpoint(&self) -> &str {
                self.0.base()
            }
            async fn complete(
                &self,
                request: &Request,
                on_delta: &mut dyn FnMut(&Delta),
                cancel: &Cancel,
            ) -> Result<Completion, LlmError> {
                self.1.complete(request, on_delta, cancel).await
            }
        }
        let endpoint = Endpoint::new("https://llm.acme.example/team").unwrap();
        let endpoint = endpoint.with_key("sk-secret").unwrap().with_headers("X-Team: hunter2").unwrap();
        let (model, cache) = (At(endpoint, Scripted::new(&["one"])), RefCell::default());
        let cached = Cached::new(&model, &cache);
        let request = Request { messages: vec![Message::user("Which piers?")], ..Request::default() };
        block_on(cached.complete(&request, &mut |_| {}, &Cancel::default())).unwrap();
        let file = cache.borrow().to_json();
        assert!(file.contains("one"));
        for planted in ["sk-secret", "hunter2", "acme", "Which piers?"] {
            assert!(!file.contains(planted), "{file}");
        }
    }
}
