#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::db::{ResultSet, Value};
use crate::llm::Usage;
use crate::llm::ask_tests::Scripted;
use crate::pipeline::direct::{Settings, Shot};
use crate::pipeline::staged::Staged;
use crate::pipeline::tests_common::{World, scripted, talked};
use crate::ports::blocking::block_on;

fn world() -> World {
    World::new(
        "CREATE TABLE zone(id INTEGER PRIMARY KEY, label TEXT);
         CREATE TABLE hero(id INTEGER PRIMARY KEY, name TEXT, height INT, zone_id INT REFERENCES zone(id));
         INSERT INTO zone VALUES (1, 'North'), (2, 'South');
         INSERT INTO hero VALUES (1, 'A', 180, 1), (2, 'B', 190, 2), (3, 'C', 180, 1);",
        &[
            ("How many heroes are in the north?", "SELECT COUNT(*) FROM hero WHERE zone_id = 1;"),
            ("The tallest */ hero", "SELECT name FROM hero ORDER BY height DESC LIMIT 1"),
        ],
    )
}

const SHOTS: [Shot; 2] = [Shot::Query { entry: 0 }, Shot::Query { entry: 1 }];

fn answered(world: &World, model: &Scripted, samples: u32) -> Staged {
    let inputs = world.inputs("How many heroes are in the south?", &SHOTS);
    let settings = Settings { model: "m".into(), ..Settings::default() };
    let dail = DailSettings { samples };
    let limits = QueryLimits::default();
    block_on(talked(model, &settings, async |talk| dail_sql(&inputs, &dail, talk, &world.db, limits).await))
}

fn sql_of(staged: &Staged) -> &str {
    &staged.answer.as_ref().unwrap().sql
}

#[test]
fn the_prompt_has_examples_then_declarations_then_the_question_and_a_beginning() {
    let world = world();
    let (text, left_out) = prompt(&world.inputs("How many  heroes\nare in the south?", &SHOTS), 4_000);
    assert!(left_out.is_empty(), "{left_out:?}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
    let order = [
        // The nearest example stands last, and its question cannot end the comment.
        at("/* Question: The tallest * / hero */\nSELECT name FROM hero ORDER BY height DESC LIMIT 1\n\n"),
        at(
            "/* Question: How many heroes are in the north? */\nSELECT COUNT(*) FROM hero WHERE zone_id = 1\n\n",
        ),
        // Declarations only, in the order of the database.
        at("CREATE TABLE zone (\n  id INTEGER PRIMARY KEY,\n  label TEXT\n);\n\n"),
        at(
            "CREATE TABLE hero (\n  id INTEGER PRIMARY KEY,\n  name TEXT,\n  height INT,\n  zone_id INT REFERENCES zone(id)\n);",
        ),
        at("/* Question: How many heroes are in the south? */\nSELECT "),
    ];
    assert!(order.is_sorted(), "{text}");
    assert!(text.ends_with("*/\nSELECT ") && !text.contains("rows") && !text.contains("such as"), "{text}");
}

#[test]
fn a_prompt_that_does_not_fit_loses_examples_first_and_says_so() {
    let world = world();
    let inputs = world.inputs("How many heroes are in the south?", &SHOTS);
    let mut seen = Vec::new();
    for room in (40..400).rev().step_by(5) {
        let (text, left_out) = prompt(&inputs, room);
        let tokens = tokens::estimate(&text) + tokens::PER_MESSAGE;
        assert!(tokens <= room || left_out.still_too_long, "{room}: {tokens} {left_out:?}");
        assert!(left_out.notes_of.is_empty());
        seen.push((left_out.shots, left_out.tables.len()));
    }
    seen.dedup();
    assert!(seen.starts_with(&[(0, 0), (1, 0), (2, 0)]) && seen.len() > 3, "{seen:?}");

    let model = Scripted::new(&["name FROM hero"]);
    let settings = Settings { context_tokens: 200, answer_tokens: 50, ..Settings::default() };
    let limits = QueryLimits::default();
    let dail = DailSettings::default();
    let staged = block_on(talked(&model, &settings, async |talk| {
        dail_sql(&inputs, &dail, talk, &world.db, limits).await
    }));
    assert!(staged.stages[0].notes[0].contains("example"), "{:?}", staged.stages);
}

#[test]
fn one_answer_is_asked_for_without_sampling_and_not_mended() {
    let world = world();
    let model = Scripted::new(&["COUNT(*) FROM hero WHERE zone_id = 2"]);
    let staged = answered(&world, &model, 1);
    assert_eq!(sql_of(&staged), "SELECT COUNT(*) FROM hero WHERE zone_id = 2");
    assert_eq!(staged.answer.as_ref().unwrap().result.rows, [[Value::Integer(1)]]);
    let asked = model.asked.borrow();
    assert_eq!((asked.len(), asked[0].temperature, asked[0].messages.len()), (1, 0.0, 1));

    let model = Scripted::new(&["SELECT nothing FROM hero", "SELECT 1"]);
    let staged = answered(&world, &model, 1);
    assert!(matches!(staged.answer, Err(Trouble::Database(DbError::Sql { .. }))), "{:?}", staged.answer);
    assert_eq!((model.asked.borrow().len(), staged.last_sql()), (1, Some("SELECT nothing FROM hero")));
}

#[test]
fn the_answer_is_the_first_of_the_largest_group_with_the_same_rows() {
    let world = world();
    let model = Scripted::new(&[
        "SELECT name FROM hero WHERE id = 9",
        // The same rows in another order, and with a DISTINCT that does not count.
        "SELECT height, zone_id FROM hero",
        "SELECT nme FROM hero",
        "SELECT DISTINCT zone_id, height FROM hero ORDER BY 1 DESC",
        "SELECT height FROM hero",
    ]);
    let staged = answered(&world, &model, 5);
    assert_eq!(sql_of(&staged), "SELECT height, zone_id FROM hero");
    let asked = model.asked.borrow();
    assert!(asked.iter().all(|request| request.temperature == 1.0));
    // Samples of the same prompt differ and can be repeated.
    let seeds: Vec<Option<u64>> = asked.iter().map(|request| request.seed).collect();
    assert_eq!(seeds, [None, Some(1), Some(2), Some(3), Some(4)]);
    let stage = &staged.stages[1];
    let votes: Vec<u32> = stage.candidates.iter().map(|candidate| candidate.votes).collect();
    assert_eq!((stage.name.as_str(), votes), ("self-consistency", vec![1, 2, 0, 2, 1]));
    assert_eq!(stage.notes, ["2 of 5 queries that were written give the same rows."]);
}

#[test]
fn of_samples_that_all_fail_the_first_is_the_answer() {
    let world = world();
    let model = Scripted::new(&["SELECT a FROM hero", "SELECT b FROM hero"]);
    let staged = answered(&world, &model, 2);
    assert!(
        matches!(&staged.answer, Err(Trouble::Database(DbError::Sql { message, .. })) if message.ends_with(": a"))
    );

    // An answer without SQL is one vote less; a server that is gone is an error.
    let empty = LlmError::Empty { thought: false };
    let model = scripted(&[Err(empty.clone()), Ok("SELECT 1"), Ok("I do not know.")]);
    let staged = answered(&world, &model, 3);
    assert_eq!(sql_of(&staged), "SELECT 1");
    assert_eq!(staged.stages[0].notes, ["2 of 3 answers had no SQL."]);
    let model = scripted(&[Ok("SELECT 1"), Err(LlmError::Silent(9))]);
    assert_eq!(answered(&world, &model, 3).answer, Err(Trouble::Model(LlmError::Silent(9))));
    let model = scripted(&[Err(empty.clone())]);
    assert_eq!(answered(&world, &model, 1).answer, Err(Trouble::Model(empty)));
}

fn text(answer: &str) -> Result<String, NoSql> {
    completed(&Completion {
        text: answer.into(),
        reasoning: String::new(),
        finish: Finish::Stop,
        usage: Some(Usage::default()),
        logprobs: Vec::new(),
        model: None,
        cached: false,
    })
}

#[test]
fn an_answer_is_cut_at_the_next_comment_and_begun_where_it_goes_on() {
    for (answer, sql) in [
        ("name FROM hero", "SELECT name FROM hero"),
        ("SELECT name FROM hero;", "SELECT name FROM hero"),
        ("select name from hero", "select name from hero"),
        ("name FROM hero\n/* Question: another */\nSELECT 2", "SELECT name FROM hero"),
        ("SELECT name FROM hero\n\n/* Question: another */\nSELECT 2", "SELECT name FROM hero"),
        (
            "name\nFROM hero WHERE id IN (\nSELECT id FROM zone)",
            "SELECT name\nFROM hero WHERE id IN (\nSELECT id FROM zone)",
        ),
        ("```sql\nSELECT /* his */ name FROM hero\n```", "SELECT /* his */ name FROM hero"),
        ("/* Sure. */ SELECT name FROM hero", "SELECT name FROM hero"),
        ("<think>a /* b */</think>name FROM hero", "SELECT name FROM hero"),
        ("WITH x AS (SELECT 1 AS a) SELECT a FROM x", "WITH x AS (SELECT 1 AS a) SELECT a FROM x"),
    ] {
        assert_eq!(text(answer).as_deref(), Ok(sql), "{answer}");
    }
    assert_eq!(text("I cannot say."), Err(NoSql::Prose));
    assert_eq!(text(" "), Err(NoSql::Empty));
}

#[test]
fn distinct_is_taken_out_but_not_of_a_comparison() {
    assert_eq!(without_distinct("SELECT a FROM t"), None);
    assert_eq!(
        without_distinct("SELECT distinct a, COUNT(DISTINCT b), 'DISTINCT' FROM t").unwrap(),
        "SELECT  a, COUNT( b), 'DISTINCT' FROM t"
    );
    assert_eq!(without_distinct("SELECT a IS DISTINCT FROM b, c IS NOT DISTINCT FROM d"), None);
}

fn result(rows: &[Vec<i64>]) -> ResultSet {
    let row = |row: &Vec<i64>| row.iter().copied().map(Value::Integer).collect();
    ResultSet { rows: rows.iter().map(row).collect(), ..ResultSet::default() }
}

#[test]
fn values_are_compared_as_python_does() {
    let of = |value: Value| ResultSet { rows: vec![vec![value]], ..ResultSet::default() };
    assert!(same_rows(&of(Value::Integer(1)), &of(Value::Real(1.0))));
    assert!(!same_rows(&of(Value::Integer(1)), &of(Value::Text("1".into()))));
    assert!(!same_rows(&of(Value::Null), &of(Value::Text("null".into()))));
    assert!(!same_rows(&result(&[vec![1, 2], vec![2, 1]]), &result(&[vec![1, 1], vec![2, 2]])));
}

proptest! {
    #[test]
    fn neither_the_order_of_rows_nor_that_of_columns_counts(
        rows in proptest::collection::vec(proptest::collection::vec(0..4_i64, 3), 0..6),
        by in 0..6_usize,
        at in 0..3_usize,
    ) {
        // Columns of different values, which are never taken for one another.
        let apart: Vec<Vec<i64>> =
            rows.iter().map(|row| row.iter().zip([0, 10, 20]).map(|(cell, more)| cell + more).collect()).collect();
        let mut turned: Vec<Vec<i64>> = apart.iter().map(|row| vec![row[2], row[0], row[1]]).collect();
        let turn = by.min(turned.len());
        turned.rotate_left(turn);
        prop_assert!(same_rows(&result(&apart), &result(&turned)));
        if let Some(cell) = turned.get_mut(by).and_then(|row| row.get_mut(at)) {
            *cell += 100;
            prop_assert!(!same_rows(&result(&apart), &result(&turned)));
        }
    }

    #[test]
    fn groups_hold_every_result_once_and_the_largest_is_first(
        kinds in proptest::collection::vec(proptest::option::of(0..3_i64), 0..9),
    ) {
        let results: Vec<Option<ResultSet>> =
            kinds.iter().map(|kind| kind.map(|kind| result(&[vec![kind]]))).collect();
        let groups = groups(&results, same_rows);
        let mut all: Vec<usize> = groups.concat();
        all.sort_unstable();
        let present: Vec<usize> = (0..kinds.len()).filter(|at| kinds[*at].is_some()).collect();
        prop_assert_eq!(all, present);
        let ordered = groups.windows(2).all(|pair| {
            pair[0].len() > pair[1].len() || pair[0].len() == pair[1].len() && pair[0][0] < pair[1][0]
        });
        prop_assert!(ordered);
        prop_assert!(groups.iter().all(|group| group.iter().all(|at| kinds[*at] == kinds[group[0]])));
    }

    #[test]
    fn any_answer_is_read_or_refused(answer in "(SELECT |FROM t|/\\*|\\*/|;|```|<think>|</think>|a|é|\n){0,14}") {
        if let Ok(sql) = text(&answer) {
            prop_assert!(!sql.trim().is_empty());
        }
    }
}
