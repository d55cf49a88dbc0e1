//! Asking a model through the port: refused parameters are left out, and JSON is checked with one retry.

use serde_json::Value as Json;

use super::chat::{Completion, Delta, Message, Request, Usage};
use super::{Cancel, LlmError, extract};
use crate::ports::Complete;

/// Parameters that a server may refuse, one after the other.
const MOST_REFUSED: usize = 4;

/// Asks once. Where the server refuses an optional parameter, the request goes again without it, and `request` keeps
/// that in mind.
///
/// # Errors
/// As [`Complete::complete`].
pub async fn send(
    model: &impl Complete,
    request: &mut Request,
    on_delta: &mut dyn FnMut(&Delta),
    cancel: &Cancel,
) -> Result<Completion, LlmError> {
    for _ in 0..MOST_REFUSED {
        match model.complete(request, on_delta, cancel).await {
            Err(LlmError::Parameter { name, .. }) if !request.leave_out.contains(&name) => {
                request.leave_out.push(name);
            }
            other => return other,
        }
    }
    model.complete(request, on_delta, cancel).await
}

/// A checked answer.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonAnswer<T> {
    /// What the check made of it.
    pub value: T,
    /// Requests that it took: 1 or 2.
    pub requests: u32,
    /// Tokens of them all, where the server counts.
    pub usage: Usage,
    /// Whether every answer was remembered.
    pub cached: bool,
}

/// Why there is no checked answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum JsonFailure {
    /// The model gave no answer.
    #[error(transparent)]
    Model(#[from] LlmError),
    /// Two answers did not pass the check; the reason of the second.
    #[error("The model's answer is not what was asked for: {0}.")]
    Shape(String),
}

/// Asks for one JSON object and checks it; an answer that does not pass is sent back once with the reason.
///
/// # Errors
/// When the model fails or its second answer does not pass either.
pub async fn ask_json<T>(
    model: &impl Complete,
    request: &mut Request,
    check: impl Fn(&Json) -> Result<T, String>,
    cancel: &Cancel,
) -> Result<JsonAnswer<T>, JsonFailure> {
    let mut usage = Usage::default();
    let mut cached = true;
    let mut reason = String::new();
    for requests in 1..=2 {
        let answer = send(model, request, &mut |_| {}, cancel).await;
        let (text, said) = match answer {
            Ok(answer) => {
                let used = answer.usage.unwrap_or_default();
                usage.prompt = usage.prompt.saturating_add(used.prompt);
                usage.completion = usage.completion.saturating_add(used.completion);
                cached &= answer.cached;
                let checked = extract::json(&answer.text).map_err(|e| e.0).and_then(|json| check(&json));
                match checked {
                    Ok(value) => return Ok(JsonAnswer { value, requests, usage, cached }),
                    Err(said) => (answer.text, said),
                }
            }
            Err(LlmError::Empty { .. }) => (String::new(), "the answer was empty".to_owned()),
            Err(other) => return Err(other.into()),
        };
        if requests == 1 {
            if !text.is_empty() {
                request.messages.push(Message::assistant(text));
            }
            request.messages.push(Message::user(format!(
                "That cannot be used: {said}. Answer again, with the JSON object only."
            )));
        }
        reason = said;
    }
    Err(JsonFailure::Shape(reason))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::llm::Finish;
    use crate::ports::blocking::block_on;

    /// A model that gives prepared answers and keeps what it was asked.
    #[derive(Default)]
    pub(crate) struct Scripted {
        pub(crate) answers: RefCell<Vec<Result<String, LlmError>>>,
        pub(crate) asked: RefCell<Vec<Request>>,
    }

    impl Scripted {
        pub(crate) fn new(answers: &[&str]) -> Self {
            let answers = answers.iter().rev().map(|answer| Ok((*answer).to_owned())).collect();
            Self { answers: RefCell::new(answers), ..Self::default() }
        }

        pub(crate) fn failing(error: LlmError) -> Self {
            Self { answers: RefCell::new(vec![Err(error)]), ..Self::default() }
        }
    }

    impl Complete for Scripted {
        fn endpoint(&self) -> &str {
            "scripted"
        }

        async fn complete(
            &self,
            request: &Request,
            on_delta: &mut dyn FnMut(&Delta),
            cancel: &Cancel,
        ) -> Result<Completion, LlmError> {
            if cancel.is_cancelled() {
                return Err(LlmError::Cancelled);
            }
            self.asked.borrow_mut().push(request.clone());
            let text = self.answers.borrow_mut().pop().unwrap_or(Err(LlmError::Empty { thought: false }))?;
            on_delta(&Delta::Text(text.clone()));
            let usage = Some(Usage { prompt: request.prompt_tokens(), completion: 1 });
            let (reasoning, logprobs, model) = (String::new(), Vec::new(), Some(request.model.clone()));
            Ok(Completion { text, reasoning, finish: Finish::Stop, usage, logprobs, model, cached: false })
        }
    }

    fn number(json: &Json) -> Result<u64, String> {
        json["n"].as_u64().ok_or_else(|| "“n” is not a whole number".to_owned())
    }

    fn ask(model: &Scripted) -> Result<JsonAnswer<u64>, JsonFailure> {
        let mut request = Request { messages: vec![Message::user("n?")], ..Request::default() };
        block_on(ask_json(model, &mut request, number, &Cancel::default()))
    }

    #[test]
    fn an_answer_that_does_not_pass_is_asked_for_once_more() {
        let model = Scripted::new(&[r#"{"n": 3}"#]);
        assert_eq!(ask(&model).map(|answer| (answer.value, answer.requests)), Ok((3, 1)));

        let model = Scripted::new(&["three", r#"{"n": 3}"#]);
        assert_eq!(ask(&model).map(|answer| (answer.value, answer.requests)), Ok((3, 2)));
        let asked = model.asked.borrow();
        let last = &asked[1].messages;
        assert_eq!(last.len(), 3);
        assert!(last[2].content.contains("no JSON object"), "{last:?}");

        let model = Scripted::new(&[r#"{"n": "x"}"#, r#"{"n": -1}"#, r#"{"n": 3}"#]);
        assert_eq!(ask(&model), Err(JsonFailure::Shape("“n” is not a whole number".into())));
        assert_eq!(ask(&Scripted::failing(LlmError::Cancelled)), Err(LlmError::Cancelled.into()));
    }

    #[test]
    fn refused_parameters_are_left_out() {
        let refuse = |name: &str| Err(LlmError::Parameter { name: name.into(), message: String::new() });
        let answers = vec![Ok("hi".to_owned()), refuse("max_tokens"), refuse("stream_options")];
        let model = Scripted { answers: RefCell::new(answers), ..Scripted::default() };
        let mut request = Request::default();
        let answer = block_on(send(&model, &mut request, &mut |_| {}, &Cancel::default())).unwrap();
        assert_eq!(answer.text, "hi");
        assert_eq!(request.leave_out, ["stream_options", "max_tokens"]);
        // The same refusal again is an error, not a loop.
        let answers = vec![refuse("seed"), refuse("seed")];
        let model = Scripted { answers: RefCell::new(answers), ..Scripted::default() };
        let got = block_on(send(&model, &mut Request::default(), &mut |_| {}, &Cancel::default()));
        assert!(matches!(got, Err(LlmError::Parameter { .. })));
    }
}
