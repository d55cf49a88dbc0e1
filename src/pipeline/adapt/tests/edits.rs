//! Edits beyond literals: conditions, outputs, directions.

use super::*;
use crate::history::builder::Builder;
use crate::history::import::{RawHistory, RawRecord};

/// The first query of a history that was read, so that it has items, adapted to a question.
fn adapted_first(question: &str, entries: &[(&str, &str)]) -> Candidate {
    let records = entries.iter().zip(1..).map(|((question, sql), line)| RawRecord {
        sql: (*sql).to_owned(),
        question: Some((*question).to_owned()),
        line,
        number: line,
        ..RawRecord::default()
    });
    let history = RawHistory { records: records.collect(), ..RawHistory::default() };
    let knowledge = Builder::new(history, schema()).whole().0;
    let queries = (0..).zip(&knowledge.entries).map(|(entry, _)| QueryHit {
        entry,
        score: 0.5,
        similarity: 0.5,
        items: Vec::new(),
    });
    let retrieved = Retrieved { queries: queries.collect(), ..Retrieved::default() };
    let (schema, limits) = (schema(), QueryLimits::default());
    let found = block_on(candidates(question, &knowledge, &schema, &retrieved, &harbour(), limits)).unwrap();
    found.into_iter().find(|candidate| candidate.entry == 0).unwrap()
}

#[test]
fn a_condition_that_the_question_does_not_name_is_dropped() {
    let named = Some("How many boats with a blue hull and white sail are longer than 10 m?");
    let sql = "SELECT COUNT(*) FROM boat WHERE hull = 'Blue' AND sail = 'White'\n  AND length_m > 10 AND state = 'A'";
    let kept = |question: &str| adapted(question, named, sql);
    assert_eq!(
        kept("How many boats with a white sail are longer than 10 m?"),
        "SELECT COUNT(*) FROM boat WHERE sail = 'White'\n  AND length_m > 10 AND state = 'A'"
    );
    assert_eq!(
        kept("How many boats have a blue hull?"),
        "SELECT COUNT(*) FROM boat WHERE hull = 'Blue' AND state = 'A'"
    );
    // What no question names is a convention and stays.
    let answer = ask("How many boats are there?", &[(named, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT COUNT(*) FROM boat WHERE state = 'A'");
    let told: Vec<_> = answer.changes.iter().map(|c| (c.before.as_str(), c.after.as_str())).collect();
    assert_eq!(
        told,
        [("hull = 'Blue' AND ", ""), ("sail = 'White'\n  AND ", ""), ("length_m > 10 AND ", "")]
    );
    assert_eq!(answer.changes[0].reason, "The question does not name Blue.");
}

#[test]
fn the_last_condition_takes_where_with_it_and_or_stays() {
    let old = Some("Which boats have a blue hull?");
    let sql = "SELECT name FROM boat WHERE hull = 'Blue' ORDER BY name";
    assert_eq!(adapted("Which boats are there?", old, sql), "SELECT name FROM boat ORDER BY name");
    let either = "SELECT name FROM boat WHERE hull = 'Blue' OR length_m > 30";
    assert_eq!(adapted("Which boats are there?", old, either), either);
    // Without a question of its own the query says not what it was asked for.
    assert_eq!(adapted("Which boats are there?", None, sql), sql);
}

#[test]
fn a_value_of_a_column_that_the_history_filters_by_becomes_a_condition() {
    let history = [
        ("Which boats are longer than 5 m?", "SELECT name FROM boat WHERE length_m > 5"),
        ("How many boats have a green hull?", "SELECT COUNT(*) FROM boat WHERE hull = 'Green'"),
    ];
    let answer = adapted_first("Which boats with a blue hull are longer than 10 m?", &history);
    assert_eq!(answer.sql, "SELECT name FROM boat WHERE length_m > 10 AND hull = 'Blue'");
    let added = answer.changes.last().unwrap();
    assert_eq!((added.before.as_str(), added.after.as_str()), ("", " AND hull = 'Blue'"));
    assert_eq!(added.reason, "The question says blue, a value of boat.hull, which the history filters by.");
    assert!(answer.unbound.is_empty());
    // A query without WHERE gets one.
    let all = [("Which boats are there?", "SELECT name FROM boat ORDER BY name"), history[1]];
    let answer = adapted_first("Which boats have a blue hull?", &all);
    assert_eq!(answer.sql, "SELECT name FROM boat WHERE hull = 'Blue' ORDER BY name");
    // A column that no query filters by gives no condition.
    let answer = adapted_first("Which boats have a white sail?", &all);
    assert!(!answer.sql.contains("White"), "{}", answer.sql);
}

#[test]
fn the_output_follows_the_question_where_the_history_shows_what_its_words_mean() {
    let old = Some("What is the hull of the Kingfisher?");
    let sql = "SELECT hull FROM boat WHERE name = 'Kingfisher'";
    let answer = ask("What is the sail of the Sea Otter?", &[(old, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT sail FROM boat WHERE name = 'Sea Otter'");
    assert_eq!(answer.changes[0].reason, "The question asks for boat.sail.");
    assert_eq!(
        adapted("What are the hull and the sail of the Sea Otter?", old, sql),
        "SELECT hull, sail FROM boat WHERE name = 'Sea Otter'"
    );
    // "Colour" is not how the schema calls the hull, so nothing is known about words here.
    let other = Some("What colour is the Kingfisher?");
    assert!(adapted("What is the sail of the Sea Otter?", other, sql).starts_with("SELECT hull"));
}

#[test]
fn counts_and_lists_take_each_others_place() {
    let count = "SELECT COUNT(*) FROM boat WHERE hull = 'Blue'";
    let list = "SELECT name FROM boat WHERE hull = 'Blue'";
    let (how_many, names) =
        (Some("How many boats have a blue hull?"), Some("List the names of boats with a blue hull."));
    assert_eq!(adapted("List the names of boats with a blue hull.", how_many, count), list);
    assert_eq!(adapted("How many boats have a blue hull?", names, list), count);
    let distinct = "SELECT DISTINCT sail FROM boat WHERE hull = 'Blue'";
    assert_eq!(
        adapted("How many sails go with a blue hull?", Some("Which sail goes with a blue hull?"), distinct),
        "SELECT COUNT(DISTINCT sail) FROM boat WHERE hull = 'Blue'"
    );
    // The number of the first three is no number of rows.
    let first = "SELECT name FROM boat ORDER BY length_m LIMIT 3";
    let old = Some("List the names of the 3 shortest boats.");
    assert_eq!(adapted("How many boats are there?", old, first), first);
}

#[test]
fn outputs_stand_in_the_order_of_the_question() {
    let old = Some("What are the name and hull of boats longer than 10 m?");
    let sql = "SELECT name, hull FROM boat WHERE length_m > 10 ORDER BY name";
    let turned = "SELECT hull, name FROM boat WHERE length_m > 15 ORDER BY name";
    assert_eq!(adapted("What are the hull and name of boats longer than 15 m?", old, sql), turned);
    // Where the query has another order than its own question, nothing is known about orders.
    let other = "SELECT hull, name FROM boat WHERE length_m > 10";
    assert_eq!(adapted("What are the name and hull of boats longer than 10 m?", old, other), other);
    let by_place = "SELECT name, hull FROM boat ORDER BY 1";
    assert_eq!(
        adapted(
            "What are the hull and name of boats?",
            Some("What are the name and hull of boats?"),
            by_place
        ),
        by_place
    );
}

#[test]
fn another_table_is_read_where_the_question_names_it() {
    let old = Some("How many boats are there?");
    let sql = "SELECT COUNT(*) FROM boat";
    let answer = ask("How many berths are there?", &[(old, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT COUNT(*) FROM berth");
    assert_eq!(answer.changes[0].reason, "The question names berth, the history's boat.");
    // Its column is in no other table, and a condition may mean something else there.
    let names = "SELECT name FROM boat";
    assert_eq!(adapted("List the names of berths.", Some("List the names of boats."), names), names);
    let blue = "SELECT COUNT(*) FROM boat WHERE state = 'A'";
    assert_eq!(adapted("How many berths are there?", old, blue), blue);
}

#[test]
fn averages_become_sums() {
    let old = Some("What is the average fare of trips?");
    let sql = "SELECT AVG(fare) FROM trip";
    assert_eq!(adapted("What is the total fare of trips?", old, sql), "SELECT SUM(fare) FROM trip");
    assert_eq!(
        adapted("What are the maximum and minimum fare of trips?", old, sql),
        "SELECT MAX(fare), MIN(fare) FROM trip"
    );
}

#[test]
fn the_other_end_turns_the_order() {
    let sql = "SELECT name FROM boat ORDER BY length_m DESC LIMIT 1";
    let old = Some("Which is the longest boat?");
    let answer = ask("Which is the shortest boat?", &[(old, sql)]).unwrap();
    assert_eq!(answer.sql, "SELECT name FROM boat ORDER BY length_m ASC LIMIT 1");
    assert_eq!(answer.changes[0].reason, "The question says shortest, the history's longest.");
    let plain = "SELECT name FROM boat ORDER BY length_m LIMIT 1";
    assert_eq!(
        adapted("Which is the longest boat?", Some("Which is the shortest boat?"), plain),
        "SELECT name FROM boat ORDER BY length_m DESC LIMIT 1"
    );
    let extreme = "SELECT name FROM boat WHERE length_m = (SELECT MAX(length_m) FROM boat)";
    assert!(adapted("Which is the shortest boat?", old, extreme).contains("MIN(length_m)"));
}

#[test]
fn comparisons_turn_with_their_words() {
    let sql = "SELECT name FROM boat WHERE length_m > 10";
    let old = Some("Which boats are longer than 10 m?");
    for (question, condition) in [
        ("Which boats are shorter than 15 m?", "< 15"),
        ("Which boats are at least 12 m long?", ">= 12"),
        ("Which boats are at most 12 m long?", "<= 12"),
        ("Which boats are 12 m or longer?", ">= 12"),
        ("Which boats are longer than 12 m?", "> 12"),
    ] {
        assert!(
            adapted(question, old, sql).ends_with(condition),
            "{question}: {}",
            adapted(question, old, sql)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn an_edited_query_runs_and_its_changes_can_be_undone(
        question in "(how many|list the|names?|hulls?|average|maximum|id|and|boats?|with|blue|green|white|longest|shortest|over|under|at least|5|12|fare|of|the|trips?| ){0,12}",
        old in "(how many|list the|names?|hulls?|average|boats?|with|blue|white|longest|shortest|over|7|fare|of|trips?| ){0,12}",
        sql in prop::sample::select(vec![
            "SELECT name FROM boat WHERE hull = 'Blue' AND sail = 'White' AND length_m > 7",
            "SELECT COUNT(DISTINCT b.hull) AS n FROM boat b JOIN trip AS t ON t.boat_id = b.id WHERE b.sail = 'White'",
            "SELECT DISTINCT hull FROM boat WHERE name LIKE '%Blue%' OR sail = 'White' -- note\n ORDER BY hull DESC",
            "SELECT b.name, AVG(t.fare) FROM boat b, trip t WHERE b.id = t.boat_id AND b.hull = 'Blue' GROUP BY b.name HAVING COUNT(*) > 7;",
            "SELECT MAX(fare) FROM trip WHERE fare BETWEEN 7 AND 12 AND day > '2018-01-01'",
            "SELECT name FROM boat WHERE CASE WHEN hull = 'Blue' AND sail = 'White' THEN 1 END = 1 AND length_m < 7 LIMIT 5",
        ]),
    ) {
        let rest = [("which hulls", "SELECT name FROM boat WHERE hull = 'Green'"), ("sails", "SELECT name FROM boat WHERE sail = 'Red'"), ("long", "SELECT name FROM boat WHERE length_m > 3")];
        let entries: Vec<_> = std::iter::once((old.as_str(), sql)).chain(rest).collect();
        let entries: Vec<_> = entries.iter().map(|(question, sql)| (Some(*question), *sql)).collect();
        let (mut knowledge, retrieved) = history(&entries);
        for (item, column) in ["hull", "sail", "length_m"].into_iter().enumerate() {
            knowledge.items.push(crate::history::Item {
                kind: ComponentType::Condition,
                skeleton: item.to_string(),
                title: String::new(),
                description: String::new(),
                occurrences: Vec::new(),
                tables: vec!["boat".to_owned()],
                columns: vec![("boat".to_owned(), column.to_owned())],
                edit: crate::history::Edit::default(),
            });
        }
        let db = harbour();
        let found = block_on(candidates(&question, &knowledge, &schema(), &retrieved, &db, QueryLimits::default())).unwrap();
        for candidate in found {
            let run = db.execute(&candidate.sql, QueryLimits::default());
            prop_assert!(run.is_ok(), "{} became {}: {:?}", sql, candidate.sql, run);
            let mut undone = candidate.sql.clone();
            for change in candidate.changes.iter().rev() {
                prop_assert_eq!(candidate.sql.get(change.start..change.end), Some(change.after.as_str()));
                undone.replace_range(change.start..change.end, &change.before);
            }
            prop_assert_eq!(&undone, &knowledge.entries[candidate.entry as usize].sql);
            let confidence = candidate.signs.confidence();
            prop_assert!((0.0..=1.0).contains(&confidence));
        }
    }
}
