//! Where a query is cut, and what a continuation becomes.

use super::*;

fn keywords(sql: &str) -> Vec<(&str, &'static str)> {
    clauses::cuts(sql).into_iter().map(|cut| (sql.get(..cut.at).unwrap(), cut.keyword)).collect()
}

#[test]
fn a_query_is_cut_before_its_clauses() {
    assert_eq!(
        keywords("SELECT a FROM t WHERE b = 'x FROM y' GROUP\n BY a"),
        [
            ("SELECT a", "FROM"),
            ("SELECT a FROM t", "WHERE"),
            ("SELECT a FROM t WHERE b = 'x FROM y'", "GROUP BY")
        ]
    );
    let names = |sql| keywords(sql).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    // In subqueries too, as published.
    assert_eq!(
        names("select a from t where b in (select max(c) from u)"),
        ["FROM", "WHERE", "SELECT", "FROM"]
    );
    assert_eq!(
        names("SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3 INTERSECT SELECT 4 ORDER BY 1 LIMIT 2"),
        ["UNION", "SELECT", "EXCEPT", "SELECT", "INTERSECT", "SELECT", "ORDER BY", "LIMIT"]
    );
    assert_eq!(names("SELECT \"from\", [where], `limit`, grouped, \"a\"\"from\" /* having */"), [""; 0]);
    assert_eq!(names("SELECT a IS NOT DISTINCT FROM b FROM t"), ["FROM"]);
    assert_eq!(names("WITH x AS (SELECT 1) SELECT * FROM x"), ["SELECT", "SELECT", "FROM"]);
    // The line break that ends a comment stays before the cut.
    assert_eq!(keywords("SELECT a -- one\n  FROM t")[0].0, "SELECT a -- one\n");
}

#[test]
fn the_names_of_a_prefix_are_known_once_its_from_is_closed() {
    use clauses::From::{Closed, Missing, Open};
    for (prefix, want) in [
        ("SELECT a", Missing),
        ("SELECT a FROM t", Open),
        ("SELECT a FROM t WHERE b", Closed),
        ("SELECT a FROM t GROUP BY a", Closed),
        ("SELECT (SELECT b FROM u WHERE 1)", Missing),
        ("SELECT a FROM (SELECT b FROM u WHERE 1)", Open),
        ("SELECT a FROM t WHERE 1 UNION SELECT b", Missing),
        ("WITH x AS (SELECT 1 FROM t LIMIT 1) SELECT a", Missing),
        ("SELECT a IS DISTINCT FROM b", Missing),
    ] {
        assert_eq!(clauses::from(prefix), want, "{prefix}");
    }
}

#[test]
fn the_same_said_otherwise_is_the_same() {
    assert_eq!(clauses::canonical(" From  T\n-- x\nwhere A='B'"), clauses::canonical("FROM t WHERE a = 'B'"));
    assert_ne!(clauses::canonical("a = 'B'"), clauses::canonical("a = 'b'"));
}

/// Pieces of SQL whose places in strings and comments are known: the text, and whether it may hold no cut.
fn piece() -> impl Strategy<Value = (String, bool)> {
    let inside = "(FROM|WHERE| |limit|''|é|;|--|\\*|select|x){0,6}";
    prop_oneof![
        inside.prop_map(|text| (format!("'{text}'"), true)),
        "(FROM|WHERE| |limit|é|;|--|select|x|'){0,6}".prop_map(|text| (format!("\"{text}\""), true)),
        "(FROM|WHERE| |limit|'|\"|select|x){0,6}".prop_map(|text| (format!("/*{text}*/"), true)),
        "(FROM|WHERE| |limit|'|\"|select|x){0,6}".prop_map(|text| (format!("--{text}\n"), true)),
        "(SELECT|FROM|WHERE|GROUP BY|ORDER BY|LIMIT|UNION|a|b|=|1|,|\\(|\\))".prop_map(|text| (text, false)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_cut_is_inside_a_string_a_name_or_a_comment(pieces in prop::collection::vec(piece(), 0..12)) {
        let mut sql = String::new();
        let mut closed = Vec::new();
        for (text, whole) in &pieces {
            sql.push(' ');
            let start = sql.len();
            sql.push_str(text);
            if *whole {
                closed.push(start..sql.len());
            }
        }
        let cuts = clauses::cuts(&sql);
        for cut in &cuts {
            prop_assert!(sql.is_char_boundary(cut.at));
            let inside = closed.iter().any(|range| range.start < cut.at && cut.at < range.end);
            prop_assert!(!inside, "{sql:?} is cut at {}", cut.at);
            let rest = sql.get(cut.at..).unwrap().trim_start().to_uppercase();
            let first = cut.keyword.split(' ').next().unwrap();
            prop_assert!(rest.starts_with(first), "{rest:?}");
        }
        // Every keyword outside is found, but the first word.
        let names = ["SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "UNION"];
        let said = pieces.iter().filter(|(text, _)| !text.starts_with("--") && !text.starts_with("/*"));
        let outside = said.skip(1).filter(|(text, _)| names.contains(&text.as_str())).count();
        prop_assert_eq!(cuts.len(), outside, "{:?}", sql);
    }

    #[test]
    fn any_text_is_cut_into_steps(prefix in "(SELECT a|FROM t|'|\\(| ){0,4}", text in "(SELECT |FROM t|;|'|\n|é|```|--|,|.){0,20}", ended: bool) {
        let pieces = text.chars().map(|c| Piece { bytes: c.len_utf8(), log_probability: -1.0 }).collect::<Vec<_>>();
        let all = pieces.len() as f64;
        let continuation = Continuation { text, pieces, ended, greedy: false };
        if let Ok(found) = steps(prefix.trim_end(), &continuation) {
            prop_assert!(!found.steps.is_empty());
            prop_assert!(found.log_probability() >= -all - 1e-9);
        }
    }
}

#[test]
fn a_continuation_is_cut_into_steps_with_their_log_probabilities() {
    let parts = |prefix: &str, text: &str, ended: bool| {
        steps(prefix, &written(text, ended)).map(|found| {
            let steps = found.steps.iter().map(|step| (step.text.clone(), step.log_probability));
            (steps.collect::<Vec<_>>(), found.ended)
        })
    };
    let step = |text: &str, log: f64| (text.to_owned(), log);
    assert_eq!(
        parts("", "SELECT a FROM t;", false),
        Ok((vec![step("SELECT a", -2.0), step(" FROM t", -2.0)], true))
    );
    assert_eq!(parts("SELECT a", " FROM t", true), Ok((vec![step(" FROM t", -3.0)], true)));
    // What ends in its tokens has no last step.
    assert_eq!(parts("SELECT a", " FROM t WHERE b =", false), Ok((vec![step(" FROM t", -3.0)], false)));
    assert_eq!(parts("SELECT a", " FROM t", false), Err(Unusable::Unfinished));
    // A query that is finished already.
    assert_eq!(parts("SELECT a", "", true), Ok((vec![step("", 0.0)], true)));
    // A space that a server took off.
    assert_eq!(parts("SELECT a", "FROM t;", true).unwrap().0[0].0, " FROM t");
    assert_eq!(parts("", "Sure, here is the query", true), Err(Unusable::NotSql));
    assert_eq!(parts("", "这是查询", true), Err(Unusable::NotSql));
    assert_eq!(parts("SELECT a FROM t", " SELECT b FROM u;", true), Err(Unusable::Restarted));
    assert!(parts("SELECT a FROM t WHERE b IN (", "SELECT b FROM u)", true).is_ok());
    assert!(parts("SELECT a FROM t WHERE b IN", " (SELECT b FROM u)", true).is_ok());
    assert!(parts("WITH x AS (SELECT 1)", " SELECT b FROM x", true).is_ok());
    assert!(parts("SELECT 1 UNION ALL", " SELECT 2", true).is_ok());
}
