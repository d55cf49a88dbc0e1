use std::cell::RefCell;
use std::collections::HashMap;

use super::super::tests_common::{int, result, text};
use super::*;
use crate::ports::blocking::block_on;

/// Answers known queries, each in its milliseconds; where it tires, every answer takes one more for each before it.
#[derive(Default)]
struct Fake {
    answers: HashMap<&'static str, (Outcome, f64)>,
    asked: RefCell<Vec<String>>,
    tires: bool,
}

impl Execute for Fake {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Outcome {
        self.asked.borrow_mut().push(sql.to_owned());
        let (outcome, mut ms) =
            self.answers.get(sql).cloned().unwrap_or((Err(unusable("no such table")), 1.0));
        if self.tires {
            ms += self.asked.borrow().len() as f64;
        }
        if ms > f64::from(limits.timeout_ms) {
            return Err(DbError::Timeout(limits.timeout_ms));
        }
        outcome.map(|rows| ResultSet { elapsed_ms: ms, ..rows })
    }
}

fn rows(numbers: &[i64]) -> Outcome {
    Ok(result(&numbers.iter().map(|n| vec![int(*n)]).collect::<Vec<_>>()))
}

fn on(name: &str, answers: &[(&'static str, Outcome, f64)]) -> On<Fake> {
    let answers = answers.iter().cloned().map(|(sql, outcome, ms)| (sql, (outcome, ms))).collect();
    On { name: name.to_owned(), database: Fake { answers, ..Fake::default() } }
}

fn case<'a>(gold: &'a str, predicted: &'a str) -> Case<'a> {
    Case { gold, predicted: Some(predicted), ..Case::default() }
}

fn judged(mode: Mode, case: &Case<'_>, on: &[On<Fake>], golds: &dyn Golds) -> Judged {
    let options = Options { repeats: 3, ..Options::default() };
    let limits = QueryLimits { timeout_ms: 30_000, max_rows: usize::MAX };
    let bench = Bench { mode, options, limits, golds };
    block_on(judge(&bench, case, on)).unwrap().0
}

#[test]
fn thirty_seconds_are_shared_in_mini_dev_and_each_querys_own_in_the_first_script() {
    let on = || {
        [on(
            "d",
            &[("gold", rows(&[1]), 16_000.0), ("slow", rows(&[1]), 15_000.0), ("quick", rows(&[1]), 1.0)],
        )]
    };
    let score = |mode, predicted| judged(mode, &case("gold", predicted), &on(), &Forgetful);
    // 15 + 16 s are more than 30 s.
    let late = score(Mode::BirdEx, "slow");
    assert_eq!((late.score, late.verdict), (0.0, Verdict::PredictedFailed(DbError::Timeout(30_000))));
    assert_eq!(score(Mode::BirdOrig, "slow").score, 1.0);
    assert_eq!(score(Mode::BirdEx, "quick").score, 1.0);
}

#[test]
fn a_missing_prediction_is_a_blank_query_in_mini_dev() {
    let on = || [on("d", &[("none", rows(&[]), 1.0), ("some", rows(&[1]), 1.0)])];
    let score = |mode, gold| judged(mode, &Case { gold, ..Case::default() }, &on(), &Forgetful);
    // cursor.execute(" ").fetchall() is []: equal where gold is empty, too.
    for mode in [Mode::BirdEx, Mode::SoftF1] {
        assert_eq!(score(mode, "none").score, 1.0);
        assert_eq!(score(mode, "some").verdict, Verdict::Missing);
    }
    // There the first script has an error, and Spider's nothing to parse.
    for mode in [Mode::BirdOrig, Mode::SpiderTs, Mode::Livesql] {
        assert_eq!(score(mode, "none").verdict, Verdict::Missing);
    }
    assert_eq!(score(Mode::BirdOrig, "broken").score, 1.0);
    // So is a text of comments.
    let comment = judged(Mode::BirdEx, &case("none", " -- nothing"), &on(), &Forgetful);
    assert_eq!(comment.score, 1.0);
}

#[test]
fn spider_asks_every_file_and_names_the_one_that_differs() {
    let one =
        |name, predicted: Outcome| on(name, &[("SELECT a", rows(&[1]), 1.0), ("SELECT b", predicted, 1.0)]);
    let case = case("SELECT DISTINCT a", "SELECT distinct b");
    // Both run without DISTINCT, which leaves its two spaces.
    let spaced =
        |name, predicted: Outcome| on(name, &[("SELECT  a", rows(&[1]), 1.0), ("SELECT  b", predicted, 1.0)]);
    assert!(matches!(
        judged(Mode::SpiderTs, &case, &[one("x", rows(&[1]))], &Forgetful).verdict,
        Verdict::GoldFailed(_)
    ));
    let both = [spaced("x", rows(&[1])), spaced("y", rows(&[2]))];
    let told = judged(Mode::SpiderTs, &case, &both, &Forgetful);
    assert!(told.score == 0.0 && told.why.starts_with("On y: "), "{}", told.why);
    let both = [spaced("x", rows(&[1])), spaced("y", rows(&[1]))];
    assert_eq!(judged(Mode::SpiderTs, &case, &both, &Forgetful).score, 1.0);
}

#[test]
fn spider_leaves_out_bytes_that_are_no_text() {
    // b"a\xffb".decode(errors="ignore") == "ab"; U+FFFD that is stored stays.
    let bytes = Ok(result(&[vec![Value::InvalidText(b"a\xffb\xef\xbf\xbd".to_vec())]]));
    let on =
        || [on("d", &[("gold", bytes.clone(), 1.0), ("text", Ok(result(&[vec![text("ab\u{fffd}")]])), 1.0)])];
    assert_eq!(judged(Mode::SpiderTs, &case("gold", "text"), &on(), &Forgetful).score, 1.0);
    assert_eq!(judged(Mode::BirdEx, &case("gold", "text"), &on(), &Forgetful).score, 0.0);
}

#[test]
fn r_ves_times_both_queries_again_and_again() {
    let on = |predicted: f64| {
        [on("d", &[("gold", rows(&[1]), 80.0), ("mine", rows(&[1]), predicted), ("no", rows(&[2]), 1.0)])]
    };
    let case = case("gold", "mine");
    // Equal times give equal ratios, of which the source keeps none.
    assert_eq!(judged(Mode::RVes, &case, &on(40.0), &Forgetful).score, 0.0);
    let mut tiring = on(40.0);
    tiring[0].database.tires = true;
    let got = judged(Mode::RVes, &case, &tiring, &Forgetful);
    // Two queries before; then 80 + 4 by 40 + 3, 80 + 6 by 40 + 5, 80 + 8 by 40 + 7, on average 1.91: a reward of 1.
    let ratio = (84.0 / 43.0 + 86.0 / 45.0 + 88.0 / 47.0) / 3.0;
    assert!((got.speed.unwrap() - ratio).abs() < 1e-9 && got.score == 1.0, "{got:?}");
    assert_eq!(tiring[0].database.asked.borrow().len(), 8);
    // Nearly three times as fast: the root of 1.25.
    let mut tiring = on(25.0);
    tiring[0].database.tires = true;
    assert_eq!(judged(Mode::RVes, &case, &tiring, &Forgetful).score, 1.25_f64.sqrt());
    assert_eq!(
        judged(Mode::RVes, &super::Case { predicted: Some("no"), ..case }, &on(40.0), &Forgetful).score,
        0.0
    );
}

#[derive(Default)]
struct Kept(RefCell<HashMap<(String, String), Arc<Outcome>>>);

impl Golds for Kept {
    fn known(&self, database: &str, sql: &str) -> Option<Arc<Outcome>> {
        self.0.borrow().get(&(database.to_owned(), sql.to_owned())).cloned()
    }

    fn keep(&self, database: &str, sql: &str, outcome: &Arc<Outcome>) {
        self.0.borrow_mut().insert((database.to_owned(), sql.to_owned()), outcome.clone());
    }
}

#[test]
fn gold_is_asked_once_and_predictions_each_time() {
    let (kept, on) = (Kept::default(), [on("d", &[("gold", rows(&[1]), 1.0)])]);
    for _ in 0..3 {
        assert_eq!(judged(Mode::BirdEx, &case("gold", "gold"), &on, &kept).score, 1.0);
    }
    assert_eq!(on[0].database.asked.borrow().len(), 4);
}

#[test]
fn wikisql_reads_the_table_and_runs_what_it_makes_of_both() {
    let create =
        Ok(result(&[vec![text("CREATE TABLE table_1_2 (col0 text, col1 real)"), text("table_1_2")]]));
    let lookup = "SELECT sql, tbl_name FROM sqlite_master WHERE tbl_name = 'table_1_2'";
    let gold = r#"{"sel": 0, "agg": 0, "conds": [[1, 0, "3"]]}"#;
    let on = || {
        [on(
            "d",
            &[
                (lookup, create.clone(), 1.0),
                ("SELECT col0 AS result FROM table_1_2 WHERE col1 = 3.0", rows(&[7]), 1.0),
                ("SELECT col0 AS result FROM table_1_2", rows(&[7]), 1.0),
                ("SELECT MAX(col0) AS result FROM table_1_2", rows(&[8]), 1.0),
            ],
        )]
    };
    let judge = |predicted, table| {
        let case = Case { gold, predicted: Some(predicted), table: Some(table), ordered: false };
        judged(Mode::WikisqlEx, &case, &on(), &Forgetful)
    };
    let of = |judged: Judged| (judged.score, judged.logical_form);
    assert_eq!(of(judge(gold, "1-2")), (1.0, Some(true)));
    // Another query with the same values: right by execution, not by logical form.
    assert_eq!(of(judge(r#"{"sel": 0, "agg": 0, "conds": []}"#, "1-2")), (1.0, Some(false)));
    assert_eq!(of(judge(r#"{"sel": 0, "agg": 1, "conds": []}"#, "1-2")), (0.0, Some(false)));
    // repr(exception) is not the list of gold.
    assert!(matches!(judge("SELECT 1", "1-2").verdict, Verdict::PredictedFailed(_)));
    assert!(matches!(judge(gold, "1-3").verdict, Verdict::GoldFailed(_)));
}
