//! What a history says about its components, gathered once: which queries hold them, which words, tables, columns and
//! literals are theirs.

use std::collections::{BTreeSet, HashMap};

use super::cues::{Traits, kind_number};
use crate::history::KnowledgeBase;
use crate::retrieval::words::{self, words};

/// Words of the longest literal that is looked for in a question.
pub(super) const LONGEST_LITERAL: usize = 8;

/// Everything about a history that evidence is counted from.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// Entries of each item, ascending, each once.
    pub item_entries: Vec<Vec<u32>>,
    /// Items of each entry, ascending, each once.
    pub entry_items: Vec<Vec<u32>>,
    /// Traits of each item.
    pub traits: Vec<Traits>,
    /// Place of each item's type among the traits.
    pub kinds: Vec<usize>,
    /// Tables of each item.
    pub item_tables: Vec<Vec<u32>>,
    /// Tables of each entry.
    pub entry_tables: Vec<Vec<u32>>,
    /// Words of each table's name.
    pub table_words: Vec<Vec<u32>>,
    /// Columns of each item.
    pub item_columns: Vec<Vec<u32>>,
    /// Columns of each entry.
    pub entry_columns: Vec<Vec<u32>>,
    /// How many columns there are.
    pub columns: usize,
    /// Entries whose question holds a word, by the word's number.
    pub word_entries: Vec<Vec<u32>>,
    /// Words that name an item: its columns, its title, the tables of a relation.
    pub item_words: Vec<Vec<u32>>,
    /// How rare each word is among the items' names.
    pub name_rarity: Vec<f32>,
    vocabulary: HashMap<String, u32>,
    /// Items and entries that hold a literal, by its words.
    literals: HashMap<String, Vec<(u32, u32)>>,
}

/// Numbers for names, in order of appearance.
#[derive(Default)]
struct Numbers<'a>(HashMap<&'a str, u32>);

impl<'a> Numbers<'a> {
    fn of(&mut self, name: &'a str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(name).or_insert(next)
    }
}

/// Stemmed content words of a text.
pub(super) fn content(text: &str) -> Vec<String> {
    words::content(text)
}

/// A name of a schema as words: `homeTeam_goal` is "home Team goal".
fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if lower && c.is_uppercase() {
            text.push(' ');
        }
        lower = c.is_lowercase();
        text.push(if c == '_' { ' ' } else { c });
    }
    text
}

/// The words of a literal or of a part of a question, as they are compared.
pub(super) fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    words(&lower).iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

impl Facts {
    /// Gathers; linear in the size of the history.
    pub(super) fn new(knowledge: &KnowledgeBase) -> Self {
        let mut facts = Self::default();
        let (mut tables, mut columns) = (Numbers::default(), HashMap::new());
        for (number, item) in (0u32..).zip(&knowledge.items) {
            facts
                .item_entries
                .push(sorted(item.occurrences.iter().map(|occurrence| occurrence.entry).collect()));
            facts.traits.push(Traits::of(item));
            facts.kinds.push(kind_number(item.kind));
            facts.item_tables.push(sorted(item.tables.iter().map(|name| tables.of(name)).collect()));
            let own = item.columns.iter().map(|column| {
                let next = columns.len() as u32;
                *columns.entry(column).or_insert(next)
            });
            facts.item_columns.push(sorted(own.collect()));
            let mut names: Vec<String> = item.columns.iter().map(|(_, name)| spaced(name)).collect();
            names.push(item.title.clone());
            if item.kind == crate::sql::ComponentType::Relation {
                names.extend(item.tables.iter().map(|name| spaced(name)));
            }
            let found = names.iter().flat_map(|name| content(name)).map(|word| facts.number(word)).collect();
            facts.item_words.push(sorted(found));
            let mut seen = BTreeSet::new();
            for occurrence in &item.occurrences {
                let parts = occurrence.literals.iter().flat_map(|list| list.split("', '"));
                for literal in parts.map(plain).filter(|literal| literal.chars().count() > 1) {
                    if seen.insert((literal.clone(), occurrence.entry)) {
                        facts.literals.entry(literal).or_default().push((number, occurrence.entry));
                    }
                }
            }
        }
        facts.columns = columns.len();
        let mut named: Vec<(&str, u32)> = tables.0.into_iter().collect();
        named.sort_unstable_by_key(|(_, number)| *number);
        facts.table_words = named
            .into_iter()
            .map(|(name, _)| {
                sorted(content(&spaced(name)).into_iter().map(|word| facts.number(word)).collect())
            })
            .collect();
        for (number, (entry, own)) in (0u32..).zip(knowledge.entries.iter().zip(&knowledge.entry_items)) {
            let of = |lists: &[Vec<u32>], items: &[u32]| {
                sorted(items.iter().filter_map(|item| lists.get(*item as usize)).flatten().copied().collect())
            };
            let own = sorted(own.clone());
            facts.entry_tables.push(of(&facts.item_tables, &own));
            facts.entry_columns.push(of(&facts.item_columns, &own));
            facts.entry_items.push(own);
            let summary = knowledge.summaries.get(number as usize).map_or("", String::as_str);
            let question = entry.question.as_deref().unwrap_or(summary);
            let found = content(question).into_iter().map(|word| facts.number(word)).collect();
            for word in sorted(found) {
                if let Some(list) = facts.word_entries.get_mut(word as usize) {
                    list.push(number);
                }
            }
        }
        let mut named = vec![0.0f32; facts.word_entries.len()];
        for word in facts.item_words.iter().flatten() {
            if let Some(count) = named.get_mut(*word as usize) {
                *count += 1.0;
            }
        }
        let items = facts.item_words.len() as f32;
        facts.name_rarity = named.into_iter().map(|count| (1.0 + items / (count + 0.5)).ln()).collect();
        facts
    }

    fn number(&mut self, word: String) -> u32 {
        let next = self.vocabulary.len() as u32;
        let number = *self.vocabulary.entry(word).or_insert(next);
        if number == next {
            self.word_entries.push(Vec::new());
        }
        number
    }

    /// Numbers of the words of a question that the history knows, ascending, each once.
    pub(super) fn words_of(&self, question: &str) -> Vec<u32> {
        sorted(content(question).iter().filter_map(|word| self.vocabulary.get(word).copied()).collect())
    }

    /// Literals of the history that stand in the question, with the items and entries that hold them.
    pub(super) fn literals_in(&self, question: &str) -> Vec<(&str, &[(u32, u32)])> {
        let lower = question.to_lowercase();
        let words: Vec<&str> = words(&lower).iter().map(|word| word.text).collect();
        let mut found = Vec::new();
        for start in 0..words.len() {
            let rest = words.get(start..).unwrap_or_default();
            let mut text = String::new();
            for word in rest.iter().take(LONGEST_LITERAL) {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word);
                if let Some((literal, places)) = self.literals.get_key_value(&text) {
                    found.push((literal.as_str(), places.as_slice()));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
