#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::cues::{Cues, Traits, answers};
use super::*;
use crate::history::builder::Builder;
use crate::history::import::{RawHistory, RawRecord};
use crate::retrieval::Vectors;
use crate::sql::Schema;

fn history(pairs: &[(&str, &str)]) -> KnowledgeBase {
    let records = pairs.iter().zip(1..).map(|((question, sql), line)| RawRecord {
        sql: (*sql).to_owned(),
        question: Some((*question).to_owned()).filter(|question| !question.is_empty()),
        id: Some(line as i64),
        line,
        number: line,
        ..RawRecord::default()
    });
    let history = RawHistory { name: "t".into(), records: records.collect(), ..RawHistory::default() };
    Builder::new(history, Schema::default()).whole().0
}

/// A vector of which words of a small vocabulary a text holds; enough to tell near from far.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = [0.01f32; 32];
    for word in facts::content(text) {
        let place = word.bytes().fold(7usize, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into())) % 32;
        vector[place] += 1.0;
    }
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.iter().map(|v| v / length).collect()
}

fn index(knowledge: &KnowledgeBase) -> Index {
    let texts = knowledge.texts();
    let vectors = |texts: &[String]| {
        Vectors::from_rows(&texts.iter().map(|text| vector(text)).collect::<Vec<_>>()).unwrap()
    };
    Index::new(knowledge, vectors(&texts.queries), vectors(&texts.items)).unwrap()
}

fn chosen(knowledge: &KnowledgeBase, question: &str) -> Vec<Chosen> {
    let index = index(knowledge);
    index.selector(knowledge).select(knowledge, &index, question, &vector(question), Choosing::default())
}

const FERRIES: [(&str, &str); 4] = [
    ("How many crowded sailings were there?", "SELECT COUNT(*) FROM sailings WHERE load > 0.9"),
    ("Which piers are closed?", "SELECT name FROM piers WHERE status = 'closed'"),
    ("The longest route", "SELECT name FROM routes ORDER BY length DESC LIMIT 1"),
    ("Crew of each pier", "SELECT pier, COUNT(*) FROM crew GROUP BY pier"),
];

#[test]
fn what_a_question_repeats_is_chosen_with_reasons() {
    let knowledge = history(&FERRIES);
    let found = chosen(&knowledge, "Which piers were closed last year?");
    let skeletons: Vec<&str> =
        found.iter().map(|one| knowledge.items[one.item as usize].skeleton.as_str()).collect();
    assert!(skeletons.iter().any(|skeleton| skeleton.contains("status")), "{skeletons:?}");
    assert!(!skeletons.iter().any(|skeleton| skeleton.contains("GROUP BY")), "{skeletons:?}");
    assert!(!found[0].reasons.is_empty());
    for one in &found {
        assert!(one.reasons.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
    }
}

#[test]
fn nothing_is_chosen_where_nothing_is_relevant() {
    // Words of these small vectors share places; one that shares none with the history says nothing about it.
    let far = |question: &&str| {
        let like = |(asked, _): &(&str, &str)| -> f32 {
            vector(asked).iter().zip(vector(question)).map(|(a, b)| a * b).sum()
        };
        FERRIES.iter().map(like).all(|cosine| cosine < 0.2)
    };
    let words = ["zebra", "quantum", "xylophone", "gizmo", "fjord", "walrus", "kettle", "oboe", "tundra"];
    let question = words.into_iter().find(far).unwrap();
    assert!(chosen(&history(&FERRIES), question).is_empty());
    assert!(chosen(&KnowledgeBase::default(), "anything").is_empty());
}

#[test]
fn histories_without_questions_and_of_other_languages_work() {
    let bare = history(&FERRIES.map(|(_, sql)| ("", sql)));
    assert!(bare.entries.iter().all(|entry| entry.question.is_none()));
    let index = index(&bare);
    let judged = index.selector(&bare).judged(&bare, &index, "status of piers", &vector("status of piers"));
    assert_eq!(judged.len(), bare.items.len());
    let chinese = history(&[
        ("关闭的码头", "SELECT name FROM piers WHERE status = 'closed'"),
        ("船员", "SELECT COUNT(*) FROM crew"),
    ]);
    assert!(!chosen(&chinese, "关闭的码头有多少").is_empty());
}

#[test]
fn hidden_components_are_not_chosen() {
    let mut knowledge = history(&FERRIES);
    let question = "Which piers are closed?";
    let best = chosen(&knowledge, question)[0].item;
    knowledge.items[best as usize].edit.hidden = true;
    assert!(chosen(&knowledge, question).iter().all(|one| one.item != best));
}

#[test]
fn the_more_recall_counts_the_more_is_chosen() {
    let knowledge = history(&FERRIES);
    let (index, question) = (index(&knowledge), "How many piers are closed?");
    let count = |lean: f32| {
        let choosing = Choosing { lean, ..Choosing::default() };
        index.selector(&knowledge).select(&knowledge, &index, question, &vector(question), choosing).len()
    };
    assert!(count(0.5) <= count(1.0) && count(1.0) <= count(3.0));
}

#[test]
fn queries_are_ranked_by_what_they_hold() {
    let knowledge = history(&FERRIES);
    let (index, question) = (index(&knowledge), "Which piers are closed?");
    let selector = index.selector(&knowledge);
    let judged = selector.judged(&knowledge, &index, question, &vector(question));
    let found = chosen(&knowledge, question);
    let hits = ranked(&judged, &knowledge, &index.entries().cosines(&vector(question)), &found, 5);
    assert_eq!(hits[0].entry, 1);
    let held =
        |hit: &crate::retrieval::QueryHit| hit.items.iter().all(|item| found.iter().any(|c| c.item == *item));
    assert!(hits.iter().all(held));
}

#[test]
fn cues_meet_the_traits_that_answer_them() {
    let knowledge = history(&FERRIES);
    let item = |part: &str| knowledge.items.iter().find(|item| item.skeleton.contains(part)).unwrap();
    let met = |question: &str, part: &str| {
        answers(&Traits::of(item(part)), &Cues::of(question)).iter().sum::<f32>()
    };
    assert!(met("the longest route", "LIMIT") > 0.0);
    assert_eq!(met("the interest of a guest", "LIMIT"), 0.0);
    assert!(met("how many piers", "COUNT") > 0.0);
    assert!(met("crew per pier", "GROUP BY") > 0.0);
}

#[test]
fn learning_is_the_same_each_time() {
    let words = ["pier", "route", "crew", "ticket", "vessel"];
    let queries: Vec<(String, String)> = (0..20)
        .map(|i| {
            let (a, b) = (words[i % 5], words[(i / 5) % 5]);
            (format!("{a} with {b} of {i}"), format!("SELECT {a}, {i} FROM t WHERE {b} > 3 AND {a} = 'x'"))
        })
        .collect();
    let pairs: Vec<(&str, &str)> = queries.iter().map(|(q, s)| (q.as_str(), s.as_str())).collect();
    let knowledge = history(&pairs);
    let index = index(&knowledge);
    let learnt = || Selector::with_prior(&knowledge, &index, &Prior::shipped(), true).weights;
    assert_eq!(learnt(), learnt());
    assert!(learnt() != Prior::shipped().weights);
}

proptest! {
    #[test]
    fn any_question_gives_probabilities_by_falling_order(question in "\\PC{0,80}") {
        let knowledge = history(&FERRIES);
        let index = index(&knowledge);
        let judged = index.selector(&knowledge).judged(&knowledge, &index, &question, &vector(&question));
        prop_assert!(judged.iter().all(|one| (0.0..=1.0).contains(&one.probability)));
        prop_assert!(judged.windows(2).all(|pair| pair[0].probability >= pair[1].probability));
        let again = index.selector(&knowledge).judged(&knowledge, &index, &question, &vector(&question));
        prop_assert_eq!(judged, again);
    }

    #[test]
    fn vectors_of_another_encoder_do_no_harm(length in 0usize..40) {
        let knowledge = history(&FERRIES);
        let index = index(&knowledge);
        let found = index.selector(&knowledge).judged(&knowledge, &index, "piers", &vec![0.1; length]);
        prop_assert_eq!(found.len(), knowledge.items.len());
    }
}
