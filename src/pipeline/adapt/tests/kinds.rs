//! Answers of another kind than the question asks for, empty ones, and ranges of numbers.

use super::*;

#[test]
fn an_empty_answer_stands_where_no_near_one_has_rows() {
    let revenue = (
        Some("Monthly revenue in 2020"),
        "SELECT strftime('%m', day), SUM(fare) FROM trip WHERE strftime('%Y', day) = '2020' GROUP BY 1",
    );
    let other = (
        Some("Which berth has the label North Quay?"),
        "SELECT depth_m FROM berth WHERE label = 'North Quay'",
    );
    let answer = ask("Monthly revenue in 2012", &[other, revenue]).unwrap();
    assert_eq!((answer.entry, answer.result.rows.len()), (1, 0), "{answer:?}");
    assert!(answer.is_near() && answer.sql.contains("= '2012'"));
    // Where one has rows that is near enough too, it is the answer, as before.
    let near =
        (Some("Monthly revenue in 2019"), "SELECT strftime('%m', day), SUM(fare) FROM trip GROUP BY 1");
    let answer = ask("Monthly revenue in 2012", &[revenue, near]).unwrap();
    assert!(answer.entry == 1 && answer.is_near() || answer.entry == 0, "{answer:?}");
    assert_eq!(ask("Monthly revenue in 2012", &[revenue]).unwrap().result.rows.len(), 0);
}

#[test]
fn a_share_and_a_count_do_not_stand_for_each_other() {
    let share = (
        Some("How many percent of boats with a blue hull are longer than 10 m?"),
        "SELECT 100.0 * SUM(length_m > 10) / COUNT(*) FROM boat WHERE hull = 'Blue'",
    );
    let count = (
        Some("Say how many boats have a blue hull, please"),
        "SELECT COUNT(*) FROM boat WHERE hull = 'Blue'",
    );
    for question in [
        "How many boats with a blue hull are longer than 10 m?",
        "Boats with a blue hull longer than 10 m",
        "Number of boats with a blue hull longer than 10 m",
    ] {
        let answer = ask(question, &[share]).unwrap();
        assert!(!answer.is_likely(), "{question} {}", answer.confidence);
    }
    assert_eq!(ask("How many boats have a blue hull?", &[share, count]).unwrap().entry, 1);
    let answer = ask("What percentage of boats has a blue hull?", &[count]).unwrap();
    assert!(!answer.is_likely(), "{}", answer.confidence);
    assert!(
        ask("How many percent of boats with a green hull are longer than 15 m?", &[share])
            .unwrap()
            .is_likely()
    );
}

#[test]
fn a_name_of_the_schema_takes_no_place_of_a_convention() {
    let sql = "SELECT depth_m FROM berth WHERE code = 'NQ' AND label = 'North Quay'";
    // 'Label' is no value here, but 'Sail' is the name of a column and could be one.
    let words = SchemaWords::of(&schema());
    let values = ColumnValues::default();
    let question = "Which sails has Sail One?";
    let asked = Question::new(question, &values, &Labels::default()).with_names(&words);
    assert_eq!(asked.names.iter().map(|range| &question[range.clone()]).collect::<Vec<_>>(), ["sails"]);
    assert_eq!(adapted("How deep is the berth?", Some("How deep is the place?"), sql), sql);
}

#[test]
fn what_a_query_calls_its_output_may_set_it_apart() {
    let words = SchemaWords::of(&schema());
    let sql = "SELECT SUM(fare) / 100.0 AS crowns, COUNT(*) AS staff_trips FROM trip";
    for (question, apart) in [
        ("How many paid trips are there?", true),
        ("How many staff trips are there?", false),
        ("How many trips of the staff?", false),
        ("How many trips are there?", false),
        ("Trips of 2020", false),
    ] {
        assert_eq!(words.sets_apart(question, sql), apart, "{question}");
    }
    assert!(!words.sets_apart("How many paid trips?", "SELECT COUNT(*) AS total_trips FROM trip"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_range_of_numbers_never_ends_before_it_begins(
        question in "(between|and|over|at least|under|180|5|12|7|20|boats|long|m| ){0,12}",
        form in prop::sample::select(vec![
            "length_m BETWEEN 7 AND 20", "length_m >= 7 AND length_m < 20", "length_m < 20 AND length_m > 7",
        ]),
        with_question in any::<bool>(),
    ) {
        let sql = format!("SELECT name FROM boat WHERE {form} AND state = 'A'");
        let (knowledge, retrieved) = history(&[(with_question.then_some("Boats between 7 and 20 m"), &sql)]);
        let found = block_on(candidates(&question, &knowledge, &schema(), &retrieved, &harbour(), QueryLimits::default())).unwrap();
        let slots = slots::slots(&found[0].sql, &schema());
        for (low, high) in slots::ranges(&slots) {
            let number = |at: usize| slots[at].value.parse::<f64>().unwrap();
            prop_assert!(number(low) <= number(high), "{} {}", question, found[0].sql);
        }
    }
}

#[test]
fn joined_numbers_are_sorted_and_others_are_left() {
    let (sql, old) =
        ("SELECT name FROM boat WHERE length_m BETWEEN 7 AND 20", Some("Boats between 7 and 20 m"));
    let bound = |question: &str| {
        let (knowledge, retrieved) = history(&[(old, sql)]);
        let (schema, limits) = (schema(), QueryLimits::default());
        let found =
            block_on(candidates(question, &knowledge, &schema, &retrieved, &harbour(), limits)).unwrap();
        (found[0].sql.clone(), found[0].unbound.clone(), found[0].signs)
    };
    assert!(bound("Boats between 30 and 10 m").0.ends_with("BETWEEN 10 AND 30"));
    assert!(bound("Boats between 10 and 30 m").0.ends_with("BETWEEN 10 AND 30"));
    let (sql, unbound, signs) = bound("Boats over 180 m, of which harbours have at least 5");
    assert!(!sql.contains("180") && !sql.contains(" 5"), "{sql}");
    assert_eq!(unbound, ["180", "5"]);
    assert!(signs.confidence() < LIKELY);
}
