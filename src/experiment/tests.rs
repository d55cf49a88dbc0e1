//! A whole experiment on a small database: what is retrieved, left out, answered, scored and paid for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::RefCell;

use super::answer::Counted;
use super::scoring::{Remembered, score_one};
use super::*;
use crate::bench::modes::Mode;
use crate::bench::retrieval_metrics::Required;
use crate::bench::run::Outcome;
use crate::bench::task::Task;
use crate::db::engine::service::tests::image;
use crate::db::{Database, Host, QueryLimits};
use crate::experiment::retriever::Named;
use crate::history::import::{RawHistory, RawRecord};
use crate::history::{Builder, KnowledgeBase};
use crate::llm::ask_tests::Scripted;
use crate::llm::budget::{Ledger, Limits, Price, Spent};
use crate::llm::{Budgeted, Cache, Cached, Cancel, LlmError};
use crate::pipeline::{Way, direct};
use crate::ports::blocking::block_on;
use crate::ports::{Embed, EmbedError};
use crate::retrieval::{Indexed, Level};
use crate::sql::Schema;

/// Letters as vectors: alike where the letters are.
struct Letters;

impl Embed for Letters {
    fn encoder(&self) -> &str {
        "letters"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let mut counts = vec![0.01_f32; 26];
            for byte in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
                counts[usize::from(byte - b'a')] += 1.0;
            }
            let norm = counts.iter().map(|n| n * n).sum::<f32>().sqrt();
            counts.into_iter().map(|n| n / norm).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

const GOLD: &str = "SELECT count(*) FROM piers WHERE depth > 10";

struct World {
    db: Database,
    schema: Schema,
    history: Indexed,
    task: Task,
}

fn world() -> World {
    let script =
        "CREATE TABLE piers(name TEXT, depth INT); INSERT INTO piers VALUES ('North', 4), ('South', 12)";
    let db = Database::from_bytes(image(script), Host::default()).unwrap();
    let schema = crate::db::introspect::schema(&db, &mut Vec::new()).unwrap();
    let record = |(id, question, sql): (i64, &str, &str)| RawRecord {
        sql: sql.to_owned(),
        question: Some(question.to_owned()),
        id: Some(id),
        ..RawRecord::default()
    };
    let records = [
        (40, "How many deep piers are there?", "select COUNT(*) from piers where depth > 10;"),
        (41, "Names of deep piers", "SELECT name FROM piers WHERE depth > 10 ORDER BY name LIMIT 3"),
        (42, "How deep is the North pier?", "SELECT depth FROM piers WHERE name = 'North'"),
    ];
    let records = RawHistory { records: records.map(record).to_vec(), ..RawHistory::default() };
    let (base, _): (KnowledgeBase, _) = Builder::new(records, schema.clone()).whole();
    let texts = base.texts();
    let all: Vec<String> = texts.queries.into_iter().chain(texts.items).collect();
    let vectors = block_on(Letters.embed(&all)).unwrap();
    let history = Indexed::with_vectors(base, "letters", vectors).unwrap();
    let required = Required { skeleton: "piers.depth > <val>".into(), kind: None, sources: vec![40, 41] };
    let task = Task {
        question_id: 9,
        db_id: "harbour".into(),
        question: "How many deep piers are there?".into(),
        gold: GOLD.into(),
        knowledge: vec![required],
        ..Task::default()
    };
    World { db, schema, history, task }
}

fn prepared(world: &World, named: Named) -> Prepared {
    let how = (Level::Both, None);
    block_on(Prepared::new(named, how, (&world.history.base, &world.schema), &Letters, Some(&world.db)))
        .unwrap()
}

fn answered<M: crate::ports::Complete>(
    world: &World,
    named: Named,
    by: By,
    own_left_out: bool,
    model: Option<&M>,
) -> Result<Outcome, Ended> {
    let retriever = prepared(world, named);
    let queries = Queries::of(&world.history);
    let (settings, cancel) =
        (direct::Settings { model: "m".into(), ..direct::Settings::default() }, Cancel::default());
    let answering = Answering {
        subject: Subject { db: &world.db, schema: &world.schema, tables: &[], history: &world.history },
        embed: &Letters,
        retriever: &retriever,
        by,
        model,
        settings: &settings,
        shots: 2,
        own: own_left_out.then_some(&queries),
        known: &Known::default(),
        samples: None,
        asks_first: true,
        limits: QueryLimits::default(),
        cancel: &cancel,
        clock: &|| 0.0,
    };
    block_on(answering.answer(3, &world.task, None))
}

#[test]
fn a_tasks_own_query_is_left_out_for_it() {
    let world = world();
    let with = answered::<Scripted>(&world, Named::History, By::Adapt, false, None).unwrap();
    assert!(with.retrieved.iter().any(|hit| hit.source_ids == [40]), "{:?}", with.retrieved);
    for named in [Named::History, Named::Mqs, Named::MqsQs, Named::MqsFilter, Named::Gold] {
        let without = answered::<Scripted>(&world, named, By::Adapt, true, None).unwrap();
        let ids: Vec<i64> = without.retrieved.iter().flat_map(|hit| hit.source_ids.clone()).collect();
        assert!(!ids.is_empty() && !ids.contains(&40), "{named:?}: {ids:?}");
        // In the numbers of the whole history.
        for hit in &without.retrieved {
            assert_eq!(world.history.base.entries[hit.entry as usize].source_ids, hit.source_ids);
        }
        assert_eq!(without.knowledge.as_ref().unwrap().overall.required, 1);
    }
}

#[test]
fn an_answer_is_scored_in_every_mode_of_the_page() {
    let world = world();
    let outcome = answered::<Scripted>(&world, Named::History, By::Adapt, false, None).unwrap();
    assert_eq!(
        (outcome.place, outcome.question_id, outcome.question.as_str()),
        (3, 9, world.task.question.as_str())
    );
    let golds = Remembered::default();
    for mode in scoring::fitting(std::slice::from_ref(&world.task)) {
        let scored = block_on(score_one(mode, &world.task, &outcome, &world.db, &golds)).unwrap();
        assert!(scored.correct && scored.mode == mode, "{mode}: {scored:?}");
    }
    let none = Outcome::default();
    let scored = block_on(score_one(Mode::BirdEx, &world.task, &none, &world.db, &golds)).unwrap();
    assert!(!scored.correct);
}

#[test]
fn what_was_paid_for_is_not_asked_again() {
    let world = world();
    let cache = RefCell::new(Cache::default());
    let ledger =
        Ledger::new(Limits { requests: Some(1), ..Limits::default() }, Price::default(), Spent::default());
    let ask = |model: &Scripted| {
        let budgeted = Budgeted::new(model, &ledger);
        let cached = Cached::new(&budgeted, &cache);
        let counted = Counted::new(&cached);
        let answer = answered(&world, Named::None, By::Model(Way::Direct), true, Some(&counted));
        (answer, counted.fresh())
    };
    let (first, fresh) = ask(&Scripted::new(&[GOLD]));
    let first = first.unwrap();
    assert_eq!((first.sql.as_deref(), first.requests, fresh), (Some(GOLD), 1, 1));
    let (again, fresh) = ask(&Scripted::failing(LlmError::NoBudget(String::new())));
    assert_eq!((again.unwrap(), fresh), (first, 0));
    assert_eq!(ledger.spent().requests, 1);
    // Another question would pass the limit.
    cache.borrow_mut().clear();
    let (refused, _) = ask(&Scripted::new(&[GOLD]));
    assert!(matches!(refused, Err(Ended::Budget(why)) if why.contains("1 request")));
}

#[test]
fn a_failing_server_gives_no_outcome_and_a_wrong_query_does() {
    let world = world();
    let ask = |model: &Scripted| answered(&world, Named::Mqs, By::Model(Way::Direct), true, Some(model));
    assert!(matches!(ask(&Scripted::failing(LlmError::CutStream(3))), Err(Ended::Failed(_))));
    assert!(matches!(ask(&Scripted::failing(LlmError::Unauthorised(String::new()))), Err(Ended::Halted(_))));
    let wrong = ask(&Scripted::new(&["SELECT nme FROM piers", "SELECT nme FROM piers"])).unwrap();
    assert!(wrong.sql.is_some() && wrong.error.is_some() && wrong.requests == 2);
    let empty = ask(&Scripted::failing(LlmError::TooLong(String::new()))).unwrap();
    assert!(empty.sql.is_none() && empty.error.is_some());
}

#[test]
fn dail_asks_for_a_first_query() {
    let world = world();
    let model = Scripted::new(&["SELECT name FROM piers WHERE depth > 3 ORDER BY name LIMIT 1", GOLD]);
    let outcome = answered(&world, Named::Dail, By::Model(Way::Direct), true, Some(&model)).unwrap();
    assert_eq!((outcome.requests, outcome.sql.as_deref()), (2, Some(GOLD)));
    // The query with the skeleton of the first one comes first.
    assert_eq!(outcome.retrieved[0].source_ids, [41]);
    assert!(matches!(
        answered::<Scripted>(&world, Named::Dail, By::Adapt, true, None),
        Err(Ended::Halted(_))
    ));
}
