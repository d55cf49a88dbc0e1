//! Key phrases of a question, found by a model (BIRD-History, section 4 and Appendix C.2.2).

use std::collections::HashSet;

use serde_json::Value as Json;

use super::{Asking, By, outcome, outline};
use crate::llm::{Usage, ask_json, tokens};
use crate::ports::Complete;
use crate::retrieval::Phrase;
use crate::retrieval::phrases::phrases as by_rules;
use crate::retrieval::words::{Word, is_stop_word, stem, words};
use crate::sql::Schema;

const RULES: &str = "You prepare a search in earlier SQL queries. From a question about a database you take the \
phrases that a piece of SQL could stand for: a measure, a condition, a group, a relation between things, an order or \
a limit. Take each phrase as the question words it, usually one to five, at most eight. Answer with one JSON object: \
{\"phrases\": [\"…\", \"…\"]}";

/// Phrases at most.
const MOST: usize = 8;
/// Characters of one phrase at most.
const LONGEST: usize = 120;
const ANSWER_TOKENS: u32 = 256;

/// The key phrases of a question by the model, or by the rules where it gives none that the question holds.
pub async fn key_phrases<M: Complete>(
    asking: Asking<'_, M>,
    schema: &Schema,
    question: &str,
) -> (Vec<Phrase>, By, Usage) {
    let outline = outline(schema, None);
    // The schema only helps; a question finds its phrases without it, too.
    let fits = tokens::estimate(&outline) + ANSWER_TOKENS + 400 < asking.context_tokens;
    let tables = if fits { format!("Tables:\n{outline}\n") } else { String::new() };
    let mut request = asking.request(RULES, format!("{tables}Question: {}", question.trim()), ANSWER_TOKENS);
    let check = |json: &Json| check(json, question);
    let (found, by, usage) = outcome(ask_json(asking.model, &mut request, check, asking.cancel).await);
    (found.unwrap_or_else(|| by_rules(question)), by, usage)
}

fn check(json: &Json, question: &str) -> Result<Vec<Phrase>, String> {
    let list = json.get("phrases").or_else(|| json.get("keywords")).and_then(Json::as_array);
    let list = list.ok_or("“phrases” is missing or not a list")?;
    let texts: Option<Vec<&str>> = list.iter().map(Json::as_str).collect();
    let texts = texts.ok_or("“phrases” holds something that is not a text")?;
    if texts.iter().any(|text| text.chars().count() > LONGEST) {
        return Err(format!("a phrase is longer than {LONGEST} characters"));
    }
    let own = words(question);
    let mut phrases: Vec<Phrase> = Vec::new();
    for phrase in texts.into_iter().take(MOST).filter_map(|text| place(text, question, &own)) {
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    if phrases.is_empty() {
        return Err("no phrase is taken from the question".to_owned());
    }
    Ok(phrases)
}

/// Where the question says a phrase: the shortest run of its words that holds as many of the phrase's as possible.
/// A phrase may be worded a little otherwise; its words in the question are what is searched for.
fn place(text: &str, question: &str, own: &[Word<'_>]) -> Option<Phrase> {
    let content = |word: &Word<'_>| Some(word.text.to_lowercase()).filter(|word| !is_stop_word(word));
    let wanted: HashSet<String> = words(text).iter().filter_map(content).map(|word| stem(&word)).collect();
    let stems: Vec<Option<String>> = own.iter().map(|word| content(word).map(|word| stem(&word))).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (from, first) in stems.iter().enumerate() {
        if !first.as_ref().is_some_and(|word| wanted.contains(word)) {
            continue;
        }
        let mut held = HashSet::new();
        for (to, word) in stems.iter().enumerate().skip(from) {
            if let Some(word) = word.as_ref().filter(|word| wanted.contains(*word))
                && held.insert(word)
                && best.is_none_or(|(most, first, last)| {
                    held.len() > most || held.len() == most && to - from < last - first
                })
            {
                best = Some((held.len(), from, to));
            }
        }
    }
    let (_, from, to) = best?;
    let (start, end) = (own.get(from)?.start, own.get(to)?.end);
    Some(Phrase { text: question.get(start..end)?.to_owned(), start, end })
}
