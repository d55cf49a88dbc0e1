use std::cell::RefCell;

use serde_json::Value as Json;

use super::*;
use crate::history::Builder;
use crate::history::import::{RawHistory, RawRecord};
use crate::llm::ask_tests::Scripted;
use crate::llm::{Cache, Cached};
use crate::ports::blocking::block_on;
use crate::retrieval::{QueryHit, Vectors};
use crate::sql::{Column, Table};

fn schema() -> Schema {
    let column = |name: &&str| Column { name: (*name).into(), ..Column::default() };
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(column).collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![table("ship", &["id", "name", "seats"]), table("trip", &["ship_id", "sold", "state"])],
    }
}

const QUERIES: [(&str, &str); 3] = [
    (
        "How full was each ship?",
        "SELECT s.name, 100.0 * SUM(t.sold) / SUM(s.seats) FROM ship AS s JOIN trip AS t ON t.ship_id = s.id WHERE t.state <> 'X' GROUP BY s.name",
    ),
    (
        "Sold seats",
        "SELECT SUM(t.sold) FROM ship AS s JOIN trip AS t ON t.ship_id = s.id WHERE t.state <> 'X'",
    ),
    ("All ships", "SELECT name FROM ship ORDER BY seats DESC LIMIT 5"),
];

fn knowledge() -> KnowledgeBase {
    let record = |(line, (question, sql)): (u32, (&str, &str))| RawRecord {
        sql: sql.into(),
        question: Some(question.into()),
        line,
        number: line,
        ..RawRecord::default()
    };
    let records = (1..).zip(QUERIES).map(record).collect();
    let history = RawHistory { name: "h".into(), records, ..RawHistory::default() };
    Builder::new(history, schema()).whole().0
}

fn asking<'a, M>(model: &'a M, cancel: &'a Cancel) -> Asking<'a, M> {
    Asking { model, name: "m", context_tokens: 8_192, cancel }
}

/// An encoder whose vectors are letters counted.
struct Letters;

impl Embed for Letters {
    fn encoder(&self) -> &str {
        "letters"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let count = |letter: char| text.to_lowercase().matches(letter).count() as f32;
            let counts: Vec<f32> = ('a'..='z').map(count).collect();
            let norm = counts.iter().map(|n| n * n).sum::<f32>().sqrt().max(1.0);
            counts.into_iter().map(|n| n / norm).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn phrases(answer: &str, question: &str) -> (Vec<String>, By) {
    let (model, cancel) = (Scripted::new(&[answer, answer]), Cancel::default());
    let (found, by, _) = block_on(key_phrases(asking(&model, &cancel), &schema(), question));
    for phrase in &found {
        assert_eq!(phrase.text, question[phrase.start..phrase.end]);
    }
    (found.into_iter().map(|phrase| phrase.text).collect(), by)
}

#[test]
fn phrases_are_found_again_in_the_question() {
    let question = "How full were the Ships in May, by route?";
    let (found, by) = phrases(
        r#"{"phrases": ["full ships", "in may", "By Route", "nothing like it", "in May"]}"#,
        question,
    );
    assert_eq!(found, ["full were the Ships", "May", "route"]);
    assert_eq!(by, By::Model { requests: 1, cached: false });

    for answer in
        ["I cannot", r#"{"phrases": []}"#, r#"{"phrases": [3]}"#, r#"{"phrases": ["elsewhere"]}"#, "{}"]
    {
        let (found, by) = phrases(answer, question);
        let rules: Vec<String> =
            super::super::phrases::phrases(question).into_iter().map(|p| p.text).collect();
        assert_eq!(found, rules, "{answer}");
        assert!(matches!(by, By::Fallback(_)), "{answer}");
        assert!(by.sentence("Key phrases").starts_with("Key phrases: by rules, because"), "{by:?}");
    }
}

fn retrieved(entries: &[u32]) -> Retrieved {
    let hit = |&entry: &u32| QueryHit { entry, score: 1.0, similarity: 1.0, items: Vec::new() };
    Retrieved { queries: entries.iter().map(hit).collect(), ..Retrieved::default() }
}

fn reranked(answers: &[&str]) -> (Vec<u32>, Vec<Pick>, By) {
    let (model, cancel, base, schema) = (Scripted::new(answers), Cancel::default(), knowledge(), schema());
    let ask = rerank(asking(&model, &cancel), &base, &schema, "How full?", retrieved(&[2, 0, 1]));
    let (found, picks, by, _) = block_on(ask);
    (found.queries.iter().map(|hit| hit.entry).collect(), picks, by)
}

#[test]
fn chosen_queries_come_first_whole_or_in_pieces() {
    let base = knowledge();
    let answer = r#"{"chosen": [{"id": 1, "use_all": true, "indices": []}, {"id": 0, "use_all": false, "indices": [0]}]}"#;
    let (order, picks, by) = reranked(&[answer]);
    assert_eq!(order, [1, 0, 2]);
    assert_eq!(picks[0], Pick { entry: 1, use_all: true, items: Vec::new() });
    assert_eq!(picks[1], Pick { entry: 0, use_all: false, items: vec![base.entry_items[0][0]] });
    assert_eq!(by, By::Model { requests: 1, cached: false });
    // Nothing helps: that is an answer.
    assert_eq!(reranked(&[r#"{"chosen": []}"#]).1, []);
}

#[test]
fn a_choice_that_does_not_fit_is_asked_again_and_then_left_to_the_rules() {
    let good = r#"{"chosen": [{"id": 0, "use_all": true}]}"#;
    for bad in [
        r#"{"chosen": [{"id": 7, "use_all": true}]}"#,
        r#"{"chosen": [{"id": 0, "indices": [99]}]}"#,
        r#"{"chosen": [{"id": 0, "use_all": "yes"}]}"#,
        r#"{"chosen": 3}"#,
        "no",
    ] {
        let (order, _, by) = reranked(&[bad, good]);
        assert_eq!((order[0], by), (0, By::Model { requests: 2, cached: false }), "{bad}");
        let (order, picks, by) = reranked(&[bad, bad]);
        assert_eq!(order, [2, 0, 1], "{bad}");
        assert_eq!((picks.len(), picks[0].use_all), (3, true));
        assert!(matches!(by, By::Fallback(_)), "{bad}");
    }
}

/// An answer that describes whatever the request asks for.
fn describing(request: &Request) -> String {
    let task = &request.messages[1].content;
    let pieces: Json = serde_json::from_str(task.split("Pieces:\n").nth(1).unwrap()).unwrap();
    let pieces = pieces.as_array().unwrap().iter();
    let pieces: Vec<Json> = pieces
        .map(|p| serde_json::json!({"idx": p["idx"], "name": format!("N{}", p["idx"]), "aliases": ["other"], "description": "D"}))
        .collect();
    serde_json::json!({"summary": "Sum.", "pieces": pieces}).to_string()
}

/// A model that describes, and counts how often it was asked.
#[derive(Default)]
struct Describing(RefCell<u32>, Option<u32>);

impl Complete for Describing {
    fn endpoint(&self) -> &str {
        "describing"
    }

    async fn complete(
        &self,
        request: &Request,
        _: &mut dyn FnMut(&crate::llm::Delta),
        _: &Cancel,
    ) -> Result<crate::llm::Completion, LlmError> {
        *self.0.borrow_mut() += 1;
        if self.1 == Some(*self.0.borrow()) {
            return Err(LlmError::RateLimited { retry_after_s: Some(9), message: String::new() });
        }
        let text = describing(request);
        let (finish, reasoning, logprobs) = (crate::llm::Finish::Stop, String::new(), Vec::new());
        Ok(crate::llm::Completion {
            text,
            reasoning,
            finish,
            usage: None,
            logprobs,
            model: None,
            cached: false,
        })
    }
}

#[test]
fn a_history_is_described_and_a_stopped_job_goes_on() {
    let (cancel, schema) = (Cancel::default(), schema());
    let cache = RefCell::new(Cache::default());
    let limited = Describing(RefCell::default(), Some(2));
    let before = knowledge();
    let mut base = before.clone();

    let cached = Cached::new(&limited, &cache);
    let cost = describe::cost(asking(&cached, &cancel), &base, &schema, &cache.borrow());
    assert_eq!((cost.requests, cost.remembered), (3, 0));
    assert!(cost.prompt_tokens > 600 && cost.answer_tokens > 300, "{cost:?}");
    let mut heard = Vec::new();
    let report =
        block_on(describe::describe(asking(&cached, &cancel), &mut base, &schema, &mut |done, all| {
            heard.push((done, all))
        }));
    assert_eq!((report.by_model, report.unreached, heard.as_slice()), (1, 2, &[(1, 3)][..]));
    assert!(report.sentence().ends_with("Try again in 9 seconds."), "{}", report.sentence());
    assert_eq!((base.summaries[0].as_str(), &base.summaries[1]), ("Sum.", &before.summaries[1]));

    // From the start with what is remembered: only the rest is asked.
    let whole = Describing::default();
    let cached = Cached::new(&whole, &cache);
    let mut base = before.clone();
    let cost = describe::cost(asking(&cached, &cancel), &base, &schema, &cache.borrow());
    assert_eq!((cost.requests, cost.remembered), (2, 1));
    let report = block_on(describe::describe(asking(&cached, &cancel), &mut base, &schema, &mut |_, _| {}));
    assert_eq!((report.by_model, report.remembered, report.stopped), (3, 1, None));
    assert_eq!((*whole.0.borrow(), report.items), (2, base.items.len()));
    assert!(base.summaries.iter().all(|summary| summary == "Sum."));
    for item in &base.items {
        assert!(item.title.starts_with('N') && item.description == "D Also: other.", "{item:?}");
    }
    // A piece of several queries is asked for once.
    let shared = base.items.iter().filter(|item| item.occurrences.len() > 1).count();
    assert!(shared > 0);
}

#[test]
fn a_description_that_does_not_fit_leaves_the_rules() {
    let (cancel, schema, before) = (Cancel::default(), schema(), knowledge());
    let answers =
        ["no", r#"{"summary": "S", "pieces": []}"#, "x", "y", r#"{"summary": ""}"#, r#"{"summary": 3}"#];
    let model = Scripted::new(&answers);
    let mut base = before.clone();
    let report = block_on(describe::describe(asking(&model, &cancel), &mut base, &schema, &mut |_, _| {}));
    assert_eq!(base, before);
    assert_eq!((report.by_model, report.by_rules.len()), (0, 3));
    assert!(report.by_rules[0].1.contains("piece 0 is missing"), "{:?}", report.by_rules);
}

#[test]
fn a_question_is_retrieved_with_and_without_a_model() {
    let (cancel, schema, base) = (Cancel::default(), schema(), knowledge());
    let texts = base.texts();
    let vectors = |texts: &[String]| Vectors::from_rows(&block_on(Letters.embed(texts)).unwrap()).unwrap();
    let index = Index::new(&base, vectors(&texts.queries), vectors(&texts.items)).unwrap();
    let run = |answers: &[&str], steps| {
        let model = Scripted::new(answers);
        let asking = asking(&model, &cancel);
        let settings = Settings::default();
        let found = block_on(retrieve_with(
            asking,
            steps,
            &Letters,
            &index,
            &base,
            &schema,
            "How full was each ship?",
            settings,
        ))
        .unwrap();
        (found, model.asked.borrow().len())
    };
    let (plain, asked) = run(&[], Steps::default());
    assert_eq!((asked, &plain.phrases, &plain.rerank), (0, &By::Rules, &By::Rules));
    assert!(!plain.picks.is_empty());

    let both = Steps { phrases: true, rerank: true };
    let (found, asked) =
        run(&[r#"{"phrases": ["full", "each ship"]}"#, r#"{"chosen": [{"id": 2, "use_all": true}]}"#], both);
    assert_eq!(asked, 2);
    assert_eq!(found.retrieved.phrases.len(), 2);
    assert_eq!(found.retrieved.queries[0].entry, 2);
    assert_eq!(found.picks.len(), 1);
    assert!(found.usage.prompt > 0);

    // Whatever a model says, there is an answer.
    let (found, _) = run(&["x", "x", "x", "x"], both);
    assert_eq!(found.retrieved, plain.retrieved);
    assert!(matches!((&found.phrases, &found.rerank), (By::Fallback(_), By::Fallback(_))));
    cancel.cancel();
    let model = Scripted::new(&[]);
    let stopped = retrieve_with(
        asking(&model, &cancel),
        both,
        &Letters,
        &index,
        &base,
        &schema,
        "q",
        Settings::default(),
    );
    assert_eq!(block_on(stopped), Err(EmbedError::Cancelled));
}

proptest::proptest! {
    #[test]
    fn any_answer_gives_phrases_of_the_question(answer in "(\\{\"phrases\": \\[\"|a |ship|\"\\]\\}|é|full|,|.){0,20}") {
        phrases(&answer, "How full was each ship in é?");
    }
}
