//! Questions to a knowledge base: counts, values, neighbours, search, and the texts to embed.
//!
//! "Times" counts runs: a query that was run four times counts four, however often an item occurs in it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Entry, Item, KnowledgeBase};
use crate::sql::ComponentType;

/// The five types in the order of the page.
const TYPES: [ComponentType; 5] = [
    ComponentType::Calculation,
    ComponentType::Condition,
    ComponentType::Relation,
    ComponentType::Dimension,
    ComponentType::Output,
];

/// The literals of an item in some of its queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// As SQL, in the order of the `<val>`s.
    pub literals: Vec<String>,
    /// How often.
    pub times: u64,
}

/// An item that occurs in queries of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Companion {
    /// Index into [`KnowledgeBase::items`].
    pub item: u32,
    /// How often both were run together.
    pub times: u64,
    /// How often the other one was run.
    pub of: u64,
}

/// A table or an author with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// Its name.
    pub name: String,
    /// Number of items.
    pub items: usize,
    /// Number of queries.
    pub entries: usize,
}

/// What a search found, in the order of the knowledge base.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Indices into [`KnowledgeBase::items`].
    pub items: Vec<u32>,
    /// Indices into [`KnowledgeBase::entries`].
    pub entries: Vec<u32>,
}

/// One text to embed for each query and each item, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// Parallel to [`KnowledgeBase::entries`].
    pub queries: Vec<String>,
    /// Parallel to [`KnowledgeBase::items`].
    pub items: Vec<String>,
}

impl KnowledgeBase {
    /// Number of items of each type.
    pub fn counts(&self) -> [(ComponentType, usize); 5] {
        TYPES.map(|kind| (kind, self.items.iter().filter(|item| item.kind == kind).count()))
    }

    /// The items of an entry, each once, in the order of its text.
    pub fn items_of(&self, entry: u32) -> impl Iterator<Item = (u32, &Item)> {
        let indices = self.entry_items.get(entry as usize).map_or(&[][..], Vec::as_slice);
        indices.iter().filter_map(|&i| Some((i, self.items.get(i as usize)?)))
    }

    /// The entries an item occurs in, each once, in order.
    pub fn entries_of<'a>(&'a self, item: &'a Item) -> impl Iterator<Item = &'a Entry> {
        let mut last = None;
        let new = item.occurrences.iter().filter(move |o| last.replace(o.entry) != Some(o.entry));
        new.filter_map(|o| self.entries.get(o.entry as usize))
    }

    /// How often queries with this item were run.
    pub fn times_seen(&self, item: &Item) -> u64 {
        self.entries_of(item).map(Entry::runs).sum()
    }

    /// The literals an item was used with, most frequent first; empty when it has none.
    pub fn values(&self, item: &Item) -> Vec<Values> {
        let used = item.occurrences.iter().filter(|o| !o.literals.is_empty());
        let used: BTreeSet<(u32, &[String])> = used.map(|o| (o.entry, o.literals.as_slice())).collect();
        let mut times: BTreeMap<&[String], u64> = BTreeMap::new();
        for (entry, literals) in used {
            *times.entry(literals).or_default() += self.entries.get(entry as usize).map_or(0, Entry::runs);
        }
        let mut values: Vec<Values> = times
            .into_iter()
            .map(|(literals, times)| Values { literals: literals.to_vec(), times })
            .collect();
        values.sort_by_key(|v| std::cmp::Reverse(v.times));
        values
    }

    /// The `most` items that occur most often in the queries of `item`.
    pub fn companions(&self, item: u32, most: usize) -> Vec<Companion> {
        let Some(this) = self.items.get(item as usize) else { return Vec::new() };
        let of = self.times_seen(this);
        let mut times: HashMap<u32, u64> = HashMap::new();
        for entry in self.entries_of(this) {
            for (other, _) in self.items_of(entry.id).filter(|(other, _)| *other != item) {
                *times.entry(other).or_default() += entry.runs();
            }
        }
        let mut found: Vec<_> =
            times.into_iter().map(|(item, times)| Companion { item, times, of }).collect();
        found.sort_by_key(|c| (std::cmp::Reverse(c.times), c.item));
        found.truncate(most);
        found
    }

    /// Items and queries that hold every word of `text`, in any case: items in their title, description
    /// or skeleton, queries in their question, summary or SQL. An empty text finds all.
    pub fn search(&self, text: &str) -> Found {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let holds = |fields: &[&str]| {
            let lower = if words.is_empty() { String::new() } else { fields.join("\n").to_lowercase() };
            words.iter().all(|w| lower.contains(w))
        };
        let items = (0..).zip(&self.items).filter(|(_, i)| holds(&[&i.title, i.said(), &i.skeleton]));
        let entries = self.entries.iter().zip(&self.summaries).filter(|(entry, summary)| {
            holds(&[entry.question.as_deref().unwrap_or_default(), summary, &entry.sql])
        });
        Found { items: items.map(|(i, _)| i).collect(), entries: entries.map(|(e, _)| e.id).collect() }
    }

    /// Items of the queries whose question holds every word of `text`, in any case.
    pub fn asked_for(&self, text: &str) -> BTreeSet<u32> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let holds = |question: &str| {
            let lower = question.to_lowercase();
            words.iter().all(|word| lower.contains(word))
        };
        let asked = self.entries.iter().filter(|entry| entry.question.as_deref().is_some_and(holds));
        asked.flat_map(|entry| self.items_of(entry.id).map(|(item, _)| item)).collect()
    }

    /// The tables that items read, most items first.
    pub fn tables(&self) -> Vec<Tally> {
        self.tallies(
            |entry| self.items_of(entry.id).flat_map(|(_, item)| &item.tables).collect(),
            |item, name| item.tables.iter().any(|t| t == name),
        )
    }

    /// The authors of queries, most items first.
    pub fn authors(&self) -> Vec<Tally> {
        self.tallies(|entry| entry.user.iter().collect(), |_, _| true)
    }

    /// Counts queries by the names that `names` gives them, and those of their items that `counts`.
    fn tallies<'a>(
        &'a self,
        names: impl Fn(&'a Entry) -> Vec<&'a String>,
        counts: impl Fn(&Item, &str) -> bool,
    ) -> Vec<Tally> {
        let mut found: BTreeMap<&str, (HashSet<u32>, usize)> = BTreeMap::new();
        for entry in &self.entries {
            let names: HashSet<&str> = names(entry).into_iter().map(String::as_str).collect();
            for name in names {
                let (items, entries) = found.entry(name).or_default();
                *entries += 1;
                items.extend(self.items_of(entry.id).filter(|(_, item)| counts(item, name)).map(|(i, _)| i));
            }
        }
        let tally = |(name, (items, entries)): (&str, (HashSet<u32>, usize))| Tally {
            name: name.to_owned(),
            items: items.len(),
            entries,
        };
        let mut tallies: Vec<Tally> = found.into_iter().map(tally).collect();
        tallies.sort_by_key(|t| std::cmp::Reverse((t.items, t.entries)));
        tallies
    }

    /// What to embed: of a query its question, or its summary where it has none; of an item its title and
    /// description.
    ///
    /// A question is compared with questions: a summary beside it says the same in other words, and blurs it.
    /// Encoders are trained on sentences, so no SQL is among it unless there is nothing else.
    pub fn texts(&self) -> Texts {
        let query = |(entry, summary): (&Entry, &String)| match entry.question.as_deref().map(str::trim) {
            Some(question) if !question.is_empty() => question.to_owned(),
            _ => joined("", summary, &entry.sql),
        };
        Texts {
            queries: self.entries.iter().zip(&self.summaries).map(query).collect(),
            items: self.items.iter().map(Item::text).collect(),
        }
    }
}

impl KnowledgeBase {
    /// What tells this history from another: its queries with their questions, in their order, in one text.
    pub fn identity(&self) -> String {
        let entries = self.entries.iter();
        entries.map(|entry| format!("{}\0{}\0", entry.question.as_deref().unwrap_or(""), entry.sql)).collect()
    }
}

impl Item {
    /// Its description: the one written by hand, else the one made by rules.
    pub fn said(&self) -> &str {
        self.edit.description.as_deref().unwrap_or(&self.description)
    }

    /// What to embed of it, as [`KnowledgeBase::texts`].
    pub fn text(&self) -> String {
        joined(&self.title, self.said(), &self.skeleton)
    }
}

/// Two texts as sentences, the second alone when it holds the first; `otherwise` when both are empty.
fn joined(first: &str, second: &str, otherwise: &str) -> String {
    let (first, second) = (first.trim(), second.trim());
    let bare = first.trim_end_matches('.');
    if first.is_empty() && second.is_empty() {
        return otherwise.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if bare.is_empty() || second.to_lowercase().contains(&bare.to_lowercase()) {
        return second.to_owned();
    }
    let dot = if first.ends_with(['.', '?', '!', '？', '。']) || second.is_empty() { "" } else { "." };
    format!("{first}{dot} {second}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Edit, Occurrence};

    /// Three queries, run 4, 1 and 2 times; a ratio in all of them, a condition in the first two.
    fn base() -> KnowledgeBase {
        let entry = |id: u32, count: u64, user: &str, question: Option<&str>| Entry {
            id,
            sql: format!("SELECT {id}"),
            question: question.map(str::to_owned),
            user: Some(user.to_owned()).filter(|u| !u.is_empty()),
            count,
            ..Entry::default()
        };
        let occurrence = |entry: u32, literals: &[&str]| Occurrence {
            entry,
            sql: String::new(),
            literals: literals.iter().map(|l| (*l).to_owned()).collect(),
            lines: None,
        };
        let item = |kind, title: &str, table: &str, occurrences| Item {
            kind,
            skeleton: format!("{table}.x"),
            title: title.into(),
            description: format!("{title} of {table}"),
            occurrences,
            tables: vec![table.into()],
            columns: Vec::new(),
            edit: Edit::default(),
        };
        let ratio = vec![
            occurrence(0, &["-60", "299"]),
            occurrence(1, &["0", "299"]),
            occurrence(1, &["0", "299"]),
            occurrence(2, &["-60", "299"]),
        ];
        let condition = vec![occurrence(0, &[]), occurrence(1, &[])];
        KnowledgeBase {
            entries: vec![
                entry(0, 4, "okoye", Some("How late is the Île line?")),
                entry(1, 1, "lind", None),
                entry(2, 2, "okoye", None),
            ],
            summaries: vec!["Lateness by line".into(), String::new(), "Fuel".into()],
            items: vec![
                item(ComponentType::Calculation, "On-time share", "trips", ratio),
                item(ComponentType::Condition, "Active ships", "ships", condition),
            ],
            entry_items: vec![vec![1, 0], vec![0, 1], vec![0]],
        }
    }

    #[test]
    fn items_are_counted_by_runs() {
        let base = base();
        assert_eq!(base.counts().map(|(_, n)| n), [1, 1, 0, 0, 0]);
        assert_eq!(base.items.iter().map(|i| base.times_seen(i)).collect::<Vec<_>>(), [7, 5]);
        assert_eq!(base.companions(1, 9), [Companion { item: 0, times: 5, of: 5 }]);
        assert_eq!(base.companions(0, 9), [Companion { item: 1, times: 5, of: 7 }]);
        assert_eq!(base.companions(0, 0), []);
        assert_eq!(base.companions(99, 9), []);
        assert_eq!(base.items_of(0).map(|(i, _)| i).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(base.items_of(99).count(), 0);
    }

    #[test]
    fn values_are_counted_by_runs() {
        let base = base();
        let found: Vec<_> =
            base.values(&base.items[0]).into_iter().map(|v| (v.literals.join(", "), v.times)).collect();
        assert_eq!(found, [("-60, 299".to_owned(), 6), ("0, 299".to_owned(), 1)]);
        assert_eq!(base.values(&base.items[1]), []);
    }

    #[test]
    fn every_word_of_a_search_must_be_found() {
        let base = base();
        let found = |text: &str| {
            let Found { items, entries } = base.search(text);
            (items, entries)
        };
        assert_eq!(found("SHARE on-time"), (vec![0], vec![]));
        assert_eq!(found("ships.x"), (vec![1], vec![]));
        assert_eq!(found("île late"), (vec![], vec![0]));
        assert_eq!(found("select 2"), (vec![], vec![2]));
        assert_eq!(found("share ships"), (vec![], vec![]));
        assert_eq!(found(" "), (vec![0, 1], vec![0, 1, 2]));
    }

    #[test]
    fn tables_and_authors_are_counted() {
        let base = base();
        let tally = |name: &str, items, entries| Tally { name: name.into(), items, entries };
        assert_eq!(base.tables(), [tally("trips", 1, 3), tally("ships", 1, 2)]);
        assert_eq!(base.authors(), [tally("okoye", 2, 2), tally("lind", 2, 1)]);
    }

    #[test]
    fn every_text_to_embed_says_something() {
        let Texts { queries, items } = base().texts();
        assert_eq!(queries, ["How late is the Île line?", "SELECT 1", "Fuel"]);
        assert_eq!(items, ["On-time share of trips", "Active ships of ships"]);
    }
}
