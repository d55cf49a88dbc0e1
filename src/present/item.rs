//! Everything the inspector says about one knowledge item.

use std::collections::BTreeSet;

use super::{format, titles};
use crate::history::entry::tag;
use crate::history::{Edit, Entry, KnowledgeBase};
use crate::retrieval::Retrieved;
use crate::sql::ComponentType;

/// One knowledge item as the inspector shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemView {
    /// Index into `KnowledgeBase::items`.
    pub key: u32,
    /// Its type.
    pub kind: ComponentType,
    /// Title in words.
    pub title: String,
    /// What tells it from others of its title; may be empty.
    pub remark: String,
    /// One sentence in words.
    pub description: String,
    /// What a person changed about it.
    pub edit: Edit,
    /// The skeleton.
    pub skeleton: String,
    /// The literals seen at its `<val>`, with how often, most seen first.
    pub values: Vec<(String, u64)>,
    /// Score for the question asked, where it was retrieved.
    pub score: Option<f32>,
    /// Why it was chosen.
    pub why: Vec<Reason>,
    /// Items found in the same queries, most often first, at most eight.
    pub occurs_with: Vec<Companion>,
    /// The queries it comes from, the adapted one first, then the most used.
    pub sources: Vec<Source>,
    /// Runs of the queries it occurs in, merged duplicates counted.
    pub seen: u64,
}

/// One reason, with a bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The phrase of the question that it is about.
    pub phrase: Option<String>,
    /// The rest of the sentence.
    pub text: String,
    /// Length of the bar, 0 to 1.
    pub bar: f32,
    /// The figure at its end.
    pub figure: String,
}

/// An item that occurs in the same queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Companion {
    /// Index into `KnowledgeBase::items`.
    pub key: u32,
    /// Its type.
    pub kind: ComponentType,
    /// Its title.
    pub title: String,
    /// What tells it from others of its title; may be empty.
    pub remark: String,
    /// How often together.
    pub together: u64,
}

/// A query the item comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Index into `KnowledgeBase::entries`.
    pub entry: u32,
    /// The question, when the log has one.
    pub question: Option<String>,
    /// The piece as written there.
    pub sql: String,
    /// Whether the query goes on before and after the piece.
    pub excerpt: bool,
    /// Author, time and use, joined by middle dots; may be empty.
    pub note: String,
    /// Whether the answer in view was adapted from it.
    pub adapted: bool,
}

const COMPANIONS: usize = 8;
const NEAR_QUERIES: usize = 3;

/// Collects what is known about the item `key`; None where there is no such item. `adapted` is the entry that
/// the answer in view was made from.
pub fn item_view(
    kb: &KnowledgeBase,
    key: u32,
    retrieved: Option<&Retrieved>,
    adapted: Option<u32>,
) -> Option<ItemView> {
    let item = kb.items.get(key as usize)?;
    let remarks = titles::remarks(kb);
    let hit = retrieved.and_then(|r| r.items.iter().find(|hit| hit.item == key));
    Some(ItemView {
        key,
        kind: item.kind,
        title: item.title.clone(),
        remark: remarks.get(key as usize).cloned().unwrap_or_default(),
        description: item.said().to_owned(),
        edit: item.edit.clone(),
        skeleton: item.skeleton.clone(),
        values: kb.values(item).into_iter().map(|v| (v.literals.join(", "), v.times)).collect(),
        score: hit.map(|h| h.score),
        why: retrieved.map(|r| why(kb, r, key, adapted)).unwrap_or_default(),
        occurs_with: companions(kb, key, &remarks),
        sources: sources(kb, key, adapted),
        seen: kb.times_seen(item),
    })
}

/// The reasons of retrieval; for what came along without one, that the answer was made from a query with it.
fn why(kb: &KnowledgeBase, retrieved: &Retrieved, key: u32, adapted: Option<u32>) -> Vec<Reason> {
    let mut found = reasons(retrieved, key);
    let of = |entry: u32| kb.entry_items.get(entry as usize).is_some_and(|items| items.contains(&key));
    if found.is_empty()
        && let Some(entry) = adapted.filter(|entry| of(*entry))
    {
        let text = format!("In query {}, which was adapted", tag(entry));
        found.push(Reason { phrase: None, text, bar: 0.0, figure: String::new() });
    }
    found
}

fn reasons(retrieved: &Retrieved, key: u32) -> Vec<Reason> {
    let mut out = Vec::new();
    if let Some(hit) = retrieved.items.iter().find(|hit| hit.item == key) {
        for evidence in &hit.evidence {
            if let Some(phrase) = retrieved.phrases.get(evidence.phrase) {
                out.push(Reason {
                    phrase: Some(phrase.text.clone()),
                    text: "is near its description".to_owned(),
                    bar: evidence.similarity.clamp(0.0, 1.0),
                    figure: format::score(evidence.similarity),
                });
            }
        }
    }
    for query in retrieved.queries.iter().filter(|q| q.items.contains(&key)).take(NEAR_QUERIES) {
        out.push(Reason {
            phrase: None,
            text: format!("Query {} is near your question", tag(query.entry)),
            bar: query.similarity.clamp(0.0, 1.0),
            figure: format::score(query.similarity),
        });
    }
    out
}

fn companions(kb: &KnowledgeBase, key: u32, remarks: &[String]) -> Vec<Companion> {
    let found = kb.companions(key, COMPANIONS).into_iter();
    let named = found.filter_map(|found| {
        let item = kb.items.get(found.item as usize)?;
        let remark = remarks.get(found.item as usize).cloned().unwrap_or_default();
        let (kind, title) = (item.kind, item.title.clone());
        Some(Companion { key: found.item, kind, title, remark, together: found.times })
    });
    named.collect()
}

fn sources(kb: &KnowledgeBase, key: u32, adapted: Option<u32>) -> Vec<Source> {
    let Some(item) = kb.items.get(key as usize) else { return Vec::new() };
    let mut done = BTreeSet::new();
    let mut out: Vec<(u64, Source)> = Vec::new();
    for occurrence in &item.occurrences {
        let Some(entry) = kb.entries.get(occurrence.entry as usize) else { continue };
        if !done.insert(occurrence.entry) {
            continue;
        }
        let source = Source {
            entry: occurrence.entry,
            question: entry.question.clone(),
            sql: occurrence.sql.clone(),
            excerpt: occurrence.sql.len() < entry.sql.trim().len(),
            note: note(entry),
            adapted: adapted == Some(occurrence.entry),
        };
        out.push((entry.runs(), source));
    }
    out.sort_by_key(|(used, source)| (!source.adapted, std::cmp::Reverse(*used), source.entry));
    out.into_iter().map(|(_, source)| source).collect()
}

/// Author, time and use of a query: `m.okoye · 2023-05-11 · used 4 times`.
pub fn note(entry: &Entry) -> String {
    let mut parts: Vec<String> = entry.user.iter().chain(&entry.time).cloned().collect();
    if entry.runs() > 1 {
        parts.push(format!("used {}", format::times(entry.runs())));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Item, Occurrence};
    use crate::retrieval::{Evidence, ItemHit, Phrase};

    fn kb() -> KnowledgeBase {
        let entry =
            |id: u32, count| Entry { id, sql: "SELECT 1 WHERE a = 1".into(), count, ..Entry::default() };
        let at = |entry, literal: &str| Occurrence {
            entry,
            sql: "a = 1".into(),
            literals: vec![literal.into()],
            lines: None,
        };
        let item = |title: &str, occurrences| Item {
            kind: ComponentType::Condition,
            skeleton: "t.a = <val>".into(),
            title: title.into(),
            description: String::new(),
            occurrences,
            tables: vec![],
            columns: vec![],
            edit: Edit::default(),
        };
        KnowledgeBase {
            entries: vec![entry(0, 4), entry(1, 0), entry(2, 2)],
            summaries: vec![],
            items: vec![
                item("first", vec![at(0, "1"), at(0, "1"), at(1, "2")]),
                item("second", vec![at(0, "1"), at(2, "1")]),
            ],
            entry_items: vec![vec![0, 0, 1], vec![0], vec![1]],
        }
    }

    #[test]
    fn runs_are_counted_once_a_query() {
        let view = item_view(&kb(), 0, None, Some(1));
        let Some(view) = view else { panic!("item 0 exists") };
        assert_eq!(view.seen, 5);
        assert_eq!(view.values, [("1".to_owned(), 4), ("2".to_owned(), 1)]);
        assert_eq!(view.occurs_with.iter().map(|c| (c.key, c.together)).collect::<Vec<_>>(), [(1, 4)]);
        assert_eq!(
            view.sources.iter().map(|s| (s.entry, s.adapted)).collect::<Vec<_>>(),
            [(1, true), (0, false)]
        );
        assert_eq!(item_view(&kb(), 9, None, None), None);
    }

    #[test]
    fn what_came_with_the_adapted_query_says_so() {
        let retrieved = Retrieved::default();
        let why = |adapted| item_view(&kb(), 1, Some(&retrieved), adapted).map(|v| v.why).unwrap_or_default();
        let texts: Vec<String> = why(Some(2)).into_iter().map(|reason| reason.text).collect();
        assert_eq!(texts, ["In query #3, which was adapted"]);
        // Query #2 does not hold it.
        assert!(why(Some(1)).is_empty());
        assert!(why(None).is_empty());
    }

    #[test]
    fn reasons_name_the_phrase() {
        let retrieved = Retrieved {
            phrases: vec![Phrase { text: "on time".into(), start: 0, end: 7 }],
            items: vec![ItemHit {
                item: 0,
                score: 0.8,
                evidence: vec![
                    Evidence { phrase: 0, similarity: 0.81 },
                    Evidence { phrase: 7, similarity: 0.7 },
                ],
            }],
            ..Retrieved::default()
        };
        let why = item_view(&kb(), 0, Some(&retrieved), None).map(|v| v.why).unwrap_or_default();
        assert_eq!(why.len(), 1);
        assert_eq!((why[0].phrase.as_deref(), why[0].figure.as_str()), (Some("on time"), "0.81"));
    }
}
