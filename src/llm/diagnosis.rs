//! What a test of a server finds, as far as a page can see: which step failed, why, and what to do.

use super::endpoint::{host, is_local};
use super::reach::{Obstacle, obstacles};
use super::{LlmError, provider};
use crate::sql::nearest::distance;

/// The steps of a test, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The address is one.
    Address,
    /// Something answers there.
    Reached,
    /// It lets this page read its answers.
    Allowed,
    /// It accepts the key.
    Key,
    /// It has the model.
    Model,
    /// The model answers, piece by piece.
    Stream,
}

impl Step {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Address, Self::Reached, Self::Allowed, Self::Key, Self::Model, Self::Stream];

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "Address",
            Self::Reached => "Reached",
            Self::Allowed => "Allowed",
            Self::Key => "Key",
            Self::Model => "Model",
            Self::Stream => "Stream",
        }
    }
}

/// What a short answer told about a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Milliseconds from the request to the whole answer.
    pub took_ms: f64,
    /// Tokens of the answer.
    pub tokens: u32,
    /// Whether it came in pieces.
    pub streamed: bool,
    /// Whether it came with log probabilities.
    pub logprobs: bool,
}

/// What was tried and seen.
#[derive(Debug, Clone)]
pub struct Seen<'a> {
    /// Address of the page.
    pub page: &'a str,
    /// Base address of the server.
    pub base: &'a str,
    /// The model that is wanted; empty for none yet.
    pub model: &'a str,
    /// The server's list of models.
    pub models: Result<Vec<String>, LlmError>,
    /// Where the list could not be had at all: whether anything answers, and what the browser says of pages that reach
    /// for the local network ("granted", "prompt", "denied").
    pub hidden: Option<(bool, Option<String>)>,
    /// A short answer of the model; None where none was asked for.
    pub trial: Option<Result<Trial, LlmError>>,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The step that failed; None where all is well.
    pub failed: Option<Step>,
    /// What was found.
    pub title: String,
    /// What to do, or what the model can do.
    pub advice: String,
    /// A command that mends it, to be copied.
    pub command: Option<String>,
    /// A model to choose instead.
    pub nearest: Option<String>,
    /// Seconds after which the server wants to be asked again.
    pub again_s: Option<u32>,
}

fn fault(step: Step, title: impl Into<String>, advice: impl Into<String>) -> Diagnosis {
    Diagnosis {
        failed: Some(step),
        title: title.into(),
        advice: advice.into(),
        command: None,
        nearest: None,
        again_s: None,
    }
}

/// An address, key or header that cannot be used, with the sentence that says why.
pub fn wrong_address(why: &str) -> Diagnosis {
    fault(Step::Address, "Not asked.", why)
}

/// Tells the causes apart.
pub fn diagnose(seen: &Seen<'_>) -> Diagnosis {
    match (&seen.models, &seen.hidden) {
        (Err(LlmError::Unreachable { .. }), Some((answers, permission))) => {
            unreachable(seen, *answers, permission.as_deref())
        }
        (Err(error), _) => of_error(seen, error),
        (Ok(models), _)
            if !models.is_empty() && !seen.model.is_empty() && !models.iter().any(|m| m == seen.model) =>
        {
            unknown_model(seen.model, models)
        }
        (Ok(_), _) if seen.model.is_empty() => fault(
            Step::Model,
            "The server answers.",
            "Choose a model, then test again: only its own answer shows that it works.",
        ),
        (Ok(_), _) => match &seen.trial {
            Some(Ok(trial)) => works(*trial),
            Some(Err(error)) => of_error(seen, error),
            None => fault(Step::Stream, "The model was not asked.", "Test again."),
        },
    }
}

fn works(trial: Trial) -> Diagnosis {
    let seconds = (trial.took_ms / 1000.0).max(0.001);
    let speed = f64::from(trial.tokens) / seconds;
    let streams = if trial.streamed { "Streams" } else { "Does not stream: answers appear whole" };
    let logprobs = if trial.logprobs { "gives log probabilities" } else { "gives no log probabilities" };
    let advice = match trial.logprobs {
        true => format!("{streams}, {logprobs}. Ready for every pipeline."),
        false => format!(
            "{streams}, {logprobs}. Ready to answer; pipelines that weigh answers by probability need a server that gives them."
        ),
    };
    Diagnosis {
        failed: None,
        title: format!("Works. Answered in {:.0} ms, {speed:.0} tokens a second.", trial.took_ms),
        advice,
        command: None,
        nearest: None,
        again_s: None,
    }
}

/// A page is not told why a server cannot be reached; what else is known tells it.
fn unreachable(seen: &Seen<'_>, answers: bool, permission: Option<&str>) -> Diagnosis {
    let hurdles = obstacles(seen.page, seen.base);
    let authority =
        seen.base.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or(seen.base);
    if hurdles.contains(&Obstacle::MixedContent) {
        return fault(
            Step::Reached,
            "Blocked: http from an https page.",
            "The browser does not let a secure page call http on another machine. Use https, or 127.0.0.1.",
        );
    }
    if hurdles.contains(&Obstacle::LocalNetwork) || is_local(host(authority)) {
        match permission {
            Some("prompt") if !answers && hurdles.contains(&Obstacle::LocalNetwork) => {
                return fault(
                    Step::Reached,
                    "Waiting for your permission.",
                    "The browser asks whether this page may reach your local network. Choose Allow in the address bar, then test again.",
                );
            }
            Some("denied") if hurdles.contains(&Obstacle::LocalNetwork) => {
                return fault(
                    Step::Reached,
                    "The browser keeps this page from your local network.",
                    "Allow it in the page's settings, to the left of the address, then test again.",
                );
            }
            _ => {}
        }
    }
    if answers {
        let origin = origin(seen.page);
        let (advice, command) = match provider::at(seen.base).map(|provider| provider.name) {
            Some("Ollama") => (
                "Start Ollama with this page's address:",
                Some(format!("OLLAMA_ORIGINS={origin} ollama serve")),
            ),
            Some("LM Studio") => {
                ("Switch on “Enable CORS” in the server settings of LM Studio, then test again.", None)
            }
            _ => ("Allow this origin in the server’s settings (CORS), then test again.", None),
        };
        let title =
            format!("The server refuses this page. It answered, but without permission for {origin}.");
        return Diagnosis { command, ..fault(Step::Allowed, title, advice) };
    }
    fault(
        Step::Reached,
        format!("No server answers at {authority}."),
        "Start the server, or check the address and the port.",
    )
}

fn unknown_model(wanted: &str, models: &[String]) -> Diagnosis {
    let nearest = models.iter().min_by_key(|model| distance(wanted, model)).cloned();
    let count = if models.len() == 1 {
        "1 model, and it is not".to_owned()
    } else {
        format!("{} models, none is", models.len())
    };
    let advice = nearest
        .as_ref()
        .map_or_else(|| "Choose one of its list.".to_owned(), |name| format!("Nearest: {name}"));
    Diagnosis {
        nearest,
        ..fault(Step::Model, format!("Unknown model. The server has {count} “{wanted}”."), advice)
    }
}

fn of_error(seen: &Seen<'_>, error: &LlmError) -> Diagnosis {
    match error {
        LlmError::Unauthorised(_) => fault(
            Step::Key,
            "Key refused, 401.",
            "The server did not accept the key, or wants one. Paste a valid key.",
        ),
        LlmError::Forbidden(_) => fault(Step::Key, "Refused, 403.", error.to_string()),
        LlmError::NoBudget(_) => fault(Step::Key, "No budget left.", error.to_string()),
        LlmError::NotFound(_) => fault(
            Step::Reached,
            "Not found, 404.",
            "There is nothing at /models, with or without /v1. Enter the address up to /v1.",
        ),
        LlmError::NotAnApi(_) => fault(Step::Reached, "Not a model server.", error.to_string()),
        LlmError::Redirected(_) => fault(Step::Reached, "It sends on to another address.", error.to_string()),
        LlmError::UnknownModel { .. } => match &seen.models {
            Ok(models) => unknown_model(seen.model, models),
            Err(_) => fault(Step::Model, "Unknown model.", error.to_string()),
        },
        LlmError::RateLimited { retry_after_s, .. } => Diagnosis {
            again_s: *retry_after_s,
            ..fault(Step::Stream, "Too many requests, 429.", error.to_string())
        },
        LlmError::Server { status, retry_after_s, .. } => Diagnosis {
            again_s: *retry_after_s,
            ..fault(Step::Stream, format!("The server failed, {status}."), error.to_string())
        },
        LlmError::Unreachable { .. } => {
            fault(Step::Reached, "No server answers.", "Start the server, or check the address and the port.")
        }
        LlmError::Cancelled => fault(Step::Stream, "Stopped.", "Nothing was changed."),
        _ => fault(Step::Stream, "The model did not answer well.", error.to_string()),
    }
}

fn origin(page: &str) -> String {
    let (scheme, rest) = page.split_once("://").unwrap_or(("", page));
    format!("{scheme}://{}", rest.split('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLLAMA: &str = "http://localhost:11434/v1";

    fn seen<'a>(page: &'a str, base: &'a str, models: Result<Vec<String>, LlmError>) -> Seen<'a> {
        Seen { page, base, model: "qwen", models, hidden: None, trial: None }
    }

    fn unreached<'a>(page: &'a str, base: &'a str, answers: bool, permission: Option<&str>) -> Diagnosis {
        let error = LlmError::Unreachable { url: base.to_owned(), reason: "Failed to fetch".to_owned() };
        diagnose(&Seen {
            hidden: Some((answers, permission.map(str::to_owned))),
            ..seen(page, base, Err(error))
        })
    }

    #[test]
    fn a_server_that_cannot_be_reached_is_told_from_one_that_refuses() {
        let page = "https://q.example/app/";
        let dead = unreached(page, OLLAMA, false, None);
        assert_eq!(dead.failed, Some(Step::Reached));
        assert!(dead.title.contains("localhost:11434"), "{dead:?}");
        let refused = unreached(page, OLLAMA, true, Some("granted"));
        assert_eq!(refused.failed, Some(Step::Allowed));
        assert_eq!(refused.command.as_deref(), Some("OLLAMA_ORIGINS=https://q.example ollama serve"));
        let mixed = unreached(page, "http://192.168.0.9:8000/v1", false, None);
        assert!(mixed.title.contains("https page"));
        assert!(unreached(page, OLLAMA, false, Some("prompt")).title.contains("permission"));
        assert!(unreached(page, OLLAMA, false, Some("denied")).title.contains("local network"));
        // A page on the same machine needs no permission.
        assert!(
            unreached("http://127.0.0.1:8080/", OLLAMA, false, Some("prompt")).title.contains("No server")
        );
    }

    #[test]
    fn answers_of_the_server_name_their_step() {
        let page = "http://127.0.0.1:8080/";
        let of = |error: LlmError| diagnose(&seen(page, OLLAMA, Err(error)));
        assert_eq!(of(LlmError::Unauthorised(String::new())).failed, Some(Step::Key));
        assert_eq!(of(LlmError::NotFound(String::new())).failed, Some(Step::Reached));
        let limited = of(LlmError::RateLimited { retry_after_s: Some(20), message: String::new() });
        assert_eq!((limited.failed, limited.again_s), (Some(Step::Stream), Some(20)));
    }

    #[test]
    fn the_nearest_model_is_offered() {
        let models = vec!["qwen2.5-coder-7b".to_owned(), "llama".to_owned()];
        let mut looked = seen("http://127.0.0.1:1/", OLLAMA, Ok(models));
        looked.model = "qwen2.5-coder-14b";
        let found = diagnose(&looked);
        assert_eq!((found.failed, found.nearest.as_deref()), (Some(Step::Model), Some("qwen2.5-coder-7b")));
        looked.model = "";
        assert_eq!(diagnose(&looked).failed, Some(Step::Model));
    }

    #[test]
    fn a_model_that_works_says_how_fast() {
        let mut looked = seen("http://127.0.0.1:1/", OLLAMA, Ok(vec!["qwen".to_owned()]));
        looked.trial = Some(Ok(Trial { took_ms: 500.0, tokens: 20, streamed: true, logprobs: false }));
        let found = diagnose(&looked);
        assert_eq!(found.failed, None);
        assert!(found.title.contains("500 ms, 40 tokens a second"), "{found:?}");
        assert!(found.advice.contains("no log probabilities"));
    }
}
