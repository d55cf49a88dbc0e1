//! Numbers on an axis: the range shown, round values on it, and how they are written.

use super::super::format;

/// From which number to which an axis goes, and where it has labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// The lowest number shown.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// Round numbers in the range.
    pub ticks: Vec<f64>,
    /// The distance of two of them.
    step: f64,
}

impl Axis {
    /// An axis for numbers from `low` to `high`, with about `most` labels, that begins and ends at one. Where zero is
    /// near, it is on the axis. `whole` numbers have whole labels.
    pub fn new(low: f64, high: f64, most: usize, whole: bool) -> Self {
        let (mut low, mut high) = (low.min(high), high.max(low));
        if low > 0.0 && low <= high - low {
            low = 0.0;
        } else if high < 0.0 && -high <= high - low {
            high = 0.0;
        }
        if high - low <= 1e-9 * low.abs().max(high.abs()) {
            // Equal values stand in the middle.
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
            let room = if whole { room.max(1.0) } else { room };
            (low, high) = (low - room, high + room);
        }
        let step = round_step((high - low) / most.max(1) as f64, whole);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let count = (last - first).clamp(0.0, 100.0) as usize;
        let ticks: Vec<f64> = (0..=count).map(|i| (first + i as f64) * step).collect();
        let (start, end) = (ticks.first().copied().unwrap_or(low), ticks.last().copied().unwrap_or(high));
        Self { low: start, high: end, ticks, step }
    }

    /// Round numbers within `low` to `high`, the ends included only where they are round.
    pub fn within(low: f64, high: f64, most: usize, whole: bool) -> Self {
        let axis = Self::new(low, high, most, whole);
        let ticks = axis.ticks.iter().copied().filter(|tick| (low..=high).contains(tick)).collect();
        Self { low, high, ticks, ..axis }
    }

    /// A label.
    pub fn label(&self, tick: f64) -> String {
        let largest = self.low.abs().max(self.high.abs());
        let (unit, name) = match largest {
            x if x >= 1e15 => return self.power(tick),
            x if x >= 1e9 => (1e9, " B"),
            x if x >= 1e6 => (1e6, " M"),
            _ => (1.0, ""),
        };
        let places = decimals(self.step / unit);
        let number = tick / unit;
        // -0.0 would have a sign.
        let number = if number == 0.0 { 0.0 } else { number };
        if places > 8 {
            return self.power(tick);
        }
        let text = grouped(&format!("{:.places$}", number.abs()));
        let sign = if number < 0.0 { "−" } else { "" };
        format!("{sign}{text}{}", if number == 0.0 { "" } else { name })
    }

    /// A label by a power of ten, with the digits that tell two of them apart.
    fn power(&self, tick: f64) -> String {
        let largest = self.low.abs().max(self.high.abs());
        let digits = ((largest / self.step).log10().ceil().clamp(0.0, 15.0)) as usize + 1;
        let text = format!("{tick:.digits$e}");
        let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
        let number = number.trim_end_matches('0').trim_end_matches('.');
        minus(if power == "0" { number.to_owned() } else { format!("{number}e{power}") })
    }

    /// Where a number is, between 0 at the low end and 1 at the high one.
    pub fn share(&self, number: f64) -> f64 {
        let length = self.high - self.low;
        if length > 0.0 { ((number - self.low) / length).clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below `step`.
fn round_step(step: f64, whole: bool) -> f64 {
    let power = 10_f64.powf(step.max(f64::MIN_POSITIVE).log10().floor());
    let times = step / power;
    let round = [1.0, 2.0, 5.0].into_iter().find(|round| times <= round * (1.0 + 1e-9)).unwrap_or(10.0);
    let step = (round * power).max(f64::MIN_POSITIVE);
    if whole { step.max(1.0) } else { step }
}

/// Decimals that a step needs.
fn decimals(step: f64) -> usize {
    (0..=8)
        .find(|places| {
            let times = step * 10_f64.powi(*places);
            (times - times.round()).abs() < 1e-6 * times.max(1e-9) && times >= 0.5
        })
        .map_or(9, |places| places as usize)
}

/// Digits with grouped thousands, decimals as they are.
pub(super) fn grouped(text: &str) -> String {
    let (whole, decimals) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), format::count);
    decimals.map_or_else(|| whole.clone(), |decimals| format!("{whole}.{decimals}"))
}

/// A number with the sign of this page.
pub(super) fn minus(text: String) -> String {
    text.replacen('-', "−", 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(low: f64, high: f64, whole: bool) -> Vec<String> {
        let axis = Axis::new(low, high, 4, whole);
        axis.ticks.iter().map(|tick| axis.label(*tick)).collect()
    }

    #[test]
    fn labels_are_round() {
        assert_eq!(labels(91.2, 96.4, false), ["90", "92", "94", "96", "98"]);
        assert_eq!(labels(3.0, 32.0, true), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(-35.0, 80.0, true), ["−50", "0", "50", "100"]);
        assert_eq!(labels(0.0, 0.3, false), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.0, 3.0, true), ["0", "1", "2", "3"]);
        assert_eq!(labels(0.0, 1.0, true), ["0", "1"]);
        assert_eq!(labels(-9.0, -2.0, true), ["−10", "−5", "0"]);
        assert_eq!(labels(0.0, 3_350_000.0, true), ["0", "1 M", "2 M", "3 M", "4 M"]);
        assert_eq!(labels(0.0, 61_870.0, true), ["0", "20,000", "40,000", "60,000", "80,000"]);
    }

    #[test]
    fn equal_values_stand_in_the_middle() {
        for value in [0.0, 5.0, -5.0, 0.001, 1e12] {
            let axis = Axis::new(value, value, 4, false);
            assert!(axis.low < value && value < axis.high, "{axis:?}");
        }
        assert_eq!(labels(5.0, 5.0, true), ["4", "5", "6"]);
    }

    #[test]
    fn huge_and_tiny_ranges_have_labels() {
        for (low, high) in [(-1e300, 1e300), (1e-300, 2e-300), (1e15, 1e15 + 2.0), (0.0, 1e-9)] {
            let axis = Axis::new(low, high, 4, false);
            assert!(axis.ticks.len() > 1 && axis.low <= low && axis.high >= high, "{axis:?}");
            assert!(axis.ticks.iter().all(|tick| axis.label(*tick).len() < 40));
        }
    }

    proptest! {
        #[test]
        fn the_axis_holds_its_numbers(low in -1e12f64..1e12, length in 0.0f64..1e12, most in 1usize..12, whole: bool) {
            let axis = Axis::new(low, low + length, most, whole);
            prop_assert!(axis.low <= low && axis.high >= low + length, "{axis:?}");
            prop_assert!((2..=most + 3).contains(&axis.ticks.len()), "{axis:?}");
            let labels: std::collections::BTreeSet<_> = axis.ticks.iter().map(|t| axis.label(*t)).collect();
            prop_assert_eq!(labels.len(), axis.ticks.len());
        }
    }
}
