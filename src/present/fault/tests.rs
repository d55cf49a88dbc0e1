#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::db::engine::service::tests::image;
use crate::db::{Database, Host, QueryLimits};
use crate::sql::{Column, Table};

const TABLES: &str = "CREATE TABLE vessels(vessel_id, name, seats, \"home port\");
    CREATE TABLE sailings(sailing_id, vessel_id, op_day, state)";

fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(|c| Column { name: (*c).into(), ..Column::default() }).collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("vessels", &["vessel_id", "name", "seats", "home port"]),
            table("sailings", &["sailing_id", "vessel_id", "op_day", "state"]),
        ],
    }
}

/// What SQLite itself says of the query.
fn of(sql: &str) -> Fault {
    let db = Database::from_bytes(image(TABLES), Host::default()).unwrap();
    let error = db.execute(sql, QueryLimits::default()).unwrap_err();
    fault(sql, &error, &schema())
}

/// The marked text, its line and column, and the SQL with the first fix.
fn told(sql: &str) -> (String, usize, usize, Option<String>) {
    let fault = of(sql);
    let place = fault.place.clone().unwrap_or_else(|| panic!("no place: {fault:?}"));
    let mended = fault.fixes.first().and_then(|fix| fault.mended(fix)).map(|(sql, _)| sql);
    (sql[place.range].to_owned(), place.line, place.column, mended)
}

#[test]
fn an_unknown_column_is_marked_and_its_nearest_offered() {
    let (marked, line, column, mended) = told("SELECT v.nme\nFROM vessels AS v");
    assert_eq!((marked.as_str(), line, column), ("nme", 1, 10));
    assert_eq!(mended.as_deref(), Some("SELECT v.name\nFROM vessels AS v"));
    let (marked, line, column, mended) = told("SELECT name\nFROM vessels\nWHERE seets > 3");
    assert_eq!((marked.as_str(), line, column), ("seets", 3, 7));
    assert_eq!(mended.as_deref(), Some("SELECT name\nFROM vessels\nWHERE seats > 3"));
    // A name that needs quotes gets them.
    let (_, _, _, mended) = told("SELECT home_port FROM vessels");
    assert_eq!(mended.as_deref(), Some("SELECT \"home port\" FROM vessels"));
}

#[test]
fn a_column_of_another_table_is_named_and_not_put_in() {
    let fault = of("SELECT state FROM vessels");
    assert_eq!(fault.fixes, []);
    assert_eq!(fault.note, "The table sailings has a column of this name.");
    assert_eq!(fault.sentence(), "Line 1, column 8: no such column: state.");
}

#[test]
fn an_alias_that_is_not_there_is_mended() {
    let (_, _, _, mended) = told("SELECT vess.name FROM vessels");
    assert_eq!(mended.as_deref(), Some("SELECT vessels.name FROM vessels"));
}

#[test]
fn an_unknown_table_is_marked_where_it_is_named_as_a_table() {
    let (marked, line, column, mended) = told("SELECT 'vesels' AS vesels\nFROM vesels");
    assert_eq!((marked.as_str(), line, column), ("vesels", 2, 6));
    assert_eq!(mended.as_deref(), Some("SELECT 'vesels' AS vesels\nFROM vessels"));
}

#[test]
fn an_ambiguous_column_can_be_of_either_table() {
    let sql = "SELECT vessel_id FROM vessels v JOIN sailings ON v.vessel_id = sailings.vessel_id";
    let fault = of(sql);
    let texts: Vec<&str> = fault.fixes.iter().map(|fix| fix.text.as_str()).collect();
    assert_eq!(texts, ["v.vessel_id", "sailings.vessel_id"]);
    assert_eq!(fault.place.map(|place| place.column), Some(8));
}

#[test]
fn a_mistyped_word_is_mended_also_where_sqlite_stumbles_later() {
    let (marked, _, _, mended) = told("SELECT name FORM vessels");
    assert_eq!(marked, "vessels");
    assert_eq!(mended.as_deref(), Some("SELECT name FROM vessels"));
    let (marked, line, _, mended) = told("SELECT name\nFROM vessels\nGRUOP BY name");
    assert_eq!((marked.as_str(), line), ("BY", 3));
    assert_eq!(mended.as_deref(), Some("SELECT name\nFROM vessels\nGROUP BY name"));
    let (marked, _, column, mended) = told("SELCT name FROM vessels");
    assert_eq!((marked.as_str(), column), ("SELCT", 1));
    assert_eq!(mended.as_deref(), Some("SELECT name FROM vessels"));
}

#[test]
fn functions_and_strings_in_double_quotes_are_mended() {
    let (marked, _, _, mended) = told("SELECT lenght(name) FROM vessels");
    assert_eq!(marked, "lenght");
    assert_eq!(mended.as_deref(), Some("SELECT LENGTH(name) FROM vessels"));
    for (text, string) in [("Vesterhav", "'Vesterhav'"), ("St. Mary's", "'St. Mary''s'")] {
        let sql = format!("SELECT name FROM vessels WHERE name = \"{text}\"");
        let message =
            format!("no such column: \"{text}\" - should this be a string literal in single-quotes?");
        let fault = fault(&sql, &DbError::Sql { message, offset: Some(38) }, &schema());
        assert_eq!(fault.fixes.first().map(|fix| fix.text.as_str()), Some(string));
    }
}

#[test]
fn a_text_that_ends_too_early_is_marked_at_its_end() {
    let fault = of("SELECT name FROM vessels WHERE\n");
    let place = fault.place.unwrap();
    assert_eq!((place.line, place.column, place.range.len()), (1, 31, 0));
}

#[test]
fn without_an_offset_the_place_is_found_by_the_words_or_by_the_parser() {
    let error = |message: &str| DbError::Sql { message: message.into(), offset: None };
    let sql = "SELECT name\nFROM vessels WHERE WHERE seats";
    let near = fault(sql, &error("near \"WHERE\": syntax error"), &schema());
    assert_eq!(near.place.map(|place| (place.line, place.column)), Some((2, 14)));
    let parsed = fault(sql, &error("something is wrong"), &schema());
    assert_eq!(parsed.place.map(|place| place.line), Some(2));
    let refused = fault("DELETE FROM vessels", &DbError::ReadOnly("DELETE on vessels".into()), &schema());
    assert_eq!(refused.place, None);
    assert!(refused.sentence().starts_with("Not run:"));
}

#[test]
fn what_the_parser_expected_is_said_at_the_same_place() {
    let fault = of("SELECT name, FROM vessels");
    assert_eq!(fault.place.as_ref().map(|place| place.column), Some(14));
    assert!(fault.note.starts_with("Expected"), "{fault:?}");
}

#[test]
fn selections_count_as_a_text_field_counts() {
    let sql = "SELECT '😀', nme FROM vessels";
    let fault = of(sql);
    assert_eq!(fault.place.as_ref().map(|place| place.column), Some(13));
    // The face is two units.
    assert_eq!(fault.selection(), Some((13, 16)));
    let (mended, cursor) = fault.mended(&fault.fixes[0]).unwrap();
    assert_eq!((mended.as_str(), cursor), ("SELECT '😀', name FROM vessels", 17));
}

proptest! {
    #[test]
    fn any_text_and_message_can_be_told(
        sql in "[a-zé .,('\"\\n]{0,40}",
        message in "(no such column: |near \"|no such table: |incomplete input|ambiguous column name: )[a-zé.\" ]{0,12}",
        offset in prop::option::of(0u32..60),
    ) {
        let fault = fault(&sql, &DbError::Sql { message, offset }, &schema());
        prop_assert!(!fault.sentence().is_empty());
        for fix in &fault.fixes {
            prop_assert!(fault.mended(fix).is_some());
        }
        if let Some(place) = &fault.place {
            prop_assert!(sql.get(place.range.clone()).is_some());
        }
    }
}
