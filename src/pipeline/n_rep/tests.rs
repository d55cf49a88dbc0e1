use super::choice::{better, is_close, rows};
use super::linking::{columns, filtered};
use super::*;
use crate::db::{ResultColumn, ResultSet, Value};
use crate::llm::LlmError;
use crate::llm::ask_tests::Scripted;
use crate::llm::extract::NoSql;
use crate::pipeline::direct::{Settings, Shot};
use crate::pipeline::staged::Staged;
use crate::pipeline::staged::reduced::{Columns, reduced};
use crate::pipeline::tests_common::{World, scripted, talked};
use crate::ports::blocking::block_on;

const SCRIPT: &str = "CREATE TABLE hero(id INTEGER PRIMARY KEY, hero_name TEXT, height_cm INT, colour_id INT REFERENCES colour(id));
    CREATE TABLE colour(id INTEGER PRIMARY KEY, colour TEXT);
    CREATE TABLE log(line TEXT);
    INSERT INTO colour VALUES (1, 'Blue'), (2, 'Red');
    INSERT INTO hero VALUES (1, 'A', 180, 1), (2, 'B', 190, 2), (3, 'C', 200, 1);";

const BLUE: &str =
    "SELECT COUNT(*) FROM hero AS h JOIN colour AS c ON h.colour_id = c.id WHERE c.colour = 'Blue'";
const LINK: &str = "{\"hero\": [\"id\"], \"colour\": [\"colour\"]}";

fn world() -> World {
    World::new(SCRIPT, &[("How many heroes are blue?", BLUE)])
}

fn ask(world: &World, model: &Scripted) -> Staged {
    let shots = [Shot::Query { entry: 0 }];
    let inputs = world.inputs("How many heroes are red?", &shots);
    let settings = Settings { model: "m".into(), ..Settings::default() };
    let (own, limits) = (NRepSettings::default(), QueryLimits::default());
    block_on(talked(model, &settings, async |talk| n_rep(&inputs, &own, talk, &world.db, limits).await))
}

fn stages(staged: &Staged) -> Vec<(&str, usize)> {
    staged.stages.iter().map(|stage| (stage.name.as_str(), stage.exchanges.len())).collect()
}

#[test]
fn the_released_candidates_are_asked_in_their_order() {
    let world = world();
    let red = BLUE.replace("Blue", "Red");
    let answers = [LINK, LINK, LINK, &red, &red, &red, BLUE, &red];
    let model = Scripted::new(&answers);
    let staged = ask(&world, &model);
    // Four have the same rows: nothing is judged.
    assert_eq!(stages(&staged), [("linking", 3), ("candidates", 5), ("vote", 0)]);
    assert_eq!(staged.answer.as_ref().unwrap().sql, red);
    let from: Vec<&str> = staged.stages[1].candidates.iter().map(|c| c.from.as_str()).collect();
    assert_eq!(
        from,
        [
            "create-table, columns",
            "m-schema, columns",
            "m-schema, tables",
            "mac-schema, whole",
            "mac-schema, columns"
        ]
    );
    let votes: Vec<u32> = staged.stages[2].candidates.iter().map(|c| c.votes).collect();
    assert_eq!(votes, [4, 1, 4]);
    let asked = model.asked.borrow();
    assert!(asked.iter().all(|request| request.temperature == 0.0));
    let user = |at: usize| asked[at].messages[1].content.clone();
    // Only what was chosen, and the keys of the join.
    assert!(user(3).contains("CREATE TABLE hero") && user(3).contains("colour_id INT REFERENCES colour(id)"));
    assert!(!user(3).contains("height_cm") && !user(3).contains("log"));
    assert!(user(4).contains("# Table: hero, 3 rows\n[\n(id:INTEGER, Primary Key"), "{}", user(4));
    assert!(
        user(4).contains("【Foreign keys】\nhero.colour_id=colour.id\n") && !user(4).contains("height_cm")
    );
    assert!(user(5).contains("height_cm") && !user(5).contains("# Table: log"));
    assert!(user(6).contains("# Table: log") && user(6).contains("  (hero_name"));
    assert!(!user(7).contains("height_cm"));
    for at in 3..8 {
        assert!(user(at).contains("How many heroes are blue?"), "{at}");
    }
}

#[test]
fn a_close_vote_is_judged_over_ordered_pairs() {
    let world = world();
    let (one, two) = ("SELECT 1", "SELECT 2");
    let mut answers = vec![LINK, LINK, LINK, one, two, two, one, one];
    // A before B, then B before A: the second wins both.
    answers.extend(["{\"better\": \"B\"}", "{\"better\": \"A\"}"]);
    let model = Scripted::new(&answers);
    let staged = ask(&world, &model);
    assert_eq!(stages(&staged)[3], ("judge", 2));
    assert_eq!(staged.answer.as_ref().unwrap().sql, two);
    let asked = model.asked.borrow();
    let text = &asked[8].messages[1].content;
    assert!(
        text.contains("## Query A\nSELECT 1\n## Result of A\n1\n1\n(1 rows in all)\n## Query B"),
        "{text}"
    );
    // A model that cannot decide leaves it to the votes.
    let mut answers = vec![LINK, LINK, LINK, one, two, two, one, one];
    answers.extend(["I like both.", "Hard to say."]);
    let staged = ask(&world, &Scripted::new(&answers));
    assert_eq!(staged.answer.as_ref().unwrap().sql, one);
    assert!(staged.stages[3].notes[0].contains("chose none"), "{:?}", staged.stages[3].notes);
}

#[test]
fn the_judge_is_asked_where_votes_are_close() {
    for close in [&[1, 1][..], &[1; 5], &[2, 2, 1], &[2, 2], &[3, 2]] {
        assert!(is_close(close), "{close:?}");
    }
    for clear in [&[][..], &[1], &[5], &[4, 1], &[3, 1, 1], &[3, 1], &[2, 1, 1, 1], &[2, 1]] {
        assert!(!is_close(clear), "{clear:?}");
    }
}

#[test]
fn a_model_that_only_talks_leaves_no_candidate_but_every_note() {
    let world = world();
    let talk = "I think the heroes are interesting.";
    let model = Scripted::new(&[talk; 30]);
    let staged = ask(&world, &model);
    assert_eq!(staged.answer, Err(Trouble::NoSql(NoSql::Prose)));
    // Two tries for each link and each candidate.
    assert_eq!(stages(&staged), [("linking", 6), ("candidates", 10), ("vote", 0)]);
    assert!(staged.stages[0].notes.iter().any(|note| note.contains("whole schema")));
    // The links alone may fail.
    let red = BLUE.replace("Blue", "Red");
    let mut answers = vec![talk; 6];
    answers.extend([red.as_str(); 5]);
    let model = Scripted::new(&answers);
    assert!(ask(&world, &model).answer.is_ok());
    assert!(model.asked.borrow()[6].messages[1].content.contains("CREATE TABLE log"));
}

#[test]
fn a_candidate_that_fails_is_mended_once() {
    let world = world();
    let mut answers = vec![LINK, LINK, LINK, "SELECT nam FROM hero", "SELECT 1", "SELECT x", "SELECT y"];
    answers.extend(["SELECT 1"; 3]);
    let model = Scripted::new(&answers);
    let staged = ask(&world, &model);
    assert_eq!(staged.answer.as_ref().unwrap().sql, "SELECT 1");
    let candidates = &staged.stages[1].candidates;
    assert_eq!(candidates[1].from, "create-table, columns, mended");
    assert_eq!(candidates.iter().filter(|c| matches!(c.result, Some(Ok(_)))).count(), 4);
    let asked = model.asked.borrow();
    assert!(asked[4].messages[3].content.contains("no such column: nam"), "{:?}", asked[4].messages);
}

#[test]
fn a_stop_and_a_lost_server_end_it() {
    let world = world();
    let refused = LlmError::Unauthorised(String::new());
    let staged = ask(&world, &scripted(&[Ok(LINK), Err(refused.clone())]));
    assert_eq!(staged.answer, Err(Trouble::Model(refused)));
    let cancel = crate::llm::Cancel::default();
    cancel.cancel();
    let (model, settings) = (Scripted::new(&[LINK]), Settings::default());
    let talk = Talk::new(&model, &settings, &cancel, &|_| {});
    let inputs = world.inputs("How many?", &[]);
    let own = NRepSettings::default();
    let asked = n_rep(&inputs, &own, &talk, &world.db, QueryLimits::default());
    assert_eq!(block_on(asked), Err(Trouble::Model(LlmError::Cancelled)));
    assert!(model.asked.borrow().is_empty());
}

#[test]
fn links_are_checked_against_the_schema() {
    let world = world();
    let schema = &world.overview.schema;
    let found = |text: &str| {
        let found = columns(&serde_json::from_str(text).unwrap(), schema)?;
        Ok::<_, String>(found.iter().map(|(t, c)| format!("{t}.{c}")).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(found("{\"HERO\": [\"Hero_Name\", \"nothing\"]}").unwrap(), "hero.hero_name");
    assert_eq!(found("{\"colour\": []}").unwrap(), "colour.colour colour.id");
    assert_eq!(found("{\"tables\": {\"log\": \"line\"}}").unwrap(), "log.line");
    assert_eq!(found("{\"columns\": [\"hero.id\", \"colour.colour\"]}").unwrap(), "colour.colour hero.id");
    assert!(found("{\"villain\": [\"id\"]}").is_err() && found("{}").is_err());

    let inputs = world.inputs("?", &[]);
    let pair = |t: &str, c: &str| (t.to_owned(), c.to_owned());
    let linked: Columns = [pair("hero", "height_cm"), pair("colour", "colour")].into();
    let names = |filter| {
        let part = filtered(&inputs, filter, Some(&linked));
        let of = |t: &crate::sql::Table| {
            t.columns.iter().map(|c| format!("{}.{}", t.name, c.name)).collect::<Vec<_>>()
        };
        (part.schema.tables.iter().flat_map(of).collect::<Vec<_>>().join(" "), part.tables.len())
    };
    assert_eq!(names(Filter::None).1, 3);
    assert_eq!(names(Filter::Tables).1, 2);
    // The columns, both primary keys and the key between the tables.
    assert_eq!(names(Filter::Columns).0, "hero.id hero.height_cm hero.colour_id colour.id colour.colour");
    let part = reduced(schema, inputs.tables, |table, _| table.name == "hero");
    assert!(part.schema.tables[0].foreign_keys.is_empty());
}

#[test]
fn a_decision_is_read_however_it_is_said() {
    for (said, want) in [
        ("{\"better\": \"A\"}", Some(true)),
        ("```json\n{\"better\": \"b\"}\n```", Some(false)),
        ("B", Some(false)),
        ("**A**.", Some(true)),
        ("Query B is better, for it joins.", Some(false)),
        ("<think>Query B is wrong</think>The answer is A", Some(true)),
        ("Query A counts, query B sums.", None),
        ("A good question.", None),
        ("", None),
        ("{\"better\": \"both\"}", None),
    ] {
        assert_eq!(better(said), want, "{said}");
    }
}

#[test]
fn the_judge_reads_the_first_rows_only() {
    let row = |n: i64| vec![Value::Integer(n), Value::Text("é".repeat(900))];
    let name = |name: &str| ResultColumn { name: name.into() };
    let result = ResultSet {
        columns: vec![name("a"), name("b")],
        rows: (0..30).map(row).collect(),
        more: true,
        elapsed_ms: 0.0,
    };
    let text = rows(&result, 10, 5_000);
    assert!(text.chars().count() <= 5_000 && text.ends_with("…\n(more than 30 rows in all)"), "{text}");
    let text = rows(&result, 2, 5_000);
    assert_eq!(text.lines().count(), 4);
    assert!(text.starts_with("a | b\n0 | é"));
}

proptest::proptest! {
    #[test]
    fn any_decision_is_read_or_not(said in "(A|B|better|is|\\{|\\}|\"|:|query| |é|\\PC){0,20}") {
        better(&said);
    }
}
