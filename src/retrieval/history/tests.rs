#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::history::{Edit, Entry, Item, Occurrence};
use crate::sql::ComponentType;

/// A direction of its own for each thing; mixtures are similar to what they mix.
fn vector(parts: &[(usize, f32)]) -> Vec<f32> {
    let mut vector = vec![0.0; 8];
    for &(axis, weight) in parts {
        vector[axis] = weight;
    }
    let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.into_iter().map(|v| v / norm).collect()
}

fn item(entries: &[u32]) -> Item {
    let occurrences = entries
        .iter()
        .map(|&entry| Occurrence { entry, sql: String::new(), literals: Vec::new(), lines: None })
        .collect();
    Item {
        kind: ComponentType::Condition,
        skeleton: String::new(),
        title: String::new(),
        description: String::new(),
        occurrences,
        tables: Vec::new(),
        columns: Vec::new(),
        edit: Edit::default(),
    }
}

/// Queries with their vectors, items with their vectors and the queries that hold them.
fn world(entries: &[Vec<f32>], items: &[(Vec<f32>, &[u32])]) -> (KnowledgeBase, Index) {
    let mut knowledge = KnowledgeBase::default();
    for id in 0..entries.len() as u32 {
        knowledge.entries.push(Entry { id, ..Entry::default() });
        knowledge.summaries.push(String::new());
        let own = (0u32..).zip(items).filter(|(_, (_, held))| held.contains(&id)).map(|(item, _)| item);
        knowledge.entry_items.push(own.collect());
    }
    knowledge.items = items.iter().map(|(_, held)| item(held)).collect();
    let rows: Vec<Vec<f32>> = items.iter().map(|(vector, _)| vector.clone()).collect();
    let index =
        Index::new(&knowledge, Vectors::from_rows(entries).unwrap(), Vectors::from_rows(&rows).unwrap())
            .unwrap();
    (knowledge, index)
}

fn phrase(text: &str, start: usize) -> Phrase {
    Phrase { text: text.to_owned(), start, end: start + text.len() }
}

fn entries(found: &Retrieved) -> Vec<u32> {
    found.queries.iter().map(|hit| hit.entry).collect()
}

fn settings(level: Level) -> Settings {
    Settings { level, ..Settings::default() }
}

#[test]
fn components_lead_back_to_their_queries() {
    let queries = [vector(&[(0, 1.0)]), vector(&[(1, 1.0)]), vector(&[(2, 1.0)])];
    let (knowledge, index) = world(&queries, &[(vector(&[(5, 1.0)]), &[2]), (vector(&[(6, 1.0)]), &[0])]);
    let question = vector(&[(1, 1.0), (7, 0.4)]);
    let phrases = vec![phrase("night sailings", 0), phrase("delay", 20)];
    let vectors = [vector(&[(5, 1.0), (7, 0.5)]), vector(&[(6, 0.55), (7, 0.8)])];
    let found = |level| retrieve(&index, &knowledge, &question, phrases.clone(), &vectors, settings(level));
    assert_eq!(entries(&found(Level::Query)), [1]);
    let by_component = found(Level::Component);
    assert_eq!(entries(&by_component), [2]);
    assert_eq!(by_component.queries[0].items, [0]);
    assert_eq!((by_component.items.len(), by_component.items[0].evidence[0].phrase), (1, 0));
    // The second phrase comes close to the second item without reaching it.
    assert_eq!(by_component.below_threshold, 1);
    assert_eq!(entries(&found(Level::Both)), [1, 2]);
}

#[test]
fn a_hidden_component_is_neither_retrieved_nor_close_nor_a_way_to_its_query() {
    let queries = [vector(&[(0, 1.0)]), vector(&[(1, 1.0)]), vector(&[(2, 1.0)])];
    let (mut knowledge, index) = world(&queries, &[(vector(&[(5, 1.0)]), &[2])]);
    let close = vector(&[(5, 0.55), (7, 0.8)]);
    for phrase_vector in [vector(&[(5, 1.0)]), close] {
        let found = |knowledge: &KnowledgeBase| {
            let phrases = vec![phrase("night sailings", 0)];
            let vectors = std::slice::from_ref(&phrase_vector);
            retrieve(&index, knowledge, &vector(&[(7, 1.0)]), phrases, vectors, settings(Level::Both))
        };
        let shown = found(&knowledge);
        assert_eq!(shown.items.len() + shown.below_threshold, 1);
        knowledge.items[0].edit.hidden = true;
        let hidden = found(&knowledge);
        assert!(hidden.items.is_empty() && hidden.queries.is_empty() && hidden.below_threshold == 0);
        knowledge.items[0].edit.hidden = false;
    }
}

#[test]
fn what_every_query_has_brings_none() {
    let queries: Vec<Vec<f32>> = (0..4).map(|axis| vector(&[(axis, 1.0)])).collect();
    let (knowledge, index) = world(&queries, &[(vector(&[(5, 1.0)]), &[0, 1, 2, 3])]);
    assert_eq!(index.rarity(0), 0.0);
    let question = vector(&[(7, 1.0)]);
    let vectors = [vector(&[(5, 1.0)])];
    let found = retrieve(
        &index,
        &knowledge,
        &question,
        vec![phrase("first one", 0)],
        &vectors,
        settings(Level::Both),
    );
    assert!(found.queries.is_empty());
    assert_eq!(found.items.len(), 1, "it is shown all the same");
}

#[test]
fn nothing_relevant_is_no_query() {
    let (knowledge, index) = world(&[vector(&[(0, 1.0)])], &[(vector(&[(1, 1.0)]), &[0])]);
    let question = vector(&[(7, 1.0)]);
    let found = retrieve(
        &index,
        &knowledge,
        &question,
        vec![phrase("weather", 0)],
        std::slice::from_ref(&question),
        Settings::default(),
    );
    assert!(found.queries.is_empty() && found.items.is_empty());
    let nothing =
        retrieve(&Index::default(), &KnowledgeBase::default(), &[], Vec::new(), &[], Settings::default());
    assert_eq!(nothing, Retrieved::default());
}

#[test]
fn the_second_query_adds_what_the_first_lacks() {
    // Queries 0 and 1 say the same; query 2 is less similar but explains the other half of the question.
    let queries = [vector(&[(0, 1.0)]), vector(&[(0, 1.0), (1, 0.1)]), vector(&[(0, 1.0), (2, 0.6)])];
    let (knowledge, index) = world(&queries, &[(vector(&[(5, 1.0)]), &[0, 1]), (vector(&[(6, 1.0)]), &[2])]);
    let phrases = vec![phrase("night sailings", 0), phrase("delay", 20)];
    let vectors = [vector(&[(5, 1.0)]), vector(&[(6, 1.0)])];
    let two = Settings { max_shots: 2, ..Settings::default() };
    let found = retrieve(&index, &knowledge, &vector(&[(0, 1.0)]), phrases, &vectors, two);
    // Without the discount for what is explained, query 1 would come second.
    assert_eq!(entries(&found), [0, 2]);
}

#[test]
fn vectors_of_another_history_are_refused() {
    let (knowledge, _) = world(&[vector(&[(0, 1.0)])], &[]);
    let error = Index::new(&knowledge, Vectors::default(), Vectors::default()).unwrap_err();
    assert_eq!(error.to_string(), "There are 0 vectors for 1 queries. Index the history again.");
}
