//! Requests and answers of `/chat/completions`, and of `/completions` where a text is to be gone on with.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::tokens;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The rules of the task.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// The text.
    pub content: String,
}

impl Message {
    /// The rules of the task.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    /// What is asked.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// Its tokens in a prompt, estimated.
    pub fn tokens(&self) -> u32 {
        tokens::estimate(&self.content) + tokens::PER_MESSAGE
    }

    /// What the model said before.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// One question to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The model's name at its server.
    pub model: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// 0 for the most probable answer.
    pub temperature: f32,
    /// The share of the probability that tokens are chosen from (nucleus sampling); None for the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f32>,
    /// Tokens of the answer at most.
    pub max_tokens: u32,
    /// Makes sampling repeatable where the server can.
    pub seed: Option<u64>,
    /// Alternatives whose log probability is wanted for each token; None asks for no log probabilities.
    pub logprobs: Option<u8>,
    /// A text to go on with, in place of the conversation.
    #[serde(default)]
    pub text: Option<String>,
    /// Texts before which the answer ends.
    #[serde(default)]
    pub stop: Vec<String>,
    /// Parameters that this server or model refuses ("temperature", "stream_options"), so they are not sent.
    pub leave_out: Vec<String>,
}

impl Request {
    /// The JSON body; the answer is always asked for as a stream.
    pub fn body(&self) -> Json {
        let mut body = Map::new();
        let mut put = |name: &str, value: Json| {
            if !self.leave_out.iter().any(|left| left == name) {
                body.insert(name.to_owned(), value);
            }
        };
        put("model", json!(self.model));
        match &self.text {
            Some(text) => put("prompt", json!(text)),
            None => put("messages", json!(self.messages)),
        }
        put("temperature", json!(f64::from((self.temperature * 100.0).round()) / 100.0));
        if let Some(top_p) = self.top_p {
            put("top_p", json!(f64::from((top_p * 100.0).round()) / 100.0));
        }
        put("max_tokens", json!(self.max_tokens));
        if self.leave_out.iter().any(|left| left == "max_tokens") {
            // Newer models of OpenAI know the limit by this name only.
            put("max_completion_tokens", json!(self.max_tokens));
        }
        put("stream", json!(true));
        put("stream_options", json!({"include_usage": true}));
        if let Some(seed) = self.seed {
            put("seed", json!(seed));
        }
        if !self.stop.is_empty() {
            put("stop", json!(self.stop));
        }
        match (self.logprobs, &self.text) {
            // The older of the two forms has the number here.
            (Some(top), Some(_)) => put("logprobs", json!(top)),
            (Some(top), None) => {
                put("logprobs", json!(true));
                put("top_logprobs", json!(top));
            }
            (None, _) => {}
        }
        Json::Object(body)
    }

    /// Tokens of the prompt, estimated.
    pub fn prompt_tokens(&self) -> u32 {
        match &self.text {
            Some(text) => tokens::estimate(text),
            None => self.messages.iter().map(Message::tokens).sum(),
        }
    }

    /// What is sent, as messages: a text to be gone on with is one message of the user.
    pub fn said(&self) -> Vec<Message> {
        self.text.as_ref().map_or_else(|| self.messages.clone(), |text| vec![Message::user(text)])
    }
}

/// A piece of an answer as it arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delta {
    /// Of the answer.
    Text(String),
    /// Of what a reasoning model thinks before it answers.
    Reasoning(String),
}

/// Why a model ended its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// It was done.
    Stop,
    /// `max_tokens` were used up, or the context was full.
    Length,
    /// The server filtered the answer.
    Filter,
    /// Another reason in the server's word; empty where it gave none.
    Other(String),
}

impl Finish {
    /// What the API calls `finish_reason`.
    pub fn from_name(name: &str) -> Self {
        match name {
            "stop" | "eos" | "end_turn" => Self::Stop,
            "length" | "max_tokens" => Self::Length,
            "content_filter" => Self::Filter,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Tokens that a request used, as its server counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the messages.
    pub prompt: u32,
    /// Of the answer.
    pub completion: u32,
}

/// A token of the answer with its log probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Logprob {
    /// The token's text.
    pub token: String,
    /// Natural logarithm of its probability.
    pub logprob: f32,
    /// The most probable tokens at this place, best first.
    pub top: Vec<(String, f32)>,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// What the model thought before, where its server tells it apart; empty otherwise.
    pub reasoning: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens used; None where the server does not count.
    pub usage: Option<Usage>,
    /// Log probabilities, where they were asked for and the server gives them.
    pub logprobs: Vec<Logprob>,
    /// The model that answered, as the server names it.
    pub model: Option<String>,
    /// Whether it was remembered and not asked for again.
    pub cached: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_fields_of_the_api() {
        let mut request = Request {
            model: "m".into(),
            messages: vec![Message::system("s"), Message::user("u")],
            temperature: 0.2,
            max_tokens: 7,
            ..Request::default()
        };
        assert_eq!(
            request.body(),
            json!({
                "model": "m", "temperature": 0.2, "max_tokens": 7, "stream": true,
                "stream_options": {"include_usage": true},
                "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
            })
        );
        request.leave_out = vec!["max_tokens".into(), "temperature".into(), "stream_options".into()];
        (request.seed, request.logprobs, request.top_p) = (Some(1), Some(5), Some(0.3));
        let body = request.body();
        assert_eq!(body["top_p"], 0.3);
        assert_eq!(body["max_completion_tokens"], 7);
        assert_eq!(
            (&body["seed"], &body["logprobs"], &body["top_logprobs"]),
            (&json!(1), &json!(true), &json!(5))
        );
        for gone in ["max_tokens", "temperature", "stream_options"] {
            assert!(body.get(gone).is_none(), "{gone}");
        }
    }

    #[test]
    fn a_text_to_be_gone_on_with_has_the_fields_of_the_older_api() {
        let request = Request {
            model: "m".into(),
            text: Some("SELECT".into()),
            stop: vec!["```".into()],
            max_tokens: 7,
            logprobs: Some(1),
            ..Request::default()
        };
        assert_eq!(
            request.body(),
            json!({
                "model": "m", "temperature": 0.0, "max_tokens": 7, "stream": true,
                "stream_options": {"include_usage": true},
                "prompt": "SELECT", "stop": ["```"], "logprobs": 1,
            })
        );
        assert_eq!(request.said(), [Message::user("SELECT")]);
    }
}
