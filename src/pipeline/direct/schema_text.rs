//! The schema as a model reads it, the tables that matter first, shortened where it does not fit.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Inputs;
use super::representation::{self, Representation};
use super::shots::Shot;
use crate::db::{ColumnInfo, TableInfo, quote_ident};
use crate::history::KnowledgeBase;
use crate::llm::tokens;
use crate::retrieval::words::content_of_names;
use crate::sql::{Column, ForeignKey, Schema, Table};

/// Names of left-out tables that the prompt still lists.
const MOST_NAMES: usize = 60;
/// What a table gets for being read by a shot, beside one for each word of the question it holds.
const OF_A_SHOT: f32 = 3.0;

/// What was left out of a prompt so that it fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Tables without their notes and sample values.
    pub notes_of: Vec<String>,
    /// Tables with only some of their columns, and how many are missing.
    pub columns_of: Vec<(String, usize)>,
    /// Tables of which only the name is given, or not even that.
    pub tables: Vec<String>,
    /// Examples left out, the least similar first.
    pub shots: usize,
    /// Whether the prompt is too long even so.
    pub still_too_long: bool,
}

impl LeftOut {
    /// Whether the prompt is whole.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is missing, in one sentence; None where nothing is.
    pub fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        let count = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
        if !self.notes_of.is_empty() {
            parts.push(format!("notes and samples of {}", count(self.notes_of.len(), "table", "tables")));
        }
        let columns: usize = self.columns_of.iter().map(|(_, missing)| missing).sum();
        if columns > 0 {
            let tables = count(self.columns_of.len(), "table", "tables");
            parts.push(format!("{} of {tables}", count(columns, "column", "columns")));
        }
        if !self.tables.is_empty() {
            parts.push(count(self.tables.len(), "table", "tables"));
        }
        if self.shots > 0 {
            parts.push(count(self.shots, "example", "examples"));
        }
        let end = if self.still_too_long { " It is still longer than the context." } else { "" };
        match parts.is_empty() {
            true if self.still_too_long => Some("The prompt is longer than the context.".to_owned()),
            true => None,
            false => Some(format!("The prompt was shortened; left out: {}.{end}", parts.join(", "))),
        }
    }
}

/// How much of a table is shown, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Name,
    Keys,
    Plain,
    Full,
}

/// How a prompt writes the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum Style {
    /// With notes, samples and row counts, the tables that matter first.
    Noted,
    /// Nothing but the declarations, in the order of the database, an empty line between two.
    Declared,
    /// In M-Schema, the tables that matter first.
    MSchema,
    /// In the schema of MAC-SQL, the tables that matter first.
    MacSchema,
}

impl From<Representation> for Style {
    fn from(representation: Representation) -> Self {
        match representation {
            Representation::CreateTable => Self::Noted,
            Representation::MSchema => Self::MSchema,
            Representation::MacSchema => Self::MacSchema,
        }
    }
}

/// What a prompt has room for.
pub(in crate::pipeline) struct Fitted {
    /// The schema.
    pub schema: String,
    /// How many of the examples, the first ones.
    pub shots: usize,
    /// What is missing.
    pub left_out: LeftOut,
}

/// Schema and examples (`texts`, parallel to the shots) that take `room` tokens together. The schema is shortened first,
/// but for examples to no less than the room without `for_shots` hundredths; examples that have no room then are left
/// out.
pub(in crate::pipeline) fn fitted(
    inputs: &Inputs<'_>,
    style: Style,
    texts: &[String],
    room: u32,
    for_shots: u32,
) -> Fitted {
    let Inputs { question, schema, tables, knowledge, shots } = *inputs;
    let mut left_out = LeftOut::default();
    let costs: Vec<u32> = texts.iter().map(|text| tokens::estimate(text)).collect();
    let mut shown = ranked(question, schema, tables, knowledge, shots);
    shown.iter_mut().for_each(|table| table.style = style);
    if style == Style::Declared {
        shown.iter_mut().for_each(|table| table.detail = Detail::Plain);
    }
    let wanted: u32 = costs.iter().sum();
    let for_schema = room.saturating_sub(wanted).max(room - room * for_shots / 100);
    let fits = fit(&mut shown, for_schema);
    if style == Style::Declared {
        shown.sort_by_key(|table| table.place);
    }
    let schema = write(&shown, style, &mut left_out);
    let mut remaining = room.saturating_sub(tokens::estimate(&schema));
    let mut kept = 0;
    for cost in &costs {
        if *cost > remaining {
            break;
        }
        remaining -= cost;
        kept += 1;
    }
    left_out.shots = texts.len() - kept;
    left_out.still_too_long = !fits && kept == 0 && tokens::estimate(&schema) > room;
    Fitted { schema, shots: kept, left_out }
}

/// One table with its texts.
struct Shown<'a> {
    /// Its place in the schema.
    place: usize,
    table: &'a Table,
    info: Option<&'a TableInfo>,
    /// How much the question and the shots have to do with it.
    relevance: f32,
    /// Columns that stay when a table is cut to its keys.
    wanted: HashSet<&'a str>,
    detail: Detail,
    style: Style,
}

/// The tables, the most relevant first.
fn ranked<'a>(
    question: &str,
    schema: &'a Schema,
    tables: &'a [TableInfo],
    knowledge: &'a KnowledgeBase,
    shots: &[Shot],
) -> Vec<Shown<'a>> {
    let stems = content_of_names::<HashSet<String>>;
    let asked = stems(question);
    let mut used: HashMap<String, HashSet<&str>> = HashMap::new();
    for item in shots.iter().flat_map(|shot| shot.items(knowledge)) {
        for table in &item.tables {
            used.entry(table.to_ascii_lowercase()).or_default();
        }
        for (table, column) in &item.columns {
            used.entry(table.to_ascii_lowercase()).or_default().insert(column);
        }
    }
    let mut shown: Vec<Shown<'a>> = (0..)
        .zip(&schema.tables)
        .map(|(at, table): (usize, &Table)| {
            let of_shots = used.get(&table.name.to_ascii_lowercase());
            let named = 2.0 * stems(&table.name).intersection(&asked).count() as f32;
            let mut held: HashSet<String> = HashSet::new();
            let mut wanted: HashSet<&str> = HashSet::new();
            for column in &table.columns {
                let own = stems(&column.name);
                let note = column.note.as_deref().map(stems).unwrap_or_default();
                let hit = own.union(&note).filter(|word| asked.contains(*word)).cloned().collect::<Vec<_>>();
                let by_shot = of_shots.is_some_and(|columns| columns.contains(column.name.as_str()));
                if !hit.is_empty() || by_shot || column.primary_key || is_foreign(table, column) {
                    wanted.insert(&column.name);
                }
                held.extend(hit);
            }
            let by_shots = if of_shots.is_some() { OF_A_SHOT } else { 0.0 };
            let relevance = named + held.len() as f32 + by_shots;
            let (info, detail, style) = (tables.get(at), Detail::Full, Style::Noted);
            Shown { place: at, table, info, relevance, wanted, detail, style }
        })
        .collect();
    shown.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    shown
}

fn is_foreign(table: &Table, column: &Column) -> bool {
    table.foreign_keys.iter().any(|key| key.column.eq_ignore_ascii_case(&column.name))
}

/// Shows less of the tables, the least relevant ones first, until they fit `budget` tokens or only names are left.
/// Tables that have nothing to do with the question go before a relevant one loses its columns.
fn fit(shown: &mut [Shown<'_>], budget: u32) -> bool {
    let costs: Vec<[u32; 4]> = shown
        .iter()
        .map(|table| {
            [Detail::Name, Detail::Keys, Detail::Plain, Detail::Full]
                .map(|d| tokens::estimate(&table.text(d)) + tokens::estimate(&table.keys(d, |_| true)))
        })
        .collect();
    let cost = |shown: &[Shown<'_>]| -> u32 {
        shown
            .iter()
            .zip(&costs)
            .map(|(table, costs)| costs.get(table.detail as usize).copied().unwrap_or(0))
            .sum()
    };
    let relevant = |table: &Shown<'_>| table.relevance > 0.0;
    let steps: [(Detail, bool); 7] = [
        (Detail::Plain, false),
        (Detail::Keys, false),
        (Detail::Name, false),
        (Detail::Plain, true),
        (Detail::Keys, true),
        (Detail::Name, true),
        (Detail::Name, true),
    ];
    for (detail, of_relevant) in steps {
        for at in (0..shown.len()).rev() {
            if cost(shown) <= budget {
                return true;
            }
            if let Some(table) = shown.get_mut(at).filter(|table| of_relevant || !relevant(table)) {
                table.detail = table.detail.min(detail);
            }
        }
    }
    cost(shown) <= budget
}

/// The text of all tables, and what is missing from it.
fn write(shown: &[Shown<'_>], style: Style, left_out: &mut LeftOut) -> String {
    let mut text = String::new();
    let mut names = Vec::new();
    let mut keys = String::new();
    let listed =
        |name: &str| shown.iter().any(|t| t.detail > Detail::Name && t.table.name.eq_ignore_ascii_case(name));
    for table in shown {
        let name = table.table.name.clone();
        match table.detail {
            Detail::Full => {}
            Detail::Plain => {
                if style != Style::Declared && table.text(Detail::Plain) != table.text(Detail::Full) {
                    left_out.notes_of.push(name);
                }
            }
            Detail::Keys => match table.table.columns.len().saturating_sub(table.wanted.len()) {
                0 if style == Style::Declared => {}
                0 => left_out.notes_of.push(name),
                missing => left_out.columns_of.push((name, missing)),
            },
            Detail::Name => {
                names.push(identifier(&name));
                left_out.tables.push(name);
                continue;
            }
        }
        if style == Style::Declared && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&table.text(table.detail));
        keys.push_str(&table.keys(table.detail, listed));
    }
    if !keys.is_empty() {
        text.push_str("【Foreign keys】\n");
        text.push_str(&keys);
    }
    if !names.is_empty() {
        let more = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let _ = write!(text, "-- Other tables, without their columns: {}", names.join(", "));
        let _ = if more > 0 { writeln!(text, " and {more} more") } else { writeln!(text) };
    }
    text
}

impl Shown<'_> {
    fn text(&self, detail: Detail) -> String {
        let Table { name, columns, foreign_keys, view, .. } = self.table;
        if detail == Detail::Name {
            return format!("{}, ", identifier(name));
        }
        let kept: Vec<(usize, &Column)> = (0..)
            .zip(columns)
            .filter(|(_, column)| detail > Detail::Keys || self.wanted.contains(column.name.as_str()))
            .collect();
        let full = detail == Detail::Full;
        match self.style {
            Style::Noted | Style::Declared => {}
            Style::MSchema => return representation::m_schema(self.table, self.info, &kept, full),
            Style::MacSchema => return representation::mac_schema(self.table, self.info, &kept, full),
        }
        let mut text = format!("CREATE {} {} (", if *view { "VIEW" } else { "TABLE" }, identifier(name));
        if let Some(rows) = self.info.and_then(|info| info.rows).filter(|_| detail == Detail::Full) {
            let _ = write!(text, " -- {rows} rows");
        }
        text.push('\n');
        let keys = columns.iter().filter(|column| column.primary_key).count();
        for (place, (at, column)) in kept.iter().enumerate() {
            let _ = write!(text, "  {}", identifier(&column.name));
            if !column.declared_type.is_empty() {
                let _ = write!(text, " {}", column.declared_type);
            }
            if column.primary_key && keys == 1 {
                text.push_str(" PRIMARY KEY");
            }
            if let Some(key) = foreign_keys.iter().find(|key| key.column.eq_ignore_ascii_case(&column.name)) {
                let _ = write!(
                    text,
                    " REFERENCES {}({})",
                    identifier(&key.table),
                    identifier(&key.referenced_column)
                );
            }
            if place + 1 < kept.len() {
                text.push(',');
            }
            if detail == Detail::Full {
                let info = self.info.and_then(|info| info.columns.get(*at));
                text.push_str(&remark(column, info));
            }
            text.push('\n');
        }
        let missing = columns.len() - kept.len();
        if missing > 0 {
            let _ = writeln!(text, "  -- and {missing} more columns");
        }
        text.push_str(");\n");
        text
    }
}

impl Shown<'_> {
    /// Its foreign keys to tables that `listed` knows, a line each, where they do not stand at their columns.
    fn keys(&self, detail: Detail, listed: impl Fn(&str) -> bool) -> String {
        if matches!(self.style, Style::Noted | Style::Declared) || detail == Detail::Name {
            return String::new();
        }
        let Table { name, foreign_keys, .. } = self.table;
        let line = |key: &ForeignKey| {
            let [from, column, to, referenced] =
                [name, &key.column, &key.table, &key.referenced_column].map(|name| identifier(name));
            format!("{from}.{column}={to}.{referenced}\n")
        };
        foreign_keys.iter().filter(|key| listed(&key.table)).map(line).collect()
    }
}

/// What a column means and holds, as a comment.
fn remark(column: &Column, info: Option<&ColumnInfo>) -> String {
    let note = column.note.as_deref().unwrap_or_default();
    let samples = info.map_or("", |info| info.samples.as_str());
    match (note.is_empty(), samples.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" -- {note}"),
        (true, false) => format!(" -- such as: {samples}"),
        (false, false) => format!(" -- {note}; such as: {samples}"),
    }
}

/// A name as SQL needs it: quoted where it is no plain word.
pub(in crate::pipeline) fn identifier(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !crate::sql::tokens::is_keyword(name);
    if plain { name.to_owned() } else { quote_ident(name) }
}
