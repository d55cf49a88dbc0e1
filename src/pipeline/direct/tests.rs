use super::*;
use crate::db::engine::service::tests::image;
use crate::db::{Database, Host, introspect};
use crate::history::Builder;
use crate::history::import::{RawHistory, RawRecord};
use crate::llm::Role;
use crate::llm::ask_tests::Scripted;
use crate::ports::blocking::block_on;
use crate::retrieval::{QueryHit, Retrieved};

const SCRIPT: &str = "CREATE TABLE hero(id INTEGER PRIMARY KEY, hero_name TEXT, height_cm INT, colour_id INT REFERENCES colour(id));
    CREATE TABLE colour(id INTEGER PRIMARY KEY, colour TEXT);
    CREATE TABLE \"sales order\"(\"order\" INT, note TEXT);
    INSERT INTO colour VALUES (1, 'Blue'), (2, 'Red');
    INSERT INTO hero VALUES (1, 'A', 180, 1), (2, 'B', 190, 2), (3, 'C', 200, 1);";

struct World {
    db: Database,
    overview: crate::db::Overview,
    knowledge: KnowledgeBase,
}

fn world() -> World {
    let db = Database::from_bytes(image(SCRIPT), Host::default()).unwrap();
    let overview = introspect::overview(&db, 5_000).unwrap();
    let record = |(line, (question, sql)): (u32, (&str, &str))| RawRecord {
        sql: sql.into(),
        question: Some(question.into()),
        line,
        number: line,
        ..RawRecord::default()
    };
    let queries = [
        (
            "How many heroes are blue?",
            "SELECT COUNT(*) FROM hero AS h JOIN colour AS c ON h.colour_id = c.id WHERE c.colour = 'Blue'",
        ),
        ("The tallest hero", "SELECT hero_name FROM hero ORDER BY height_cm DESC LIMIT 1"),
    ];
    let records = (1..).zip(queries).map(record).collect();
    let history = RawHistory { name: "h".into(), records, ..RawHistory::default() };
    let knowledge = Builder::new(history, overview.schema.clone()).whole().0;
    World { db, knowledge, overview }
}

fn inputs<'a>(world: &'a World, question: &'a str, shots: &'a [Shot]) -> Inputs<'a> {
    let World { overview, knowledge, .. } = world;
    Inputs { question, schema: &overview.schema, tables: &overview.tables, knowledge, shots }
}

fn ask(world: &World, model: &Scripted) -> Direct {
    let shots = [Shot::Query { entry: 0 }];
    let settings = Settings { model: "m".into(), ..Settings::default() };
    let inputs = inputs(world, "How many heroes are red?", &shots);
    let cancel = Cancel::default();
    let asked = direct(&inputs, &settings, model, &world.db, QueryLimits::default(), &|_| {}, &cancel);
    block_on(asked)
}

#[test]
fn the_prompt_has_schema_samples_examples_and_question() {
    let world = world();
    let shots = [
        Shot::Query { entry: 0 },
        Shot::Fragments { entry: 1, items: world.knowledge.entry_items[1].clone() },
    ];
    let settings = Settings::default();
    let whole = prompt(&inputs(&world, "How many heroes are red?", &shots), &settings);
    assert!(whole.left_out.is_empty(), "{:?}", whole.left_out);
    let text = &whole.messages[1].content;
    for part in [
        "CREATE TABLE hero ( -- 3 rows",
        "colour_id INT REFERENCES colour(id)",
        "height_cm INT, -- such as: 180 to 200",
        "CREATE TABLE \"sales order\"",
        "\"order\" INT",
        "-- How many heroes are blue?\nSELECT COUNT(*)",
        "-- from: The tallest hero\n-- order and limit: ",
        "## Question\nHow many heroes are red?",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // The closest example stands last; the tables of the question come first.
    assert!(text.find("The tallest").unwrap() < text.find("heroes are blue").unwrap());
    assert!(text.find("TABLE hero").unwrap() < text.find("TABLE \"sales").unwrap());
    assert_eq!(whole.messages[0].role, Role::System);
    assert!(whole.tokens < 500, "{}", whole.tokens);
}

#[test]
fn a_prompt_that_does_not_fit_says_what_it_leaves_out() {
    let world = world();
    let shots = [Shot::Query { entry: 0 }, Shot::Query { entry: 1 }];
    let mut shortened = 0;
    for context_tokens in (150..700).rev().step_by(10) {
        let settings = Settings { context_tokens, answer_tokens: 50, ..Settings::default() };
        let prompt = prompt(&inputs(&world, "How many heroes are red?", &shots), &settings);
        let left_out = &prompt.left_out;
        if prompt.tokens > context_tokens - 50 {
            assert!(left_out.still_too_long, "{context_tokens}: {prompt:?}");
        }
        assert_eq!(left_out.sentence().is_none(), left_out.is_empty());
        assert_eq!(prompt.shots.len() + left_out.shots, 2);
        shortened += usize::from(!left_out.is_empty());
        // What has nothing to do with the question goes first.
        if left_out.tables.iter().any(|table| table == "hero") {
            assert!(left_out.tables.iter().any(|table| table == "sales order"), "{left_out:?}");
        }
    }
    assert!(shortened > 10);
    let left_out = LeftOut {
        notes_of: vec!["a".into()],
        columns_of: vec![("b".into(), 3)],
        tables: vec!["c".into(), "d".into()],
        shots: 1,
        still_too_long: false,
    };
    assert_eq!(
        left_out.sentence().unwrap(),
        "The prompt was shortened; left out: notes and samples of 1 table, 3 columns of 1 table, 2 tables, 1 example."
    );
}

#[test]
fn good_sql_is_run_at_once() {
    let world = world();
    let model = Scripted::new(&["```sql\nSELECT COUNT(*) FROM hero WHERE colour_id = 2;\n```"]);
    let got = ask(&world, &model);
    let answer = got.answer.unwrap();
    assert_eq!(answer.result.rows.len(), 1);
    assert_eq!((got.attempts.len(), &got.attempts[0].trouble), (1, &None));
    assert_eq!(got.attempts[0].messages, got.prompt.messages);
}

#[test]
fn an_error_goes_back_once_with_the_nearest_names() {
    let world = world();
    let model = Scripted::new(&["SELECT hero_nam FROM hero", "SELECT hero_name FROM hero"]);
    let got = ask(&world, &model);
    assert_eq!(got.answer.unwrap().sql, "SELECT hero_name FROM hero");
    assert_eq!(got.attempts.len(), 2);
    assert_eq!(got.attempts[0].hints[0].nearest[0], "hero.hero_name");
    let sent = &model.asked.borrow()[1].messages;
    assert_eq!(sent.len(), 4);
    assert!(sent[3].content.contains("no such column: hero_nam"), "{}", sent[3].content);
    assert!(sent[3].content.contains("hero.hero_name"), "{}", sent[3].content);

    // Once: the second error is the result.
    let model = Scripted::new(&["SELECT x FROM hero", "SELECT y FROM hero", "SELECT 1"]);
    let got = ask(&world, &model);
    assert!(matches!(got.answer, Err(Trouble::Database(DbError::Sql { .. }))), "{:?}", got.answer);
    assert_eq!((got.attempts.len(), model.asked.borrow().len()), (2, 2));
}

#[test]
fn a_change_is_refused_by_the_engine_and_prose_is_asked_again() {
    let world = world();
    for change in ["DELETE FROM hero", "ATTACH '/tmp/x' AS x", "DROP TABLE hero", "PRAGMA user_version = 3"] {
        let model = Scripted::new(&[change, change]);
        let got = ask(&world, &model);
        assert!(
            matches!(got.answer, Err(Trouble::Database(DbError::ReadOnly(_)))),
            "{change}: {:?}",
            got.answer
        );
        assert_eq!(got.attempts.len(), 2);
    }
    let model = Scripted::new(&["I do not know.", "SELECT 1"]);
    let got = ask(&world, &model);
    assert_eq!(got.attempts[0].trouble, Some(Trouble::NoSql(NoSql::Prose)));
    assert!(got.answer.is_ok());
    let model = Scripted::failing(LlmError::Unauthorised(String::new()));
    let got = ask(&world, &model);
    assert!(matches!(got.answer, Err(Trouble::Model(LlmError::Unauthorised(_)))));
    assert_eq!(got.attempts.len(), 1);
}

#[test]
fn hints_name_what_is_near() {
    let world = world();
    let schema = &world.overview.schema;
    let nearest = |sql: &str| {
        let error = world.db.execute(sql, QueryLimits::default()).unwrap_err();
        let found = hints(&error, schema);
        found.first().map(|hint| (hint.unknown.clone(), hint.nearest[0].clone())).unwrap_or_default()
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(nearest("SELECT height FROM hero"), pair("height", "hero.height_cm"));
    assert_eq!(nearest("SELECT h.colour FROM hero AS h"), pair("h.colour", "colour.colour"));
    assert_eq!(nearest("SELECT 1 FROM heroes"), pair("heroes", "hero"));
    assert_eq!(nearest("SELECT 1 FROM sales_order"), pair("sales_order", "\"sales order\""));
    assert_eq!(nearest("SELECT id FROM hero, colour"), pair("id", "colour.id"));
    assert_eq!(nearest("SELECT count( FROM hero"), pair("", ""));
}

#[test]
fn shots_are_taken_from_what_was_retrieved() {
    let hit = |entry, items: &[u32]| QueryHit { entry, score: 1.0, similarity: 1.0, items: items.to_vec() };
    let retrieved =
        Retrieved { queries: vec![hit(4, &[1, 2]), hit(5, &[2]), hit(6, &[3])], ..Retrieved::default() };
    assert_eq!(Shots::None.of(&retrieved), []);
    assert_eq!(Shots::Queries(2).of(&retrieved), [Shot::Query { entry: 4 }, Shot::Query { entry: 5 }]);
    assert_eq!(
        Shots::Fragments(3).of(&retrieved),
        [Shot::Fragments { entry: 4, items: vec![1, 2] }, Shot::Fragments { entry: 6, items: vec![3] }]
    );
}
