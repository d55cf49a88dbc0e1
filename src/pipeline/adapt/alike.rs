//! How alike two questions are once what they name is set aside.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bind::Mark;
use super::values::overlap;
use crate::retrieval::words::{is_stop_word, stem, words};
use crate::sql::describe::split_name;
use crate::sql::{Schema, TokenKind, tokenize};

/// A text with what it names.
pub(super) type Marked<'a> = (&'a str, &'a [Mark]);

/// How a question compares with a historical query, what both name set aside. Each number is 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Likeness {
    /// Weighted Dice coefficient of the words of the two questions.
    pub likeness: f32,
    /// How much of the question the history's question or the other texts hold.
    pub explained: f32,
    /// How much of the question only other questions of the history hold.
    pub missing: f32,
    /// How many words, fillers too, are the same in the same order.
    pub wording: f32,
    /// The same with the words of the schema set aside.
    pub pattern: f32,
    /// Words of the schema that the question has, and neither the history's question nor the query.
    pub lacking: usize,
    /// Words of the query's tables and columns that the history's question has, and the question has not.
    pub needless: usize,
}

/// Stems of the words in the names of a schema.
pub(super) struct SchemaWords(HashSet<String>);

impl SchemaWords {
    /// Reads the names of all tables and columns.
    pub fn of(schema: &Schema) -> Self {
        let tables = schema.tables.iter();
        let names = tables.flat_map(|table| {
            std::iter::once(table.name.as_str())
                .chain(table.columns.iter().map(|column| column.name.as_str()))
        });
        let words = names.flat_map(split_name).map(|word| stem(&word));
        Self(words.filter(|word| !is_stop_word(word)).collect())
    }

    /// Whether a word is in the name of a table or column.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(&stem(word))
    }

    /// Whether an output's own name says that the query counts or sums something else than the question: `staff_tickets`
    /// where it asks for paid tickets.
    pub fn sets_apart(&self, question: &str, sql: &str) -> bool {
        const MEASURES: &[&str] = &[
            "number", "count", "total", "sum", "average", "avg", "mean", "max", "min", "num", "percent",
            "share", "many", "all", "which", "each", "per",
        ];
        let tokens: Vec<_> = tokenize(sql)
            .into_iter()
            .filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment))
            .collect();
        let text = |at: usize| tokens.get(at).and_then(|token| sql.get(token.start..token.end)).unwrap_or("");
        let asked: Vec<String> = words(question).iter().map(|word| word.text.to_lowercase()).collect();
        let stems: Vec<String> = asked.iter().map(|word| stem(word)).collect();
        // Only what follows a measure is named by its writer alone.
        let names =
            (2..tokens.len()).filter(|&at| text(at - 1).eq_ignore_ascii_case("as") && text(at - 2) == ")");
        let mut names = names.map(|at| split_name(text(at)));
        names.any(|name| {
            let [.., of, noun] = name.as_slice() else { return false };
            let (of_stem, noun) = (stem(of), stem(noun));
            let plain = |word: &str| {
                MEASURES.contains(&word) || is_stop_word(word) || word.bytes().any(|b| b.is_ascii_digit())
            };
            let place = stems.iter().position(|word| *word == noun);
            let before = place.and_then(|at| at.checked_sub(1)).and_then(|at| asked.get(at));
            !plain(of) && !stems.contains(&of_stem) && before.is_some_and(|before| !plain(before))
        })
    }
}

/// The words of a text in order, stemmed; what lies in a mark is one word, and so is a run of words of the schema.
fn sequence(text: &str, marks: &[Mark], schema: Option<&SchemaWords>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last_mark = None;
    for word in words(text) {
        let range = word.start..word.end;
        let mark = marks.iter().position(|(marked, _)| overlap(marked, &range));
        if let Some((at, name)) = mark.and_then(|at| Some((at, &marks.get(at)?.1))) {
            if last_mark != Some(at) && !name.is_empty() {
                found.push(format!("{MARK}{name}"));
            }
            last_mark = Some(at);
            continue;
        }
        last_mark = None;
        let stem = stem(word.text);
        if schema.is_some_and(|schema| schema.0.contains(&stem)) {
            if found.last().is_none_or(|last| last != SCHEMA) {
                found.push(SCHEMA.to_owned());
            }
        } else {
            found.push(stem);
        }
    }
    found
}

/// Stems of the words in the names that a query uses.
fn identifiers(sql: &str) -> HashSet<String> {
    let names = tokenize(sql).into_iter().filter(|token| token.kind == TokenKind::Identifier);
    let names = names.filter_map(|token| sql.get(token.start..token.end));
    names.flat_map(split_name).map(|word| stem(&word)).collect()
}

/// How much of two sequences is the same in the same order, 0 to 1: their longest common subsequence.
fn in_order(a: &[String], b: &[String]) -> f32 {
    let mut row = vec![0usize; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    let (common, all) = (row.last().copied().unwrap_or(0), a.len() + b.len());
    if all > 0 { 2.0 * common as f32 / all as f32 } else { 0.0 }
}

/// How often words occur in the questions of a history, to weigh them.
pub(super) struct WordWeights {
    documents: f32,
    holding: HashMap<String, f32>,
}

impl WordWeights {
    pub fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut documents, mut holding) = (0.0f32, HashMap::new());
        for text in texts {
            documents += 1.0;
            for word in tokens(text, &[]).into_keys() {
                *holding.entry(word).or_insert(0.0) += 1.0;
            }
        }
        Self { documents, holding }
    }

    /// Whether one question in twenty or more uses a word.
    pub fn common(&self, word: &str) -> bool {
        self.holding.get(&stem(word)).copied().unwrap_or(0.0) * 20.0 >= self.documents
    }

    /// Compares a question with what the history says of a query: its own question, else its summary.
    pub fn compare(
        &self,
        new: Marked<'_>,
        old: Marked<'_>,
        more: &[&str],
        schema: &SchemaWords,
        sql: &str,
    ) -> Likeness {
        let (a, b) = (tokens(new.0, new.1), tokens(old.0, old.1));
        let sum =
            |tokens: &BTreeMap<String, f32>| -> f32 { tokens.iter().map(|(t, n)| self.weight(t) * n).sum() };
        let shared: f32 =
            a.iter().map(|(t, n)| self.weight(t) * n.min(b.get(t).copied().unwrap_or(0.0))).sum();
        let share = |part: f32, all: f32, none: f32| if all > 0.0 { part / all } else { none };
        let known: HashSet<String> = more.iter().flat_map(|text| tokens(text, &[]).into_keys()).collect();
        let (mut explained, mut missing, mut all) = (0.0, 0.0, 0.0);
        for token in a.keys() {
            let weight = self.weight(token);
            all += weight;
            if token.starts_with(MARK) && new.1.iter().any(|(_, mark)| token[1..] == **mark)
                || b.contains_key(token)
                || known.contains(token)
            {
                explained += weight;
            } else if self.holding.contains_key(token) {
                missing += weight;
            }
        }
        let named = identifiers(sql);
        let lacks =
            |token: &&String| schema.0.contains(*token) && !b.contains_key(*token) && !named.contains(*token);
        let needless = |token: &&String| named.contains(*token) && !a.contains_key(*token);
        let orders = |schema: Option<&SchemaWords>| {
            in_order(&sequence(new.0, new.1, schema), &sequence(old.0, old.1, schema))
        };
        Likeness {
            likeness: share(2.0 * shared, sum(&a) + sum(&b), 0.0),
            explained: share(explained, all, 1.0),
            missing: share(missing, all, 0.0),
            wording: orders(None),
            pattern: orders(Some(schema)),
            lacking: a.keys().filter(lacks).count(),
            needless: b.keys().filter(needless).count(),
        }
    }

    fn weight(&self, word: &str) -> f32 {
        if word.starts_with(MARK) {
            return 2.0;
        }
        let holding = self.holding.get(word).copied().unwrap_or(0.0);
        ((self.documents + 1.0) / (holding + 0.5)).ln().clamp(0.3, 4.0)
    }
}

/// First character of a token that is no word.
const MARK: char = '#';
/// What stands for words of the schema.
const SCHEMA: &str = "##";

/// Words that ask for the same thing.
const SAME: &[(&str, &[&str])] = &[
    ("#count", &["number", "count", "many", "total"]),
    ("#share", &["percentage", "percent", "proportion", "ratio", "rate", "share"]),
    ("#average", &["average", "mean", "avg"]),
    ("#most", &["most", "highest", "maximum", "max", "largest", "biggest", "top"]),
    ("#least", &["least", "lowest", "minimum", "min", "smallest", "fewest", "bottom"]),
];

/// Content words, stemmed, with their counts; what lies in a mark is that mark, or nothing where its name is empty.
fn tokens(text: &str, marks: &[Mark]) -> BTreeMap<String, f32> {
    let mut counts: BTreeMap<String, f32> = BTreeMap::new();
    for (_, mark) in marks.iter().filter(|(_, mark)| !mark.is_empty()) {
        *counts.entry(format!("{MARK}{mark}")).or_default() += 1.0;
    }
    for word in words(text) {
        let range = word.start..word.end;
        if marks.iter().any(|(marked, _)| overlap(marked, &range)) {
            continue;
        }
        let lower = word.text.to_lowercase();
        let same = SAME
            .iter()
            .find(|(_, words)| words.contains(&lower.as_str()))
            .map(|(token, _)| (*token).to_owned());
        let token = match same {
            Some(token) => token,
            None if is_stop_word(&lower) => continue,
            None => stem(&lower),
        };
        *counts.entry(token).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::sql::{Column, Table};

    #[test]
    fn questions_are_alike_once_their_values_are_set_aside() {
        let history =
            ["How many boats have a blue hull?", "Which sailors know boat 7?", "List all harbours."];
        let weights = WordWeights::new(history.into_iter());
        let mark = |text: &str, value: &str| {
            let start = text.find(value).unwrap();
            [(start..start + value.len(), "boat.hull".to_owned())]
        };
        let (old, new) = (history[0], "How many boats have a green hull?");
        let schema = SchemaWords::of(&Schema::default());
        let compare =
            |marks: [&[Mark]; 2], old| weights.compare((new, marks[0]), (old, marks[1]), &[], &schema, "");
        let marked = compare([&mark(new, "green"), &mark(old, "blue")], old);
        assert_eq!((marked.likeness, marked.explained, marked.wording), (1.0, 1.0, 1.0));
        let plain = compare([&[], &[]], old);
        assert!(plain.likeness < 0.8 && plain.wording < 1.0 && plain.missing == 0.0);
        let other = compare([&[], &[]], history[1]);
        assert!(other.likeness < 0.4 && other.explained < 0.6 && other.missing > 0.0);
    }

    #[test]
    fn order_and_words_of_the_schema_are_told_apart() {
        let column = |name: &str| Column { name: name.to_owned(), ..Column::default() };
        let boat = Table {
            name: "boat".to_owned(),
            columns: vec![column("hull_colour"), column("length")],
            ..Table::default()
        };
        let schema = SchemaWords::of(&Schema { tables: vec![boat] });
        let weights = WordWeights::new(std::iter::empty());
        let compare = |new, old| weights.compare((new, &[]), (old, &[]), &[], &schema, "");
        let same = compare("What is the length of each boat?", "What is the hull colour of each boat?");
        assert!(same.pattern == 1.0 && same.wording < 1.0);
        assert_eq!((same.lacking, same.needless), (1, 0));
        let turned = compare("Boats without a trip", "Trip without a boat");
        assert!(turned.likeness == 1.0 && turned.wording < 1.0);
    }
}
