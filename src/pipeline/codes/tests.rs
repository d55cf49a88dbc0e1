#![allow(clippy::unwrap_used)]

use std::cell::RefCell;

use proptest::prelude::*;

use super::filter::Matched;
use super::prompt::prompt;
use super::*;
use crate::db::{ResultSet, Value};
use crate::llm::ask_tests::Scripted;
use crate::pipeline::direct::{Settings, Shot};
use crate::pipeline::staged::Staged;
use crate::pipeline::tests_common::{World, scripted, talked};
use crate::ports::blocking::block_on;
use crate::ports::{Embed, EmbedError};
use crate::sql::{Column, ForeignKey, Schema, Table};

const SCRIPT: &str = "CREATE TABLE colour(id INTEGER PRIMARY KEY, colour TEXT);
    CREATE TABLE hero(id INTEGER PRIMARY KEY, name TEXT, \"height (cm)\" REAL, colour_id INT REFERENCES colour(id));
    CREATE TABLE other(x INT, remark TEXT);
    CREATE VIEW tall AS SELECT name FROM hero;
    INSERT INTO colour VALUES (1, 'Blue'), (2, 'Dark Red'), (3, 'Red');
    INSERT INTO hero VALUES (1, 'Ada Blue', 180.5, 1), (2, 'Bea', 190, 2);
    INSERT INTO other VALUES (1, 'a remark that is far too long to be a value of a question'), (2, '2019');";

fn world() -> World {
    let queries = [
        (
            "How many heroes are red?",
            "SELECT COUNT(*) FROM hero JOIN colour ON colour_id = colour.id WHERE colour = 'Red'",
        ),
        ("Names of heroes", "SELECT name -- all\nFROM hero;"),
    ];
    World::new(SCRIPT, &queries)
}

const SHOTS: [Shot; 2] = [Shot::Query { entry: 0 }, Shot::Query { entry: 1 }];
const QUESTION: &str = "How many heroes have dark red colour?";

fn answered(world: &World, model: &Scripted, settings: &CodesSettings<'_>) -> Staged {
    let inputs = world.inputs(QUESTION, &SHOTS);
    let asked = Settings { model: "m".into(), ..Settings::default() };
    let limits = QueryLimits::default();
    block_on(talked(model, &asked, async |talk| codes(&inputs, settings, talk, &world.db, limits).await))
}

fn values(world: &World) -> ValueIndex {
    block_on(ValueIndex::read(&world.overview.schema, &world.db, 5_000)).unwrap()
}

#[test]
fn values_of_the_question_are_found_by_words_and_letters() {
    let world = world();
    let values = values(&world);
    let found = |question: &str| {
        let found = values.matched(question);
        found.into_iter().map(|(at, values)| (at, values.join("|"))).collect::<Vec<_>>()
    };
    assert_eq!(found(QUESTION), [((0, 1), "Dark Red|Red".to_owned())]);
    assert_eq!(found("blue or red?"), [((0, 1), "Blue|Red".to_owned())]);
    assert_eq!(found("is Ada Blue tall"), [((0, 1), "Blue".to_owned()), ((1, 1), "Ada Blue".to_owned())]);
    // Too long, a number, nothing.
    assert_eq!(found("a remark that is far too long to be a value of a question, 2019"), []);
    assert_eq!(found(""), []);
    assert_eq!(values.samples((0, 1)), ["Blue", "Dark Red"]);
    assert_eq!(values.samples((1, 2)), ["180.5", "190"]);
    assert!(values.samples((2, 1)) == ["2019"] && values.samples((3, 0)).is_empty());
}

#[test]
fn a_column_gets_at_most_25_values_and_an_n_gram_finds_10() {
    let rows: Vec<String> = (0..30_u8)
        .map(|n| {
            format!("('Kappa{0}{0}')", char::from(b'a' + n % 26).to_string().repeat(usize::from(n / 26) + 1))
        })
        .collect();
    let world = World::new(&format!("CREATE TABLE t(v TEXT); INSERT INTO t VALUES {}", rows.join(", ")), &[]);
    let words: Vec<String> = rows.iter().map(|row| row[2..row.len() - 2].to_owned()).collect();
    let found = values(&world).matched(&words.join(" "));
    assert_eq!(found[&(0, 0)].len(), 25);
    // Thirty values share a word; a gram of one word finds ten of them.
    let rows: Vec<String> = (10..40).map(|n| format!("('delta {n}')")).collect();
    let world = World::new(&format!("CREATE TABLE t(v TEXT); INSERT INTO t VALUES {}", rows.join(", ")), &[]);
    assert_eq!(values(&world).search("delta").len(), 10);
}

/// A database that fails where a query reads a table, and counts what it is asked.
struct Broken<'a>(&'a World, &'static str, DbError, RefCell<usize>);

impl Execute for Broken<'_> {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        *self.3.borrow_mut() += 1;
        if sql.contains(self.1) { Err(self.2.clone()) } else { self.0.db.execute(sql, limits) }
    }
}

#[test]
fn a_slow_column_is_said_and_a_stop_ends_it() {
    let world = world();
    let schema = &world.overview.schema;
    let slow = Broken(&world, "\"colour\" AS t WHERE typeof", DbError::Timeout(5), RefCell::default());
    let values = block_on(ValueIndex::read(schema, &slow, 5_000)).unwrap();
    assert_eq!(values.notes(schema), ["No values could be read of colour.id, colour.colour."]);
    let stopped = Broken(&world, "\"colour\"", DbError::Cancelled, RefCell::default());
    assert_eq!(block_on(ValueIndex::read(schema, &stopped, 5_000)).unwrap_err(), DbError::Cancelled);
    assert_eq!(stopped.3.into_inner(), 1);
}

fn wide() -> Schema {
    let column = |name: &str| Column { name: name.into(), declared_type: "INT".into(), ..Column::default() };
    let table = |at: usize| {
        let mut columns: Vec<Column> = (0..12).map(|n| column(&format!("filler_{n}"))).collect();
        columns.push(column("parent_key"));
        columns.push(Column { primary_key: true, ..column("own_key") });
        let other = format!("table_{}", (at + 1) % 8);
        let key =
            ForeignKey { column: "parent_key".into(), table: other, referenced_column: "own_key".into() };
        Table { name: format!("table_{at}"), columns, foreign_keys: vec![key], view: false }
    };
    Schema { tables: (0..8).map(table).collect() }
}

fn kept(schema: &Schema, question: &str, matched: &Matched) -> Kept {
    let knowledge = crate::history::KnowledgeBase::default();
    let inputs = Inputs { question, schema, tables: &[], knowledge: &knowledge, shots: &[] };
    Kept::new(&inputs, None, matched, 6, 10)
}

#[test]
fn six_tables_of_ten_columns_are_kept_and_the_keys_that_join_them() {
    let mut schema = wide();
    schema.tables[7].name = "pilots".into();
    schema.tables[7].columns[11].name = "licence".into();
    let places = kept(&schema, "Which pilots have a licence?", &Matched::new()).places(&schema);
    // The named table is there beside five of the others, in the order of the schema.
    assert_eq!(places.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 7]);
    assert!(places[&7].contains(&11));
    // Table 4 refers to one that is not kept; its key is not needed, but its own end of another is.
    assert!(places[&3].contains(&12) && !places[&4].contains(&12) && places[&4].contains(&13));
    assert!(places.values().all(|columns| (10..=12).contains(&columns.len())), "{places:?}");

    // A value that the question mentions counts, too.
    let matched = Matched::from([((6, 11), vec!["x".to_owned()])]);
    assert!(kept(&schema, "Whatever", &matched).places(&schema)[&6].contains(&11));
    let kept = kept(&schema, "Which pilots have a licence?", &Matched::new());
    assert_eq!(kept.sentence(&schema), "Kept: 6 of 8 tables, 70 of 112 columns.");
    assert_eq!(kept.cut(2, 3).places(&schema).len(), 2);
}

/// Texts that name a ship are near one another, all others near nothing.
struct Ships;

impl Embed for Ships {
    fn encoder(&self) -> &str {
        "ships"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &String| {
            let near = ["ship", "vessel"].iter().any(|word| text.to_lowercase().contains(word));
            if near { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn with_an_encoder_other_words_of_the_same_meaning_count() {
    let mut schema = wide();
    schema.tables[7].name = "vessels".into();
    let vectors = block_on(SchemaVectors::new(&Ships, &schema)).unwrap();
    let near = block_on(vectors.nearness(&Ships, "How many ships?")).unwrap();
    let knowledge = crate::history::KnowledgeBase::default();
    let inputs = Inputs {
        question: "How many ships?",
        schema: &schema,
        tables: &[],
        knowledge: &knowledge,
        shots: &[],
    };
    let with = |near| Kept::new(&inputs, near, &Matched::new(), 1, 10).places(&schema);
    assert_eq!(with(Some(&near)).keys().copied().collect::<Vec<_>>(), [7]);
    assert_eq!(with(None).keys().copied().collect::<Vec<_>>(), [0]);
}

#[test]
fn the_prompt_has_tables_keys_values_examples_and_the_question_in_this_order() {
    let world = world();
    let values = values(&world);
    let mut inputs = world.inputs(QUESTION, &SHOTS);
    let mut schema = world.overview.schema.clone();
    schema.tables[1].columns[1].note = Some("what he is\ncalled".into());
    inputs.schema = &schema;
    let matched = values.matched(QUESTION);
    let kept = Kept::new(&inputs, None, &matched, 2, 10);
    let (text, left_out) = prompt(&inputs, kept, &values, &matched, 4_000);
    assert!(left_out.is_empty(), "{left_out:?}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
    let order = [
        at(
            "database schema :\ntable colour , columns = [ colour.id ( integer | primary key | values : 1 , 2 ) , colour.colour ( text | values : Blue , Dark Red ) ]\n",
        ),
        at(
            "table hero , columns = [ hero.id ( integer | primary key | values : 1 , 2 ) , hero.name ( text | comment : what he is called | values : Ada Blue , Bea ) , hero.`height (cm)` ( real | values : 180.5 , 190 ) , hero.colour_id ( int | values : 1 , 2 ) ]\n",
        ),
        at("foreign keys :\nhero.colour_id = colour.id\n"),
        at("matched contents :\ncolour.colour ( Dark Red , Red )\n"),
        // The nearest example stands last.
        at("question : Names of heroes\nSQL : SELECT name -- all\nFROM hero\n\n"),
        at("question : How many heroes are red?\nSQL : SELECT COUNT(*) FROM hero"),
        at("question : How many heroes have dark red colour?\nSQL :"),
    ];
    assert!(order.is_sorted() && text.ends_with("SQL :") && !text.contains("other"), "{text}");
}

#[test]
fn a_prompt_that_does_not_fit_says_what_it_leaves_out() {
    let world = world();
    let values = values(&world);
    let inputs = world.inputs(QUESTION, &SHOTS);
    let mut seen = Vec::new();
    for room in (40..500).rev().step_by(5) {
        let kept = Kept::new(&inputs, None, &Matched::new(), 6, 10);
        let (text, left_out) = prompt(&inputs, kept, &values, &Matched::new(), room);
        let tokens = crate::llm::tokens::estimate(&text);
        assert!(tokens <= room || left_out.still_too_long, "{room}: {tokens} {left_out:?}");
        seen.push((left_out.shots, left_out.tables.len()));
    }
    seen.dedup();
    assert!(
        seen.starts_with(&[(0, 0), (1, 0), (2, 0)]) && seen.iter().any(|(_, tables)| *tables > 0),
        "{seen:?}"
    );
}

#[test]
fn the_first_candidate_that_can_be_planned_is_run() {
    let world = world();
    let values = values(&world);
    let settings = CodesSettings { values: Some(&values), ..CodesSettings::default() };
    let model = Scripted::new(&[
        "SELECT colours FROM hero",
        "no idea",
        "```sql\nSELECT COUNT(*) FROM hero\n```",
        "SELECT 4",
    ]);
    let staged = answered(&world, &model, &settings);
    let answer = staged.answer.as_ref().unwrap();
    assert_eq!(
        (answer.sql.as_str(), &answer.result.rows),
        ("SELECT COUNT(*) FROM hero", &vec![vec![Value::Integer(2)]])
    );
    let temperatures: Vec<f32> = model.asked.borrow().iter().map(|request| request.temperature).collect();
    assert_eq!(temperatures, [0.0, 0.7, 0.7]);
    let names: Vec<&str> = staged.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["value retrieval", "schema filter", "generation", "execution"]);
    assert_eq!(staged.stages[0].notes, ["colour.colour: Dark Red, Red"]);
    let generation = &staged.stages[2];
    assert!(matches!(&generation.candidates[0].result, Some(Err(DbError::Sql { .. }))));
    assert_eq!((generation.candidates.len(), &generation.candidates[1].result), (2, &None));
    assert!(
        generation.notes[0].starts_with("Candidate 2 has no SQL")
            && generation.notes[1].contains("Candidate 3")
    );

    // The first is the most probable and runs: no other is asked for.
    let model = Scripted::new(&["SELECT 1", "SELECT 2"]);
    let staged = answered(&world, &model, &CodesSettings::default());
    assert_eq!((staged.answer.unwrap().sql.as_str(), model.asked.borrow().len()), ("SELECT 1", 1));
}

#[test]
fn of_candidates_that_cannot_be_planned_the_first_is_the_answer() {
    let world = world();
    let model =
        Scripted::new(&["SELECT a FROM hero", "DELETE FROM hero", "SELECT c FROM hero", "SELECT d FROM x"]);
    let staged = answered(&world, &model, &CodesSettings::default());
    assert!(
        matches!(&staged.answer, Err(Trouble::Database(DbError::Sql { message, .. })) if message.ends_with(": a"))
    );
    assert!(matches!(&staged.stages[2].candidates[1].result, Some(Err(DbError::ReadOnly(_)))));
    assert_eq!((model.asked.borrow().len(), staged.last_sql()), (4, Some("SELECT a FROM hero")));
    assert_eq!(
        world.db.execute("SELECT COUNT(*) FROM hero", QueryLimits::default()).unwrap().rows,
        [[Value::Integer(2)]]
    );

    let empty = LlmError::Empty { thought: false };
    let model = scripted(&[Err(empty.clone()), Ok("prose"), Err(empty.clone()), Err(empty.clone())]);
    assert_eq!(answered(&world, &model, &CodesSettings::default()).answer, Err(Trouble::Model(empty)));
    let model = scripted(&[Ok("SELECT x FROM hero"), Err(LlmError::Cancelled)]);
    assert_eq!(
        answered(&world, &model, &CodesSettings::default()).answer,
        Err(Trouble::Model(LlmError::Cancelled))
    );
}

proptest! {
    #[test]
    fn any_question_has_values_a_filter_and_a_prompt(question in ".{0,60}", room in 0..400_u32) {
        thread_local!(static WORLD: (World, ValueIndex) = { let world = world(); let values = values(&world); (world, values) });
        WORLD.with(|(world, values)| {
            let inputs = world.inputs(&question, &SHOTS);
            let matched = values.matched(&question);
            let kept = Kept::new(&inputs, None, &matched, 6, 10);
            let places = kept.places(&world.overview.schema);
            prop_assert_eq!(places.len(), 4);
            let (text, left_out) = prompt(&inputs, kept, values, &matched, room);
            prop_assert!(text.ends_with("SQL :"));
            prop_assert!(left_out.still_too_long || crate::llm::tokens::estimate(&text) <= room);
            Ok(())
        })?;
    }
}
