//! From the bytes of an HTTP answer to a completion: a stream of events, one JSON object, or an error.

use serde_json::Value as Json;

use super::chat::{Completion, Delta, Finish, Logprob, Usage};
use super::error::{LlmError, Stated};
use super::sse::Decoder;

/// Bytes of an answer that are read; log probabilities make it many times its text.
pub const MOST_BYTES: usize = 16 << 20;
/// Bytes of text and reasoning that are kept.
pub const MOST_TEXT: usize = 512 << 10;
/// Bytes of an error that are kept.
const MOST_OF_AN_ERROR: usize = 64 << 10;

/// Status and headers of an answer.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// Content-Type, empty where there is none.
    pub content_type: String,
    /// Retry-After: seconds or a date.
    pub retry_after: Option<String>,
    /// Date, against which a date of Retry-After is read.
    pub date: Option<String>,
    /// The address asked.
    pub url: String,
    /// The model asked for.
    pub model: String,
}

/// How the body is read.
#[derive(Debug)]
enum Body {
    /// Not known before its first byte.
    Unknown,
    Events(Decoder),
    Json(Vec<u8>),
    Error(Vec<u8>),
}

/// Reads one answer. Feed it every piece that arrives, then finish it.
#[derive(Debug)]
pub struct Reader {
    head: Head,
    body: Body,
    read: usize,
    answer: Completion,
    /// Whether the stream said that the answer ends.
    ended: bool,
}

impl Reader {
    /// Begins with the head of the answer.
    pub fn new(head: Head) -> Self {
        let body = if head.status >= 300 {
            Body::Error(Vec::new())
        } else if head.content_type.contains("event-stream") {
            Body::Events(Decoder::default())
        } else {
            // Some servers name no type, or a wrong one.
            Body::Unknown
        };
        let answer = Completion {
            text: String::new(),
            reasoning: String::new(),
            finish: Finish::Other(String::new()),
            usage: None,
            logprobs: Vec::new(),
            model: None,
            cached: false,
        };
        Self { head, body, read: 0, answer, ended: false }
    }

    /// Reads a piece; gives what it adds to the answer.
    ///
    /// # Errors
    /// When the stream holds an error, cannot be read, or has no end; nothing more needs to be read then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, LlmError> {
        self.read = self.read.saturating_add(bytes.len());
        if let Body::Error(body) = &mut self.body {
            let room = MOST_OF_AN_ERROR.saturating_sub(body.len());
            body.extend(bytes.iter().take(room));
            return Ok(Vec::new());
        }
        if self.read > MOST_BYTES {
            return Err(self.endless());
        }
        if matches!(self.body, Body::Unknown) {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return Ok(Vec::new()),
                Some(b'<') => return Err(LlmError::NotAnApi(self.head.url.clone())),
                Some(b'{' | b'[') => self.body = Body::Json(Vec::new()),
                Some(_) => self.body = Body::Events(Decoder::default()),
            }
        }
        let events = match &mut self.body {
            Body::Json(body) => {
                body.extend_from_slice(bytes);
                return Ok(Vec::new());
            }
            Body::Events(decoder) => decoder.feed(bytes),
            Body::Unknown | Body::Error(_) => Ok(Vec::new()),
        };
        let Ok(events) = events else { return Err(self.endless()) };
        let mut deltas = Vec::new();
        for event in events {
            deltas.extend(self.event(&event.data)?);
        }
        Ok(deltas)
    }

    /// Whether the answer is complete, so that the connection may be closed.
    pub fn is_done(&self) -> bool {
        self.ended
    }

    /// What has arrived of a streamed answer.
    pub fn so_far(&self) -> &Completion {
        &self.answer
    }

    /// The whole answer, at the end of the body.
    ///
    /// # Errors
    /// What the server said went wrong, or that the answer is cut off or empty.
    pub fn finish(mut self) -> Result<Completion, LlmError> {
        match std::mem::replace(&mut self.body, Body::Unknown) {
            Body::Error(body) => return Err(self.stated().error(&String::from_utf8_lossy(&body))),
            Body::Json(body) => {
                let json: Json = serde_json::from_slice(&body)
                    .map_err(|e| if e.is_eof() { self.cut() } else { LlmError::Malformed(e.to_string()) })?;
                self.ended = true;
                self.take(&json, "message")?;
            }
            Body::Events(decoder) => {
                // What follows the last whole event may be cut off; only what can be read counts.
                let last = decoder.finish().map(|event| event.data);
                if let Some(data) =
                    last.filter(|data| data == "[DONE]" || serde_json::from_str::<Json>(data).is_ok())
                {
                    self.event(&data)?;
                }
            }
            Body::Unknown => {}
        }
        let finished = self.answer.finish != Finish::Other(String::new());
        if !self.ended && !finished {
            return Err(if self.read == 0 { LlmError::Empty { thought: false } } else { self.cut() });
        }
        if self.answer.text.trim().is_empty() {
            return Err(LlmError::Empty { thought: !self.answer.reasoning.trim().is_empty() });
        }
        Ok(self.answer)
    }

    /// One event of the stream.
    fn event(&mut self, data: &str) -> Result<Vec<Delta>, LlmError> {
        if data.trim() == "[DONE]" {
            self.ended = true;
        }
        if self.ended || data.trim().is_empty() {
            return Ok(Vec::new());
        }
        let json: Json = serde_json::from_str(data)
            .or_else(|error| serde_json::from_str(&whole_characters(data)).map_err(|_| error))
            .map_err(|error| LlmError::Malformed(format!("an event of the stream is not JSON, {error}")))?;
        self.take(&json, "delta")
    }

    /// Adds an object of the API; `part` is where its choice holds text.
    fn take(&mut self, json: &Json, part: &str) -> Result<Vec<Delta>, LlmError> {
        if json.get("error").is_some_and(|error| !error.is_null()) {
            return Err(self.stated().of_json(Some(json), ""));
        }
        if self.answer.model.is_none() {
            self.answer.model = json.get("model").and_then(Json::as_str).map(str::to_owned);
        }
        if let Some(usage) = json.get("usage").filter(|usage| usage.is_object()) {
            let count =
                |name: &str| usage.get(name).and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok());
            let (prompt, completion) = (count("prompt_tokens"), count("completion_tokens"));
            self.answer.usage = Some(Usage {
                prompt: prompt.unwrap_or_default(),
                completion: completion.unwrap_or_default(),
            });
        }
        let Some(choices) = json.get("choices").and_then(Json::as_array) else {
            // Usage alone, or a sign of life.
            return if part == "message" {
                Err(LlmError::NotAnApi(self.head.url.clone()))
            } else {
                Ok(Vec::new())
            };
        };
        let first = choices.iter().find(|choice| choice.get("index").is_none_or(|index| index == 0));
        let Some(choice) = first else { return Ok(Vec::new()) };
        let mut deltas = Vec::new();
        if let Some(message) =
            choice.get(part).or_else(|| choice.get("message")).or_else(|| choice.get("delta"))
        {
            let field = |name: &str| message.get(name).map(text_of).filter(|text| !text.is_empty());
            if let Some(text) = field("reasoning_content").or_else(|| field("reasoning")) {
                self.answer.reasoning.push_str(&text);
                deltas.push(Delta::Reasoning(text));
            }
            if let Some(text) = field("content") {
                self.answer.text.push_str(&text);
                deltas.push(Delta::Text(text));
            }
        }
        // Of a text that is gone on with.
        if let Some(text) = choice.get("text").and_then(Json::as_str).filter(|text| !text.is_empty()) {
            self.answer.text.push_str(text);
            deltas.push(Delta::Text(text.to_owned()));
        }
        if self.answer.text.len() + self.answer.reasoning.len() > MOST_TEXT {
            return Err(LlmError::Endless(MOST_TEXT >> 10));
        }
        self.answer.logprobs.extend(logprobs(choice));
        if let Some(reason) =
            choice.get("finish_reason").and_then(Json::as_str).filter(|reason| !reason.is_empty())
        {
            self.answer.finish = Finish::from_name(reason);
        }
        Ok(deltas)
    }

    fn stated(&self) -> Stated<'_> {
        let Head { status, url, model, .. } = &self.head;
        Stated { status: *status, retry_after_s: retry_after(&self.head), url, model }
    }

    fn cut(&self) -> LlmError {
        LlmError::CutStream(self.answer.text.chars().count())
    }

    fn endless(&self) -> LlmError {
        LlmError::Endless(self.read >> 10)
    }
}

/// A text, or the texts of a list of parts.
fn text_of(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

fn logprobs(choice: &Json) -> Vec<Logprob> {
    let tokens = choice.get("logprobs").and_then(|all| all.get("content")).and_then(Json::as_array);
    let pair = |token: &Json| {
        Some((token.get("token")?.as_str()?.to_owned(), token.get("logprob")?.as_f64()? as f32))
    };
    let read = |token: &Json| {
        let (name, logprob) = pair(token)?;
        let top = token.get("top_logprobs").and_then(Json::as_array);
        Some(Logprob { token: name, logprob, top: top.into_iter().flatten().filter_map(pair).collect() })
    };
    match tokens {
        Some(tokens) => tokens.iter().filter_map(read).collect(),
        None => choice.get("logprobs").map(older_logprobs).unwrap_or_default(),
    }
}

/// Log probabilities in the form that `/completions` has at OpenAI and vLLM: parallel lists, alternatives as objects.
fn older_logprobs(all: &Json) -> Vec<Logprob> {
    let list = |name: &str| all.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let top = |at: usize| {
        let all = list("top_logprobs").get(at).and_then(Json::as_object);
        let mut top: Vec<(String, f32)> = all
            .into_iter()
            .flatten()
            .filter_map(|(token, logprob)| Some((token.clone(), logprob.as_f64()? as f32)))
            .collect();
        top.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        top
    };
    let pairs = list("tokens").iter().zip(list("token_logprobs")).enumerate();
    pairs
        .filter_map(|(at, (token, logprob))| {
            let (token, logprob) = (token.as_str()?.to_owned(), logprob.as_f64()? as f32);
            Some(Logprob { token, logprob, top: top(at) })
        })
        .collect()
}

/// Seconds of Retry-After, which may be a date (RFC 9110, section 10.2.3).
fn retry_after(head: &Head) -> Option<u32> {
    let after = head.retry_after.as_deref()?.trim();
    match after.parse::<f64>() {
        Ok(seconds) => Some(seconds.ceil().clamp(0.0, 86_400.0) as u32),
        Err(_) => {
            let (then, now) = (date(after)?, date(head.date.as_deref()?)?);
            u32::try_from((then - now).clamp(0, 86_400)).ok()
        }
    }
}

/// Seconds of a date such as "Sun, 06 Nov 1994 08:49:37 GMT" since the first day of the year 0.
fn date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = text.trim().split_once(", ")?.1.split(' ');
    let day: i64 = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as i64 + 1;
    let year: i64 = parts.next()?.parse().ok().filter(|year| (0..10_000).contains(year))?;
    let mut time = parts.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    // Days by the civil calendar, the year taken to begin in March.
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// JSON in which halves of UTF-16 pairs are replaced: servers that stream token by token cut characters apart.
fn whole_characters(json: &str) -> String {
    const HIGH: std::ops::Range<u16> = 0xd800..0xdc00;
    const LOW: std::ops::Range<u16> = 0xdc00..0xe000;
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match unit(escape) {
            Some(high) if HIGH.contains(&high) => {
                let paired = escape.get(6..).and_then(unit).is_some_and(|low| LOW.contains(&low));
                if paired { 12 } else { 0 }
            }
            Some(low) if LOW.contains(&low) => 0,
            Some(_) => 6,
            // A backslash with what it escapes.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        if length == 0 {
            out.push('\u{fffd}');
            rest = escape.get(6..).unwrap_or_default();
        } else {
            out.push_str(escape.get(..length).unwrap_or(escape));
            rest = escape.get(length..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
