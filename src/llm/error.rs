//! What can go wrong with a model, and what to do next.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Characters of a server's own words that are kept.
const MOST_SAID: usize = 300;

/// Why a model gave no answer. Displayed as what happened and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum LlmError {
    /// 401.
    #[error("The server does not accept the key{}. Check the key, or that one is given.", said(.0))]
    Unauthorised(String),
    /// 403.
    #[error("The server refuses this request{}. Check what the key may do, and that the server allows this page's origin.", said(.0))]
    Forbidden(String),
    /// 402, or a quota that is used up.
    #[error("The account or budget behind this server is used up{}. Add credit, or use another server.", said(.0))]
    NoBudget(String),
    /// 404 or 405 at the address itself.
    #[error("There is no model API at {0}. Check the address; it often ends in /v1.")]
    NotFound(String),
    /// The server answers, but not as a model API does.
    #[error("{0} answers, but not as a model API. Check the address; it often ends in /v1.")]
    NotAnApi(String),
    /// 300 to 399, or what a page sees of them.
    #[error(
        "{0} sends requests on to another address. Nothing was sent there: enter that address itself if you trust it."
    )]
    Redirected(String),
    /// The server has no such model.
    #[error("The server has no model “{model}”{}. Choose one of its list.", said(.message))]
    UnknownModel {
        /// The model asked for.
        model: String,
        /// The server's words.
        message: String,
    },
    /// 429.
    #[error("Too many requests for this server{}. {}", said(.message), again(*.retry_after_s))]
    RateLimited {
        /// Seconds after which to try again, where the server says so.
        retry_after_s: Option<u32>,
        /// The server's words.
        message: String,
    },
    /// 500 to 599.
    #[error("The server failed with {status}{}. {}", said(.message), again(*.retry_after_s))]
    Server {
        /// HTTP status.
        status: u16,
        /// Seconds after which to try again, where the server says so.
        retry_after_s: Option<u32>,
        /// The server's words.
        message: String,
    },
    /// A parameter that the server or the model does not take.
    #[error("The model does not take the parameter “{name}”{}.", said(.message))]
    Parameter {
        /// Its name.
        name: String,
        /// The server's words.
        message: String,
    },
    /// Any other refusal of the request.
    #[error("The server did not accept the request ({status}){}. Check the model and the settings.", said(.message))]
    Refused {
        /// HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// The prompt does not fit the model's context.
    #[error("The prompt is too long for the model's context{}. Set a smaller context in the settings, so that the prompt is shortened, or start the server with a larger one.", said(.0))]
    TooLong(String),
    /// The connection ended before the answer did.
    #[error("The answer was cut off after {0} characters: the connection ended. Ask again.")]
    CutStream(usize),
    /// The answer holds no text.
    #[error("The model answered nothing. {}", if *.thought { "It thought until its tokens were used up: allow more tokens, or choose a model that thinks less." } else { "Ask again, or choose another model." })]
    Empty {
        /// Whether it thought.
        thought: bool,
    },
    /// The answer did not end.
    #[error(
        "The answer has no end; it was stopped after {0} KB. Choose another model, or allow fewer tokens."
    )]
    Endless(usize),
    /// The answer cannot be read.
    #[error("The answer cannot be read: {0}. Check that the server is an OpenAI-compatible one.")]
    Malformed(String),
    /// Nothing came for a while.
    #[error(
        "The server sent nothing for {0} seconds. A local model may need longer for a long prompt: use a shorter context or a smaller model."
    )]
    Silent(u32),
    /// The server answered without the log probabilities that were asked for and are needed.
    #[error(
        "The server gives no log probabilities, and this way of answering needs those of every token. Use a server that does, such as llama-server of llama.cpp or vLLM, or a chat model of OpenAI that takes “logprobs”."
    )]
    NoLogprobs,
    /// One more request would pass a limit that the user set.
    #[error("The limit of {0} is reached, so nothing more was asked. Raise it to go on.")]
    Budget(String),
    /// The user asked to stop.
    #[error("Stopped.")]
    Cancelled,
    /// No connection.
    #[error("{url} cannot be reached: {reason}. Check that the server runs and the address is right.")]
    Unreachable {
        /// The address.
        url: String,
        /// Why, as far as it is known.
        reason: String,
    },
}

impl LlmError {
    /// Whether the same request may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Server { .. } | Self::CutStream(_) | Self::Silent(_))
    }

    /// Whether every further request would fail too, so that a long job should stop here.
    pub fn ends_a_job(&self) -> bool {
        matches!(
            self,
            Self::Unauthorised(_)
                | Self::Forbidden(_)
                | Self::NoBudget(_)
                | Self::NotFound(_)
                | Self::NotAnApi(_)
                | Self::Redirected(_)
                | Self::UnknownModel { .. }
                | Self::RateLimited { .. }
                | Self::NoLogprobs
                | Self::Budget(_)
                | Self::Cancelled
                | Self::Unreachable { .. }
        )
    }
}

/// The server's words in brackets, where it said something.
fn said(message: &str) -> String {
    let message = message.trim_end_matches('.');
    if message.is_empty() { String::new() } else { format!(" ({message})") }
}

fn again(seconds: Option<u32>) -> String {
    match seconds {
        Some(1) => "Try again in 1 second.".to_owned(),
        Some(seconds) if seconds < 120 => format!("Try again in {seconds} seconds."),
        Some(seconds) => format!("Try again in {} minutes.", seconds.div_ceil(60)),
        None => "Try again in a minute.".to_owned(),
    }
}

/// An error as the server stated it.
#[derive(Debug, Default)]
pub(super) struct Stated<'a> {
    /// HTTP status, or the code of an error inside a stream.
    pub status: u16,
    /// Seconds of Retry-After.
    pub retry_after_s: Option<u32>,
    /// The address asked.
    pub url: &'a str,
    /// The model asked for.
    pub model: &'a str,
}

impl Stated<'_> {
    /// The error that an error answer means.
    pub(super) fn error(&self, body: &str) -> LlmError {
        if (300..400).contains(&self.status) {
            return LlmError::Redirected(self.url.to_owned());
        }
        let json: Option<Json> = serde_json::from_str(body.trim()).ok();
        self.of_json(json.as_ref(), body)
    }

    /// The error that an error object means; `body` is its text.
    pub(super) fn of_json(&self, json: Option<&Json>, body: &str) -> LlmError {
        let message = json.map_or_else(|| plain(body), message);
        let error = json.and_then(|json| json.get("error")).or(json);
        let field = |name: &str| error.and_then(|error| error.get(name));
        let code =
            ["code", "type"].map(|name| field(name).and_then(Json::as_str).unwrap_or_default()).join(" ");
        let status = match field("code").and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok()) {
            Some(code) if self.status < 400 && code >= 400 => code,
            _ if self.status < 400 => 500,
            _ => self.status,
        };
        let text = format!("{message} {code}").to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if says(&TOO_LONG) && status != 429 {
            return LlmError::TooLong(message);
        }
        if says(&["insufficient_quota", "insufficient balance", "insufficient credits", "billing"])
            || status == 402
        {
            return LlmError::NoBudget(message);
        }
        let no_model =
            says(&["model_not_found", "model not found", "unknown model", "invalid model", "no such model"])
                || text.contains("model")
                    && says(&["not found", "does not exist", "not exist", "not available", "not loaded"]);
        if no_model && matches!(status, 400 | 404 | 422 | 500) {
            return LlmError::UnknownModel { model: self.model.to_owned(), message };
        }
        let (retry_after_s, named) = (self.retry_after_s, field("param").and_then(Json::as_str));
        match status {
            401 => LlmError::Unauthorised(message),
            403 => LlmError::Forbidden(message),
            404 | 405 => LlmError::NotFound(self.url.to_owned()),
            429 => LlmError::RateLimited { retry_after_s, message },
            500.. => LlmError::Server { status, retry_after_s, message },
            _ => match parameter(named, &text) {
                Some(name) => LlmError::Parameter { name, message },
                None => LlmError::Refused { status, message },
            },
        }
    }
}

/// What servers say when a prompt does not fit.
const TOO_LONG: [&str; 7] = [
    "context_length",
    "context length",
    "context size",
    "context window",
    "exceed_context",
    "prompt is too long",
    "too many tokens",
];

/// The optional parameter that a refusal is about.
fn parameter(named: Option<&str>, text: &str) -> Option<String> {
    const OPTIONAL: [&str; 7] = [
        "stream_options",
        "top_logprobs",
        "logprobs",
        "temperature",
        "max_tokens",
        "seed",
        "max_completion_tokens",
    ];
    let refused = [
        "unsupported",
        "not support",
        "unknown",
        "unrecognized",
        "extra",
        "not permitted",
        "not allowed",
        "deprecated",
    ];
    if !refused.iter().any(|word| text.contains(word)) {
        return None;
    }
    let is = |name: &&&str| named.is_some_and(|named| named == **name);
    let found = OPTIONAL.iter().find(is).or_else(|| OPTIONAL.iter().find(|name| text.contains(**name)));
    found.map(|name| (*name).to_owned())
}

/// The words of an error object, wherever the server puts them.
fn message(json: &Json) -> String {
    let error = json.get("error").unwrap_or(json);
    let fields =
        [error.get("message"), error.as_str().map(|_| error), json.get("message"), json.get("detail")];
    let text = fields.into_iter().flatten().map(|field| match field {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    });
    cut(&text.into_iter().next().unwrap_or_default())
}

/// The words of an error that is no JSON: the text, or the title of a web page.
fn plain(body: &str) -> String {
    if !body.trim_start().starts_with('<') {
        return cut(body);
    }
    let title = body.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    cut(title.unwrap_or_default())
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_SAID {
        return line;
    }
    line.chars().take(MOST_SAID).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: u16, body: &str) -> LlmError {
        Stated { status, retry_after_s: Some(7), url: "http://h/v1/chat/completions", model: "m" }.error(body)
    }

    #[test]
    fn errors_of_several_servers_are_told_apart() {
        use LlmError as E;
        type Case = (u16, &'static str, fn(&E) -> bool);
        let cases: [Case; 20] = [
            (
                401,
                r#"{"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}"#,
                |e| matches!(e, E::Unauthorised(m) if m == "Incorrect API key"),
            ),
            (403, "", |e| matches!(e, E::Forbidden(_))),
            (402, r#"{"error": {"message": "Insufficient credits", "code": 402}}"#, |e| {
                matches!(e, E::NoBudget(_))
            }),
            (
                429,
                r#"{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}"#,
                |e| matches!(e, E::NoBudget(_)),
            ),
            (429, r#"{"error": {"message": "Rate limit: too many tokens per minute"}}"#, |e| {
                matches!(e, E::RateLimited { retry_after_s: Some(7), .. })
            }),
            (404, r#"{"error": "model \"m\" not found, try pulling it first"}"#, |e| {
                matches!(e, E::UnknownModel { .. })
            }),
            (
                404,
                r#"{"error": {"message": "The model `m` does not exist or you do not have access to it.", "code": "model_not_found"}}"#,
                |e| matches!(e, E::UnknownModel { .. }),
            ),
            (400, r#"{"error": {"message": "Model Not Exist"}}"#, |e| matches!(e, E::UnknownModel { .. })),
            (404, "404 page not found", |e| matches!(e, E::NotFound(url) if url.ends_with("completions"))),
            (405, r#"{"detail": "Method Not Allowed"}"#, |e| matches!(e, E::NotFound(_))),
            (
                400,
                r#"{"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}"#,
                |e| matches!(e, E::TooLong(_)),
            ),
            (
                400,
                r#"{"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}"#,
                |e| matches!(e, E::TooLong(_)),
            ),
            (413, r#"{"object": "error", "message": "prompt is too long"}"#, |e| matches!(e, E::TooLong(_))),
            (
                400,
                r#"{"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "param": "max_tokens"}}"#,
                |e| matches!(e, E::Parameter { name, .. } if name == "max_tokens"),
            ),
            (
                422,
                r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]}"#,
                |e| matches!(e, E::Parameter { name, .. } if name == "stream_options"),
            ),
            (400, r#"{"error": {"message": "messages must not be empty"}}"#, |e| {
                matches!(e, E::Refused { status: 400, .. })
            }),
            (
                503,
                r#"{"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}"#,
                |e| matches!(e, E::Server { status: 503, .. }),
            ),
            (
                502,
                "<html><head><title>502 Bad Gateway</title></head></html>",
                |e| matches!(e, E::Server { message, .. } if message == "502 Bad Gateway"),
            ),
            (200, r#"{"error": {"code": 400, "message": "context window is full"}}"#, |e| {
                matches!(e, E::TooLong(_))
            }),
            (200, r#"{"error": {"message": "something broke"}}"#, |e| {
                matches!(e, E::Server { status: 500, .. })
            }),
        ];
        for (status, body, fits) in cases {
            let got = error(status, body);
            assert!(fits(&got), "{status} {body}: {got:?}");
        }
    }

    #[test]
    fn messages_say_what_to_do_and_stay_short() {
        let long = error(500, &"wort ".repeat(400));
        assert!(long.to_string().chars().count() < 420, "{long}");
        assert!(long.to_string().ends_with("Try again in 7 seconds."), "{long}");
        assert!(error(401, "").to_string().contains("Check the key"));
        assert_eq!(again(Some(300)), "Try again in 5 minutes.");
        let empty = LlmError::Empty { thought: true };
        assert!(empty.to_string().contains("allow more tokens"));
    }

    proptest::proptest! {
        #[test]
        fn any_body_means_an_error(status in 0_u16..999, body in ".{0,200}") {
            let _ = error(status, &body).to_string();
        }
    }
}
