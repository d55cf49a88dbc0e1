//! A quick chart of a result, where its columns suit one: bars for labels and numbers, lines for numbers over time or
//! over another ordered number.
//!
//! [`choose`] decides whether a chart is offered at all; [`Chart::draw`] places every mark for a given width. What a
//! chart cannot show truly is not charted: identifiers and codes as numbers, two rows for one label, too many rows.

mod bars;
mod lines;
mod roles;
mod scale;
mod time;
mod words;

pub use bars::Bars;
pub use lines::Lines;

use roles::{Role, roles};

use super::format;
use crate::db::ResultSet;

/// Bars drawn at most.
const MOST_BARS: usize = 40;
/// Points of one line at most: more would be a tangle, and slow.
const MOST_POINTS: usize = 2_000;
/// Lines drawn at most.
const MOST_LINES: usize = 6;
/// Columns looked at: a wider table is no chart.
const MOST_COLUMNS: usize = 16;

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// A bar for each row.
    Bars(Bars),
    /// Lines over an ordered column.
    Lines(Lines),
}

/// The part of a chart that has one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What it shows and what stands out, in a sentence or two.
    pub title: String,
    /// Its height in pixels.
    pub height: f64,
    /// Its marks, those behind first.
    pub marks: Vec<Mark>,
}

/// How a mark looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Of our own series, or the first.
    Accent,
    /// A figure that is read.
    Strong,
    /// A name.
    Name,
    /// A label of an axis.
    Quiet,
    /// Another series, drawn with dashes of this number.
    Other(usize),
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// One mark, in pixels from the top left.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A text; `whole` is what it was cut from.
    Text {
        /// Where it stands.
        x: f64,
        /// Its base line.
        y: f64,
        /// Which end stands there.
        anchor: Anchor,
        /// How it looks.
        ink: Ink,
        /// The text as drawn.
        text: String,
        /// The whole text, where it was cut.
        whole: Option<String>,
    },
    /// A bar.
    Bar {
        /// Left edge.
        x: f64,
        /// Top edge.
        y: f64,
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// What it says when pointed at.
        tip: String,
    },
    /// A straight line: the axis, or one of the grid.
    Rule {
        /// From.
        from: (f64, f64),
        /// To.
        to: (f64, f64),
        /// Whether it is the axis.
        axis: bool,
    },
    /// A series, as the points of an SVG polyline.
    Line {
        /// The points.
        points: String,
        /// How it looks.
        ink: Ink,
    },
    /// A point of a series.
    Dot {
        /// Where it is.
        at: (f64, f64),
        /// Whether it is drawn; else it only says its value when pointed at.
        seen: bool,
        /// How it looks.
        ink: Ink,
        /// What it says when pointed at.
        tip: String,
    },
}

impl Chart {
    /// Its panels in a room of this width. `order` is the order that the rows are shown in; lines have their own.
    pub fn draw(&self, width: f64, order: Option<&[u32]>) -> Vec<Panel> {
        match self {
            Self::Bars(bars) => vec![bars.draw(width, order)],
            Self::Lines(lines) => lines.draw(width),
        }
    }

    /// What it says as a whole, for those who do not see it.
    pub fn name(&self) -> String {
        match self {
            Self::Bars(bars) => bars.title(),
            Self::Lines(lines) => lines.titles().join(" "),
        }
    }

    /// What is not in it, in sentences; may be empty.
    pub fn note(&self) -> String {
        let (nulls, gaps, more) = match self {
            Self::Bars(bars) => (bars.nulls(), "no bar", bars.more),
            Self::Lines(lines) => (lines.nulls(), "a gap", lines.more),
        };
        let mut said = Vec::new();
        if nulls > 0 {
            let values = format::counted(nulls, "value is NULL: it has", "values are NULL: each has");
            said.push(format!("{values} {gaps}."));
        }
        if let Some(rows) = more {
            said.push(format!(
                "Only the first {} are drawn; more exist.",
                format::counted(rows, "row", "rows")
            ));
        }
        said.join(" ")
    }
}

/// The chart that suits a result; None where none does.
pub fn choose(result: &ResultSet) -> Option<Chart> {
    let (rows, width) = (result.rows.len(), result.columns.len());
    if !(2..=MOST_POINTS).contains(&rows) || !(2..=MOST_COLUMNS).contains(&width) {
        return None;
    }
    let roles = roles(result)?;
    let all = |wanted: fn(&Role) -> bool| {
        roles.iter().enumerate().filter(|(_, role)| wanted(role)).map(|(i, _)| i).collect::<Vec<_>>()
    };
    let numbers = all(|role| matches!(role, Role::Number { .. }));
    let times = all(|role| matches!(role, Role::Time(_)));
    let mut labels = all(|role| matches!(role, Role::Label));
    // A name says more than its code; a code alone is a name.
    if labels.is_empty() {
        labels = all(|role| matches!(role, Role::Code));
    }
    let more = result.more.then_some(rows);
    match (times.as_slice(), labels.as_slice(), numbers.as_slice()) {
        ([], [label], [number]) => Bars::new(result, *label, *number, more).map(Chart::Bars),
        ([time], [], [_, ..]) => Lines::over_time(result, &roles, *time, &numbers, more).map(Chart::Lines),
        ([], [], [ordered, _, ..]) if *ordered == 0 => {
            Lines::over_number(result, &roles, &numbers, more).map(Chart::Lines)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
