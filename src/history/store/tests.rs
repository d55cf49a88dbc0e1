#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

#[test]
fn vectors_of_nothing_are_no_error() {
    let vectors = Vectors { encoder: "tiny".into(), ..Vectors::default() };
    let file = to_json(&KnowledgeBase::default(), Some(&vectors)).unwrap();
    assert_eq!(from_json(file.as_bytes()).unwrap().vectors, Some(vectors));
}
use crate::history::{Edit, Entry, Item, Occurrence};
use crate::sql::ComponentType;

prop_compose! {
    fn entry()(
        sql in "[a-z \n\"'ü🚢]{0,20}", question in proptest::option::of(".{0,8}"), count in any::<u64>(),
        source_ids in proptest::collection::vec(any::<i64>(), 0..3), line in proptest::option::of(1..9_u32),
    ) -> Entry {
        let (user, time) = (question.clone(), None);
        Entry { id: 0, sql, question, user, time, count, source_ids, line }
    }
}

/// Knowledge bases that hold together, with vectors that half floats can hold.
fn stored() -> impl Strategy<Value = Stored> {
    let uses = proptest::collection::vec(proptest::collection::vec(any::<bool>(), 4), 0..5);
    let texts = proptest::collection::vec(".{0,9}", 4);
    let parts = (proptest::collection::vec(entry(), 5), uses, texts, proptest::option::of(1..4_usize));
    (parts, proptest::collection::vec(-1000..1000_i16, 40)).prop_map(
        |((entries, uses, texts, dimension), numbers)| {
            let mut base = KnowledgeBase::default();
            for (id, entry) in (0..).zip(entries.into_iter().take(uses.len())) {
                base.entries.push(Entry { id, ..entry });
                base.summaries.push(format!("summary {id}"));
                base.entry_items.push(Vec::new());
            }
            for (i, text) in texts.iter().enumerate() {
                let occurrences: Vec<Occurrence> = (0..)
                    .zip(&uses)
                    .filter(|(_, used)| used[i])
                    .map(|(entry, _)| Occurrence {
                        entry,
                        sql: text.clone(),
                        literals: vec![text.clone()],
                        lines: Some((1, 1)),
                    })
                    .collect();
                if occurrences.is_empty() {
                    continue;
                }
                for occurrence in &occurrences {
                    base.entry_items[occurrence.entry as usize].push(base.items.len() as u32);
                }
                base.items.push(Item {
                    kind: ComponentType::Condition,
                    skeleton: text.clone(),
                    title: text.clone(),
                    description: String::new(),
                    occurrences,
                    tables: vec![text.clone()],
                    columns: vec![(text.clone(), "c".into())],
                    edit: Edit {
                        description: (i % 2 == 1).then(|| text.clone()),
                        hidden: i % 3 == 1,
                        indexed_as: (i == 3).then(|| text.clone()),
                    },
                });
            }
            let row = |rows: usize, dimension: usize| -> Vec<f32> {
                numbers.iter().cycle().take(rows * dimension).map(|&n| f32::from(n) / 1024.0).collect()
            };
            let vectors = dimension.map(|dimension| Vectors {
                encoder: "tiny".into(),
                dimension,
                entries: row(base.entries.len(), dimension),
                items: row(base.items.len(), dimension),
            });
            Stored { knowledge: base, vectors }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(stored in stored()) {
        let json = to_json(&stored.knowledge, stored.vectors.as_ref()).unwrap();
        // 1000/1024 needs 10 bits, half floats have 11.
        prop_assert_eq!(from_json(json.as_bytes()), Ok(stored));
    }

    #[test]
    fn any_bytes_are_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(from_json(&bytes).is_err());
    }

    #[test]
    fn a_changed_file_is_refused_or_holds_together(stored in stored(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = to_json(&stored.knowledge, stored.vectors.as_ref()).unwrap().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(Stored { knowledge, .. }) = from_json(&bytes) {
            prop_assert!(check::consistent(&knowledge).is_ok());
        }
        prop_assert!(from_json(&bytes[..at]).is_err());
    }
}

fn small() -> KnowledgeBase {
    let occurrence = Occurrence { entry: 0, sql: "x".into(), literals: Vec::new(), lines: Some((1, 2)) };
    let item = Item {
        kind: ComponentType::Output,
        skeleton: "x".into(),
        title: String::new(),
        description: String::new(),
        occurrences: vec![occurrence],
        tables: Vec::new(),
        columns: Vec::new(),
        edit: Edit::default(),
    };
    KnowledgeBase {
        entries: vec![Entry { sql: "a\nb".into(), ..Entry::default() }],
        summaries: vec![String::new()],
        items: vec![item],
        entry_items: vec![vec![0]],
    }
}

#[test]
fn a_file_of_version_1_is_read_and_a_file_without_edits_names_none() {
    let stored = Stored { knowledge: small(), vectors: None };
    let json = to_json(&stored.knowledge, None).unwrap();
    assert!(json.contains("\"version\":2") && !json.contains("edit"));
    let old = json.replace("\"version\":2", "\"version\":1");
    assert_eq!(from_json(old.as_bytes()), Ok(stored));
    let none = json.replace("\"version\":2", "\"version\":0");
    assert!(matches!(from_json(none.as_bytes()), Err(StoreError::Damaged(_))));
}

#[test]
fn a_knowledge_base_that_does_not_hold_together_is_refused() {
    assert!(check::consistent(&small()).is_ok());
    let damage: [fn(&mut KnowledgeBase); 10] = [
        |b| b.summaries.clear(),
        |b| b.entry_items.push(Vec::new()),
        |b| b.entries[0].id = 1,
        |b| b.items[0].occurrences.clear(),
        |b| b.items[0].occurrences[0].entry = 1,
        |b| b.items[0].occurrences[0].lines = Some((0, 1)),
        |b| b.items[0].occurrences[0].lines = Some((1, 3)),
        |b| b.entry_items[0] = vec![1],
        |b| b.entry_items[0] = vec![0, 0],
        |b| b.entry_items[0].clear(),
    ];
    for (i, damage) in damage.into_iter().enumerate() {
        let mut base = small();
        damage(&mut base);
        let read = from_json(to_json(&base, None).unwrap().as_bytes());
        assert!(matches!(read, Err(StoreError::Damaged(_))), "{i}: {read:?}");
    }
}

#[test]
fn other_files_and_newer_versions_are_told_apart() {
    let json = to_json(&small(), None).unwrap();
    assert_eq!(from_json(b"[1]"), Err(StoreError::NotKnowledge));
    assert_eq!(from_json(b"{\"format\": \"other\", \"version\": 1}"), Err(StoreError::NotKnowledge));
    let newer = json.replace("\"version\":2", "\"version\":3");
    assert_eq!(from_json(newer.as_bytes()), Err(StoreError::Newer { found: 3, known: VERSION }));
    assert!(matches!(from_json(&json.as_bytes()[..json.len() - 1]), Err(StoreError::Damaged(_))));
}

#[test]
fn vectors_of_another_shape_are_refused() {
    let vectors = |entries: usize, dimension| Vectors {
        encoder: "tiny".into(),
        dimension,
        entries: vec![0.5; entries],
        items: vec![0.5; 2],
    };
    let json = to_json(&small(), Some(&vectors(2, 2))).unwrap();
    assert!(from_json(json.as_bytes()).is_ok());
    assert!(matches!(
        to_json(&small(), Some(&vectors(3, 2))),
        Err(StoreError::Shape { found: 3, wanted: 2, .. })
    ));
    assert!(to_json(&small(), Some(&vectors(0, 0))).is_err());
    for (from, to) in [("\"dimension\":2", "\"dimension\":3"), ("ADgAOA==", "ADgAfA=="), ("ADgAOA==", "ADgA")]
    {
        let damaged = json.replace(from, to);
        assert_ne!(damaged, json);
        assert!(matches!(from_json(damaged.as_bytes()), Err(StoreError::Damaged(_))), "{from}");
    }
}
