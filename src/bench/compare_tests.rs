use proptest::prelude::*;

use super::super::align::{RowKind, align};
use super::*;
use crate::bench::modes::tests_common::any_value;
use crate::db::{ResultColumn, Value};

fn result(columns: &[&str], rows: Vec<Vec<Value>>) -> ResultSet {
    let columns = columns.iter().map(|name| ResultColumn { name: (*name).to_owned() }).collect();
    ResultSet { columns, rows, more: false, elapsed_ms: 0.0 }
}

fn int(number: i64) -> Value {
    Value::Integer(number)
}

fn real(number: f64) -> Value {
    Value::Real(number)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn same(gold: &ResultSet, predicted: &ResultSet) -> bool {
    judge(Mode::BirdEx, &Ok(gold.clone()), &Ok(predicted.clone())).correct()
}

fn why(gold: &ResultSet, predicted: &ResultSet) -> Diagnosis {
    diagnose(Complete::new(gold).unwrap(), Complete::new(predicted).unwrap())
}

fn same_values(a: Value, b: Value) -> bool {
    same(&result(&["a"], vec![vec![a]]), &result(&["b"], vec![vec![b]]))
}

#[test]
fn values_are_equal_as_in_python() {
    assert!(same_values(int(1), real(1.0)));
    assert!(same_values(real(0.0), real(-0.0)));
    assert!(same_values(int(0), real(-0.0)));
    assert!(same_values(Value::Null, Value::Null));
    assert!(same_values(real(f64::INFINITY), real(f64::INFINITY)));
    assert!(same_values(int(1 << 53), real(9_007_199_254_740_992.0)));
    assert!(!same_values(int((1 << 53) + 1), real(9_007_199_254_740_992.0)));
    assert!(!same_values(int(i64::MAX), real(9_223_372_036_854_775_808.0)));
    assert!(same_values(int(i64::MIN), real(-9_223_372_036_854_775_808.0)));
    assert!(!same_values(int(1), text("1")));
    assert!(!same_values(text("a"), Value::Blob(b"a".to_vec())));
    assert!(!same_values(Value::Null, int(0)));
    assert!(!same_values(text("a"), text("A")));
    assert!(!same_values(real(f64::NAN), real(f64::NAN)));
    assert!(!same_values(real(0.1 + 0.2), real(0.3)));
    let undecodable = || Value::InvalidText(vec![0xff]);
    assert!(!same_values(undecodable(), undecodable()));
}

#[test]
fn rows_are_a_set_of_tuples() {
    let gold = result(&["a", "b"], vec![vec![int(1), text("x")], vec![int(2), text("y")]]);
    let shuffled =
        result(&["c", "d"], vec![vec![int(2), text("y")], vec![int(1), text("x")], vec![int(2), text("y")]]);
    assert!(same(&gold, &shuffled));
    let swapped = result(&["b", "a"], vec![vec![text("x"), int(1)], vec![text("y"), int(2)]]);
    assert!(!same(&gold, &swapped));
    assert!(same(&result(&["a"], vec![]), &result(&["a", "b"], vec![])));
    let cut = ResultSet { more: true, ..gold.clone() };
    assert!(Complete::new(&cut).is_none());
    assert_eq!(
        judge(Mode::BirdEx, &Ok(gold.clone()), &Ok(cut)),
        Verdict::Cut { gold: false, predicted: true }
    );
    let late = || Err(DbError::Timeout(30_000));
    assert!(!judge(Mode::BirdEx, &late(), &late()).correct());
    assert!(!judge(Mode::BirdEx, &late(), &Ok(gold)).correct());
}

#[test]
fn each_difference_is_named() {
    let gold = result(
        &["month", "n", "on_time_pct"],
        vec![
            vec![text("2024-04"), int(372), real(94.89)],
            vec![text("2024-05"), int(391), real(95.4)],
            vec![text("2024-06"), int(402), real(96.27)],
        ],
    );
    let mut rounded = gold.clone();
    rounded.rows[0][2] = real(94.9);
    rounded.rows[2][2] = real(96.3);
    let got = why(&gold, &rounded);
    assert_eq!(got.only_rounding, Some(2));
    assert_eq!(
        got.sentence,
        "Same rows, only on_time_pct differs: gold keeps 2 decimals, the answer keeps 1."
    );
    let pairs = align(Complete::new(&gold).unwrap(), Complete::new(&rounded).unwrap());
    assert_eq!(pairs.rows[0].kind, RowKind::Changed);
    assert_eq!((pairs.rows[0].gold, pairs.rows[0].differing.as_slice()), (Some(0), &[2][..]));
    assert_eq!(pairs.rows[1].kind, RowKind::Same);

    let mut other = gold.clone();
    other.rows[1][1] = int(400);
    assert_eq!(why(&gold, &other).sentence, "Same rows, only n differs: 1 of 3 cells.");
    assert_eq!(why(&gold, &other).only_rounding, None);

    let mut typed = gold.clone();
    for row in &mut typed.rows {
        row[1] = text("372");
    }
    assert!(why(&gold, &typed).sentence.contains("gold holds numbers, the answer text"));

    let mut order = gold.clone();
    order.rows.reverse();
    let got = why(&gold, &order);
    assert!(got.only_order && !got.only_duplicates && got.missing_rows == 0);
    let mut twice = gold.clone();
    twice.rows.push(gold.rows[0].clone());
    let got = why(&gold, &twice);
    assert!(got.only_duplicates && !got.only_order);
    assert!(why(&twice, &gold).only_duplicates);

    let mut fewer = gold.clone();
    fewer.rows.pop();
    assert_eq!(why(&gold, &fewer).sentence, "1 row is missing, none is extra.");
    assert_eq!(why(&fewer, &gold).sentence, "1 row is extra, none is missing.");
    let empty = result(&["month", "n", "on_time_pct"], vec![]);
    assert_eq!(why(&gold, &empty).sentence, "The answer is empty, gold has 3 rows.");
    let narrow = result(&["month"], vec![vec![text("2024-04")]]);
    assert_eq!(why(&gold, &narrow).sentence, "Gold has 3 columns, the answer has 1.");
    assert_eq!(why(&gold, &narrow).column_counts, Some((3, 1)));
    assert_eq!(why(&gold, &gold).sentence, "Same rows in the same order.");

    let one = |number| result(&["avg"], vec![vec![real(number)]]);
    let got = why(&one(2.0 / 3.0), &one(0.67));
    assert_eq!(got.sentence, "Only avg differs: gold keeps all decimals, the answer keeps 2.");
    assert_eq!(why(&one(0.0), &one(0.3)).only_rounding, None);
    let two =
        |first, second| result(&["n", "avg"], vec![vec![int(1), real(first)], vec![int(2), real(second)]]);
    assert_eq!(why(&two(2.0 / 3.0, 0.0014), &two(0.67, 0.0)).only_rounding, Some(2));
    assert_eq!(why(&two(2.0 / 3.0, 0.3), &two(0.67, 0.0)).only_rounding, None);
}

#[test]
fn a_whole_number_is_not_a_rounded_share() {
    let gold = result(&["share"], vec![vec![real(0.6)]]);
    let predicted = result(&["share"], vec![vec![int(1)]]);
    assert_eq!(why(&gold, &predicted).only_rounding, None);
}

#[test]
fn wide_and_long_results_are_compared_quickly() {
    let wide: Vec<Vec<Value>> =
        (0..200).map(|row: i64| (0..40).map(|column: i64| int(row * (column % 8) % 5)).collect()).collect();
    let names: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut reversed = wide.clone();
    for row in &mut reversed {
        row.reverse();
    }
    let started = std::time::Instant::now();
    let got = why(&result(&names, wide), &result(&names, reversed));
    assert!(got.column_order.is_some(), "{}", got.sentence);
    let long = |round: bool| {
        let rows = (0..100_000).map(|i: i64| {
            let share = i as f64 / 700.0;
            vec![int(i), real(if round { (share * 10.0).round() / 10.0 } else { share })]
        });
        result(&["i", "share"], rows.collect())
    };
    let (gold, mut predicted) = (long(false), long(true));
    predicted.rows.reverse();
    let got = why(&gold, &predicted);
    assert!(got.only_rounding.is_some(), "{}", got.sentence);
    // Generous: this takes well under a second on a quiet machine.
    assert!(started.elapsed().as_secs() < 20);
}

fn any_result() -> impl Strategy<Value = ResultSet> {
    (1..4_usize).prop_flat_map(|width| {
        proptest::collection::vec(proptest::collection::vec(any_value(), width), 0..6)
            .prop_map(move |rows| result(&["a", "b", "c"][..width], rows))
    })
}

proptest! {
    #[test]
    fn comparison_is_symmetric_and_agrees_with_the_diagnosis(a in any_result(), b in any_result()) {
        prop_assert_eq!(same(&a, &b), same(&b, &a));
        let (there, back) = (why(&a, &b), why(&b, &a));
        prop_assert_eq!((there.missing_rows, there.extra_rows), (back.extra_rows, back.missing_rows));
        prop_assert_eq!(same(&a, &b), there.missing_rows + there.extra_rows == 0);
        prop_assert_eq!(there.column_order.is_some(), back.column_order.is_some());
        let pairs = align(Complete::new(&a).unwrap(), Complete::new(&b).unwrap());
        let mut gold: Vec<usize> = pairs.rows.iter().filter_map(|row| row.gold).collect();
        gold.sort_unstable();
        prop_assert_eq!(gold, (0..a.rows.len()).collect::<Vec<_>>());
        let predicted: Vec<usize> = pairs.rows.iter().filter_map(|row| row.predicted).collect();
        prop_assert_eq!(predicted, (0..b.rows.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_result_differs_from_itself_in_nothing(a in any_result()) {
        prop_assert!(same(&a, &a));
        let got = why(&a, &a);
        prop_assert_eq!(&got, &Diagnosis { sentence: got.sentence.clone(), ..Diagnosis::default() });
    }

    #[test]
    fn shuffles_copies_and_permutations_are_found(
        a in any_result(),
        by in any::<prop::sample::Index>(),
        turn in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!a.rows.is_empty());
        let mut rotated = a.clone();
        rotated.rows.rotate_left(by.index(a.rows.len()));
        let got = why(&a, &rotated);
        prop_assert!(same(&a, &rotated));
        prop_assert_eq!(got.only_order, a.rows.iter().zip(&rotated.rows).any(|(x, y)| Row(x) != Row(y)));
        let mut copied = a.clone();
        copied.rows.push(a.rows[by.index(a.rows.len())].clone());
        prop_assert!(same(&a, &copied) && why(&a, &copied).only_duplicates);
        let mut turned = a.clone();
        for row in &mut turned.rows {
            let width = row.len();
            row.rotate_left(turn.index(width));
        }
        let got = why(&a, &turned);
        prop_assert!(same(&a, &turned) || got.column_order.is_some());
        if let Some(order) = got.column_order {
            let undone: Vec<Vec<Value>> =
                turned.rows.iter().map(|row| order.iter().map(|i| row[*i].clone()).collect()).collect();
            let undone = ResultSet { rows: undone, ..turned };
            prop_assert!(same(&a, &undone));
        }
    }
}
