//! What a question names and an adapted query has nothing to do with: tables of the schema that it does not read, and
//! proper names that neither the database nor the history knows. It is told beside the answer; no sign is made of it.

use std::collections::HashSet;
use std::ops::Range;

use super::names::root;
use super::values::overlap;
use crate::retrieval::words::{Word, is_stop_word, words};
use crate::sql::describe::split_name;
use crate::sql::{Schema, TokenKind, tokenize};

/// With more proper names than this the question is written in capitals, or in German.
const MOST_NAMES: usize = 2;

/// The words of `question`, as written and in order, that name what `sql` does not read; `claimed` are the parts of the
/// question that the query uses, `old` is the history's own question.
pub(super) fn unread(
    question: &str,
    claimed: &[Range<usize>],
    sql: &str,
    old: Option<&str>,
    schema: &Schema,
) -> Vec<String> {
    let read = roots_of_names(sql);
    let asked: HashSet<String> =
        old.map(|old| words(old).iter().map(|w| root(w.text)).collect()).unwrap_or_default();
    let tables: HashSet<String> =
        schema.tables.iter().filter_map(|table| single(split_name(&table.name))).collect();
    let known: HashSet<String> = schema
        .tables
        .iter()
        .flat_map(|table| std::iter::once(&table.name).chain(table.columns.iter().map(|column| &column.name)))
        .flat_map(|name| split_name(name))
        .map(|word| root(&word))
        .collect();
    let words = words(question);
    let new = |word: &Word<'_>| {
        let (range, stem) = (word.start..word.end, root(word.text));
        let used = claimed.iter().any(|other| overlap(other, &range));
        (!used && !read.contains(&stem) && !asked.contains(&stem)).then_some(stem)
    };
    let is_name = |at: usize, word: &Word<'_>| {
        at > 0
            && !word.breaks
            && word.text.chars().count() > 2
            && word.text.chars().all(char::is_alphabetic)
            && word.text.starts_with(char::is_uppercase)
            && !is_stop_word(&word.text.to_lowercase())
    };
    let mut found: Vec<(bool, &str)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(stem) = new(word) else { continue };
        if tables.contains(&stem) {
            found.push((false, word.text));
        } else if is_name(at, word) && !known.contains(&stem) {
            found.push((true, word.text));
        }
    }
    let names = found.iter().filter(|(name, _)| *name).count();
    found
        .into_iter()
        .filter(|(name, _)| !name || names <= MOST_NAMES)
        .map(|(_, word)| word.to_owned())
        .collect()
}

/// The stems of the words in all names and texts of a query.
fn roots_of_names(sql: &str) -> HashSet<String> {
    let named = |kind| matches!(kind, TokenKind::Identifier | TokenKind::Function | TokenKind::String);
    let pieces = tokenize(sql).into_iter().filter(|token| named(token.kind));
    pieces
        .filter_map(|token| sql.get(token.start..token.end))
        .flat_map(|piece| split_name(piece.trim_matches(['"', '`', '[', ']', '\''])))
        .map(|word| root(&word))
        .collect()
}

/// The stem of a name of one word.
fn single(words: Vec<String>) -> Option<String> {
    match words.as_slice() {
        [word] => Some(root(word)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::{Column, Table};

    fn schema() -> Schema {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.into(),
            columns: columns.iter().map(|c| Column { name: (*c).into(), ..Column::default() }).collect(),
            ..Table::default()
        };
        Schema {
            tables: vec![
                table("Artist", &["ArtistId", "Name"]),
                table("Track", &["TrackId", "Name"]),
                table("PlaylistTrack", &["PlaylistId"]),
            ],
        }
    }

    #[test]
    fn tables_and_names_that_the_query_does_not_read_are_told() {
        let told = |question: &str, sql: &str, old: Option<&str>| unread(question, &[], sql, old, &schema());
        let count = "SELECT COUNT(*) FROM Track";
        let old = Some("How many tracks are there?");
        assert_eq!(told("How many artists are there?", count, old), ["artists"]);
        assert_eq!(told("How many tracks are there?", count, old), [""; 0]);
        assert_eq!(told("How many tracks come from Ohio?", count, old), ["Ohio"]);
        assert_eq!(told("Count the Tracks", count, None), [""; 0]);
        // The history's own question calls it so, and the query's own words are no news.
        assert_eq!(told("Tracks by an artist", count, Some("Tracks of any artist")), [""; 0]);
        assert_eq!(told("Tracks from Ohio", "SELECT 1 FROM Track WHERE Name = 'Ohio'", None), [""; 0]);
        assert_eq!(told("Wie Viele Lieder Kommen Aus Berlin", count, None), [""; 0]);
        let question = "Tracks from Ohio";
        assert_eq!(unread(question, std::slice::from_ref(&(12..16)), count, None, &schema()), [""; 0]);
    }
}
