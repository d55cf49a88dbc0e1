//! What the comments above a statement say: its question, author, time, count and identifier.

use crate::sql::{Token, TokenKind, tokenize};

/// Longer questions than this are cut at a sentence or word.
const MAX_QUESTION: usize = 400;

/// What comments say about the statement below them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub question: Option<String>,
    pub user: Option<String>,
    pub time: Option<String>,
    pub count: Option<u64>,
    pub id: Option<i64>,
}

/// One line of a comment.
struct Line {
    text: String,
    /// Line breaks between the start of the gap and this line.
    row: usize,
}

/// Reads the comments of `gap`, the text between two statements. What stands on the line where the
/// statement before ended (`first` is false) belongs to that one.
pub(super) fn read(gap: &str, first: bool) -> Said {
    let (lines, end) = lines_of(gap);
    let mut said = Said::default();
    let mut prose: Vec<String> = Vec::new();
    // The block that touches the statement: rows that follow each other down to the gap's end.
    let mut touching = end;
    for line in lines.iter().rev().take_while(|l| first || l.row > 0) {
        let direct = line.row + 1 >= touching;
        if direct {
            touching = line.row;
        }
        if let Some((tag, value)) = tagged(&line.text) {
            said.take(tag, value);
        } else if direct {
            match signature(&line.text) {
                Some((user, time)) => said.sign(user, time),
                None => prose.push(line.text.clone()),
            }
        }
    }
    prose.reverse();
    let signed = said.question.take().or_else(|| question_of(&prose)).map(|q| split_signature(&q));
    if let Some((question, signature)) = signed {
        said.question = Some(shortened(&question)).filter(|q| !q.is_empty());
        if let Some((user, time)) = signature {
            said.sign(user, time);
        }
    }
    said
}

impl Said {
    /// Lines are read from the statement upwards, so what was said first stands nearest and wins.
    fn take(&mut self, tag: Tag, value: &str) {
        let text = Some(value.to_owned()).filter(|v| !v.is_empty());
        match tag {
            Tag::Question => self.question = self.question.take().or(text),
            Tag::User => match signature(value) {
                Some((user, time)) => self.sign(user, time),
                None => self.user = self.user.take().or(text),
            },
            Tag::Time => self.time = self.time.take().or(text),
            Tag::Count => self.count = self.count.or_else(|| super::columns::count(value)),
            Tag::Id => self.id = self.id.or_else(|| value.parse().ok()),
        }
    }

    /// Takes what is missing from what was said elsewhere.
    pub(super) fn fill(&mut self, other: Self) {
        self.question = self.question.take().or(other.question);
        self.sign(other.user, other.time);
        self.count = self.count.or(other.count);
        self.id = self.id.or(other.id);
    }

    fn sign(&mut self, user: Option<String>, time: Option<String>) {
        self.user = self.user.take().or(user);
        self.time = self.time.take().or(time);
    }
}

#[derive(Clone, Copy)]
enum Tag {
    Question,
    User,
    Time,
    Count,
    Id,
}

/// `key: value` or `@key value` with a key that is known.
fn tagged(line: &str) -> Option<(Tag, &str)> {
    let (key, value) = match line.strip_prefix('@') {
        Some(rest) => rest.split_once(char::is_whitespace)?,
        None => line.split_once([':', '：'])?,
    };
    let value = value.trim();
    let key = key.trim_end_matches(':').trim().to_lowercase();
    // "Question 12: …" and "Q3: …" number their questions.
    let bare = key.trim_end_matches(|c: char| c.is_ascii_digit() || c == '#' || c == ' ' || c == '.');
    let tag = match bare {
        "question" | "q" | "title" | "ask" | "asked" | "request" | "description" | "purpose" | "frage"
        | "问题" => Tag::Question,
        "id" | "question_id" | "question id" | "query_id" | "query id" => Tag::Id,
        "author" | "by" | "written by" | "user" | "owner" | "analyst" | "created by" => Tag::User,
        "date" | "time" | "created" | "created at" | "written" | "run at" | "last run" | "last used"
        | "timestamp" => Tag::Time,
        "count" | "runs" | "run" | "used" | "times" | "executions" => Tag::Count,
        _ => return None,
    };
    Some((tag, value))
}

/// Who and when, where they are said.
type Signature = (Option<String>, Option<String>);

/// A line that holds a name, a date, or both, and nothing else: `m.okoye, 2023-05-11`.
fn signature(line: &str) -> Option<Signature> {
    let mut user = None;
    let mut time: Vec<&str> = Vec::new();
    for word in line.split([' ', ',', ';', '|', '·', '\t']).filter(|w| !w.is_empty()) {
        let is_clock =
            !time.is_empty() && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(':');
        if is_date(word) || is_clock {
            time.push(word);
        } else if user.is_none() && is_login(word) {
            user = Some(word.to_owned());
        } else if !matches!(word, "by" | "on" | "-" | "/" | "—" | "–") {
            return None;
        }
    }
    // A word without a date may be anything.
    if time.is_empty() { None } else { Some((user, Some(time.join(" ")))) }
}

/// `2023-05-11`, with or without a time of day behind a `T`.
fn is_date(word: &str) -> bool {
    let day = word.split('T').next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['-', '/', '.']).collect();
    let numbers =
        parts.iter().all(|p| !p.is_empty() && p.len() <= 4 && p.bytes().all(|b| b.is_ascii_digit()));
    parts.len() == 3 && numbers && parts.iter().any(|p| p.len() == 4)
}

fn is_login(word: &str) -> bool {
    let word = word.strip_prefix('@').unwrap_or(word);
    word.starts_with(char::is_alphabetic) && word.chars().all(|c| c.is_alphanumeric() || "._-@+".contains(c))
}

/// Takes `(m.okoye, 2023-05-11)` off the end of a question.
fn split_signature(question: &str) -> (String, Option<Signature>) {
    let parts = question.strip_suffix([')', ']']).and_then(|q| q.rsplit_once(['(', '[']));
    match parts.and_then(|(before, inside)| Some((before, signature(inside)?))) {
        Some((before, signed)) => (before.trim_end().to_owned(), Some(signed)),
        None => (question.to_owned(), None),
    }
}

/// The lines of all comments in a gap, and the row of the gap's end.
fn lines_of(gap: &str) -> (Vec<Line>, usize) {
    let mut lines = Vec::new();
    let mut row = 0;
    for Token { kind, start, end } in tokenize(gap) {
        let piece = gap.get(start..end).unwrap_or_default();
        if kind == TokenKind::Comment {
            let body = match piece.strip_prefix("/*") {
                Some(body) => body.strip_suffix("*/").unwrap_or(body),
                None => piece,
            };
            for (i, line) in body.split('\n').enumerate() {
                let text = line.trim().trim_start_matches(['-', '*', '#', '!', '=']).trim();
                let text = text.trim_end_matches(['-', '*', '#', '=']).trim_end();
                lines.push(Line { text: text.to_owned(), row: row + i });
            }
        }
        row += super::text::newlines(piece.as_bytes());
    }
    (lines, row)
}

/// The question in the untagged lines above a statement.
fn question_of(lines: &[String]) -> Option<String> {
    let mut question = String::new();
    for line in lines.iter().map(|l| unnumbered(l)).filter(|l| l.chars().any(char::is_alphabetic)) {
        if !is_prose(line) {
            continue;
        }
        if !question.is_empty() {
            question.push(' ');
        }
        question.push_str(line);
        if line.ends_with(['?', '？']) {
            break;
        }
    }
    let words = question.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
    let wide = question.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    // Chinese and Japanese write no spaces between words.
    (words >= 2 || wide >= 4).then_some(question)
}

/// Without "12." or "3)" in front.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

/// Whether a line of a comment is written for people: not code, not a note to a tool, not a licence.
fn is_prose(line: &str) -> bool {
    const NOT_QUESTIONS: &[&str] = &[
        "todo",
        "fixme",
        "xxx",
        "noqa",
        "sqlfluff",
        "copyright",
        "licen",
        "spdx",
        "vim:",
        "generated",
        "http://",
        "https://",
        "warning",
        "disable",
        "enable",
    ];
    const KEYWORDS: &[&str] = &[
        "select", "from", "where", "and", "or", "join", "left", "right", "inner", "group", "order", "having",
        "limit", "insert", "update", "delete", "create", "drop", "alter", "with", "union", "on", "case",
        "when", "then", "else", "end", "set", "use", "declare", "exec",
    ];
    if line.ends_with(['?', '？']) {
        return true;
    }
    let lower = line.to_lowercase();
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let one_case = first == first.to_lowercase() || first == first.to_uppercase();
    let keyword = one_case && KEYWORDS.contains(&first.to_lowercase().as_str());
    let code = line.contains(['=', '(', ';', '*', '<', '>', '_']) || line.ends_with(',');
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let query = keyword && (code || line.contains(" FROM ") || lower.starts_with("select "));
    let too_few_letters = letters * 2 < line.chars().filter(|c| !c.is_whitespace()).count();
    let noted = NOT_QUESTIONS.iter().any(|start| lower.starts_with(start));
    !(query || noted || too_few_letters || line.ends_with(';') || line.contains(['{', '}']))
}

/// Cuts a long comment after a sentence, or else after a word.
fn shortened(question: &str) -> String {
    let Some((limit, _)) = question.char_indices().nth(MAX_QUESTION) else { return question.to_owned() };
    let head = question.get(..limit).unwrap_or_default();
    let sentence = head.rfind(". ").map(|i| i + 1).filter(|&i| i > 20);
    let cut = sentence.or_else(|| head.rfind(' ')).unwrap_or(limit);
    head.get(..cut).unwrap_or(head).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(gap: &str) -> Option<String> {
        read(gap, true).question
    }

    #[test]
    fn a_comment_directly_above_is_the_question() {
        let wanted = Some("On-time rate by month".to_owned());
        assert_eq!(question("-- On-time rate by month\n"), wanted);
        assert_eq!(question("\r\n/*\r\n * On-time rate\r\n * by month\r\n */\r\n"), wanted);
        assert_eq!(question("/* On-time rate by month */ "), wanted);
        assert_eq!(question("-- ====== \n-- 12. On-time rate by month\n"), wanted);
        assert_eq!(question("-- Section one: basics\n\n-- On-time rate by month\n"), wanted);
        assert_eq!(question("-- 每条航线的准点率是多少\n"), Some("每条航线的准点率是多少".to_owned()));
    }

    #[test]
    fn a_comment_further_up_counts_only_when_it_is_marked() {
        assert_eq!(question("-- On-time rate by month\n\n"), None);
        assert_eq!(question("-- Question: how full are ferries\n\n"), Some("how full are ferries".into()));
        assert_eq!(
            question("-- Q3: How full are ferries?\n-- uses crew seats\n"),
            Some("How full are ferries?".into())
        );
    }

    #[test]
    fn a_comment_behind_the_statement_before_is_not_the_question() {
        assert_eq!(read("; -- all the ships\n", false).question, None);
        assert_eq!(
            read("; -- all the ships\n-- the last trip\n", false).question,
            Some("the last trip".into())
        );
    }

    #[test]
    fn code_and_notes_to_tools_are_no_questions() {
        for gap in [
            "-- SELECT a FROM b\n",
            "-- WHERE x = 1\n",
            "-- AND y > 2;\n",
            "-- TODO speed this up\n",
            "-- noqa: disable=all\n",
            "-- Copyright 2024 Ferries Inc\n",
            "-- {\"app\": \"dbt\", \"node\": \"x y\"}\n",
            "-- ----------\n",
            "-- ferries\n",
        ] {
            assert_eq!(question(gap), None, "{gap}");
        }
        assert_eq!(
            question("-- Select all ships of the north line\n"),
            Some("Select all ships of the north line".into())
        );
        assert_eq!(question("-- or is it full (now)?\n"), Some("or is it full (now)?".into()));
    }

    #[test]
    fn authors_dates_counts_and_ids_are_read() {
        let wanted = Said {
            question: Some("Fuel per mile".into()),
            user: Some("m.okoye".into()),
            time: Some("2023-05-11".into()),
            count: None,
            id: None,
        };
        assert_eq!(read("-- Fuel per mile\n-- author: m.okoye\n-- date: 2023-05-11\n", true), wanted);
        assert_eq!(read("-- author: m.okoye, 2023-05-11\n-- Fuel per mile\n", true), wanted);
        assert_eq!(read("-- m.okoye 2023-05-11\n-- Fuel per mile\n", true), wanted);
        assert_eq!(read("-- Fuel per mile (m.okoye, 2023-05-11)\n", true), wanted);
        let said = read("-- @author Mary Okoye\n-- id: 87\n-- runs: 14\n", true);
        assert_eq!((said.user.as_deref(), said.id, said.count), (Some("Mary Okoye"), Some(87), Some(14)));
        assert_eq!(said.question, None);
    }

    #[test]
    fn a_long_comment_is_cut_after_a_sentence() {
        let long = format!("-- {}. {}\n", "word ".repeat(60).trim_end(), "more ".repeat(60));
        let question = question(&long).unwrap_or_default();
        assert!(question.ends_with("word.") && question.chars().count() <= MAX_QUESTION, "{question}");
    }
}
