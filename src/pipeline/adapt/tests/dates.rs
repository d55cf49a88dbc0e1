//! The time that a question names, in every way of writing it in SQL.

use super::*;

thread_local!(static CALENDAR: rusqlite::Connection = calendar());

/// A trip on every day of six years; `boat_id` holds the day as a number.
fn calendar() -> rusqlite::Connection {
    let file = rusqlite::Connection::open_in_memory().unwrap();
    file.execute_batch(
        "CREATE TABLE trip (boat_id INTEGER, day TEXT, fare REAL);
         INSERT INTO trip WITH RECURSIVE days(d) AS
           (SELECT '2021-01-01' UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2026-12-31')
         SELECT CAST(replace(d, '-', '') AS INTEGER), d, 1 FROM days;",
    )
    .unwrap();
    file
}

/// The one historical query adapted, without running it.
fn bound(question: &str, old: Option<&str>, sql: &str) -> Candidate {
    thread_local!(static HARBOUR: Database = harbour());
    let (knowledge, retrieved) = history(&[(old, sql)]);
    let (schema, limits) = (schema(), QueryLimits::default());
    let mut found = HARBOUR
        .with(|db| block_on(candidates(question, &knowledge, &schema, &retrieved, db, limits)).unwrap());
    found.remove(0)
}

/// Days that a query selects: the first, the last, how many.
fn selected(sql: &str) -> (String, String, i64) {
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    CALENDAR.with(|file| file.query_row(sql, [], row)).unwrap_or_default()
}

const HEAD: &str = "SELECT MIN(day), MAX(day), COUNT(*) FROM trip WHERE ";

/// Times as questions name them, with their first and last days.
const ASKED: [(&str, &str, &str); 9] = [
    ("2024", "2024-01-01", "2024-12-31"),
    ("May 2024", "2024-05-01", "2024-05-31"),
    ("February 2024", "2024-02-01", "2024-02-29"),
    ("December 2025", "2025-12-01", "2025-12-31"),
    ("Q3 2024", "2024-07-01", "2024-09-30"),
    ("the fourth quarter of 2024", "2024-10-01", "2024-12-31"),
    ("the first half of 2025", "2025-01-01", "2025-06-30"),
    ("5 June 2024", "2024-06-05", "2024-06-05"),
    ("March to May 2024", "2024-03-01", "2024-05-31"),
];

/// Conditions for a time, from its first day and its last.
fn conditions(first: &str, last: &str) -> Vec<String> {
    let day = |day: &str, by: &str| -> String {
        CALENDAR.with(|file| file.query_row("SELECT date(?1, ?2)", [day, by], |row| row.get(0)).unwrap())
    };
    let (before, after) = (day(first, "-1 day"), day(last, "+1 day"));
    let number = |day: &str| day.replace('-', "");
    vec![
        format!("day BETWEEN '{first}' AND '{last}'"),
        format!("day >= '{first}' AND day < '{after}'"),
        format!("day >= '{first}' AND day <= '{last}'"),
        format!("day > '{before}' AND day < '{after}'"),
        format!("day < '{after}' AND fare = 1 AND day >= '{first}'"),
        format!("date(day) BETWEEN '{first}' AND '{last}'"),
        format!("boat_id BETWEEN {} AND {}", number(first), number(last)),
        format!("boat_id >= {} AND boat_id < {}", number(first), number(&after)),
    ]
}

/// Either exactly the days asked about, or the time is said to be unused, nothing about it is claimed, and the answer is unsure.
fn assert_asks(question: &str, time: (&str, &str, &str), old: Option<&str>, sql: &str, must: bool) {
    let found = bound(question, old, sql);
    let (first, last, count) = selected(&found.sql);
    let told = found.unbound.iter().any(|unused| time.0.contains(unused.as_str()) || unused.contains(time.0));
    if told {
        assert!(!must, "{old:?} {sql}\n{question}: {}", found.sql);
        assert!(!found.changes.iter().any(|change| change.reason.contains("asks about")), "{found:?}");
        assert!(found.signs.confidence() < LIKELY, "{question} {}", found.signs.confidence());
    } else {
        assert_eq!(
            (first.as_str(), last.as_str()),
            (time.1, time.2),
            "{old:?} {sql}\n{question}: {}",
            found.sql
        );
        let length = "SELECT CAST(julianday(?1) - julianday(?2) + 1 AS INTEGER)";
        let days = CALENDAR.with(|file| file.query_row(length, [time.2, time.1], |row| row.get::<_, i64>(0)));
        assert_eq!(count, days.unwrap(), "{sql}\n{question}: {}", found.sql);
    }
}

#[test]
fn a_time_replaces_both_ends_of_a_range() {
    let olds = [
        ("2023", "2023-01-01", "2023-12-31"),
        ("fiscal 2023", "2023-04-01", "2024-03-31"),
        ("May 2023", "2023-05-01", "2023-05-31"),
        ("Q2 2023", "2023-04-01", "2023-06-30"),
        ("5 May 2023", "2023-05-05", "2023-05-05"),
    ];
    for (named, first, last) in olds {
        let old = format!("How many trips were there in {named}?");
        for condition in conditions(first, last) {
            let sql = format!("{HEAD}{condition}");
            for time in ASKED {
                let question = format!("How many trips were there in {}?", time.0);
                for old in [Some(old.as_str()), None] {
                    assert_asks(&question, time, old, &sql, true);
                }
            }
        }
    }
}

#[test]
fn a_time_is_written_as_closely_as_it_is_named_or_not_at_all() {
    let forms = [
        ("May 2023", "strftime('%Y-%m', day) = '2023-05'"),
        ("May 2023", "substr(day, 1, 7) = '2023-05'"),
        ("May 2023", "day LIKE '2023-05%'"),
        ("May 2023", "strftime('%Y', day) = '2023' AND strftime('%m', day) = '05'"),
        ("May 2023", "substr(day, 1, 4) = '2023' AND substr(day, 6, 2) = '05'"),
        ("May 2023", "boat_id / 100 = 202305"),
        ("2023", "strftime('%Y', day) = '2023'"),
        ("2023", "substr(day, 1, 4) = '2023'"),
        ("2023", "day LIKE '2023%'"),
        ("2023", "strftime('%Y-%m', day) BETWEEN '2023-01' AND '2023-12'"),
        ("fiscal 2023", "strftime('%Y-%m', day) >= '2023-04' AND strftime('%Y-%m', day) < '2024-04'"),
        ("high season 2023", "strftime('%m', day) IN ('06', '07', '08') AND strftime('%Y', day) = '2023'"),
        ("5 May 2023", "day = '2023-05-05'"),
    ];
    for (named, condition) in forms {
        let (old, sql) = (format!("How many trips were there in {named}?"), format!("{HEAD}{condition}"));
        for time in ASKED {
            let question = format!("How many trips were there in {}?", time.0);
            assert_asks(&question, time, Some(&old), &sql, named == time.0.replace("2024", "2023"));
            if named != "high season 2023" {
                assert_asks(&question, time, None, &sql, false);
            }
        }
    }
    let by_month = "strftime('%Y-%m', day) = '2023-05'";
    let found = bound("Trips in 2024", Some("Trips in May 2023"), &format!("{HEAD}{by_month}"));
    assert!(found.sql.ends_with("strftime('%Y', day) = '2024'"), "{}", found.sql);
}

#[test]
fn a_time_of_the_companys_own_is_moved_only_where_the_history_names_one_like_it() {
    let sql = "SELECT SUM(fare) FROM trip WHERE day >= '2023-04-01' AND day < '2024-04-01'";
    let moved = "SELECT SUM(fare) FROM trip WHERE day >= '2024-04-01' AND day < '2025-04-01'";
    assert_eq!(bound("Fares in fiscal 2024", Some("Fares in financial year 2023"), sql).sql, moved);
    assert_eq!(bound("Fares in FY2024", None, sql).sql, moved);
    let month = "SELECT SUM(fare) FROM trip WHERE day BETWEEN '2023-05-01' AND '2023-05-31'";
    for (old, sql) in [(Some("Fares in May 2023"), month), (None, month), (Some("Fares in 2023"), month)] {
        let found = bound("Fares in fiscal 2024", old, sql);
        assert_eq!((found.sql.as_str(), found.unbound.as_slice()), (sql, ["2024".to_owned()].as_slice()));
    }
}

#[test]
fn an_open_end_keeps_its_side() {
    let (since, old) = ("SELECT COUNT(*) FROM trip WHERE day >= '2023-01-01'", Some("Trips since 2023"));
    assert!(bound("Trips since May 2024", old, since).sql.ends_with(">= '2024-05-01'"));
    assert!(bound("Trips since 2024", old, since).sql.ends_with(">= '2024-01-01'"));
    let found = bound("Trips in May 2024", old, since);
    assert_eq!((found.sql.as_str(), found.unbound.as_slice()), (since, ["May 2024".to_owned()].as_slice()));
    let on = "SELECT COUNT(*) FROM trip WHERE day >= '2024-02-15'";
    assert!(bound("Trips still open on 31 March 2025", None, on).sql.ends_with(">= '2025-03-31'"));
}

#[test]
fn moments_of_a_day_stay() {
    let old = Some("Trips in 2023");
    let sql = "SELECT COUNT(*) FROM trip WHERE day BETWEEN '2023-01-01 00:00:00' AND '2023-12-31 23:59:59'";
    let found = bound("Trips in May 2024", old, sql);
    assert!(found.sql.ends_with("BETWEEN '2024-05-01 00:00:00' AND '2024-05-31 23:59:59'"), "{}", found.sql);
    let open = "SELECT COUNT(*) FROM trip WHERE day BETWEEN '2023-01-01 00:00:00' AND '2024-01-01 00:00:00'";
    let found = bound("Trips in May 2024", old, open);
    assert!(found.sql.ends_with("AND '2024-06-01 00:00:00'"), "{}", found.sql);
}
