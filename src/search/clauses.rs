//! Where a query is cut: before the keywords of its clauses, in subqueries too, and never inside a string, a quoted name or
//! a comment.

use crate::sql::{Token, TokenKind, tokenize};

/// A place at which a query may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The byte before the white space in front of the keyword, so that what follows begins as models' tokens do.
    pub at: usize,
    /// The clause that follows ("GROUP BY").
    pub keyword: &'static str,
}

/// The clauses of the released code, with the word that has to follow the first.
const CLAUSES: [(&str, Option<&str>, &str); 10] = [
    ("SELECT", None, "SELECT"),
    ("FROM", None, "FROM"),
    ("WHERE", None, "WHERE"),
    ("GROUP", Some("BY"), "GROUP BY"),
    ("HAVING", None, "HAVING"),
    ("ORDER", Some("BY"), "ORDER BY"),
    ("LIMIT", None, "LIMIT"),
    ("INTERSECT", None, "INTERSECT"),
    ("UNION", None, "UNION"),
    ("EXCEPT", None, "EXCEPT"),
];

/// The tokens of a text that say something, with their text.
pub(super) fn words(sql: &str) -> Vec<(Token, &str)> {
    let tokens = tokenize(sql).into_iter();
    let said = tokens.filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment));
    said.map(|token| (token, sql.get(token.start..token.end).unwrap_or_default())).collect()
}

/// The byte before the white space in front of `start`; the line break that ends a comment stays with the comment, since
/// without it all that follows would be part of it.
pub(super) fn before_space(sql: &str, start: usize) -> usize {
    let head = sql.get(..start).unwrap_or_default();
    let at = head.trim_end().len();
    // Cutting the head into tokens is for those few that may end in such a comment.
    if !sql.get(..at).and_then(|head| head.lines().next_back()).is_some_and(|line| line.contains("--")) {
        return at;
    }
    let break_of =
        tokenize(head).into_iter().rev().find(|token| token.kind != TokenKind::Space).filter(|token| {
            token.kind == TokenKind::Comment
                && sql.get(token.start..).is_some_and(|text| text.starts_with("--"))
        });
    match break_of {
        Some(comment) => (comment.end + 1).min(start),
        None => at,
    }
}

/// Every place at which a query may be cut, in its order; the beginning of the text is none.
pub fn cuts(sql: &str) -> Vec<Cut> {
    let words = words(sql);
    let keyword = |at: usize, word: &str| {
        words
            .get(at)
            .is_some_and(|(token, text)| token.kind == TokenKind::Keyword && text.eq_ignore_ascii_case(word))
    };
    let mut found = Vec::new();
    for (at, (token, text)) in words.iter().enumerate().skip(1) {
        if token.kind != TokenKind::Keyword {
            continue;
        }
        let clause = CLAUSES.iter().find(|(first, second, _)| {
            text.eq_ignore_ascii_case(first) && second.is_none_or(|second| keyword(at + 1, second))
        });
        let Some((_, _, name)) = clause else { continue };
        // `a IS NOT DISTINCT FROM b` is a comparison.
        if *name == "FROM" && keyword(at - 1, "DISTINCT") {
            continue;
        }
        found.push(Cut { at: before_space(sql, token.start), keyword: name });
    }
    found
}

/// Where the statement of a text ends: its first semicolon outside strings, names and comments.
pub fn end(sql: &str) -> Option<usize> {
    words(sql).iter().find(|(_, text)| *text == ";").map(|(token, _)| token.start)
}

/// A text by which two pieces of SQL that say the same are the same: without comments, with single spaces, names and
/// keywords in small letters.
pub fn canonical(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    for (token, word) in words(sql) {
        if !text.is_empty() {
            text.push(' ');
        }
        match token.kind {
            TokenKind::String => text.push_str(word),
            _ => text.push_str(&word.to_lowercase()),
        }
    }
    text
}

/// Where in `text` a prefix ends that the text begins with, whatever its spaces, comments and case; None where the text
/// begins otherwise or there is no prefix.
pub fn after(prefix: &str, text: &str) -> Option<usize> {
    let (prefix, text) = (words(prefix), words(text));
    let same = |((a, prefix), (_, text)): (&(Token, &str), &(Token, &str))| match a.kind {
        TokenKind::String => prefix == text,
        _ => prefix.to_lowercase() == text.to_lowercase(),
    };
    let last = prefix.len().checked_sub(1)?;
    let (end, _) = text.get(last)?;
    prefix.iter().zip(&text).all(same).then_some(end.end)
}

/// How far the FROM of a prefix is, outside brackets and after its last SELECT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// Not begun: names of columns mean nothing yet.
    Missing,
    /// Begun: an alias or a join may still follow.
    Open,
    /// Another clause follows it: all names are known.
    Closed,
}

/// Looks for the FROM of a prefix.
pub(super) fn from(prefix: &str) -> From {
    let (mut found, mut depth) = (From::Missing, 0_usize);
    let mut before = "";
    for (token, text) in words(prefix) {
        let is = |word: &str| token.kind == TokenKind::Keyword && text.eq_ignore_ascii_case(word);
        match text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if is("SELECT") => found = From::Missing,
            _ if is("FROM") && !before.eq_ignore_ascii_case("DISTINCT") => found = From::Open,
            _ if found == From::Open
                && ["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"].into_iter().any(is) =>
            {
                found = From::Closed;
            }
            _ => {}
        }
        before = text;
    }
    found
}

/// Whether a text begins as a query does.
pub fn begins_a_query(sql: &str) -> bool {
    words(sql).iter().map(|(_, text)| *text).find(|text| *text != "(").is_some_and(is_first_word)
}

/// Whether a word begins queries.
pub(super) fn is_first_word(word: &str) -> bool {
    ["SELECT", "WITH", "VALUES"].iter().any(|first| word.eq_ignore_ascii_case(first))
}
