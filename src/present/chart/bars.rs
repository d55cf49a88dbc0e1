//! Bars: one for each row, with its label before and its figure behind.

use super::roles::number;
use super::words::{figure, fit, list, named, room};
use super::{Anchor, Ink, MOST_BARS, Mark, Panel};
use crate::db::ResultSet;

/// Height of a row of the chart.
const ROW: f64 = 22.0;
/// Height of a bar.
const BAR: f64 = 12.0;
/// Room between bar and text.
const GAP: f64 = 6.0;
/// From the top of a row to the base line of its text.
const BASE: f64 = 15.0;

/// A bar for each row of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    measure: String,
    rows: Vec<Bar>,
    /// How many rows were read, where more exist.
    pub(super) more: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct Bar {
    label: String,
    /// None for NULL.
    value: Option<f64>,
    shown: String,
}

impl Bars {
    /// None where the rows are too many, or two have one label.
    pub(super) fn new(result: &ResultSet, label: usize, measure: usize, more: Option<usize>) -> Option<Self> {
        if result.rows.len() > MOST_BARS {
            return None;
        }
        let mut rows: Vec<Bar> = Vec::with_capacity(result.rows.len());
        for row in &result.rows {
            let (label, value) = (row.get(label)?, row.get(measure)?);
            let label = figure(label);
            if rows.iter().any(|before| before.label == label) {
                return None;
            }
            rows.push(Bar { label, value: number(value), shown: figure(value) });
        }
        let measure = result.columns.get(measure)?.name.clone();
        Some(Self { measure, rows, more })
    }

    /// How many bars have no value.
    pub(super) fn nulls(&self) -> usize {
        self.rows.iter().filter(|bar| bar.value.is_none()).count()
    }

    /// Which bar is the longest and which the shortest, in a sentence.
    pub(super) fn title(&self) -> String {
        let measure = named(&self.measure);
        let known: Vec<&Bar> = self.rows.iter().filter(|bar| bar.value.is_some()).collect();
        let at = |value: f64| -> Vec<&Bar> {
            known.iter().filter(|bar| bar.value == Some(value)).copied().collect()
        };
        let values = || known.iter().filter_map(|bar| bar.value);
        let (high, low) = (at(values().fold(f64::MIN, f64::max)), at(values().fold(f64::MAX, f64::min)));
        let who = |bars: &[&Bar]| match bars.len() {
            1..=2 => list(&bars.iter().map(|bar| named(&bar.label)).collect::<Vec<_>>()),
            many => format!("{many} of {}", self.rows.len()),
        };
        let figure = |bars: &[&Bar]| bars.first().map(|bar| bar.shown.clone()).unwrap_or_default();
        match known.as_slice() {
            [one] => format!("{measure} is known for {} only: {}.", named(&one.label), one.shown),
            _ if figure(&high) == figure(&low) => format!("{measure} is {} for all.", figure(&high)),
            _ => format!(
                "{measure} is highest for {}, {}, and lowest for {}, {}.",
                who(&high),
                figure(&high),
                who(&low),
                figure(&low)
            ),
        }
    }

    /// The bars in a room of this width, in the order given.
    pub(super) fn draw(&self, width: f64, order: Option<&[u32]>) -> Panel {
        let bars: Vec<&Bar> = match order {
            Some(order) => order.iter().filter_map(|i| self.rows.get(*i as usize)).collect(),
            None => self.rows.iter().collect(),
        };
        let most = |texts: &mut dyn Iterator<Item = &str>| texts.map(room).fold(0.0, f64::max);
        let names = most(&mut bars.iter().map(|bar| bar.label.as_str())).min(width * 0.4).max(24.0);
        let side = |negative: bool| {
            let on = |bar: &&&Bar| bar.value.is_some_and(|value| (value < 0.0) == negative);
            most(&mut bars.iter().filter(on).map(|bar| bar.shown.as_str())) + GAP + 2.0
        };
        let values = || bars.iter().filter_map(|bar| bar.value);
        let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let left = names + GAP + if low < 0.0 { side(true) } else { 0.0 };
        let length = (width - left - side(false)).max(20.0);
        let span = if high > low { high - low } else { 1.0 };
        let place = |value: f64| left + length * ((value - low) / span);
        let zero = place(0.0);
        let height = bars.len() as f64 * ROW + 4.0;
        let mut marks = vec![Mark::Rule { from: (zero, 0.0), to: (zero, height), axis: true }];
        for (bar, top) in bars.iter().zip((0..).map(|i| f64::from(i) * ROW + 2.0)) {
            let text = |x, anchor, ink, (text, cut): (String, bool), whole: &str| {
                let whole = cut.then(|| whole.to_owned());
                Mark::Text { x, y: top + BASE, anchor, ink, text, whole }
            };
            marks.push(text(names, Anchor::End, Ink::Name, fit(&bar.label, names + 1.0), &bar.label));
            let shown = (bar.shown.clone(), false);
            match bar.value {
                None => marks.push(text(zero + GAP, Anchor::Start, Ink::Quiet, shown, "")),
                Some(value) => {
                    let end = place(value);
                    // What is not zero is seen.
                    let least = if value == 0.0 { 0.0 } else { 1.0 };
                    let wide = (end - zero).abs().max(least);
                    marks.push(Mark::Bar {
                        x: if value < 0.0 { zero - wide } else { zero },
                        y: top + (ROW - BAR) / 2.0,
                        width: wide,
                        height: BAR,
                        tip: format!("{}: {}", bar.label, bar.shown),
                    });
                    let (x, anchor) = if value < 0.0 {
                        (zero - wide - GAP, Anchor::End)
                    } else {
                        (zero + wide + GAP, Anchor::Start)
                    };
                    marks.push(text(x, anchor, Ink::Strong, shown, ""));
                }
            }
        }
        Panel { title: self.title(), height, marks }
    }
}
