//! Lines: numbers over time, or over another number. Numbers of another size or kind have a scale of their own.

use super::roles::{Role, number};
use super::scale::Axis;
use super::time::Unit;
use super::words::{figure, fit, named, room};
use super::{Anchor, Ink, MOST_LINES, Mark, Panel};
use crate::db::{ResultSet, Value};

/// Numbers that differ by more than this factor do not share a scale: the smaller would lie flat.
const FACTOR: f64 = 10.0;
/// Points up to which each is marked.
const MARKED_UP_TO: usize = 40;
/// Points up to which each says its value when pointed at.
const TOLD_UP_TO: usize = 400;

/// Lines over an ordered column.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    over: String,
    unit: Option<Unit>,
    /// Whether the numbers below the axis are whole; of moments they always are.
    whole: bool,
    /// Where each point stands, ascending.
    at: Vec<f64>,
    /// The same as written.
    written: Vec<String>,
    groups: Vec<Vec<Series>>,
    /// How many rows were read, where more exist.
    pub(super) more: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
struct Series {
    name: String,
    whole: bool,
    /// None for NULL.
    values: Vec<Option<f64>>,
    shown: Vec<String>,
}

impl Lines {
    /// Over the moments in a column; None where two rows have the same moment.
    pub(super) fn over_time(
        result: &ResultSet,
        roles: &[Role],
        time: usize,
        numbers: &[usize],
        more: Option<usize>,
    ) -> Option<Self> {
        let Role::Time(times) = roles.get(time)? else { return None };
        let mut order: Vec<usize> = (0..times.at.len()).collect();
        let moment = |row: &usize| times.at.get(*row).copied().unwrap_or_default();
        order.sort_by(|a, b| moment(a).total_cmp(&moment(b)));
        let at: Vec<f64> = order.iter().map(moment).collect();
        if at.windows(2).any(|pair| pair.first() == pair.last()) {
            return None;
        }
        Self::new(result, roles, time, Some(times.unit), (order, at), numbers, more)
    }

    /// Over the first of the numbers, which has to ascend from row to row.
    pub(super) fn over_number(
        result: &ResultSet,
        roles: &[Role],
        numbers: &[usize],
        more: Option<usize>,
    ) -> Option<Self> {
        let (over, numbers) = numbers.split_first()?;
        let read = |row: &Vec<Value>| row.get(*over).and_then(number);
        let at: Vec<f64> = result.rows.iter().map(read).collect::<Option<_>>()?;
        let ascends = at.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        // Two rows ascend by chance.
        if !ascends || at.len() < 3 {
            return None;
        }
        Self::new(result, roles, *over, None, ((0..at.len()).collect(), at), numbers, more)
    }

    fn new(
        result: &ResultSet,
        roles: &[Role],
        over: usize,
        unit: Option<Unit>,
        (order, at): (Vec<usize>, Vec<f64>),
        numbers: &[usize],
        more: Option<usize>,
    ) -> Option<Self> {
        if numbers.len() > MOST_LINES {
            return None;
        }
        let values = |column: usize| {
            let rows = order.iter().filter_map(|row| result.rows.get(*row));
            rows.map(|row| row.get(column).unwrap_or(&Value::Null)).collect::<Vec<_>>()
        };
        let name = |column: usize| result.columns.get(column).map(|column| column.name.clone());
        let mut groups: Vec<Vec<Series>> = Vec::new();
        for column in numbers {
            let series = Series {
                name: name(*column)?,
                whole: matches!(roles.get(*column), Some(Role::Number { whole: true })),
                values: values(*column).into_iter().map(number).collect(),
                shown: values(*column).into_iter().map(figure).collect(),
            };
            let fits = |group: &&mut Vec<Series>| group.iter().all(|other| other.shares_scale(&series));
            match groups.iter_mut().find(fits) {
                Some(group) => group.push(series),
                None => groups.push(vec![series]),
            }
        }
        let written = match unit {
            Some(unit) => at.iter().map(|at| unit.written(*at)).collect(),
            None => values(over).into_iter().map(figure).collect(),
        };
        let whole = !matches!(roles.get(over), Some(Role::Number { whole: false }));
        Some(Self { over: name(over)?, unit, whole, at, written, groups, more })
    }

    /// How many values are missing.
    pub(super) fn nulls(&self) -> usize {
        self.groups.iter().flatten().flat_map(|series| &series.values).filter(|value| value.is_none()).count()
    }

    /// What each panel shows.
    pub(super) fn titles(&self) -> Vec<String> {
        let told = |group: &Vec<Series>| {
            group.iter().map(|series| self.finding(series)).collect::<Vec<_>>().join(" ")
        };
        self.groups.iter().map(told).collect()
    }

    /// From where to where a series goes, and where it is highest or lowest on its way.
    fn finding(&self, series: &Series) -> String {
        let name = named(&series.name);
        let known: Vec<(usize, f64)> =
            series.values.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?))).collect();
        let (Some(first), Some(last)) = (known.first(), known.last()) else {
            return format!("{name} has no values.");
        };
        let shown = |i: usize| series.shown.get(i).cloned().unwrap_or_default();
        let at = |i: usize| {
            let word = match self.unit {
                Some(Unit::Year | Unit::Quarter | Unit::Month) => "in",
                Some(Unit::Day) => "on",
                Some(Unit::Second | Unit::Clock) => "at",
                None => {
                    return format!(
                        "at {} {}",
                        named(&self.over),
                        self.written.get(i).cloned().unwrap_or_default()
                    );
                }
            };
            format!("{word} {}", self.written.get(i).cloned().unwrap_or_default())
        };
        if first.0 == last.0 {
            return format!("{name} is known only {}: {}.", at(first.0), shown(first.0));
        }
        let high = known.iter().fold(*first, |best, point| if point.1 > best.1 { *point } else { best });
        let low = known.iter().fold(*first, |best, point| if point.1 < best.1 { *point } else { best });
        if high.1 == low.1 {
            return format!("{name} is {} throughout.", shown(first.0));
        }
        let verb = match first.1.total_cmp(&last.1) {
            std::cmp::Ordering::Less => "rises",
            std::cmp::Ordering::Greater => "falls",
            std::cmp::Ordering::Equal => "goes",
        };
        let inner = |value: f64| value != first.1 && value != last.1;
        let on_the_way = if inner(high.1) {
            format!("; it is highest {}, {}", at(high.0), shown(high.0))
        } else if inner(low.1) {
            format!("; it is lowest {}, {}", at(low.0), shown(low.0))
        } else {
            String::new()
        };
        let (from, to) = (shown(first.0), shown(last.0));
        format!("{name} {verb} from {from} {} to {to} {}{on_the_way}.", at(first.0), at(last.0))
    }

    /// The panels in a room of this width.
    pub(super) fn draw(&self, width: f64) -> Vec<Panel> {
        let plot = if self.groups.len() > 1 { 112.0 } else { 168.0 };
        self.groups
            .iter()
            .zip(self.titles())
            .map(|(group, title)| self.panel(group, title, width, plot))
            .collect()
    }

    fn panel(&self, group: &[Series], title: String, width: f64, plot: f64) -> Panel {
        const TOP: f64 = 8.0;
        const BELOW: f64 = 24.0;
        let values = || group.iter().flat_map(|series| series.values.iter().flatten().copied());
        let whole = group.iter().all(|series| series.whole);
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        let up = if low <= high { Axis::new(low, high, 4, whole) } else { Axis::new(0.0, 1.0, 1, whole) };
        let left = up.ticks.iter().map(|tick| room(&up.label(*tick))).fold(0.0, f64::max) + 10.0;
        // Names stand at the ends of their lines; one line is named in the title.
        let names = if group.len() > 1 {
            group.iter().map(|series| room(&series.name)).fold(0.0, f64::max).min(width * 0.3) + 10.0
        } else {
            14.0
        };
        let right = (width - names).max(left + 40.0);
        let (from, to) = (self.at.first().copied().unwrap_or(0.0), self.at.last().copied().unwrap_or(1.0));
        let x = |at: f64| left + (right - left) * if to > from { (at - from) / (to - from) } else { 0.5 };
        let y = |value: f64| TOP + plot * (1.0 - up.share(value));
        let label = |x, y, anchor, text| Mark::Text { x, y, anchor, ink: Ink::Quiet, text, whole: None };
        let mut marks = Vec::new();
        for tick in &up.ticks {
            // Where the numbers lie on both sides of zero, zero is the axis.
            let axis = *tick == 0.0 && up.low < 0.0 || *tick == up.low && up.low >= 0.0;
            marks.push(Mark::Rule { from: (left, y(*tick)), to: (right, y(*tick)), axis });
            marks.push(label(left - 6.0, y(*tick) + 4.0, Anchor::End, up.label(*tick)));
        }
        for (at, text) in self.below(from, to, right - left) {
            // A label at an edge stays inside the drawing.
            let half = room(&text) / 2.0;
            let place = x(at).clamp(half, (width - half).max(half));
            marks.push(label(place, TOP + plot + 18.0, Anchor::Middle, text));
        }
        // Ours lies on top.
        for (number, series) in group.iter().enumerate().rev() {
            let ink = if number == 0 { Ink::Accent } else { Ink::Other(number) };
            self.series(series, ink, &x, &y, &mut marks);
        }
        if group.len() > 1 {
            marks.extend(names_at_ends(group, right + 8.0, names - 8.0, (TOP, TOP + plot), &y));
        }
        Panel { title, height: TOP + plot + BELOW, marks }
    }

    /// The labels below the axis.
    fn below(&self, from: f64, to: f64, length: f64) -> Vec<(f64, String)> {
        let most = |text: &str| ((length / (room(text) + 18.0)).floor() as usize).max(1);
        match self.unit {
            Some(unit) => {
                let most = most(&unit.written(to));
                let ticks = unit.ticks(from, to, most);
                // Few moments may have no round one among them.
                let ticks = if ticks.is_empty() { vec![from] } else { ticks };
                ticks.into_iter().map(|at| (at, unit.written(at))).collect()
            }
            None => {
                let widest = self.written.iter().map(String::as_str).max_by_key(|text| text.len());
                let axis = Axis::within(from, to, most(widest.unwrap_or("0")).min(8), self.whole);
                axis.ticks.iter().map(|tick| (*tick, axis.label(*tick))).collect()
            }
        }
    }

    /// A series as lines between its gaps, and its points.
    fn series(
        &self,
        series: &Series,
        ink: Ink,
        x: &dyn Fn(f64) -> f64,
        y: &dyn Fn(f64) -> f64,
        marks: &mut Vec<Mark>,
    ) {
        let points: Vec<Option<(f64, f64)>> =
            self.at.iter().zip(&series.values).map(|(at, value)| Some((x(*at), y((*value)?)))).collect();
        for part in points.split(Option::is_none) {
            let part: Vec<String> = part.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            if part.len() > 1 {
                marks.push(Mark::Line { points: part.join(" "), ink });
            }
        }
        for (i, point) in points.iter().enumerate() {
            let Some(at) = *point else { continue };
            let gap = |i: Option<usize>| i.and_then(|i| points.get(i)).is_none_or(Option::is_none);
            let alone = gap(i.checked_sub(1)) && gap(Some(i + 1));
            let seen = alone || points.len() <= MARKED_UP_TO;
            if seen || points.len() <= TOLD_UP_TO {
                let written = self.written.get(i).cloned().unwrap_or_default();
                let shown = series.shown.get(i).cloned().unwrap_or_default();
                let tip = format!("{written}: {} {shown}", series.name);
                marks.push(Mark::Dot { at, seen, ink, tip });
            }
        }
    }
}

impl Series {
    /// Whether two series can be read on one scale: of one kind, and not of quite another size.
    fn shares_scale(&self, other: &Self) -> bool {
        let largest =
            |series: &Self| series.values.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        let (a, b) = (largest(self), largest(other));
        self.whole == other.whole && a.max(b) <= FACTOR * a.min(b)
    }
}

/// The names of lines beside their last points, moved apart where they would overlap.
fn names_at_ends(
    group: &[Series],
    x: f64,
    most: f64,
    (top, bottom): (f64, f64),
    y: &dyn Fn(f64) -> f64,
) -> Vec<Mark> {
    const LINE: f64 = 13.0;
    let last = |series: &Series| series.values.iter().rev().flatten().next().copied();
    let mut places: Vec<(usize, f64)> =
        group.iter().enumerate().map(|(i, series)| (i, last(series).map_or(bottom, y) + 4.0)).collect();
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut floor = top + 4.0;
    for (_, place) in &mut places {
        *place = place.max(floor);
        floor = *place + LINE;
    }
    let mut ceiling = bottom + 8.0;
    for (_, place) in places.iter_mut().rev() {
        *place = place.min(ceiling);
        ceiling = *place - LINE;
    }
    let name = |(i, y): &(usize, f64)| {
        let series = group.get(*i)?;
        let (text, cut) = fit(&series.name, most);
        let ink = if *i == 0 { Ink::Accent } else { Ink::Name };
        let whole = cut.then(|| series.name.clone());
        Some(Mark::Text { x, y: *y, anchor: Anchor::Start, ink, text, whole })
    };
    places.iter().filter_map(name).collect()
}
