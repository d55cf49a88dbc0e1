//! Answers kept line by line as they come, so that what was paid for is not asked again after a crash.
//!
//! A line is written whole or not at all; a last line that was cut is left out.

use serde::{Deserialize, Serialize};

use super::budget::Spent;
use super::{Cache, Completion, Request};

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    spent: Spent,
    answer: Completion,
}

/// The line of an answer under its key.
///
/// # Errors
/// When a number of it cannot be written as JSON.
pub fn line(key: &str, request: &Request, answer: &Completion) -> Result<Vec<u8>, serde_json::Error> {
    let spent = Spent::on(request.prompt_tokens(), answer);
    let mut bytes = serde_json::to_vec(&Line { key: key.to_owned(), spent, answer: answer.clone() })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// What a file of such lines holds.
#[derive(Debug)]
pub struct Log {
    /// The answers.
    pub cache: Cache,
    /// What they cost together.
    pub spent: Spent,
    /// Bytes of the lines that are whole; what follows was cut.
    pub whole: usize,
}

/// Reads a file of answers.
///
/// # Errors
/// The number, from 1, of a whole line that cannot be read.
pub fn read(bytes: &[u8]) -> Result<Log, usize> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut log = Log { cache: Cache::with_room(usize::MAX), spent: Spent::default(), whole };
    let lines = bytes.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n').zip(1_usize..);
    for (text, number) in lines.filter(|(text, _)| !text.is_empty()) {
        let Line { key, spent, answer } = serde_json::from_slice(text).map_err(|_| number)?;
        log.spent = log.spent.and(spent);
        log.cache.put(key, answer);
    }
    Ok(log)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::llm::ask_tests::Scripted;
    use crate::llm::{Cancel, Message};
    use crate::ports::Complete as _;
    use crate::ports::blocking::block_on;

    #[test]
    fn a_log_that_was_cut_holds_what_is_whole() {
        let model = Scripted::new(&["one", "two"]);
        let mut bytes = Vec::new();
        for key in ["a", "b"] {
            let request = Request { messages: vec![Message::user("x")], ..Request::default() };
            let answer = block_on(model.complete(&request, &mut |_| {}, &Cancel::default())).unwrap();
            bytes.extend(line(key, &request, &answer).unwrap());
        }
        let log = read(&bytes).unwrap();
        assert_eq!(
            (log.cache.len(), log.spent, log.whole),
            (2, Spent { requests: 2, prompt: 10, answer: 2 }, bytes.len())
        );
        let cut = read(&bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(
            (cut.cache.get("a").unwrap().text.as_str(), cut.cache.len(), cut.spent.requests),
            ("one", 1, 1)
        );
        assert!(bytes[..cut.whole].ends_with(b"}\n"));
        assert_eq!(read(b"{}\n").unwrap_err(), 1);
        assert_eq!(read(b"").unwrap().whole, 0);
    }
}
