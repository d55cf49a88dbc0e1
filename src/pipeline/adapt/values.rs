//! Values of the database that a question mentions.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::db::{DbError, QueryLimits, Value, quote_ident};
use crate::ports::Execute;
use crate::retrieval::phrases::quoted;
use crate::retrieval::words::{Word, is_stop_word, stem, words};

/// Columns whose values are looked up for one question at most.
const MOST_COLUMNS: usize = 24;
/// Values of a column read at most; larger columns are asked for the question's own words.
const MOST_VALUES: usize = 3000;
/// Characters of a value at most: longer ones are prose, which no question repeats.
const LONGEST_VALUE: usize = 80;
/// Words of a value looked for in larger columns.
const LONGEST_RUN: usize = 6;
/// Runs of words that larger columns are asked for.
const MOST_RUNS: usize = 400;

/// A table and a column of the schema.
pub(super) type ColumnName = (String, String);

/// The text values of the columns that histories filter by.
#[derive(Debug, Default)]
pub(super) struct ColumnValues(BTreeMap<ColumnName, Vec<String>>);

/// How a question mentions a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ValueMention {
    /// The value as the database writes it.
    pub value: String,
    /// Bytes of the question.
    pub range: Range<usize>,
    /// Whether the whole value is there, not only its first words ("Marvel" for "Marvel Comics").
    pub whole: bool,
}

/// A text as an SQL literal.
pub(super) fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl ColumnValues {
    /// Reads the values of `columns`, most important first, through the database. A column that cannot be read
    /// in time has no values; only a stop or a lost database is an error.
    pub async fn read(
        columns: &[ColumnName],
        question: &str,
        db: &impl Execute,
        timeout_ms: u32,
    ) -> Result<Self, DbError> {
        let mut read = Self::default();
        for column in columns.iter().take(MOST_COLUMNS) {
            if read.0.contains_key(column) {
                continue;
            }
            let (table, name) = (quote_ident(&column.0), quote_ident(&column.1));
            let limits = QueryLimits { timeout_ms, max_rows: MOST_VALUES };
            let condition = format!("typeof({name}) = 'text' AND length({name}) <= {LONGEST_VALUE}");
            let all =
                format!("SELECT DISTINCT {name} FROM {table} WHERE {condition} LIMIT {}", MOST_VALUES + 1);
            let (mut values, more) = texts(db, &all, limits).await?;
            if more {
                let runs = runs(question);
                let list: Vec<String> = runs.iter().map(|run| quote_text(run)).collect();
                let named = format!(
                    "SELECT DISTINCT {name} FROM {table} WHERE {condition} AND {name} COLLATE NOCASE IN ({})",
                    list.join(", ")
                );
                values.extend(texts(db, &named, limits).await?.0);
                let mut seen = HashSet::new();
                values.retain(|value| seen.insert(value.clone()));
            }
            read.0.insert(column.clone(), values);
        }
        Ok(read)
    }

    /// Columns that were read, with their values.
    pub fn columns(&self) -> impl Iterator<Item = (&ColumnName, &[String])> {
        self.0.iter().map(|(column, values)| (column, values.as_slice()))
    }
}

async fn texts(db: &impl Execute, sql: &str, limits: QueryLimits) -> Result<(Vec<String>, bool), DbError> {
    match db.execute(sql, limits).await {
        Ok(result) => {
            let more = result.more;
            let first = result.rows.into_iter().filter_map(|row| row.into_iter().next());
            Ok((
                first
                    .filter_map(|value| if let Value::Text(text) = value { Some(text) } else { None })
                    .collect(),
                more,
            ))
        }
        Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => Err(error),
        // A column that is slow or gone is no reason to give up the answer.
        Err(_) => Ok((Vec::new(), false)),
    }
}

/// Runs of words of the question as values may write them, with a plural s taken off.
fn runs(question: &str) -> Vec<String> {
    let words = words(question);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for length in (1..=LONGEST_RUN).rev() {
        for run in words.windows(length) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let Some(text) = question.get(first.start..last.end) else { continue };
            let telling = run.iter().any(|word| !is_stop_word(&word.text.to_lowercase()));
            for text in [Some(text), text.strip_suffix('s')].into_iter().flatten() {
                if telling && found.len() < MOST_RUNS && seen.insert(text.to_lowercase()) {
                    found.push(text.to_owned());
                }
            }
        }
    }
    found
}

/// A text prepared for looking values up in it.
pub(super) struct Haystack<'a> {
    text: &'a str,
    words: Vec<Word<'a>>,
    lower: Vec<String>,
    stems: Vec<String>,
    quotes: Vec<Range<usize>>,
}

impl<'a> Haystack<'a> {
    pub fn new(text: &'a str) -> Self {
        let words = words(text);
        let lower = words.iter().map(|word| word.text.to_lowercase()).collect();
        let stems = words.iter().map(|word| stem(word.text)).collect();
        Self { text, words, lower, stems, quotes: quoted(text) }
    }

    /// Where the text mentions `value`: without regard to case and simple inflection, at word boundaries.
    pub fn find(&self, value: &str) -> Option<Range<usize>> {
        let needle: Vec<(String, String)> =
            words(value).iter().map(|word| (word.text.to_lowercase(), stem(word.text))).collect();
        self.run(&needle, needle.len()).filter(|_| !needle.is_empty()).or_else(|| self.symbol(value))
    }

    /// Every value mentioned, longest first where they overlap, then in the order of the text.
    pub fn find_all(&self, values: &[String]) -> Vec<ValueMention> {
        let mut found: Vec<(bool, bool, ValueMention)> = Vec::new();
        for value in values {
            if let Some(range) = self.find(value) {
                let exact = self.text.get(range.clone()).is_some_and(|text| text == value);
                found.push((true, exact, ValueMention { value: value.clone(), range, whole: true }));
            } else if let Some(range) = self.find_start(value) {
                found.push((false, false, ValueMention { value: value.clone(), range, whole: false }));
            }
        }
        // First words that begin several values name none of them.
        let starts: Vec<Range<usize>> =
            found.iter().filter(|(whole, ..)| !whole).map(|(.., mention)| mention.range.clone()).collect();
        found.retain(|(whole, _, mention)| {
            *whole || starts.iter().filter(|range| **range == mention.range).count() == 1
        });
        found.sort_by_key(|(whole, exact, mention)| {
            (!*whole, usize::MAX - mention.range.len(), !*exact, mention.range.start)
        });
        let mut kept: Vec<ValueMention> = Vec::new();
        for (.., mention) in found {
            if kept.iter().all(|other| !overlap(&other.range, &mention.range)) {
                kept.push(mention);
            }
        }
        kept.sort_by_key(|mention| mention.range.start);
        kept
    }

    /// The first `length` words of `needle` as neighbouring words of the text.
    fn run(&self, needle: &[(String, String)], length: usize) -> Option<Range<usize>> {
        let needle = needle.get(..length)?;
        let starts = 0..(self.words.len() + 1).saturating_sub(length);
        for start in starts {
            let same = needle.iter().enumerate().all(|(i, (lower, root))| {
                self.lower.get(start + i) == Some(lower) || self.stems.get(start + i) == Some(root)
            });
            let (Some(first), Some(last)) =
                (self.words.get(start), self.words.get(start + length.max(1) - 1))
            else {
                continue;
            };
            if !same {
                continue;
            }
            let range = first.start..last.end;
            // A value that is one filler word ("No") must be quoted to count.
            let filler = length == 1
                && self.lower.get(start).is_some_and(|word| is_stop_word(word) || word.chars().count() < 2);
            if !filler || self.quotes.contains(&range) {
                return Some(range);
            }
        }
        None
    }

    /// A value without letters or digits ("+", "="), quoted in the text.
    fn symbol(&self, value: &str) -> Option<Range<usize>> {
        let quotes = self.quotes.iter().find(|range| self.text.get((*range).clone()) == Some(value));
        quotes.filter(|_| !value.is_empty()).cloned()
    }

    /// The first word or words of a longer value, written with a capital in the text.
    fn find_start(&self, value: &str) -> Option<Range<usize>> {
        let needle: Vec<(String, String)> =
            words(value).iter().map(|word| (word.text.to_lowercase(), word.text.to_lowercase())).collect();
        for length in (1..needle.len()).rev() {
            let range = self.run(&needle, length);
            let named = range.filter(|range| {
                let first_word = self.words.first().is_some_and(|word| word.start == range.start);
                range.len() >= 2
                    && !first_word
                    && self.text.get(range.clone()).is_some_and(|text| text.starts_with(char::is_uppercase))
            });
            if named.is_some() {
                return named;
            }
        }
        None
    }
}

/// Whether two ranges share a byte.
pub(super) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn found(text: &str, values: &[&str]) -> Vec<String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        Haystack::new(text).find_all(&values).into_iter().map(|mention| mention.value).collect()
    }

    #[test]
    fn finds_values_by_words_longest_first() {
        assert_eq!(found("heroes with blue eyes", &["Blue", "Red", "Blu"]), ["Blue"]);
        assert_eq!(found("the power of death touch", &["Touch", "Death Touch"]), ["Death Touch"]);
        assert_eq!(found("Blue Beetle II's friend", &["Blue Beetle", "Blue Beetle II"]), ["Blue Beetle II"]);
        assert_eq!(found("how many vampires are there", &["Vampire"]), ["Vampire"]);
        assert_eq!(found("gold-eyed and green-skinned", &["Green", "Gold"]), ["Gold", "Green"]);
        assert_eq!(found("bluesy", &["Blue"]), Vec::<String>::new());
    }

    #[test]
    fn filler_needs_quotes_and_symbols_too() {
        assert_eq!(found("are there no cards", &["No"]), Vec::<String>::new());
        assert_eq!(found("cards marked 'No'", &["No"]), ["No"]);
        assert_eq!(found("bonds of type '='", &["=", "#"]), ["="]);
    }

    #[test]
    fn a_first_word_names_a_value_when_it_is_the_only_one() {
        assert_eq!(
            found("between DC and Marvel", &["DC Comics", "Marvel Comics"]),
            ["DC Comics", "Marvel Comics"]
        );
        assert_eq!(found("all of Dark", &["Dark Horse", "Dark Fox"]), Vec::<String>::new());
    }
}
