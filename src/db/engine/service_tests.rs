use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use rusqlite::serialize::Data;

use super::*;
use crate::db::engine::native::now_ms as clock;

/// The bytes of a database that `script` makes.
pub(crate) fn image(script: &str) -> Vec<u8> {
    let mut conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(script).unwrap();
    match conn.serialize(MAIN_DB).unwrap() {
        Data::Owned(data) => data.to_vec(),
        Data::Shared(data) => data.to_vec(),
    }
}

fn open(script: &str) -> Database {
    Database::from_bytes(image(script), Host::default()).unwrap()
}

const FERRIES: &str = "
    CREATE TABLE vessels(id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO vessels VALUES (1, 'Åsa'), (2, NULL);
    CREATE INDEX by_name ON vessels(name);
    CREATE VIEW named AS SELECT * FROM vessels WHERE name IS NOT NULL;";

fn rows(db: &Database, sql: &str) -> Vec<Vec<Value>> {
    db.execute(sql, QueryLimits::default()).unwrap().rows
}

fn sql_error(db: &Database, sql: &str) -> (String, Option<u32>) {
    match db.execute(sql, QueryLimits::default()) {
        Err(DbError::Sql { message, offset }) => (message, offset),
        other => panic!("{sql}: {other:?}"),
    }
}

fn refusal(bytes: Vec<u8>) -> String {
    match Database::from_bytes(bytes, Host::default()) {
        Err(DbError::Open(message)) => message,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("opened"),
    }
}

/// The page's SQLite has them; natively they are a choice of the build (see `.cargo/config.toml`).
#[test]
fn math_functions_are_built_in() {
    let db = open("");
    let got = rows(&db, "SELECT sqrt(4), pow(2, 10), floor(-1.5), ln(1), round(degrees(pi()))");
    let want = [2.0, 1024.0, -2.0, 0.0, 180.0].map(Value::Real);
    assert_eq!(got, [want]);
}

#[test]
fn values_come_back_as_stored() {
    let db = open(
        "CREATE TABLE t(v); INSERT INTO t VALUES (NULL), (9007199254740993), (-9223372036854775808),
        (9e999), (-9e999), (x'00ff'), (x''), (CAST(x'61ff' AS TEXT)), (''), ('a' || char(0) || 'b'), (0.1);",
    );
    let got: Vec<Value> = rows(&db, "SELECT v FROM t").into_iter().flatten().collect();
    let want = [
        Value::Null,
        Value::Integer(9_007_199_254_740_993),
        Value::Integer(i64::MIN),
        Value::Real(f64::INFINITY),
        Value::Real(f64::NEG_INFINITY),
        Value::Blob(vec![0, 255]),
        Value::Blob(vec![]),
        Value::InvalidText(b"a\xff".to_vec()),
        Value::Text(String::new()),
        Value::Text("a\0b".to_owned()),
        Value::Real(0.1),
    ];
    assert_eq!(got, want);
    let minus_zero = rows(&db, "SELECT -0.0");
    assert!(matches!(minus_zero[0][0], Value::Real(zero) if zero == 0.0));
}

#[test]
fn utf16_databases_and_odd_names_are_read() {
    let db = open(
        "PRAGMA encoding = 'UTF-16'; CREATE TABLE \"Größe \"\" x\"(\"select\" TEXT, \"ä b\" INT);
        INSERT INTO \"Größe \"\" x\" VALUES ('日本', 7);",
    );
    let result = db.execute("SELECT * FROM \"Größe \"\" x\"", QueryLimits::default()).unwrap();
    assert_eq!(result.columns[0].name, "select");
    assert_eq!(result.columns[1].name, "ä b");
    assert_eq!(result.rows, [[Value::Text("日本".into()), Value::Integer(7)]]);
}

#[test]
fn whatever_would_change_something_is_refused_and_named() {
    let db = open(FERRIES);
    for (sql, named) in [
        ("UPDATE vessels SET name = 'x'", "UPDATE on vessels"),
        ("INSERT INTO vessels VALUES (3, 'x')", "INSERT on vessels"),
        ("REPLACE INTO vessels VALUES (1, 'x')", "INSERT on vessels"),
        ("DELETE FROM vessels", "DELETE on vessels"),
        ("WITH x AS (SELECT 1) DELETE FROM vessels WHERE id IN x", "DELETE on vessels"),
        ("UPDATE vessels SET name = 'x' RETURNING id", "UPDATE on vessels"),
        ("DROP TABLE vessels", "DROP TABLE vessels"),
        ("create table t(a)", "CREATE TABLE t"),
        ("CREATE TEMP TABLE t AS SELECT 1", "CREATE TEMP TABLE t"),
        ("CREATE VIEW v AS SELECT 1", "CREATE VIEW v"),
        ("CREATE INDEX i ON vessels(id)", "CREATE INDEX i"),
        ("CREATE VIRTUAL TABLE f USING fts5(a)", "CREATE VIRTUAL TABLE f"),
        ("ALTER TABLE vessels RENAME TO boats", "ALTER TABLE vessels"),
        ("ATTACH 'other.db' AS o", "ATTACH"),
        ("VACUUM", "VACUUM"),
        ("VACUUM INTO '/tmp/querylore-copy.db'", "VACUUM"),
        ("REINDEX", "REINDEX"),
        ("ANALYZE", "ANALYZE"),
        ("PRAGMA query_only = OFF", "PRAGMA query_only"),
        ("PRAGMA writable_schema = ON", "PRAGMA writable_schema"),
        ("PRAGMA journal_mode = WAL", "PRAGMA journal_mode"),
        ("PRAGMA encoding = 'UTF-16'", "PRAGMA encoding"),
        ("SELECT * FROM pragma_user_version", "PRAGMA user_version"),
        ("EXPLAIN DELETE FROM vessels", "DELETE on vessels"),
    ] {
        match db.execute(sql, QueryLimits::default()) {
            Err(DbError::ReadOnly(refused)) => assert!(refused.starts_with(named), "{sql}: {refused}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
    for sql in ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "DETACH main"] {
        let (message, _) = sql_error(&db, sql);
        assert!(message.starts_with("this is not a query ("), "{sql}: {message}");
    }
    assert!(sql_error(&db, "UPDATE sqlite_schema SET sql = ''").0.contains("may not be modified"));
    let (message, _) = sql_error(&db, "SELECT load_extension('x')");
    assert!(message.contains("load_extension"), "{message}");
    assert_eq!(rows(&db, "SELECT count(*) FROM vessels"), [[Value::Integer(2)]]);
    assert!(!std::path::Path::new("/tmp/querylore-copy.db").exists());
}

#[test]
fn reading_in_all_its_forms_runs() {
    let db = open(FERRIES);
    for sql in [
        "SELECT 1;",
        "  ;; SELECT 1 ; -- done",
        "SELECT 1 /* open",
        "-- first\nSELECT 1;\n\n;",
        "VALUES (1), (2)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n",
        "EXPLAIN QUERY PLAN SELECT * FROM vessels",
        "PRAGMA table_info(vessels)",
        "SELECT name FROM pragma_table_xinfo('vessels')",
        "SELECT sql FROM sqlite_master",
        "SELECT * FROM named",
        "SELECT value FROM json_each('[1,2]')",
        "SELECT \"no such column\" FROM vessels",
        "SELECT row_number() OVER (ORDER BY id) FROM vessels",
    ] {
        db.execute(sql, QueryLimits::default()).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

#[test]
fn full_text_and_rtree_tables_are_read() {
    let db = open(
        "CREATE VIRTUAL TABLE notes USING fts5(body);
        INSERT INTO notes VALUES ('the quick fox'), ('a slow dog');
        CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); INSERT INTO boxes VALUES (1, 0, 2), (2, 5, 6);",
    );
    assert_eq!(rows(&db, "SELECT body FROM notes WHERE notes MATCH 'fox' ORDER BY rank").len(), 1);
    assert_eq!(rows(&db, "SELECT id FROM boxes WHERE x0 > 3"), [[Value::Integer(2)]]);
    let refused = db.execute("DELETE FROM boxes", QueryLimits::default());
    assert!(matches!(refused, Err(DbError::ReadOnly(_))), "{refused:?}");
}

#[test]
fn errors_point_into_the_text() {
    let db = open(FERRIES);
    assert_eq!(sql_error(&db, "SELECT nme FROM vessels"), ("no such column: nme".into(), Some(7)));
    assert_eq!(sql_error(&db, "; SELECT nme FROM vessels").1, Some(9));
    let (message, at) = sql_error(&db, "SELECT 1; SELECT 2");
    assert!(message.contains("more than one statement"));
    assert_eq!(at, Some(10));
    assert!(sql_error(&db, "SELECT 1; DROP TABLE vessels").0.contains("more than one"));
    assert!(sql_error(&db, "SELECT 1; nonsense").0.contains("more than one"));
    for empty in ["", "  ", ";", "-- nothing", "/* nothing"] {
        assert_eq!(sql_error(&db, empty).0, "there is no SQL here");
    }
    assert_eq!(sql_error(&db, "SELECT 1\0, 2").1, Some(8));
    assert!(sql_error(&db, "SELECT ?1").0.contains("parameters"));
}

#[test]
fn deep_nesting_and_huge_values_are_errors_not_crashes() {
    let db = open(FERRIES);
    for depth in [1_000, 3_000, 100_000] {
        let deep = format!("SELECT {}1{}", "(".repeat(depth), ")".repeat(depth));
        if depth > 2_500 {
            let (message, _) = sql_error(&db, &deep);
            assert!(message.contains("overflow") || message.contains("Recursion limit"), "{message}");
        } else {
            let _ = db.execute(&deep, QueryLimits::default());
        }
    }
    let sum = format!("SELECT 1{}", " + 1".repeat(3_000));
    assert!(sql_error(&db, &sum).0.contains("depth"));
    let (message, _) = sql_error(&db, "SELECT zeroblob(1000000000)");
    assert!(message.contains("too big"), "{message}");
}

#[test]
fn results_are_cut_at_rows_and_at_bytes() {
    let db = open(FERRIES);
    let numbers =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n";
    let limits = |max_rows| QueryLimits { max_rows, ..QueryLimits::default() };
    let cut = db.execute(numbers, limits(9)).unwrap();
    assert_eq!((cut.rows.len(), cut.more), (9, true));
    let whole = db.execute(numbers, limits(10)).unwrap();
    assert_eq!((whole.rows.len(), whole.more), (10, false));
    let heavy = db
        .execute("WITH n(i) AS (VALUES (1), (2), (3), (4)) SELECT zeroblob(30000000) FROM n", limits(1_000))
        .unwrap();
    assert_eq!((heavy.rows.len(), heavy.more), (2, true));
}

#[test]
fn endless_queries_end_at_the_deadline_and_leave_the_database_usable() {
    let db = open(FERRIES);
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let limits = QueryLimits { timeout_ms: 50, max_rows: 10 };
    let started = clock();
    assert_eq!(db.execute(endless, limits), Err(DbError::Timeout(50)));
    assert!(clock() - started < 1_000.0);
    assert_eq!(rows(&db, "SELECT count(*) FROM vessels"), [[Value::Integer(2)]]);
}

#[test]
fn a_flag_ends_a_query_within_300_ms() {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let db = Database::from_bytes(image(FERRIES), Host::native(seen)).unwrap();
    let raised = Arc::clone(&flag);
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        raised.store(true, Ordering::Relaxed);
        clock()
    });
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    assert_eq!(db.execute(endless, QueryLimits::default()), Err(DbError::Cancelled));
    let cancelled_at = later.join().unwrap();
    assert!(clock() - cancelled_at < 300.0);
    flag.store(false, Ordering::Relaxed);
    assert_eq!(rows(&db, "SELECT count(*) FROM vessels"), [[Value::Integer(2)]]);
}

#[test]
fn files_that_are_not_databases_are_named() {
    assert!(refusal(vec![]).contains("empty"));
    assert!(refusal(b"PK\x03\x04 and more".to_vec()).contains("zip"));
    assert!(refusal(b"\x1f\x8b\x08 and more".to_vec()).contains("gzip"));
    assert!(refusal(b"\x89PNG\r\n\x1a\n".to_vec()).contains("PNG"));
    assert!(refusal(b"SELECT 1;".to_vec()).contains("SQL text"));
    assert!(refusal(b"{\"a\": 1}".to_vec()).contains("JSON"));
    assert!(refusal("a;b\n1;ü\n".into()).contains("text"));
    assert!(refusal(vec![0; 8192]).contains("zeros"));
    let mut state = 1_u64;
    let noise: Vec<u8> = (0..4096)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect();
    assert!(refusal(noise).contains("encrypted"));
    let whole = image(FERRIES);
    for len in [1, 15, 16, 50, 99] {
        let message = refusal(whole[..len].to_vec());
        assert!(message.contains("truncated") || message.contains("text"), "{len}: {message}");
    }
    assert!(refusal(whole[..whole.len() - 1].to_vec()).contains("truncated"));
    let mut odd = whole.clone();
    odd[16..18].copy_from_slice(&[3, 0]);
    assert!(refusal(odd).contains("page size of 768"));
    let mut scrambled = whole;
    for byte in &mut scrambled[100..] {
        *byte ^= 0xa5;
    }
    assert!(refusal(scrambled).contains("damaged"));
}

#[test]
fn an_image_in_wal_mode_opens_with_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("wal ?#%.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(&format!("PRAGMA journal_mode = WAL; {FERRIES}; PRAGMA wal_checkpoint(TRUNCATE);"))
        .unwrap();
    conn.execute_batch("INSERT INTO vessels VALUES (3, 'late')").unwrap();
    let db = Database::from_bytes(std::fs::read(&path).unwrap(), Host::default()).unwrap();
    assert_eq!(db.notices().len(), 1);
    assert_eq!(rows(&db, "SELECT count(*) FROM vessels"), [[Value::Integer(2)]]);
    let live = Database::from_path(&path, Host::default()).unwrap();
    assert_eq!(rows(&live, "SELECT count(*) FROM vessels"), [[Value::Integer(3)]]);
    drop(live);
    drop(conn);
    let closed = Database::from_path(&path, Host::default()).unwrap();
    assert_eq!(rows(&closed, "SELECT count(*) FROM vessels"), [[Value::Integer(3)]]);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert!(Database::from_path(dir.path(), Host::default()).is_err());
    assert!(Database::from_path(&dir.path().join("none"), Host::default()).is_err());
}

fn probe(bytes: Vec<u8>) {
    if let Ok(db) = Database::from_bytes(bytes, Host::default()) {
        let limits = QueryLimits { timeout_ms: 200, max_rows: 50 };
        for sql in ["SELECT * FROM sqlite_schema", "SELECT * FROM vessels", "SELECT * FROM named"] {
            let _ = db.execute(sql, limits);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn opening_any_bytes_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        probe(bytes.clone());
        let mut magic = b"SQLite format 3\0".to_vec();
        magic.extend(bytes);
        probe(magic);
    }

    #[test]
    fn opening_a_damaged_database_never_panics(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..12),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = image(FERRIES);
        for (at, byte, in_header) in changes {
            // The header and the schema page hold what is worth damaging.
            let range = if in_header { 120 } else { bytes.len() };
            bytes[at.index(range)] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        probe(bytes);
    }
}
