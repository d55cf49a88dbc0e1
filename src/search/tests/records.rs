//! Records to train on.

use super::*;

const GOLDS: [&str; 6] = [
    "SELECT COUNT(*) FROM t AS a LEFT OUTER JOIN u AS b ON a.id = b.id INNER JOIN v ON v.id = a.id WHERE a.x > 1 AND b.y = 'the FROM and WHERE' ORDER BY a.x DESC;",
    "SELECT name FROM t",
    "SELECT DISTINCT a FROM t WHERE b = (SELECT MAX(b) FROM t) ; ",
    "SELECT CAST(SUM(CASE WHEN x = 'é AND' THEN 1 ELSE 0 END) AS REAL) / COUNT(*) FROM t -- rate\n WHERE y BETWEEN 1 AND 2",
    "not a query",
    "WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION SELECT 2",
];

#[test]
fn prefix_and_completion_are_the_query() {
    let known: Vec<Known<'_>> = GOLDS.iter().map(|gold| Known { gold, model_right: Some(false) }).collect();
    let made = psg::examples(&known, usize::MAX, 1);
    assert_eq!(made.unread, [4]);
    for example in &made.examples {
        let gold = GOLDS[example.of].trim().trim_end_matches([';', ' ']);
        assert_eq!(format!("{}{}", example.prefix, example.completion), gold);
        if let Some(keyword) = example.keyword {
            let rest = example.completion.trim_start().to_uppercase();
            assert!(keyword == "JOIN" || rest.starts_with(keyword.split(' ').next().unwrap()), "{rest}");
            assert_eq!(example.prefix.matches('\'').count() % 2, 0, "{}", example.prefix);
        }
    }
    // COUNT, FROM, two joins, WHERE, AND, ORDER BY, DESC.
    assert_eq!(made.examples.iter().filter(|e| e.of == 0 && e.keyword.is_some()).count(), 8);
    assert_eq!(made.by_keyword["JOIN"], 2);
}

#[test]
fn what_is_cut_follows_the_rule_and_the_seed() {
    let known = |right: Option<bool>| GOLDS.map(|gold| Known { gold, model_right: right });
    let of = |made: &psg::Examples| {
        made.examples.iter().filter(|e| e.keyword.is_some()).map(|e| e.of).collect::<Vec<_>>()
    };
    // Without predictions only complex ones are cut: three tables, a subquery, a WITH.
    let made = psg::examples(&known(None), 1, 7);
    assert_eq!(of(&made), [0, 2, 5]);
    assert_eq!(made.chosen, BTreeMap::from([(Chosen::Complex, 3)]));
    assert_eq!(psg::examples(&known(Some(true)), 1, 7), made);
    let wrong = psg::examples(&known(Some(false)), 2, 7);
    assert_eq!(of(&wrong), [0, 0, 1, 2, 2, 3, 3, 5, 5]);
    assert_eq!(wrong.chosen, BTreeMap::from([(Chosen::ModelErrs, 5)]));
    assert_eq!(psg::examples(&known(Some(false)), 2, 7), wrong);
    let others = (0..20).map(|seed| psg::examples(&known(Some(false)), 2, seed));
    assert!(others.into_iter().any(|other| other != wrong));
}
