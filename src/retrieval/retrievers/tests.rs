#![allow(clippy::unwrap_used)]

use super::*;
use crate::history::Entry;
use crate::ports::blocking::block_on;

/// Vectors by hand: one number for each of four words, so that similarity is the share of common words.
struct Words;

impl Embed for Words {
    fn encoder(&self) -> &str {
        "words"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let has = |word: &str| if text.split(' ').any(|w| w == word) { 1.0 } else { 0.0 };
            let mut v = vec![has("how"), has("list"), has("<unk>"), has("red"), 0.1];
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter_mut().for_each(|x| *x /= norm);
            v
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn knowledge() -> KnowledgeBase {
    let entry = |id: u32, question: Option<&str>, sql: &str| Entry {
        id,
        sql: sql.into(),
        question: question.map(str::to_owned),
        source_ids: vec![i64::from(id) + 100],
        ..Entry::default()
    };
    KnowledgeBase {
        entries: vec![
            entry(0, Some("how red"), "SELECT a FROM t WHERE b = 1"),
            entry(1, None, "SELECT 1"),
            entry(2, Some("how 3"), "SELECT COUNT(*) FROM t"),
            entry(3, Some("list 4"), "SELECT a FROM t ORDER BY b LIMIT 1"),
        ],
        ..KnowledgeBase::default()
    }
}

fn chosen(retriever: &impl Retriever, asked: Asked<'_>) -> Vec<u32> {
    let retrieved = block_on(retriever.retrieve(&Words, asked)).unwrap();
    retrieved.queries.iter().map(|hit| hit.entry).collect()
}

fn question(question: &str) -> Asked<'_> {
    Asked { question, ..Asked::default() }
}

#[test]
fn the_nearest_masked_question_comes_first() {
    let (knowledge, links) = (knowledge(), Links::default());
    let questions = block_on(Questions::new(&Words, &knowledge, &links, |_| true)).unwrap();
    let by = |by| Similar { questions: &questions, links: &links, by, skeletons: None, shots: 2 };
    assert_eq!(chosen(&by(By::Masked), question("how 7")), [2, 0]);
    assert_eq!(chosen(&by(By::Masked), question("list 7")), [3, 2]);
    // The masked question is as near to both "how" ones, the plain one to the red one.
    assert_eq!(chosen(&by(By::MaskedOrPlain), question("how red")), [0, 2]);
    assert_eq!(chosen(&Nothing, question("how red")), [] as [u32; 0]);
}

#[test]
fn what_is_filtered_out_is_not_found() {
    let (knowledge, links) = (knowledge(), Links::default());
    let questions = block_on(Questions::new(&Words, &knowledge, &links, |entry| entry != 2)).unwrap();
    let similar = Similar { questions: &questions, links: &links, by: By::Masked, skeletons: None, shots: 9 };
    assert_eq!(chosen(&similar, question("how 7")), [0, 3]);
}

#[test]
fn queries_with_the_preliminary_skeleton_come_first() {
    let (knowledge, links) = (knowledge(), Links::default());
    let questions = block_on(Questions::new(&Words, &knowledge, &links, |_| true)).unwrap();
    let dail = Similar {
        questions: &questions,
        links: &links,
        by: By::Masked,
        skeletons: Some(DAIL_THRESHOLD),
        shots: 3,
    };
    let with = Asked { preliminary: Some("SELECT x FROM y ORDER BY z LIMIT 5"), ..question("how 7") };
    assert_eq!(chosen(&dail, with), [3, 2, 0]);
    assert_eq!(chosen(&dail, question("how 7")), [2, 0, 3]);
}

#[test]
fn gold_is_the_fewest_queries_that_hold_every_item() {
    let knowledge = knowledge();
    let gold = Gold { knowledge: &knowledge };
    let wanted = [vec![100, 103], vec![101, 103], vec![102], vec![999]];
    assert_eq!(chosen(&gold, Asked { wanted: &wanted, ..Asked::default() }), [3, 2]);
    assert_eq!(chosen(&gold, Asked::default()), [] as [u32; 0]);
}
