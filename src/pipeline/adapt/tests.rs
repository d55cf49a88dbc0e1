#![allow(clippy::unwrap_used, clippy::expect_used)]

mod dates;
mod edits;
mod kinds;

use proptest::prelude::*;

use super::*;
use crate::db::{Database, Host, Value};
use crate::history::Entry;
use crate::ports::blocking::block_on;
use crate::retrieval::QueryHit;
use crate::sql::{Column, Table};

/// Boats of a small harbour, as a real SQLite file.
fn harbour() -> Database {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("harbour.sqlite");
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(
        "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, hull TEXT, sail TEXT, length_m REAL, state TEXT);
         INSERT INTO boat VALUES
           (1, 'Sea Otter', 'Blue', 'White', 12, 'A'), (2, 'Kingfisher II', 'Green', 'Red', 20, 'A'),
           (3, 'O''Malley', 'Blue', 'Red', 8, 'X'), (4, 'Kingfisher', 'Dark Red', 'White', 31, 'A');
         CREATE TABLE berth (code TEXT, label TEXT, depth_m REAL);
         INSERT INTO berth VALUES ('NQ', 'North Quay', 4), ('SQ', 'South Quay', 6);
         CREATE TABLE trip (boat_id INTEGER, day TEXT, fare REAL);
         INSERT INTO trip VALUES (1, '2018-05-01', 10), (1, '2019-05-01', 12), (2, '2020-02-01', 30),
           (2, '2021-02-01', 31), (4, '2020-07-01', 5);",
    )
    .unwrap();
    drop(file);
    Database::from_path(&path, Host::default()).unwrap()
}

fn schema() -> Schema {
    let table = |name: &str, columns: &[(&str, &str)]| Table {
        name: name.to_owned(),
        columns: columns
            .iter()
            .map(|(name, kind)| Column {
                name: (*name).to_owned(),
                declared_type: (*kind).to_owned(),
                ..Column::default()
            })
            .collect(),
        ..Table::default()
    };
    let boat = [
        ("id", "INTEGER"),
        ("name", "TEXT"),
        ("hull", "TEXT"),
        ("sail", "TEXT"),
        ("length_m", "REAL"),
        ("state", "TEXT"),
    ];
    let trip = [("boat_id", "INTEGER"), ("day", "TEXT"), ("fare", "REAL")];
    let berth = [("code", "TEXT"), ("label", "TEXT"), ("depth_m", "REAL")];
    Schema { tables: vec![table("boat", &boat), table("trip", &trip), table("berth", &berth)] }
}

fn history(entries: &[(Option<&str>, &str)]) -> (KnowledgeBase, Retrieved) {
    let mut knowledge = KnowledgeBase::default();
    let mut retrieved = Retrieved::default();
    for (id, (question, sql)) in (0..).zip(entries) {
        let question = question.map(str::to_owned);
        knowledge.entries.push(Entry { id, sql: (*sql).to_owned(), question, ..Entry::default() });
        knowledge.summaries.push(String::new());
        knowledge.entry_items.push(Vec::new());
        retrieved.queries.push(QueryHit { entry: id, score: 0.5, similarity: 0.5, items: Vec::new() });
    }
    (knowledge, retrieved)
}

fn ask(question: &str, entries: &[(Option<&str>, &str)]) -> Result<Answer, AdaptError> {
    let (knowledge, retrieved) = history(entries);
    block_on(adapt(question, &knowledge, &schema(), &retrieved, &harbour(), QueryLimits::default()))
}

/// What the one historical query becomes.
fn adapted(question: &str, old: Option<&str>, sql: &str) -> String {
    ask(question, &[(old, sql)]).unwrap().sql
}

#[test]
fn a_value_of_the_column_that_the_question_names_takes_the_place() {
    let old = "How many boats have a blue hull?";
    let sql = "SELECT COUNT(*) FROM boat WHERE hull = 'Blue' AND state = 'A'";
    let answer = ask("How many boats have a green hull?", &[(Some(old), sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT COUNT(*) FROM boat WHERE hull = 'Green' AND state = 'A'");
    let change = &answer.changes[0];
    assert_eq!(&answer.sql[change.start..change.end], "'Green'");
    assert_eq!((change.before.as_str(), change.after.as_str()), ("'Blue'", "'Green'"));
    assert_eq!(change.reason, "The question says green; boat.hull holds 'Green'.");
    assert!(answer.unbound.is_empty());
    assert_eq!(answer.result.rows, [[Value::Integer(1)]]);
    // A value that is named already stays, and longer values win over their parts.
    assert!(ask("How many boats have a blue hull?", &[(Some(old), sql)]).unwrap().changes.is_empty());
    assert!(adapted("how many have dark red hulls", Some(old), sql).contains("'Dark Red'"));
}

#[test]
fn names_with_apostrophes_and_longer_names_are_bound_whole() {
    let sql = "SELECT length_m FROM boat WHERE name = 'Sea Otter'";
    let old = Some("How long is the Sea Otter?");
    assert!(adapted("How long is Kingfisher II?", old, sql).ends_with("'Kingfisher II'"));
    assert!(adapted("How long is O'Malley?", old, sql).ends_with("'O''Malley'"));
}

#[test]
fn two_values_go_where_their_surroundings_say() {
    let sql = "SELECT name FROM boat WHERE hull = 'Blue' OR hull = 'Green'";
    let old = Some("Which boats have a blue hull on weekdays or a green hull on sundays?");
    let new = "Which boats have a dark red hull on sundays or a green hull on weekdays?";
    // Green is named, so it stays; the other one takes what is left.
    assert!(adapted(new, old, sql).contains("hull = 'Dark Red' OR hull = 'Green'"));
}

#[test]
fn numbers_follow_their_comparison() {
    let sql = "SELECT name FROM boat WHERE length_m > 10 AND id < 100 LIMIT 3";
    let old = Some("Name 3 boats longer than 10 m.");
    let answer = ask("Name 2 boats longer than 15 m.", &[(old, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT name FROM boat WHERE length_m > 15 AND id < 100 LIMIT 2");
    // 100 is no number of the old question, so it is a convention and stays.
    let before: Vec<&str> = answer.changes.iter().map(|change| change.before.as_str()).collect();
    assert_eq!(before, ["10", "3"]);
}

#[test]
fn top_five_becomes_a_limit() {
    let sql = "SELECT name FROM boat ORDER BY length_m DESC LIMIT 1";
    let old = Some("Which is the longest boat?");
    assert!(adapted("Which are the 3 longest boats?", old, sql).ends_with("LIMIT 3"));
    assert!(adapted("top two boats by length", old, sql).ends_with("LIMIT 2"));
    assert!(adapted("Which is the longest boat?", old, sql).ends_with("LIMIT 1"));
}

#[test]
fn a_fiscal_year_moves_as_a_whole() {
    let sql = "SELECT SUM(fare) FROM trip WHERE day BETWEEN '2018-04-01' AND '2019-03-31'";
    let old = Some("What did we earn in fiscal year 2018?");
    let moved = "SELECT SUM(fare) FROM trip WHERE day BETWEEN '2020-04-01' AND '2021-03-31'";
    assert_eq!(adapted("What did we earn in fiscal year 2020?", old, sql), moved);
    assert_eq!(adapted("What did we earn in fiscal year 2020?", None, sql), moved);
}

#[test]
fn patterns_keep_their_wildcards() {
    let sql = "SELECT id FROM boat WHERE name LIKE 'Sea%'";
    let old = Some("Which boats have a name that begins with Sea?");
    assert!(
        adapted("Which boats have a name that begins with Kingfisher?", old, sql)
            .ends_with("LIKE 'Kingfisher%'")
    );
}

#[test]
fn a_pattern_takes_what_stands_in_its_place() {
    let sql = "SELECT id FROM boat WHERE name LIKE '%ing%'";
    let old = Some("Which boats have a name that contains \"ing\"?");
    let answer = ask("Which boats have a name that contains \"tte\"?", &[(old, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT id FROM boat WHERE name LIKE '%tte%'");
    assert_eq!(answer.changes[0].reason, "The question says tte, the history's ing.");
    let bare = Some("Which boats have a name that contains ing?");
    assert!(adapted("Which boats have a name that contains tte?", bare, sql).ends_with("'%tte%'"));
    // Nothing stands there: the condition goes.
    assert_eq!(adapted("Which boats are there?", bare, sql), "SELECT id FROM boat");
}

#[test]
fn what_no_query_can_use_is_said() {
    let sql = "SELECT COUNT(*) FROM boat WHERE hull = 'Blue'";
    let answer =
        ask("How many blue hulls are longer than 10 m?", &[(Some("How many blue hulls?"), sql)]).unwrap();
    assert_eq!(answer.unbound, ["10"]);
    // A candidate that uses everything is preferred to an equally similar one that does not.
    let longer = "SELECT COUNT(*) FROM boat WHERE hull = 'Green' AND length_m > 5";
    let both =
        [(Some("How many blue hulls?"), sql), (Some("How many green hulls are longer than 5 m?"), longer)];
    let answer = ask("How many blue hulls are longer than 10 m?", &both).unwrap();
    assert_eq!((answer.entry, answer.unbound.len()), (1, 0));
    assert_eq!(answer.sql, "SELECT COUNT(*) FROM boat WHERE hull = 'Blue' AND length_m > 10");
}

#[test]
fn failing_and_empty_candidates_are_kept_with_the_reason() {
    let question = "Which boats have a blue hull?";
    let broken = (Some(question), "SELECT nothing FROM boat WHERE hull = 'Blue'");
    let empty = (Some(question), "SELECT name FROM boat WHERE hull = 'Blue' AND length_m > 900");
    let works = (
        Some("Give the names of everything that floats and has a green hull"),
        "SELECT name FROM boat WHERE hull = 'Green'",
    );
    let answer = ask(question, &[broken, empty, works]).unwrap();
    assert_eq!(answer.entry, 2, "{answer:?}");
    assert!(matches!(answer.refused[0], (0, Refusal::Error(DbError::Sql { .. }))));
    assert_eq!(answer.refused[1], (1, Refusal::Empty));
    let error = ask(question, &[broken, broken]).unwrap_err();
    assert!(matches!(error, AdaptError::NoneAnswers { refused } if refused.len() == 2));
    assert_eq!(ask(question, &[]).unwrap_err(), AdaptError::NothingRelevant);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_question_is_survived_and_changes_can_be_undone(
        question in prop_oneof![
            "\\PC{0,60}",
            "(blue|green|Sea Otter|2019|2020-02|May 2021|top|5|over 12|Kingfisher|'Red'|,|蓝| ){0,9}",
        ],
        with_question in any::<bool>(),
    ) {
        let sql = "SELECT /* é */ name FROM boat WHERE (hull = 'Blue' OR sail IN ('Red', 'White')) AND length_m > 7.5 \
                   AND name LIKE '%Otter%' AND id IN (SELECT boat_id FROM trip WHERE day >= '2018-04-01' AND day < '2019-04-01') LIMIT 9";
        let old = "9 boats over 7.5 m named Otter with blue hulls or red or white sails in 2018";
        let (knowledge, retrieved) = history(&[(with_question.then_some(old), sql)]);
        let slots = slots::slots(sql, &schema());
        prop_assert_eq!(slots.len(), 8);
        let columns = ["hull", "sail", "name"].map(|name| ("boat".to_owned(), name.to_owned()));
        let values = block_on(ColumnValues::read(&columns, &question, &harbour(), 1000)).unwrap();
        let asked = Question::new(&question, &values, &Labels::default());
        let binding = bind(&slots, with_question.then_some(old), &asked);
        let (text, changes) = replace::apply(sql, binding.changes);
        let mut undone = text.clone();
        for change in changes.iter().rev() {
            prop_assert_eq!(text.get(change.start..change.end), Some(change.after.as_str()));
            undone.replace_range(change.start..change.end, &change.before);
        }
        prop_assert_eq!(undone.as_str(), sql);
        let _ = block_on(adapt(&question, &knowledge, &schema(), &retrieved, &harbour(), QueryLimits::default()));
    }
}

#[test]
fn a_label_in_the_question_stands_for_its_code() {
    let sql = "SELECT depth_m FROM berth WHERE code = 'NQ'";
    let answer = ask("How deep is the South Quay?", &[(Some("How deep is the North Quay?"), sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT depth_m FROM berth WHERE code = 'SQ'");
    assert_eq!(answer.changes[0].reason, "The question says South Quay; berth.code holds 'SQ'.");
    assert!(answer.unbound.is_empty());
    // The label of the code that is there already changes nothing.
    assert!(ask("How deep is the North Quay?", &[(None, sql)]).unwrap().changes.is_empty());
}
