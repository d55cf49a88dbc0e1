//! Parsing, splitting scripts, tokens and literals.
#![allow(clippy::unwrap_used)]

use super::skeleton::tests::schema;
use super::*;

/// A stack as small as the page has, and then some.
const SMALL_STACK: usize = 1 << 20;

/// Runs on a stack of 1 MB, as in the page.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(SMALL_STACK).spawn(work).unwrap().join().unwrap()
}

fn error(sql: &str) -> SqlError {
    parse_query(sql).map(|q| q.to_string()).unwrap_err()
}

#[test]
fn what_is_no_query_is_named() {
    for (sql, word) in [
        ("DELETE FROM t", "DELETE"),
        ("  -- note\n update t set a = 1", "UPDATE"),
        ("INSERT INTO t VALUES (1)", "INSERT"),
        ("create table t (a)", "CREATE TABLE"),
        ("PRAGMA user_version", "PRAGMA"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "DELETE"),
        ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", "INSERT"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
    ] {
        assert_eq!(error(sql), SqlError::NotAQuery(word.into()), "{sql}");
    }
    for empty in ["", "  \n", "-- only a note", "/* x", ";;"] {
        assert_eq!(error(empty), SqlError::Empty, "{empty:?}");
    }
}

#[test]
fn what_sqlite_reads_is_read() {
    for sql in [
        "SELECT 1;",
        "\u{feff}select 1",
        "VALUES (1, 2)",
        "(SELECT 1)",
        "SELECT a FROM t WHERE a == \"x\" AND b <> 'y'",
        "SELECT `a b`, [c d], \"e f\" FROM [my table]",
        "SELECT 'x' AS 'quoted alias'",
        "SELECT * FROM t WHERE a ISNULL OR b NOTNULL OR c NOT NULL",
        "SELECT isnull, t.isnull, isnull(a, 0) FROM t WHERE (a) ISNULL AND CASE a WHEN 1 THEN 2 END isnull",
        "SELECT x'ab', 1e3, .5, 0x1F",
        "SELECT * FROM t INDEXED BY i WHERE a IN (SELECT 1 UNION SELECT 2)",
        "SELECT group_concat(a, ', ') FILTER (WHERE a > 1) FROM t",
        "SELECT a FROM t ORDER BY a COLLATE NOCASE DESC NULLS LAST LIMIT 1, 2",
        "SELECT a -> '$.b', a ->> 'c' FROM t",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "SELECT \"Straße\" FROM \"Häuser\" WHERE ort = 'Köln'",
        "SELECT CASE a WHEN 1 THEN 'x' END FROM t WHERE a NOT LIKE 'b!%' ESCAPE '!'",
    ] {
        assert!(split(sql, &Schema::default()).is_ok(), "{sql}: {:?}", parse_query(sql).err());
    }
}

#[test]
fn errors_say_where_and_what() {
    let SqlError::Syntax { message, line, column } = error("SELECT a\nFROM WHERE b = 1") else { panic!() };
    assert_eq!((line, column), (Some(2), Some(6)), "{message}");
    assert!(message.starts_with("Line 2, column 6: expected "), "{message}");
    let SqlError::Syntax { message, line, .. } = error("SELECT a FROM t WHERE") else { panic!() };
    assert!(message.contains("the query ends there"), "{message}");
    assert_eq!(line, None);
    let SqlError::Syntax { message, line, .. } = error("SELECT 'open") else { panic!() };
    assert_eq!((line, message.as_str()), (Some(1), "Line 1, column 8: Unterminated string literal."));
    let SqlError::Syntax { message, .. } = error("SELECT 1; SELECT 2") else { panic!() };
    assert_eq!(message, "Line 1, column 11: expected one statement, found SELECT.");
    let SqlError::Syntax { message, .. } = error(&format!("SELECT 1 {}", "blah ".repeat(500))) else {
        panic!()
    };
    assert!(message.len() < 300, "{message}");
}

#[test]
fn deep_nesting_is_refused_on_a_small_stack() {
    let deep = |open: &str, middle: &str, close: &str, n: usize| {
        format!("SELECT {}{middle}{}", open.repeat(n), close.repeat(n))
    };
    let texts = vec![
        deep("(", "1", ")", 3000),
        deep("(", "1", ")", 150),
        deep("f(", "1", ")", 3000),
        deep("(SELECT ", "1", ")", 3000),
        deep("NOT ", "1", "", 3000),
        deep("- ", "1", "", 3000),
        deep("CASE WHEN ", "1", " THEN 1 END", 3000),
        format!("SELECT 1 FROM {}t{}", "(".repeat(3000), ")".repeat(3000)),
        format!("SELECT 1 FROM {}", "(".repeat(3000)),
        deep("1 AND ", "1", "", 10_000),
        deep("a || ", "1", "", 10_000),
        deep("1 UNION SELECT ", "1", "", 10_000),
    ];
    for sql in texts {
        let start: String = sql.chars().take(40).collect();
        let result = on_a_small_stack(move || split(&sql, &schema()).map(|c| c.len()));
        assert_eq!(result, Err(SqlError::TooDeep), "{start}");
    }
}

#[test]
fn long_but_flat_queries_are_split_on_a_small_stack() {
    let list: Vec<String> = (0..20_000).map(|i| i.to_string()).collect();
    let long = vec![
        format!("SELECT 1 FROM hero WHERE {}", vec!["height = 1"; 400].join(" AND ")),
        format!("SELECT 1 FROM hero WHERE {}", vec!["height = 1"; 400].join(" OR ")),
        format!("SELECT {}", vec!["'a'"; 900].join(" || ")),
        format!("SELECT {}", vec!["1"; 900].join(" UNION ALL SELECT ")),
        format!("SELECT 1 FROM hero WHERE id IN ({})", list.join(", ")),
        format!("SELECT {} FROM hero", vec!["height + 1"; 3000].join(", ")),
        format!("VALUES {}", vec!["(1, -2)"; 5000].join(", ")),
    ];
    for sql in long {
        let start: String = sql.chars().take(40).collect();
        let result = on_a_small_stack(move || {
            let found = split(&sql, &schema())?;
            let schema = schema();
            summarize(&found, &schema);
            for component in found.iter().take(50) {
                describe(component, &schema);
            }
            literals(&sql, &schema)
        });
        assert!(result.is_ok_and(|l| l.len() >= 400), "{start}");
    }
}

#[test]
fn scripts_are_split_by_sqlites_rules() {
    let script = "\u{feff}-- one\r\nSELECT ';' AS a, \";\" , [;], `;`; -- end ;\r\n\r\n/* ; */ SELECT 2 /* ; */ ;;\n\
                  CREATE TEMP TRIGGER x AFTER INSERT ON t BEGIN\n  UPDATE t SET a = 1;\n  SELECT 1;\nEND;\nSELECT 3";
    let found: Vec<(u32, &str)> =
        statements(script).into_iter().map(|s| (s.line, &script[s.range])).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[0], (2, "SELECT ';' AS a, \";\" , [;], `;`"));
    assert_eq!(found[1], (4, "SELECT 2"));
    assert!(found[2].1.starts_with("CREATE TEMP") && found[2].1.ends_with("END"), "{found:?}");
    assert_eq!(found[3], (9, "SELECT 3"));
    assert_eq!(statements("-- nothing\n;;").len(), 0);
    assert_eq!(statements("SELECT 'open; SELECT 2").len(), 1);
}

#[test]
fn ten_megabytes_in_a_line_are_split() {
    let script = "SELECT 'a;b' FROM t; ".repeat(500_000);
    assert_eq!(statements(&script).len(), 500_000);
}

#[test]
fn tokens_know_functions_from_keywords() {
    let sql = "SELECT COUNT (*), cast(a AS REAL), in (1) -- x\nFROM \"t\" WHERE a='b' AND :p < 1.5e3";
    let shown: Vec<(TokenKind, &str)> = tokenize(sql)
        .into_iter()
        .filter(|t| t.kind != TokenKind::Space)
        .map(|t| (t.kind, &sql[t.start..t.end]))
        .collect();
    for wanted in [
        (TokenKind::Keyword, "SELECT"),
        (TokenKind::Function, "COUNT"),
        (TokenKind::Function, "cast"),
        (TokenKind::Keyword, "in"),
        (TokenKind::Comment, "-- x"),
        (TokenKind::Identifier, "\"t\""),
        (TokenKind::String, "'b'"),
        (TokenKind::Identifier, ":p"),
        (TokenKind::Operator, "<"),
        (TokenKind::Number, "1.5e3"),
    ] {
        assert!(shown.contains(&wanted), "{wanted:?} in {shown:?}");
    }
}

#[test]
fn literals_know_their_column_and_use() {
    let sql = "SELECT strftime('%Y', h.born), COUNT(*) AS n FROM hero AS h WHERE h.name = 'Thor' AND -5 < height \
               AND substr(h.born, 1, 4) >= \"1990\" AND h.id BETWEEN 2 AND 3 AND name LIKE 'x%' AND id IN (7, -8) \
               AND CAST(height AS REAL) <> 1.5 GROUP BY name HAVING n > 9 ORDER BY height + 4 LIMIT 10 OFFSET 11";
    let found: Vec<String> = literals(sql, &schema())
        .unwrap()
        .into_iter()
        .map(|l| {
            let column = l.column.map_or("-".to_owned(), |(t, c)| format!("{t}.{c}"));
            let function = l.function.unwrap_or_else(|| "-".into());
            format!("{} {:?} {column} {function}", &sql[l.range], l.operator)
        })
        .collect();
    assert_eq!(
        found,
        [
            "'%Y' FunctionArgument - STRFTIME",
            "'Thor' Equal Hero.Name -",
            "-5 Greater Hero.height -",
            "1 FunctionArgument - SUBSTR",
            "4 FunctionArgument - SUBSTR",
            "\"1990\" GreaterOrEqual Hero.born SUBSTR",
            "2 BetweenLow Hero.id -",
            "3 BetweenHigh Hero.id -",
            "'x%' Like Hero.Name -",
            "7 In Hero.id -",
            "-8 In Hero.id -",
            "1.5 NotEqual Hero.height CAST",
            "9 Greater - COUNT",
            "4 Arithmetic - -",
            "10 Limit - -",
            "11 Offset - -",
        ]
    );
}

#[test]
fn bird_and_spider_schemas_are_read() {
    let json = r#"[{"db_id": "d", "table_names_original": ["a", "b"], "table_names": ["a", "b"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "A11"], [1, "a_id"], [9, "lost"]],
        "column_names": [[-1, "*"], [0, "ID"], [0, "average salary"], [1, "a id"], [9, "lost"]],
        "column_types": ["text", "integer", "real", "integer", "text"],
        "primary_keys": [1, [3]], "foreign_keys": [[3, 1], [99, 1]]}]"#;
    let found = Schema::from_bird_tables(json).unwrap();
    assert_eq!(found.len(), 1);
    let (name, schema) = &found[0];
    assert_eq!((name.as_str(), schema.tables.len()), ("d", 2));
    let a = schema.table("A").unwrap();
    assert!(a.column("ID").unwrap().primary_key && a.column("id").unwrap().note.is_none());
    assert_eq!(a.column("a11").unwrap().note.as_deref(), Some("average salary"));
    let b = schema.table("b").unwrap();
    assert!(b.column("a_id").unwrap().primary_key && b.column("a_id").unwrap().note.is_none());
    assert_eq!(
        b.foreign_keys,
        [ForeignKey { column: "a_id".into(), table: "a".into(), referenced_column: "id".into() }]
    );
    assert!(Schema::from_bird_tables("{").is_err());
}
