//! From what a model wrote after a prefix to the steps that it took.

use std::collections::VecDeque;

use super::clauses;

/// A piece of a continuation with its log probability: a token of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its bytes.
    pub bytes: usize,
    /// Natural logarithm of its probability after all that stands before it.
    pub log_probability: f64,
}

/// What a policy wrote after a prefix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Continuation {
    /// The text that follows the prefix.
    pub text: String,
    /// Its tokens in their order. Tokens after the end of the text (what ends an answer) count to its last step.
    pub pieces: Vec<Piece>,
    /// Whether the policy was done; false where its tokens were used up.
    pub ended: bool,
    /// Whether it is the most probable continuation rather than a sample.
    pub greedy: bool,
}

/// A step with its log probability.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub text: String,
    pub log_probability: f64,
}

/// Steps that a policy took from a state.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Steps {
    pub steps: VecDeque<Step>,
    /// Whether the query is finished after the last of them.
    pub ended: bool,
    pub greedy: bool,
}

impl Steps {
    /// The whole of them as one step.
    pub fn joined(&self) -> Option<Step> {
        let log_probability = self.log_probability();
        let text: String = self.steps.iter().map(|step| step.text.as_str()).collect();
        self.ended.then_some(Step { text, log_probability })
    }

    pub fn log_probability(&self) -> f64 {
        self.steps.iter().map(|step| step.log_probability).sum()
    }
}

/// Why a continuation cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Unusable {
    /// Its tokens were used up inside its first clause.
    Unfinished,
    /// It is no SQL.
    NotSql,
    /// It begins a new query where the prefix cannot have one.
    Restarted,
}

/// Cuts a continuation into steps.
pub(super) fn steps(prefix: &str, continuation: &Continuation) -> Result<Steps, Unusable> {
    let Continuation { text, pieces, ended, greedy } = continuation;
    if prefix.is_empty() && !clauses::begins_a_query(text) {
        return Err(if text.trim().is_empty() && !ended { Unusable::Unfinished } else { Unusable::NotSql });
    }
    if restarts(prefix, text) {
        return Err(Unusable::Restarted);
    }
    let glue = if glued(prefix, text) { " " } else { "" };
    let whole = format!("{prefix}{glue}{text}");
    let from = prefix.len();
    // A prefix never holds a semicolon.
    let semicolon = clauses::end(&whole);
    let stop = semicolon.unwrap_or(whole.len());
    let ended = semicolon.is_some() || *ended;
    let sql = whole.get(..stop).unwrap_or_default();
    let mut ends: Vec<usize> =
        clauses::cuts(sql).into_iter().map(|cut| cut.at).filter(|at| *at > from).collect();
    if ended {
        ends.push(sql.trim_end().len().max(from));
    }
    if ends.is_empty() {
        return Err(Unusable::Unfinished);
    }
    let mut found = Steps { ended, greedy: *greedy, ..Steps::default() };
    let mut pieces = pieces.iter().peekable();
    // A token belongs to the step in which it begins.
    let mut at = from + glue.len();
    let mut start = from;
    let last = ends.len().saturating_sub(1);
    for (number, end) in ends.into_iter().enumerate() {
        let mut log_probability = 0.0;
        // The token of the semicolon belongs to the end, and so do those after the text.
        let reach = match semicolon {
            _ if !ended || number < last => end,
            Some(semicolon) => semicolon + 1,
            None => usize::MAX,
        };
        while let Some(piece) = pieces.next_if(|_| at < reach) {
            log_probability += piece.log_probability;
            at += piece.bytes;
        }
        let text = whole.get(start..end).unwrap_or_default();
        let text = if start == 0 { text.trim_start() } else { text };
        found.steps.push_back(Step { text: text.to_owned(), log_probability });
        start = end;
    }
    Ok(found)
}

/// Whether a text begins a new query where the prefix cannot have one.
pub fn restarts(prefix: &str, text: &str) -> bool {
    let first = || clauses::words(text).first().is_some_and(|(_, word)| clauses::is_first_word(word));
    !prefix.is_empty() && first() && !takes_a_query(prefix)
}

/// Whether a word would run into another one: servers of chats may take off the space that a continuation begins with.
fn glued(prefix: &str, text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || "_\"'`".contains(c);
    prefix.ends_with(word) && text.starts_with(word)
}

/// Whether a query may stand after a prefix.
fn takes_a_query(prefix: &str) -> bool {
    let words = clauses::words(prefix);
    let is = |word: Option<&(_, &str)>, names: &[&str]| {
        word.is_some_and(|(_, text)| names.iter().any(|name| text.eq_ignore_ascii_case(name)))
    };
    // `WITH x AS (…)` has its query after a bracket.
    is(words.last(), &["(", "UNION", "ALL", "EXCEPT", "INTERSECT"])
        || is(words.last(), &[")"]) && is(words.first(), &["WITH"])
}
