#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::db::{ResultColumn, Value};

fn set(names: &[&str], rows: Vec<Vec<Value>>) -> ResultSet {
    let columns = names.iter().map(|name| ResultColumn { name: (*name).into() }).collect();
    ResultSet { columns, rows, ..ResultSet::default() }
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn whole(n: i64) -> Value {
    Value::Integer(n)
}

fn routes() -> ResultSet {
    let rows = [("Harbour Loop", 32), ("Airport Express", 3), ("Old Town", 17)];
    set(&["route", "crowded"], rows.iter().map(|(name, n)| vec![text(name), whole(*n)]).collect())
}

fn months() -> ResultSet {
    let rows = [("2024-05", 95.4), ("2024-04", 94.9), ("2024-07", 93.1), ("2024-06", 96.3)];
    set(&["month", "on_time_pct"], rows.iter().map(|(m, x)| vec![text(m), Value::Real(*x)]).collect())
}

/// The bars as (left, width) in whole pixels.
fn bars(chart: &Chart, width: f64) -> Vec<(i64, i64)> {
    let panels = chart.draw(width, None);
    let marks = panels.iter().flat_map(|panel| &panel.marks);
    marks
        .filter_map(|mark| match mark {
            Mark::Bar { x, width, .. } => Some((*x as i64, *width as i64)),
            _ => None,
        })
        .collect()
}

fn lines(chart: &Chart) -> Vec<(Ink, usize)> {
    let panels = chart.draw(400.0, None);
    let marks = panels.iter().flat_map(|panel| &panel.marks);
    marks
        .filter_map(|mark| match mark {
            Mark::Line { points, ink } => Some((*ink, points.split(' ').count())),
            _ => None,
        })
        .collect()
}

fn texts(panel: &Panel) -> Vec<&str> {
    let mut texts = Vec::new();
    for mark in &panel.marks {
        if let Mark::Text { text, .. } = mark {
            texts.push(text.as_str());
        }
    }
    texts
}

#[test]
fn labels_and_numbers_are_bars() {
    let chart = choose(&routes()).unwrap();
    assert_eq!(chart.name(), "crowded is highest for Harbour Loop, 32, and lowest for Airport Express, 3.");
    let got = bars(&chart, 400.0);
    assert_eq!(got.len(), 3);
    assert!(got.iter().all(|bar| bar.0 == got[0].0), "all begin at zero: {got:?}");
    assert!(got[0].1 > 10 * got[1].1 && got[1].1 > 0, "{got:?}");
    // Sorted rows are sorted bars.
    let panels = chart.draw(400.0, Some(&[1, 2, 0]));
    assert_eq!(texts(&panels[0])[0], "Airport Express");
}

#[test]
fn negative_values_go_the_other_way_and_null_has_no_bar() {
    let rows = vec![
        vec![text("a"), whole(-10)],
        vec![text("b"), whole(20)],
        vec![text("c"), Value::Null],
        vec![Value::Null, whole(0)],
    ];
    let chart = choose(&set(&["name", "change"], rows)).unwrap();
    let got = bars(&chart, 400.0);
    assert_eq!(got.len(), 3);
    assert!(got[0].0 < got[1].0 && (got[0].0 + got[0].1 - got[1].0).abs() <= 1, "{got:?}");
    assert_eq!(got[2].1, 0);
    assert_eq!(chart.note(), "1 value is NULL: it has no bar.");
    assert!(texts(&chart.draw(400.0, None)[0]).contains(&"−10"));
}

#[test]
fn equal_bars_and_ties_are_said() {
    let of = |values: &[i64]| {
        let rows = values.iter().enumerate().map(|(i, n)| vec![text(&format!("r{i}")), whole(*n)]).collect();
        choose(&set(&["r", "n"], rows)).unwrap().name()
    };
    assert_eq!(of(&[5, 5, 5]), "n is 5 for all.");
    assert_eq!(of(&[5, 5, 1]), "n is highest for r0 and r1, 5, and lowest for r2, 1.");
    assert_eq!(of(&[5, 5, 5, 1]), "n is highest for 3 of 4, 5, and lowest for r3, 1.");
    let rows = vec![vec![text("a"), whole(4)], vec![text("b"), Value::Null]];
    assert_eq!(choose(&set(&["r", "n"], rows)).unwrap().name(), "n is known for a only: 4.");
}

#[test]
fn what_would_mislead_is_not_charted() {
    let rows = |n: i64| (0..n).map(|i| vec![text(&format!("r{i}")), whole(i)]).collect::<Vec<_>>();
    assert!(choose(&set(&["r", "n"], rows(40))).is_some());
    assert_eq!(choose(&set(&["r", "n"], rows(41))), None);
    assert_eq!(choose(&set(&["r", "n"], rows(1))), None);
    assert_eq!(choose(&set(&["r", "vessel_id"], rows(3))), None);
    // Two rows of one label, two labels, labels alone, values that are no numbers.
    let twice = vec![vec![text("a"), whole(1)], vec![text("a"), whole(2)]];
    assert_eq!(choose(&set(&["r", "n"], twice)), None);
    let two = vec![vec![text("a"), text("x"), whole(1)], vec![text("b"), text("y"), whole(2)]];
    assert_eq!(choose(&set(&["r", "s", "n"], two.clone())), None);
    assert_eq!(choose(&set(&["r", "s"], vec![vec![text("a"), text("b")], vec![text("c"), text("d")]])), None);
    let mixed =
        vec![vec![text("a"), whole(1)], vec![text("b"), text("2")], vec![text("c"), Value::Blob(vec![])]];
    assert_eq!(choose(&set(&["r", "n"], mixed)), None);
    assert_eq!(choose(&set(&["r", "n"], vec![vec![text("a"), Value::Real(f64::INFINITY)]; 2])), None);
    // A code beside a name is left out, and so is an identifier.
    assert!(choose(&set(&["r", "code", "n"], two)).is_some());
    let with_id = vec![vec![whole(7), text("a"), whole(1)], vec![whole(8), text("b"), whole(2)]];
    assert!(choose(&set(&["vessel_id", "name", "seats"], with_id)).is_some());
    // A code alone is a name.
    let codes = vec![vec![text("HL"), whole(1)], vec![text("AX"), whole(2)]];
    assert!(choose(&set(&["code", "n"], codes)).is_some());
}

#[test]
fn numbers_over_time_are_a_line_in_the_order_of_time() {
    let chart = choose(&months()).unwrap();
    assert_eq!(
        chart.name(),
        "on_time_pct falls from 94.9 in 2024-04 to 93.1 in 2024-07; it is highest in 2024-06, 96.3."
    );
    assert_eq!(lines(&chart), [(Ink::Accent, 4)]);
    let panels = chart.draw(400.0, None);
    let shown = texts(&panels[0]);
    assert!(shown.contains(&"2024-04") && shown.contains(&"94"), "{shown:?}");
    // Two rows of one month belong to two lines, which cannot be told apart.
    let mut twice = months();
    twice.rows.push(vec![text("2024-05"), Value::Real(1.0)]);
    assert_eq!(choose(&twice), None);
}

#[test]
fn a_null_is_a_gap_and_a_point_alone_is_seen() {
    let values = [Some(1), Some(2), None, Some(4), None, Some(5), Some(6)];
    let row = |(i, n): (usize, &Option<i64>)| vec![whole(2000 + i as i64), n.map_or(Value::Null, whole)];
    let chart = choose(&set(&["year", "n"], values.iter().enumerate().map(row).collect())).unwrap();
    assert_eq!(lines(&chart), [(Ink::Accent, 2), (Ink::Accent, 2)]);
    assert_eq!(chart.note(), "2 values are NULL: each has a gap.");
    assert_eq!(chart.name(), "n rises from 1 in 2000 to 6 in 2006.");
    let dots =
        chart.draw(400.0, None)[0].marks.iter().filter(|m| matches!(m, Mark::Dot { seen: true, .. })).count();
    assert_eq!(dots, 5);
}

#[test]
fn numbers_of_another_size_or_kind_have_a_scale_of_their_own() {
    let row = |(i, (a, b, c)): (i64, (i64, i64, f64))| {
        vec![text(&format!("2024-0{}", i + 1)), whole(a), whole(b), Value::Real(c)]
    };
    let rows = (0..).zip([(300, 290, 94.9), (310, 280, 91.0), (320, 300, 95.0)]).map(row).collect();
    let chart = choose(&set(&["month", "planned", "run", "pct"], rows)).unwrap();
    let panels = chart.draw(500.0, None);
    assert_eq!(panels.len(), 2);
    assert_eq!(lines(&chart), [(Ink::Other(1), 3), (Ink::Accent, 3), (Ink::Accent, 3)]);
    // Two lines are named at their ends, one in its title.
    assert!(texts(&panels[0]).contains(&"planned") && texts(&panels[0]).contains(&"run"));
    assert!(!texts(&panels[1]).contains(&"pct") && panels[1].title.starts_with("pct "));
}

#[test]
fn numbers_over_an_ascending_number_are_a_line() {
    let rows = |xs: &[i64]| xs.iter().map(|x| vec![whole(*x), whole(x * x)]).collect::<Vec<_>>();
    let chart = choose(&set(&["zone", "trips"], rows(&[1, 2, 4]))).unwrap();
    assert_eq!(chart.name(), "trips rises from 1 at zone 1 to 16 at zone 4.");
    assert_eq!(choose(&set(&["zone", "trips"], rows(&[1, 4, 2]))), None);
    assert_eq!(choose(&set(&["zone_id", "trips"], rows(&[1, 2, 4]))), None);
    assert_eq!(choose(&set(&["zone", "trips"], rows(&[1, 2]))), None);
}

#[test]
fn a_cut_result_says_so() {
    let cut = ResultSet { more: true, ..months() };
    assert_eq!(choose(&cut).unwrap().note(), "Only the first 4 rows are drawn; more exist.");
}

#[test]
fn long_labels_are_cut_and_leave_room_for_the_bars() {
    let long = "A very long name of a very long route ".repeat(5);
    let rows = vec![vec![text(&long), whole(3)], vec![text("b"), whole(1_000_000_000_000)]];
    let chart = choose(&set(&["r", "n"], rows)).unwrap();
    let panels = chart.draw(320.0, None);
    let cut = panels[0].marks.iter().find_map(|mark| match mark {
        Mark::Text { text, whole: Some(whole), .. } => Some((text.clone(), whole.clone())),
        _ => None,
    });
    let (shown, whole) = cut.unwrap();
    assert!(shown.ends_with('…') && whole == long, "{shown}");
    let bars = bars(&chart, 320.0);
    assert_eq!(bars[0].1, 1, "what is not zero is seen");
    assert!(bars[1].1 >= 40, "{bars:?}");
    assert!(chart.name().len() < 200, "{}", chart.name());
}

#[test]
fn many_points_are_told_but_not_marked() {
    let rows = (0..1_500).map(|i| vec![whole(i), whole(i % 7)]).collect();
    let chart = choose(&set(&["minute", "n"], rows)).unwrap();
    let marks = &chart.draw(600.0, None)[0].marks;
    assert_eq!(marks.iter().filter(|mark| matches!(mark, Mark::Dot { .. })).count(), 0);
    assert_eq!(lines(&chart), [(Ink::Accent, 1_500)]);
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_map(Value::Real),
        (-5i64..5).prop_map(Value::Integer),
        "[a-z]{0,3}".prop_map(Value::Text),
        "20[0-9]{2}-0[1-9](-1[0-9])?".prop_map(Value::Text),
    ]
}

proptest! {
    #[test]
    fn every_mark_lies_in_its_room(
        rows in prop::collection::vec(prop::collection::vec(value(), 2..3), 0..12),
        numbers in prop::collection::vec((any::<f64>(), any::<i64>()), 2..30),
        width in 300.0f64..1200.0,
    ) {
        let over = numbers.iter().enumerate().map(|(i, (x, n))| {
            vec![Value::Integer(i as i64), Value::Real(x.clamp(-1e299, 1e299)), Value::Integer(*n)]
        });
        for set in [set(&["year", "n"], rows), set(&["minute", "x", "n"], over.collect())] {
            let Some(chart) = choose(&set) else { continue };
            prop_assert!(!chart.name().is_empty());
            for panel in chart.draw(width, None) {
                let inside = |x: f64, y: f64| {
                    (-0.5..=width.max(480.0) + 0.5).contains(&x) && (-0.5..=panel.height + 0.5).contains(&y)
                };
                for mark in &panel.marks {
                    let fits = match mark {
                        Mark::Text { x, y, .. } => inside(*x, *y),
                        Mark::Bar { x, y, width, height, .. } => inside(*x, *y) && inside(x + width, y + height),
                        Mark::Rule { from, to, .. } => inside(from.0, from.1) && inside(to.0, to.1),
                        Mark::Dot { at, .. } => inside(at.0, at.1),
                        Mark::Line { points, .. } => points.split([' ', ',']).all(|n| {
                            n.parse::<f64>().is_ok_and(f64::is_finite)
                        }),
                    };
                    prop_assert!(fits, "{mark:?} in {width} x {}", panel.height);
                }
            }
        }
    }
}
