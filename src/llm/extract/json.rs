//! The JSON in an answer, checked against what was asked for.

use serde_json::Value as Json;

use super::{fences, without_thinking};

/// Places at which JSON is tried to begin.
const MOST_STARTS: usize = 50;

/// Why an answer has no JSON; the text tells the model what to do better.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoJson(pub String);

/// The JSON object of an answer: the answer itself, a fenced block, or the first object inside the prose.
///
/// # Errors
/// When there is none, with the reason.
pub fn json(answer: &str) -> Result<Json, NoJson> {
    let (text, thinking) = without_thinking(answer);
    if text.is_empty() {
        let why = if thinking { "the answer ended inside the thinking" } else { "the answer was empty" };
        return Err(NoJson(format!("{why}; answer with one JSON object")));
    }
    let blocks = fences(&text);
    let fenced = blocks.iter().filter(|block| matches!(block.language.as_str(), "json" | "jsonc" | ""));
    let wholes = fenced.map(|block| block.body).chain([text.as_str()]);
    let mut reason = None;
    for whole in wholes {
        match serde_json::from_str::<Json>(whole.trim()) {
            Ok(json @ Json::Object(_)) => return Ok(json),
            Ok(_) => {}
            Err(error) => reason = reason.or(Some(error.to_string())),
        }
        let starts = whole.match_indices('{').take(MOST_STARTS);
        for (start, _) in starts {
            // The stream ends with the first whole value, whatever follows it.
            let rest = whole.get(start..).unwrap_or_default();
            if let Some(Ok(json @ Json::Object(_))) =
                serde_json::Deserializer::from_str(rest).into_iter().next()
            {
                return Ok(json);
            }
        }
    }
    Err(NoJson(match reason {
        Some(reason) if text.contains('{') => {
            format!("the answer is not valid JSON ({reason}); answer with one JSON object")
        }
        _ => "there is no JSON object in the answer; answer with one JSON object".to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_whatever_stands_around_it() {
        for answer in [
            r#"{"a": [1, "}"]}"#,
            "```json\n{\"a\": [1, \"}\"]}\n```",
            "Here it is: {\"a\": [1, \"}\"]} I hope it helps {x}.",
            "<think>{\"b\": 2}</think>\n{\"a\": [1, \"}\"]}",
            "The set {1, 2} gives\n```\n{\"a\": [1, \"}\"]}\n```",
        ] {
            assert_eq!(json(answer).unwrap(), serde_json::json!({"a": [1, "}"]}), "{answer}");
        }
    }

    #[test]
    fn a_reason_tells_the_model_what_to_do() {
        for (answer, part) in [
            ("", "empty"),
            ("<think>{}", "thinking"),
            ("nothing here", "no JSON object"),
            ("[1, 2]", "no JSON object"),
            ("{\"a\": 1,}", "not valid JSON (trailing comma"),
            ("{\"a\": [1", "not valid JSON (EOF"),
        ] {
            let reason = json(answer).unwrap_err().to_string();
            assert!(reason.contains(part), "{answer}: {reason}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\{|\\}|\\[|\"a\"|:|,|1|```|json|\n|<think>|é|.){0,60}") {
            if let Ok(json) = json(&text) {
                proptest::prop_assert!(json.is_object());
            }
        }
    }
}
