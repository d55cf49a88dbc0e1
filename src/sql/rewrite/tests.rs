#![cfg(feature = "sqlite")]
use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::sql::{Column, ForeignKey, Table};

fn database() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(
        "CREATE TABLE hero(id INTEGER PRIMARY KEY, first TEXT, last TEXT, height INT, born TEXT, team INT, old_team INT);
         CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
         CREATE TABLE place(name TEXT, rank INT);
         INSERT INTO team VALUES (1, 'Blue'), (2, 'Red');
         INSERT INTO hero VALUES (1, 'Ann', 'Lee', 180, '2001-05-01', 1, 2), (2, 'Bob', 'Ray', 190, '2019-02-03', 2, NULL),
           (3, 'Cy', 'Fox', NULL, NULL, NULL, NULL), (4, 'Di', 'Oak', 150, '2019-07-08', 1, 1);
         INSERT INTO place VALUES ('x', 1);",
    )
    .unwrap();
    db
}

fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|column| Column {
                name: (*column).into(),
                primary_key: *column == "id",
                not_null: name == "team",
                ..Column::default()
            })
            .collect(),
        ..Table::default()
    };
    let mut hero = table("hero", &["id", "first", "last", "height", "born", "team", "old_team"]);
    hero.foreign_keys =
        vec![ForeignKey { column: "team".into(), table: "team".into(), referenced_column: "id".into() }];
    Schema { tables: vec![hero, table("team", &["id", "name"]), table("place", &["name", "rank"])] }
}

fn rows(sql: &str) -> Vec<Vec<String>> {
    let db = database();
    let mut statement = db.prepare(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let width = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..width)
            .map(|i| row.get::<_, rusqlite::types::Value>(i).map(|value| format!("{value:?}")))
            .collect::<Result<Vec<_>, _>>()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

fn rewritten(sql: &str) -> String {
    let found = rewrite(sql, &schema()).unwrap();
    assert_eq!(found.changes.is_empty(), found.sql == sql, "{found:?}");
    found.sql
}

/// Rewritten to `wanted`, with the same rows.
fn same(sql: &str, wanted: &str) {
    assert_eq!(rewritten(sql), wanted);
    assert_eq!(rows(sql), rows(wanted), "{sql}");
}

#[test]
fn extremes_are_ordered() {
    same(
        "SELECT first FROM hero WHERE height = (SELECT MAX(height) FROM hero)",
        "SELECT first FROM hero ORDER BY height DESC LIMIT 1",
    );
    same(
        "SELECT h.first FROM hero AS h JOIN team AS t ON h.team = t.id WHERE t.id > 0 AND (SELECT MIN(height) FROM hero) = h.height",
        "SELECT h.first FROM hero AS h JOIN team AS t ON h.team = t.id WHERE t.id > 0 AND h.height IS NOT NULL ORDER BY h.height ASC LIMIT 1",
    );
    // The same condition inside and outside.
    same(
        "SELECT first FROM hero WHERE team = 1 AND height = (SELECT MIN(height) FROM hero WHERE team = 1)",
        "SELECT first FROM hero WHERE team = 1 AND height IS NOT NULL ORDER BY height ASC LIMIT 1",
    );
    for kept in [
        "SELECT COUNT(*) FROM hero WHERE height = (SELECT MAX(height) FROM hero)",
        "SELECT first FROM hero WHERE height = (SELECT MAX(height) FROM hero WHERE team = 1)",
        "SELECT first FROM hero WHERE height = (SELECT MAX(team) FROM hero)",
        "SELECT first FROM hero WHERE height > (SELECT MAX(rank) FROM place)",
        "SELECT DISTINCT first FROM hero WHERE height = (SELECT MAX(height) FROM hero)",
        "SELECT team FROM hero WHERE height = (SELECT MAX(height) FROM hero) GROUP BY team",
        "SELECT first FROM hero WHERE team = 1 OR height = (SELECT MAX(height) FROM hero)",
        "SELECT first FROM hero WHERE height = (SELECT MAX(height) FROM hero) UNION SELECT name FROM team",
    ] {
        assert_eq!(rewritten(kept), kept);
    }
}

#[test]
fn nulls_do_not_come_first() {
    let added = "SELECT first FROM hero WHERE height IS NOT NULL ORDER BY height LIMIT 1";
    assert_eq!(rewritten("SELECT first FROM hero ORDER BY height LIMIT 1"), added);
    // The rows are those that have a height.
    assert_eq!(rows(added), [["Text(\"Di\")"]]);
    same(
        "SELECT first FROM hero WHERE team = 1 OR team = 2 ORDER BY height ASC LIMIT 1",
        "SELECT first FROM hero WHERE (team = 1 OR team = 2) AND height IS NOT NULL ORDER BY height ASC LIMIT 1",
    );
    same(
        "SELECT first FROM hero WHERE height > 0 ORDER BY height / 2 LIMIT 1",
        "SELECT first FROM hero WHERE height > 0 AND (height / 2) IS NOT NULL ORDER BY height / 2 LIMIT 1",
    );
    for kept in [
        "SELECT first FROM hero ORDER BY height DESC LIMIT 1",
        "SELECT first FROM hero ORDER BY height",
        "SELECT team, COUNT(*) FROM hero GROUP BY team ORDER BY COUNT(*) LIMIT 1",
        "SELECT team, COUNT(*) AS n FROM hero GROUP BY team ORDER BY n LIMIT 1",
        "SELECT first FROM hero WHERE height IS NOT NULL ORDER BY height LIMIT 1",
        "SELECT first FROM hero ORDER BY height NULLS LAST LIMIT 1",
        "SELECT name FROM team ORDER BY name LIMIT 1",
        "SELECT first FROM hero ORDER BY id LIMIT 1",
        "SELECT first FROM hero ORDER BY 1 LIMIT 1",
    ] {
        assert_eq!(rewritten(kept), kept);
    }
}

#[test]
fn outputs_stand_alone_and_rows_have_keys() {
    assert_eq!(
        rewritten("SELECT first || ' ' || last AS name FROM hero WHERE id = 1"),
        "SELECT first, last FROM hero WHERE id = 1"
    );
    assert_eq!(
        rewritten("SELECT 'x' || first || ' ' || last, id FROM hero"),
        "SELECT 'x' || first, last, id FROM hero"
    );
    assert_eq!(
        rewritten("SELECT h.* FROM hero AS h WHERE h.id = 2"),
        "SELECT h.id FROM hero AS h WHERE h.id = 2"
    );
    for kept in [
        "SELECT first || ' ' || last AS name FROM hero ORDER BY name",
        "SELECT first || '-' || last FROM hero",
        "SELECT * FROM hero",
        "SELECT p.* FROM place AS p",
        "SELECT id FROM hero WHERE first || ' ' || last = 'Ann Lee'",
        "SELECT first || ' ' || last FROM hero UNION SELECT name FROM team",
    ] {
        assert_eq!(rewritten(kept), kept);
    }
}

#[test]
fn functions_say_what_was_meant() {
    let sum = "SELECT SUM(CASE WHEN team = 1 THEN 1 ELSE 0 END) FROM hero";
    assert_eq!(rewritten(&sum.replace("SUM", "COUNT")), sum);
    // As many as there are with the condition.
    assert_eq!(rows(sum), rows("SELECT COUNT(*) FROM hero WHERE team = 1"));
    for kept in [
        "SELECT COUNT(CASE WHEN team = 1 THEN 1 END) FROM hero",
        "SELECT COUNT(CASE WHEN team = 1 THEN 1 ELSE NULL END) FROM hero",
        "SELECT COUNT(DISTINCT CASE WHEN team = 1 THEN 1 ELSE 0 END) FROM hero",
    ] {
        assert_eq!(rewritten(kept), kept);
    }
    let quoted = "SELECT id FROM hero WHERE STRFTIME('%Y', born) = '2019'";
    assert_eq!(rewritten(&quoted.replace("'2019'", "2019")), quoted);
    assert_eq!(rows(quoted), rows("SELECT id FROM hero WHERE born LIKE '2019%'"));
    assert!(rows(&quoted.replace("'2019'", "2019")).is_empty());
    assert_eq!(
        rewritten(
            "SELECT id FROM hero WHERE strftime('%Y', born) BETWEEN 2000 AND 2010 AND 2005 > strftime('%Y', born)"
        ),
        "SELECT id FROM hero WHERE strftime('%Y', born) BETWEEN '2000' AND '2010' AND '2005' > strftime('%Y', born)"
    );
    let kept =
        "SELECT id FROM hero WHERE CAST(strftime('%Y', born) AS INT) = 2019 OR strftime('%m', born) = 12";
    assert_eq!(rewritten(kept), kept);
    let ordered = "SELECT first FROM hero ORDER BY height DESC LIMIT 1";
    assert_eq!(rewritten(&ordered.replace("height", "MAX(height)")), ordered);
    assert_eq!(rows(ordered), [["Text(\"Bob\")"]]);
    let kept = "SELECT team FROM hero GROUP BY team ORDER BY MAX(height) DESC LIMIT 1";
    assert_eq!(rewritten(kept), kept);
}

#[test]
fn joins_with_several_columns_have_alternatives() {
    let join = "SELECT h.first FROM hero AS h JOIN team AS t ON";
    assert_eq!(
        join_alternatives(&format!("{join} h.team = t.id OR h.old_team = t.id")),
        [format!("{join} h.team = t.id"), format!("{join} h.old_team = t.id")]
    );
    assert_eq!(
        join_alternatives(&format!("{join} t.id IN (h.old_team, h.team) WHERE h.id = 1")),
        [format!("{join} t.id = h.old_team WHERE h.id = 1"), format!("{join} t.id = h.team WHERE h.id = 1")]
    );
    for none in ["h.team = t.id", "h.team = t.id OR h.id > 3", "h.team = t.id AND h.id IN (1, 2)"] {
        assert!(join_alternatives(&format!("{join} {none}")).is_empty(), "{none}");
    }
    assert!(join_alternatives("no query").is_empty());
}

#[test]
fn what_is_no_query_is_refused() {
    assert!(rewrite("SELECT FROM WHERE", &schema()).is_err());
    assert!(rewrite("DELETE FROM hero", &schema()).is_err());
}

proptest! {
    #[test]
    fn rewriting_ends_at_once(
        output in "first|h\\.\\*|first \\|\\| ' ' \\|\\| last|COUNT\\(CASE WHEN team = 1 THEN 1 ELSE 0 END\\)",
        condition in "team = 1|height = \\(SELECT (MAX|MIN)\\(height\\) FROM hero\\)|strftime\\('%Y', born\\) > 2000|1",
        order in "| ORDER BY (height|first)( DESC)? LIMIT 2",
    ) {
        let sql = format!("SELECT {output} FROM hero AS h WHERE {condition}{order}");
        let once = rewrite(&sql, &schema()).unwrap();
        let twice = rewrite(&once.sql, &schema()).unwrap();
        prop_assert_eq!(&twice.sql, &once.sql);
        prop_assert!(twice.changes.is_empty());
        // What was valid stays valid.
        prop_assert!(database().prepare(&sql).is_ok());
        prop_assert!(database().prepare(&once.sql).is_ok(), "{}", once.sql);
    }
}
