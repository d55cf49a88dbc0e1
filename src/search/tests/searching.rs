//! The machine with scripted policies.

use super::*;

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
