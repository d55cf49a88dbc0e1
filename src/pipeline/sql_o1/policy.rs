//! A language model as the policy of the search: what it writes after a prefix, with the log probability of every token.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

use super::prompt::{CLOSE, Context, OPEN};
use crate::llm::{Completion, Finish, LlmError, Request};
use crate::pipeline::staged::Talk;
use crate::ports::Complete;
use crate::search::{Ask, Continuation, Piece, Spent, clauses, steps};

/// The least log probability that is believed: servers write minus infinity as some large number.
const LEAST: f64 = -1_000.0;
/// Bytes by which a token may be off its place in the text before its place is guessed.
const NEAR: usize = 12;

/// Where the prefix stands when a model is asked to go on with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asking {
    /// In the model's own message, which it goes on with. The default: llama-server and others do so, and the model keeps
    /// its chat template. A server that begins a new answer is noticed, and the prefix put into the prompt.
    #[default]
    Begun,
    /// In the prompt; the model is asked for the rest. Any server with log probabilities does, but the probabilities are
    /// those of a rest that was asked for, not of going on.
    InPrompt,
    /// At the end of a text without a chat (`/completions`), for base models.
    Text,
}

/// A model that goes on with prefixes.
pub(super) struct Policy<'a, 't, M> {
    pub context: &'a Context,
    pub talk: &'a Talk<'t, M>,
    pub asking: Cell<Asking>,
    pub temperature: f32,
}

impl<M: Complete> Policy<'_, '_, M> {
    /// Continuations of a prefix, one request each, with what they used; and why there are no more, where one failed.
    pub async fn go_on(&self, ask: &Ask) -> (Vec<Continuation>, Spent, Option<LlmError>) {
        let (mut all, mut spent) = (Vec::new(), Spent::default());
        let greedy = ask.greedy.then_some(None);
        let seeds = (0..u64::from(ask.samples)).map(|sample| Some(ask.seed.wrapping_add(sample)));
        for seed in greedy.into_iter().chain(seeds) {
            match self.one(&ask.prefix, seed, &mut spent).await {
                Ok(continuation) => all.push(continuation),
                Err(error) => return (all, spent, Some(error)),
            }
        }
        (all, spent, None)
    }

    async fn one(
        &self,
        prefix: &str,
        seed: Option<u64>,
        spent: &mut Spent,
    ) -> Result<Continuation, LlmError> {
        loop {
            let asking = self.asking.get();
            let request = self.request(prefix, seed, asking);
            let prompt_tokens = request.prompt_tokens();
            let answer = self.talk.send(request).await;
            spent.requests = spent.requests.saturating_add(1);
            let switches = asking == Asking::Begun && !prefix.is_empty();
            let answer = match answer {
                Ok(answer) => answer,
                // A query that is finished already: there is nothing to add.
                Err(LlmError::Empty { thought: false }) if !prefix.is_empty() => {
                    spent.prompt_tokens += u64::from(prompt_tokens);
                    return Ok(Continuation {
                        ended: true,
                        greedy: seed.is_none(),
                        ..Continuation::default()
                    });
                }
                Err(LlmError::Refused { .. }) if asking == Asking::Begun => {
                    self.switch("The server refuses an answer that is begun already");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let used = answer.usage.unwrap_or_default();
            let prompt = if used.prompt > 0 { used.prompt } else { prompt_tokens };
            let written = if used.completion > 0 { used.completion } else { answer.logprobs.len() as u32 };
            spent.prompt_tokens += u64::from(prompt);
            spent.answer_tokens += u64::from(written);
            if answer.logprobs.is_empty() && !said(prefix, &answer).trim().is_empty() {
                return Err(LlmError::NoLogprobs);
            }
            let continuation =
                Continuation { greedy: seed.is_none(), ..continuation(prefix, &answer, asking) };
            if switches && steps::restarts(prefix, &continuation.text) {
                self.switch("The server does not go on with an answer that is begun");
                continue;
            }
            return Ok(continuation);
        }
    }

    fn switch(&self, why: &str) {
        self.asking.set(Asking::InPrompt);
        self.talk.note(format!(
            "{why}, so the prefix stands in the prompt and the model was asked for the rest. The paper's model goes on by itself."
        ));
    }

    fn request(&self, prefix: &str, seed: Option<u64>, asking: Asking) -> Request {
        let settings = self.talk.settings();
        let stop = match asking {
            Asking::InPrompt => Vec::new(),
            // The block is open already, so the next mark closes it.
            Asking::Begun | Asking::Text => vec![CLOSE.to_owned()],
        };
        Request {
            model: settings.model.clone(),
            messages: match asking {
                Asking::Begun => self.context.begun(prefix),
                Asking::InPrompt => self.context.asked(prefix),
                Asking::Text => Vec::new(),
            },
            text: (asking == Asking::Text).then(|| self.context.text(prefix)),
            stop,
            temperature: seed.map_or(0.0, |_| self.temperature),
            seed: seed.or(settings.seed),
            max_tokens: settings.answer_tokens,
            logprobs: Some(1),
            ..Request::default()
        }
    }
}

/// What the model wrote: llama-server repeats the begun answer before it, without tokens. A model that begins anew with the
/// same words has tokens for them.
fn said<'a>(prefix: &str, answer: &'a Completion) -> &'a str {
    let raw = answer.text.as_str();
    let first =
        answer.logprobs.iter().map(|logprob| logprob.token.trim_start()).find(|token| !token.is_empty());
    if first.is_some_and(|first| raw.trim_start().starts_with(first)) {
        return raw;
    }
    raw.strip_prefix(OPEN).and_then(|rest| rest.strip_prefix(prefix)).unwrap_or(raw)
}

/// What an answer adds to a prefix.
fn continuation(prefix: &str, answer: &Completion, asking: Asking) -> Continuation {
    let raw = said(prefix, answer);
    let mut start = raw.rfind("</think>").map_or(0, |at| at + "</think>".len());
    let tail = |at: usize| raw.get(at..).unwrap_or_default();
    // A block that is opened again, or for the first time.
    let opened = tail(start).find(CLOSE).filter(|at| {
        asking == Asking::InPrompt || tail(start).get(..*at).is_some_and(|before| before.trim().is_empty())
    });
    if let Some(at) = opened {
        let inside = start + at + CLOSE.len();
        let word = tail(inside).find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(0);
        let space = tail(inside + word).len() - tail(inside + word).trim_start().len();
        start = inside + word + space;
    }
    // The whole query, though the rest was asked for.
    if let Some(after) = clauses::after(prefix, tail(start)) {
        start += after;
    }
    let closed = tail(start).find(CLOSE).map(|at| start + at);
    let end = closed.unwrap_or(raw.len());
    let ended = closed.is_some() || answer.finish != Finish::Length;
    let (mut pieces, mut at, mut over) = (Vec::new(), 0, false);
    for token in &answer.logprobs {
        let (from, to) = placed(raw, at, &token.token);
        at = to;
        if from < start || over {
            continue;
        }
        // One token after the text says that it ends there.
        over = from >= end;
        let log_probability = f64::from(token.logprob).clamp(LEAST, 0.0);
        // A token that reaches past the end counts to where the text ends.
        pieces.push(Piece { bytes: to - from, log_probability });
    }
    let text = raw.get(start..end).unwrap_or_default().to_owned();
    Continuation { text, pieces, ended, greedy: false }
}

/// Where a token stands in the text, from `at` on: servers take spaces off the beginning, and cut characters apart.
fn placed(text: &str, at: usize, token: &str) -> (usize, usize) {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with(token) {
        return (at, at + token.len());
    }
    let trimmed = token.trim_start();
    if !trimmed.is_empty() && !trimmed.contains('\u{fffd}') {
        if rest.starts_with(trimmed) {
            return (at, at + trimmed.len());
        }
        let near = rest.char_indices().map(|(place, _)| place).take_while(|place| *place <= NEAR);
        for place in near {
            if rest.get(place..).is_some_and(|rest| rest.starts_with(trimmed)) {
                return (at + place, at + place + trimmed.len());
            }
        }
    }
    // A part of a character, or a mark of the model that is no text.
    let part = rest.chars().next().filter(|_| token.contains('\u{fffd}')).map_or(0, char::len_utf8);
    (at, at + part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Logprob;

    fn answer(text: &str, tokens: &[&str], finish: Finish) -> Completion {
        let token = |token: &&str| Logprob { token: (*token).to_owned(), logprob: -1.0, top: Vec::new() };
        Completion {
            text: text.to_owned(),
            reasoning: String::new(),
            finish,
            usage: None,
            logprobs: tokens.iter().map(token).collect(),
            model: None,
            cached: false,
        }
    }

    fn read(prefix: &str, tokens: &[&str], finish: Finish, asking: Asking) -> (String, usize, bool) {
        let found = continuation(prefix, &answer(&tokens.concat(), tokens, finish), asking);
        (found.text, found.pieces.len(), found.ended)
    }

    #[test]
    fn answers_of_every_form_become_continuations() {
        let stop = || Finish::Stop;
        let want = |text: &str, pieces, ended| (text.to_owned(), pieces, ended);
        // Gone on with, up to the end of the block.
        assert_eq!(
            read("SELECT a", &[" FROM", " t", ";\n"], stop(), Asking::Begun),
            want(" FROM t;\n", 3, true)
        );
        assert_eq!(
            read("SELECT a", &[" FROM", " t", "\n", "```", "\n", "It"], stop(), Asking::Begun),
            want(" FROM t\n", 4, true)
        );
        assert_eq!(
            read("SELECT a", &[" FROM", " t"], Finish::Length, Asking::Text),
            want(" FROM t", 2, false)
        );
        // A block that is opened once more.
        assert_eq!(
            read("", &["```", "sql", "\n", "SELECT", " 1"], stop(), Asking::Begun),
            want("SELECT 1", 2, true)
        );
        // The rest that was asked for, and the whole in its place; words before it are left out.
        let rest = ["Sure:\n", "```", "sql", "\n", "FROM", " t", ";", "\n", "```"];
        assert_eq!(read("SELECT a", &rest, stop(), Asking::InPrompt), want("FROM t;\n", 5, true));
        let whole = ["```", "sql", "\n", "select", " a", "\n", "FROM", " t", ";", "\n", "```"];
        assert_eq!(read("SELECT  a", &whole, stop(), Asking::InPrompt), want("\nFROM t;\n", 6, true));
        let thought = ["<think>", "SELECT", "</think>", " FROM", " t"];
        assert_eq!(read("SELECT a", &thought, stop(), Asking::Begun), want(" FROM t", 2, true));
    }

    #[test]
    fn a_begun_answer_that_is_repeated_is_left_out() {
        let tokens = [" FROM", " t", ";\n", ""];
        let repeated = answer("```sql\nSELECT a FROM t;\n", &tokens, Finish::Stop);
        let found = continuation("SELECT a", &repeated, Asking::Begun);
        assert_eq!((found.text.as_str(), found.pieces.len()), (" FROM t;\n", 4));
        assert_eq!(found.pieces.iter().map(|piece| piece.bytes).sum::<usize>(), found.text.len());
        // Nothing was added: the only token is the one that ended it.
        let ended = answer("```sql\nSELECT a FROM t", &[""], Finish::Stop);
        let found = continuation("SELECT a FROM t", &ended, Asking::Begun);
        assert_eq!((found.text.as_str(), found.pieces.len(), found.ended), ("", 1, true));
        // The same words, written anew.
        let tokens = ["```", "sql", "\n", "SELECT", " a", " FROM", " t", "\n", "```"];
        let anew = answer(&tokens.concat(), &tokens, Finish::Stop);
        let found = continuation("SELECT a", &anew, Asking::Begun);
        assert_eq!((found.text.as_str(), found.pieces.len()), (" FROM t\n", 4));
    }

    #[test]
    fn tokens_are_found_in_their_text() {
        // A space that was taken off, a character cut apart, a mark that is no text.
        let parts = [" FROM", " caf", "\u{fffd}", "\u{fffd}", " WHERE", "<|end|>"];
        let answer = answer("FROM café WHERE", &parts, Finish::Stop);
        let found = continuation("SELECT a", &answer, Asking::Begun);
        let mut at = 0;
        let starts: Vec<&str> = found
            .pieces
            .iter()
            .map(|piece| {
                let text = found.text.get(at..at + piece.bytes).unwrap_or("-");
                at += piece.bytes;
                text
            })
            .collect();
        assert_eq!(starts[..3], ["FROM", " caf", "é"]);
        assert_eq!(at, found.text.len());
    }

    proptest::proptest! {
        #[test]
        fn any_answer_becomes_a_continuation(
            text in "(SELECT |FROM t|;|```|sql|\n|'|é|</think>| |.){0,20}",
            tokens in proptest::collection::vec("(SELECT|FROM| t|\u{fffd}|é|.){0,2}", 0..20),
            prefix in "(SELECT a|FROM t| ){0,3}",
        ) {
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            for asking in [Asking::Begun, Asking::InPrompt, Asking::Text] {
                let found = continuation(&prefix, &answer(&text, &tokens, Finish::Stop), asking);
                proptest::prop_assert!(text.contains(&found.text));
                proptest::prop_assert!(found.pieces.len() <= tokens.len());
            }
        }
    }
}
