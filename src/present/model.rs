//! What the page says while a language model answers, and after.

use super::format;
use super::told::Told;
use crate::llm::extract::without_thinking;
use crate::pipeline::direct::{Direct, Prompt, Trouble};
use crate::retrieval::model::By;

/// The SQL of an answer that is still being written: what stands in its code block so far, or the whole answer where
/// it has none.
pub fn sql_so_far(answer: &str) -> String {
    let (said, _) = without_thinking(answer);
    let Some((_, block)) = said.split_once("```") else { return said };
    let code = block.split_once('\n').map_or("", |(_language, code)| code);
    code.split("```").next().unwrap_or_default().trim().to_owned()
}

/// Parts of a prompt with their tokens, in its order.
pub fn parts(prompt: &Prompt) -> Vec<(String, u32)> {
    if prompt.schema_tokens + prompt.shot_tokens == 0 {
        // A request of a pipeline of several, whose parts are not counted.
        return vec![("The last request".to_owned(), prompt.tokens)];
    }
    let rest = prompt.tokens.saturating_sub(prompt.schema_tokens).saturating_sub(prompt.shot_tokens);
    let examples = match prompt.shots.len() {
        0 => "No examples".to_owned(),
        1 => "Retrieved example".to_owned(),
        n => format!("Retrieved examples, {n}"),
    };
    vec![
        ("Schema".to_owned(), prompt.schema_tokens),
        (examples, prompt.shot_tokens),
        ("Rules and question".to_owned(), rest),
    ]
}

/// The whole prompt as one text, to be read and copied.
pub fn prompt_text(prompt: &Prompt) -> String {
    prompt.messages.iter().map(|message| message.content.trim()).collect::<Vec<_>>().join("\n\n")
}

/// What became of a question that the model `name` was asked; `steps` are who did the model's steps of retrieval.
pub fn told(direct: &Direct, name: &str, steps: &[(&str, By)]) -> Told {
    let mut more: Vec<String> = Vec::new();
    let mut less = false;
    if let Some(left_out) = direct.prompt.left_out.sentence() {
        less = true;
        more.push(format!("The prompt was shortened to fit. {left_out}"));
    }
    let first = direct.attempts.first().and_then(|attempt| attempt.trouble.as_ref());
    if direct.attempts.len() > 1
        && let Some(why) = first
    {
        less = true;
        let why = match why {
            Trouble::Database(error) => format!("Its first query failed: {error}"),
            why => format!("Its first answer was not usable. {why}"),
        };
        let ended = if direct.answer.is_ok() {
            "It was asked once more and mended it."
        } else {
            "It was asked once more, in vain."
        };
        more.push(format!("{} {ended}", full_stop(&why)));
    }
    let others =
        direct.attempts.last().and_then(|attempt| attempt.extracted.as_ref()).map_or(0, |e| e.others.len());
    if others > 0 {
        less = true;
        more.push(format!(
            "Of the answer, {} not used.",
            format::counted(others, "other statement was", "other statements were")
        ));
    }
    for (step, by) in steps {
        if let By::Fallback(_) = by {
            less = true;
            more.push(by.sentence(step));
        }
    }
    let title = match &direct.answer {
        Ok(_) => format!("Answered by {name}."),
        Err(trouble) => {
            less = true;
            full_stop(&trouble.to_string())
        }
    };
    Told { less, title, text: more.join(" ") }
}

fn full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::db::{DbError, ResultSet};
    use crate::llm::Message;
    use crate::pipeline::direct::{Answer, Attempt};
    use proptest::prelude::*;

    #[test]
    fn sql_is_shown_as_it_grows() {
        assert_eq!(sql_so_far(""), "");
        assert_eq!(sql_so_far("SELECT 1"), "SELECT 1");
        assert_eq!(sql_so_far("Here:\n```sql\nSELECT"), "SELECT");
        assert_eq!(sql_so_far("```sql\nSELECT 1\n```\nIt counts."), "SELECT 1");
        assert_eq!(sql_so_far("```sq"), "");
        assert_eq!(sql_so_far("<think>a SELECT 2?"), "");
        assert_eq!(sql_so_far("<think>hm</think>SELECT 3"), "SELECT 3");
    }

    proptest! {
        #[test]
        fn any_part_of_an_answer_can_be_shown(text in "(```(sql)?\n|<think>|</think>|SELECT |\u{e9}|\n){0,12}") {
            for (end, _) in text.char_indices() {
                sql_so_far(&text[..end]);
            }
        }
    }

    fn direct(attempts: Vec<Attempt>, answer: Result<Answer, Trouble>) -> Direct {
        let prompt = Prompt {
            messages: vec![Message::system("rules"), Message::user("question")],
            tokens: 100,
            schema_tokens: 60,
            shot_tokens: 30,
            shots: Vec::new(),
            left_out: Default::default(),
        };
        Direct { prompt, attempts, answer }
    }

    fn attempt(trouble: Option<Trouble>) -> Attempt {
        Attempt { messages: Vec::new(), answer: None, extracted: None, trouble, hints: Vec::new() }
    }

    #[test]
    fn what_happened_is_said() {
        let answer = || Ok(Answer { sql: "SELECT 1".into(), result: ResultSet::default() });
        let plain = told(&direct(vec![attempt(None)], answer()), "qwen", &[]);
        assert_eq!((plain.less, plain.title.as_str(), plain.text.as_str()), (false, "Answered by qwen.", ""));

        let failed = Trouble::Database(DbError::Sql { message: "no such column: nme".into(), offset: None });
        let mended = told(&direct(vec![attempt(Some(failed.clone())), attempt(None)], answer()), "qwen", &[]);
        assert!(
            mended.less && mended.text.contains("no such column: nme") && mended.text.contains("mended"),
            "{mended:?}"
        );

        let by = By::Fallback("The server failed.".into());
        let in_vain =
            told(&direct(vec![attempt(Some(failed.clone()))], Err(failed)), "qwen", &[("Key phrases", by)]);
        assert!(in_vain.less && in_vain.title.contains("no such column"), "{in_vain:?}");
        assert!(in_vain.text.contains("Key phrases: by rules"), "{in_vain:?}");
    }

    #[test]
    fn the_parts_of_a_prompt_are_all_of_it() {
        let parts = parts(&direct(Vec::new(), Err(Trouble::Database(DbError::Cancelled))).prompt);
        assert_eq!(parts.iter().map(|(_, tokens)| tokens).sum::<u32>(), 100);
        assert_eq!(parts[1].0, "No examples");
    }
}
