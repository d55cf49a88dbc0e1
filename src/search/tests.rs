use std::collections::BTreeMap;

use proptest::prelude::*;

use super::machine::{Ask, Given, Search, Spent, Wanted};
use super::parameters::{Budget, Guidance, Parameters, Uct};
use super::psg::{self, Chosen, Known};
use super::report::Report;
use super::steps::{Continuation, Piece, Unusable, steps};
use super::tree::{Node, Outcome, ROOT, Tree, mixed, reward, uct};
use super::{Ended, clauses};

// ---- Equations ----

fn parameters() -> Parameters {
    Parameters { beta: 100.0, alpha: 2.0, delta: 0.25, w: 10.0, ..Parameters::default() }
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got} is not {want}");
}

#[test]
fn equation_2_is_the_full_score_less_a_scaled_log_probability() {
    close(reward(&parameters(), 0.0), 100.0);
    close(reward(&parameters(), -3.5), 93.0);
}

#[test]
fn equation_3_has_two_forms() {
    let released = Parameters { uct: Uct::Released, ..parameters() };
    let printed = Parameters { uct: Uct::Printed, ..parameters() };
    // ln 9 = 2.1972245773362196; √(ln 9 / 4) = 0.7411519; √(ln 9) / 4 = 0.3705760.
    close(uct(&released, 50.0, 9, 4), 50.0 + 10.0 * (2.197_224_577_336_219_6_f64 / 4.0).sqrt());
    close(uct(&printed, 50.0, 9, 4), 50.0 + 10.0 * 2.197_224_577_336_219_6_f64.sqrt() / 4.0);
    // A child that was never tried counts as tried once, so the two agree; and so do they after one visit of the parent.
    close(uct(&released, 50.0, 9, 0), uct(&printed, 50.0, 9, 1));
    close(uct(&released, 50.0, 1, 0), 50.0);
    close(uct(&printed, 50.0, 0, 0), 50.0);
}

#[test]
fn equation_6_mixes_step_and_whole() {
    close(mixed(&parameters(), 96.0, 80.0), 0.25 * 96.0 + 0.75 * 80.0);
}

/// A tree of root, two children and a grandchild below the first.
fn small() -> Tree {
    let mut tree = Tree::default();
    for (parent, reward) in [(0, 90.0), (0, 98.0), (1, 80.0)] {
        tree.add(Node { parent: Some(parent), reward, ..Node::default() });
    }
    tree
}

#[test]
fn equation_7_keeps_the_best_mean_of_the_trajectories() {
    let (mut tree, p) = (small(), Parameters { delta: 0.5, ..parameters() });
    // The first trajectory, over nodes 1 and 3, ends in a query of score 70: its steps are worth 75 at the leaf and 80
    // above, so the means are 75 and 77.5; the root has the mean of the steps.
    close(tree.back_propagate(&p, &[0, 1, 3], 70.0), 77.5);
    let values = |tree: &Tree| tree.nodes().iter().map(|node| node.value).collect::<Vec<_>>();
    assert_eq!(values(&tree), [Some(77.5), Some(77.5), None, Some(75.0)]);
    // The second one, over node 2, is worth (98 + 60) / 2 = 79: better at the root, nothing new elsewhere.
    close(tree.back_propagate(&p, &[0, 2], 60.0), 79.0);
    assert_eq!(values(&tree), [Some(79.0), Some(77.5), Some(79.0), Some(75.0)]);
    // The first again with a worse query changes no value, but counts.
    close(tree.back_propagate(&p, &[0, 1, 3], 10.0), 47.5);
    assert_eq!(values(&tree), [Some(79.0), Some(77.5), Some(79.0), Some(75.0)]);
    assert_eq!(tree.nodes().iter().map(|node| node.visits).collect::<Vec<_>>(), [3, 2, 1, 2]);
}

#[test]
fn selection_takes_the_highest_bound_and_simulation_the_best_step() {
    let mut tree = small();
    let p = Parameters { w: 0.0, ..parameters() };
    assert_eq!((tree.select(&p, ROOT), tree.simulate(ROOT)), (Some(2), Some(2)));
    tree.back_propagate(&Parameters { delta: 1.0, ..p.clone() }, &[0, 2], 0.0);
    tree.back_propagate(&Parameters { delta: 0.0, ..p.clone() }, &[0, 1, 3], 99.0);
    // Node 1 has Q 99 after its trajectory; node 2 has 98.
    assert_eq!(tree.select(&p, ROOT), Some(1));
    // N = 2 at the root, 1 below: with much exploration what was tried less often comes first.
    tree.back_propagate(&Parameters { delta: 0.0, ..p.clone() }, &[0, 1, 3], 99.0);
    let curious = Parameters { w: 1000.0, ..p };
    assert_eq!(tree.select(&curious, ROOT), Some(2));
    assert_eq!(tree.select(&curious, 3), None);
}

// ---- Cutting ----

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

// ---- Continuations ----

fn written(text: &str, ended: bool) -> Continuation {
    let pieces = text.split_inclusive(' ').map(|word| Piece { bytes: word.len(), log_probability: -1.0 });
    Continuation { text: text.to_owned(), pieces: pieces.collect(), ended, greedy: false }
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

// ---- The machine ----

/// A grammar: what may follow a prefix, each with its probability; an end is the empty text.
struct Policy {
    rules: BTreeMap<&'static str, Vec<(&'static str, f64)>>,
}

/// A small generator for samples.
fn draw(seed: u64) -> f64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

impl Policy {
    fn go_on(&self, prefix: &str, mut seed: Option<u64>) -> Continuation {
        let (mut text, mut pieces) = (String::new(), Vec::new());
        while let Some(ways) = self.rules.get(format!("{prefix}{text}").as_str()) {
            let chosen = match seed {
                None => ways.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap(),
                Some(at) => {
                    let mut left = draw(at);
                    seed = Some(at.wrapping_mul(31).wrapping_add(7));
                    ways.iter()
                        .find(|(_, p)| {
                            left -= p;
                            left < 0.0
                        })
                        .unwrap_or(&ways[0])
                }
            };
            text.push_str(chosen.0);
            pieces.push(Piece { bytes: chosen.0.len(), log_probability: chosen.1.ln() });
            if chosen.0.is_empty() {
                break;
            }
        }
        Continuation { text, pieces, ended: true, greedy: seed.is_none() }
    }

    fn answer(&self, ask: &Ask) -> Given {
        let greedy = ask.greedy.then(|| self.go_on(&ask.prefix, None));
        let samples = (0..ask.samples).map(|i| self.go_on(&ask.prefix, Some(ask.seed + u64::from(i))));
        let all: Vec<Continuation> = greedy.into_iter().chain(samples).collect();
        let requests = all.len() as u32;
        let spent = Spent { requests, prompt_tokens: u64::from(requests) * 10, answer_tokens: 5 };
        Given::Continuations(all, spent)
    }
}

/// A greedy model is led astray: the likeliest first step has only unlikely ends.
fn garden_path() -> Policy {
    let rules = BTreeMap::from([
        ("", vec![("SELECT a", 0.6), ("SELECT b", 0.4)]),
        ("SELECT a", vec![(" FROM t", 0.5), (" FROM u", 0.5)]),
        ("SELECT a FROM t", vec![(" WHERE x = 1", 0.5), (" WHERE x = 2", 0.5)]),
        ("SELECT a FROM u", vec![(" WHERE x = 1", 0.5), (" WHERE x = 2", 0.5)]),
        ("SELECT b", vec![(" FROM v", 1.0)]),
        ("SELECT b FROM v", vec![(" WHERE y = 1", 1.0)]),
        ("SELECT b FROM v WHERE y = 1", vec![("", 1.0)]),
    ]);
    Policy { rules }
}

fn drive(search: &mut Search, policy: &Policy, run: impl Fn(&str) -> Outcome) -> Ended {
    for _ in 0..10_000 {
        let wanted = search.wanted();
        assert_eq!(search.wanted(), wanted, "it wants the same until it is given");
        let given = match wanted {
            Wanted::Nothing(ended) => return ended,
            Wanted::Continuations(ask) => policy.answer(&ask),
            Wanted::Check { prefix, .. } => {
                Given::Checked(prefix.contains("FROM t").then(|| "no such table: t".to_owned()))
            }
            Wanted::Try(sql) => Given::Tried(run(&sql)),
        };
        assert!(search.give(given));
    }
    panic!("it does not end");
}

#[test]
fn the_known_best_query_is_always_found() {
    let policy = garden_path();
    for seed in 0..200 {
        for uct in [Uct::Released, Uct::Printed] {
            let parameters = Parameters { seed: seed * 1000, uct, iterations: 12, ..Parameters::default() };
            let mut search = Search::new(parameters);
            drive(&mut search, &policy, |_| Outcome::Empty);
            let found = search.tree().nodes().iter().any(|node| node.step == "SELECT b");
            // A step that no sample of the root has cannot be found: 0.6² of the searches.
            if !found {
                continue;
            }
            let best = search.best().unwrap();
            assert_eq!(best.sql, "SELECT b FROM v WHERE y = 1", "seed {seed}");
            // log π is ln 0.4 for the first step and the whole.
            let whole = 100.0 + 0.4_f64.ln();
            let steps = 0.5 * (whole + 100.0 + 100.0) / 3.0;
            close(best.reward, steps + 0.5 * whole);
        }
    }
    let greedy = policy.go_on("", None);
    assert_ne!(greedy.text, "SELECT b FROM v WHERE y = 1", "the greedy answer is another");
}

#[test]
fn with_more_beams_nothing_is_missed() {
    for seed in 0..100 {
        let parameters = Parameters { seed, beams: 24, d: 4, iterations: 30, ..Parameters::default() };
        let mut search = Search::new(parameters);
        let ended = drive(&mut search, &garden_path(), |_| Outcome::Empty);
        assert_eq!(search.best().unwrap().sql, "SELECT b FROM v WHERE y = 1", "seed {seed}");
        assert_eq!(ended, Ended::Exhausted, "five queries are all that there is");
        assert_eq!(search.finished().len(), 5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_same_seed_gives_the_same_search(seed: u64, beams in 1_u32..5, d in 1_u32..4, guided: bool, vote: bool) {
        let parameters = Parameters {
            seed, beams, d, vote, guidance: guided.then(Guidance::default), ..Parameters::default()
        };
        let whole = || {
            let mut search = Search::new(parameters.clone());
            drive(&mut search, &garden_path(), |sql| Outcome::Rows(sql.len() as u64));
            Report::from(&search)
        };
        let report = whole();
        prop_assert_eq!(&report, &whole());
        let json = serde_json::to_string(&report).unwrap();
        // Reading a number may change its last bit.
        let read = serde_json::from_str::<Report>(&json).unwrap();
        prop_assert_eq!((read.nodes.len(), &read.path, read.ended), (report.nodes.len(), &report.path, report.ended.clone()));
        // Children are at most d, rewards follow their order, and each prefix begins with its parent's.
        for node in &report.nodes {
            if let Some(parent) = node.parent {
                prop_assert!(node.prefix.starts_with(&report.nodes[parent as usize].prefix));
            }
        }
    }

    #[test]
    fn a_budget_is_kept_and_the_best_so_far_can_be_taken(most in 0_u32..12, tokens in 0_u64..200) {
        let budget = Budget { requests: Some(most), prompt_tokens: Some(tokens), answer_tokens: None };
        let mut search = Search::new(Parameters { budget, ..Parameters::default() });
        drive(&mut search, &garden_path(), |_| Outcome::Empty);
        let spent = search.spent();
        prop_assert!(spent.requests <= most);
        // It stops before the next state; three requests of ten tokens is the most that one takes.
        prop_assert!(spent.prompt_tokens < tokens + 30);
        prop_assert_eq!(search.best().is_some(), spent.requests > 0);
    }
}

#[test]
fn what_was_written_past_the_next_clause_is_used_again() {
    let rules = BTreeMap::from([
        ("", vec![("SELECT a", 1.0)]),
        ("SELECT a", vec![(" FROM t", 1.0)]),
        ("SELECT a FROM t", vec![("", 1.0)]),
    ]);
    let mut search = Search::new(Parameters::default());
    drive(&mut search, &Policy { rules }, |_| Outcome::Empty);
    // Three at the root; below it all three are known, and one more is asked for.
    assert_eq!(search.spent().requests, 3 + 1);
    assert_eq!(search.ended(), Some(&Ended::Exhausted));
    assert_eq!(search.best().unwrap().sql, "SELECT a FROM t");
}

#[test]
fn guidance_prefers_what_gives_rows_and_cuts_what_cannot_be_completed() {
    let parameters = || Parameters {
        beams: 24,
        d: 4,
        iterations: 40,
        guidance: Some(Guidance::default()),
        ..Parameters::default()
    };
    let run = |sql: &str| match sql {
        sql if sql.contains('b') => Outcome::Failed("no such column: b".into()),
        sql if sql.ends_with('1') => Outcome::Empty,
        _ => Outcome::Rows(1),
    };
    let mut search = Search::new(parameters());
    drive(&mut search, &garden_path(), run);
    assert_eq!(search.best().unwrap().sql, "SELECT a FROM u WHERE x = 2");
    let report = Report::from(&search);
    let cut: Vec<&str> = report.nodes.iter().filter(|n| n.cut.is_some()).map(|n| n.prefix.as_str()).collect();
    assert_eq!(cut, ["SELECT a FROM t"]);
    let node =
        |prefix: &str| report.nodes.iter().find(|node| node.prefix == prefix && node.finished).unwrap();
    assert!(node("SELECT a FROM u WHERE x = 1").value < node("SELECT a FROM u WHERE x = 2").value);
    assert_eq!(node("SELECT a FROM u WHERE x = 2").outcome, Some(Outcome::Rows(1)));
    // Where everything fails, the best failure is still told.
    let mut search = Search::new(parameters());
    drive(&mut search, &garden_path(), |_| Outcome::Failed("no".into()));
    assert!(search.best().is_some());
}

#[test]
fn trajectories_vote_by_their_rows() {
    let vote = Parameters { beams: 24, d: 4, iterations: 40, vote: true, ..Parameters::default() };
    let mut search = Search::new(vote);
    // Four queries of lower reward agree.
    drive(&mut search, &garden_path(), |sql| Outcome::Rows(u64::from(sql.contains('b'))));
    let best = search.best().unwrap();
    assert!(best.sql.starts_with("SELECT a"), "{best:?}");
    assert_eq!(best.votes, 4, "{best:?}");
}

#[test]
fn it_can_be_stopped_at_any_moment() {
    let mut search = Search::new(Parameters::default());
    assert_eq!(search.best(), None);
    let Wanted::Continuations(ask) = search.wanted() else { panic!("continuations first") };
    assert_eq!((ask.prefix.as_str(), ask.greedy, ask.samples), ("", true, 2));
    assert!(!search.give(Given::Tried(Outcome::Empty)), "that was not wanted");
    assert!(search.give(garden_path().answer(&ask)));
    let draft = search.best().unwrap();
    assert!(draft.node.is_none() && draft.sql.starts_with("SELECT "), "{draft:?}");
    search.stop("enough");
    assert_eq!(search.wanted(), Wanted::Nothing(Ended::Stopped("enough".into())));
    assert_eq!(search.best(), Some(draft));
}

#[test]
fn a_policy_that_writes_nothing_usable_ends_the_search() {
    for (text, ended, why) in [
        ("SELECT a, a, a, a, a, a, a", false, Unusable::Unfinished),
        ("我不知道", true, Unusable::NotSql),
        ("", false, Unusable::Unfinished),
        ("I cannot answer that.", true, Unusable::NotSql),
    ] {
        let mut search = Search::new(Parameters::default());
        for _ in 0..100 {
            let Wanted::Continuations(ask) = search.wanted() else { break };
            let all = vec![written(text, ended); 1 + ask.samples as usize];
            search.give(Given::Continuations(all, Spent { requests: 3, ..Spent::default() }));
        }
        assert_eq!(search.ended(), Some(&Ended::NothingLeft), "{text}");
        assert_eq!((search.best(), search.unusable().get(&why)), (None, Some(&3)), "{text}");
        assert_eq!(search.spent().requests, 3);
    }
}

#[test]
fn a_model_that_repeats_itself_is_ended_at_the_depth_limit() {
    let mut search = Search::new(Parameters { depth_limit: 5, ..Parameters::default() });
    let mut asked = 0;
    while let Wanted::Continuations(ask) = search.wanted() {
        asked += 1;
        assert!(asked < 200);
        let text = if ask.prefix.is_empty() { "SELECT 1 UNION" } else { " SELECT 1 UNION" };
        let text = if ask.prefix.ends_with('1') { " UNION SELECT 1 UNION" } else { text };
        search.give(Given::Continuations(
            vec![written(text, false)],
            Spent { requests: 1, ..Spent::default() },
        ));
    }
    assert!(search.tree().nodes().iter().all(|node| node.depth < 5));
    assert_eq!((search.best(), search.ended()), (None, Some(&Ended::NothingLeft)));
}

#[test]
fn the_last_step_at_the_depth_limit_is_the_rest_of_the_query() {
    let mut search = Search::new(Parameters { depth_limit: 2, ..Parameters::default() });
    drive(&mut search, &garden_path(), |_| Outcome::Empty);
    let leaf = search.best().unwrap().node.unwrap();
    let node = search.tree().get(leaf).unwrap();
    assert_eq!(node.depth, 2);
    assert!(node.step.contains("FROM") && node.step.contains("WHERE"), "{}", node.step);
}

/// A policy of endless variety: every state has new columns, and a query has a dozen clauses.
fn varied(ask: &Ask, count: &mut u64) -> Given {
    let depth = clauses::cuts(&ask.prefix).len();
    let mut all = Vec::new();
    for _ in 0..=ask.samples {
        *count += 1;
        let text = match (ask.prefix.is_empty(), depth >= 11) {
            (true, _) => format!("SELECT column_number_{count} FROM some_table_{count}"),
            (false, true) => format!(" LIMIT {count};"),
            (false, false) => {
                format!(" UNION SELECT another_column_{count} FROM another_table_{count} UNION SELECT 1")
            }
        };
        let pieces = text.split_inclusive(' ').map(|word| Piece { bytes: word.len(), log_probability: -0.5 });
        all.push(Continuation { pieces: pieces.collect(), text, ended: depth >= 11, greedy: false });
    }
    let requests = all.len() as u32;
    Given::Continuations(all, Spent { requests, ..Spent::default() })
}

#[test]
fn ten_thousand_nodes_are_quick_and_small() {
    let parameters = Parameters { iterations: 100_000, d: 3, beams: 3, ..Parameters::default() };
    let (mut search, mut count, mut moves) = (Search::new(parameters), 0, 0_u32);
    let started = std::time::Instant::now();
    while search.tree().nodes().len() < 10_000 {
        let Wanted::Continuations(ask) = search.wanted() else { panic!("{:?}", search.ended()) };
        let given = varied(&ask, &mut count);
        search.give(given);
        search.best();
        moves += 1;
    }
    let each = started.elapsed().as_secs_f64() * 1000.0 / f64::from(moves);
    let bytes = search.bytes();
    println!("{moves} moves, {each:.4} ms each, {} KB", bytes / 1024);
    assert!(each < 1.0, "{each} ms");
    assert!(bytes < 50 << 20, "{bytes} bytes");
}

// ---- Progressive SQL generation ----

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
