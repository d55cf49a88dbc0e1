//! The values of a database, and those that a question mentions: found roughly by BM25, then compared letter by letter
//! (section 6.2 of the source).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::filter::Matched;
use super::matching::matched;
use crate::db::{DbError, QueryLimits, ResultSet, Value, quote_ident};
use crate::ports::Execute;
use crate::retrieval::words::{content, words};
use crate::sql::Schema;

/// Characters of a value at most.
const LONGEST: usize = 25;
/// Words of an n-gram of the question at most.
const GRAM: usize = 4;
/// Values found for each n-gram.
const HITS: usize = 10;
/// Values of a column that a prompt gets at most.
const OF_A_COLUMN: usize = 25;
/// Values of a column in the schema's text.
const SAMPLES: usize = 2;
/// Values read of a column; the source reads all.
const MOST_VALUES: usize = 50_000;
/// Milliseconds for one column at most.
const PATIENCE_MS: u32 = 10_000;
/// BM25 as Anserini sets it, which the source uses.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// A value with its score and number.
type Scored<'v> = (f32, u32, &'v str);

/// The short text values of a database, and two values of every column; made once for a database.
#[derive(Debug, Clone, Default)]
pub struct ValueIndex {
    /// Values with the places of their table and column.
    values: Vec<((usize, usize), String)>,
    /// Number of words of each.
    lengths: Vec<f32>,
    /// For each stem the values that hold it, with how often.
    holding: HashMap<String, Vec<(u32, f32)>>,
    samples: BTreeMap<(usize, usize), Vec<String>>,
    /// Columns of which not all was read.
    cut: Vec<(usize, usize)>,
    /// Columns that could not be read in time.
    unread: Vec<(usize, usize)>,
}

impl ValueIndex {
    /// Reads every column of every table, not of views.
    ///
    /// # Errors
    /// When the user stopped, or the database is gone; a column that is slow or damaged is left out.
    pub async fn read(schema: &Schema, db: &impl Execute, timeout_ms: u32) -> Result<Self, DbError> {
        let mut index = Self::default();
        let timeout_ms = timeout_ms.min(PATIENCE_MS);
        for (at, table) in schema.tables.iter().enumerate().filter(|(_, table)| !table.view) {
            for (place, column) in table.columns.iter().enumerate() {
                // Qualified, because SQLite takes an unknown "name" for the text 'name'.
                let (name, from) = (format!("t.{}", quote_ident(&column.name)), quote_ident(&table.name));
                let short = format!("length({name}) BETWEEN 1 AND {LONGEST}");
                let two = format!(
                    "SELECT DISTINCT {name} FROM {from} AS t WHERE typeof({name}) <> 'blob' AND {short} LIMIT {SAMPLES}"
                );
                let texts = format!(
                    "SELECT DISTINCT {name} FROM {from} AS t WHERE typeof({name}) = 'text' AND {short}"
                );
                let samples = read(db, &two, QueryLimits { timeout_ms, max_rows: SAMPLES }).await?;
                let found = read(db, &texts, QueryLimits { timeout_ms, max_rows: MOST_VALUES }).await?;
                let samples = samples.map(|result| first(result, shown)).unwrap_or_default();
                if !samples.is_empty() {
                    index.samples.insert((at, place), samples);
                }
                let Some(found) = found else {
                    index.unread.push((at, place));
                    continue;
                };
                if found.more {
                    index.cut.push((at, place));
                }
                for value in
                    first(found, |value| if let Value::Text(text) = value { Some(text) } else { None })
                {
                    index.add((at, place), value);
                }
            }
        }
        Ok(index)
    }

    fn add(&mut self, at: (usize, usize), value: String) {
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let mut counts: HashMap<String, f32> = HashMap::new();
        let terms = content::<Vec<String>>(&value);
        for term in &terms {
            *counts.entry(term.clone()).or_default() += 1.0;
        }
        for (term, count) in counts {
            self.holding.entry(term).or_default().push((number, count));
        }
        self.lengths.push(terms.len() as f32);
        self.values.push((at, value));
    }

    /// The two values of a column that the schema shows.
    pub(super) fn samples(&self, at: (usize, usize)) -> &[String] {
        self.samples.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Values that the question mentions, of each column the best first.
    pub(super) fn matched(&self, question: &str) -> Matched {
        let asked = words(question);
        let lower: Vec<char> = question.to_lowercase().chars().collect();
        let mut hits: HashSet<u32> = HashSet::new();
        for length in 1..=GRAM {
            for gram in asked.windows(length) {
                let (Some(first), Some(last)) = (gram.first(), gram.last()) else { continue };
                hits.extend(self.search(question.get(first.start..last.end).unwrap_or_default()));
            }
        }
        let mut found: BTreeMap<(usize, usize), Vec<Scored<'_>>> = BTreeMap::new();
        for hit in hits {
            let Some((at, value)) = self.values.get(hit as usize) else { continue };
            if let Some(score) = matched(&lower, value) {
                found.entry(*at).or_default().push((score, hit, value));
            }
        }
        let best = |mut values: Vec<Scored<'_>>| -> Vec<String> {
            values.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.len().cmp(&a.2.len())).then(a.1.cmp(&b.1)));
            values.into_iter().take(OF_A_COLUMN).map(|(.., value)| value.to_owned()).collect()
        };
        found.into_iter().map(|(at, values)| (at, best(values))).collect()
    }

    /// The values that BM25 finds for a text, best first.
    pub(super) fn search(&self, text: &str) -> Vec<u32> {
        let all = self.values.len() as f32;
        let mean = (self.lengths.iter().sum::<f32>() / all.max(1.0)).max(f32::EPSILON);
        let mut scores: HashMap<u32, f32> = HashMap::new();
        for term in content::<Vec<String>>(text) {
            let Some(holding) = self.holding.get(&term) else { continue };
            let n = holding.len() as f32;
            let rarity = (1.0 + (all - n + 0.5) / (n + 0.5)).ln();
            for &(value, count) in holding {
                let length = self.lengths.get(value as usize).copied().unwrap_or(0.0);
                let norm = count + K1 * (1.0 - B + B * length / mean);
                *scores.entry(value).or_default() += rarity * count / norm;
            }
        }
        let mut ranked: Vec<(u32, f32)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().take(HITS).map(|(value, _)| value).collect()
    }

    /// What could not be read whole, a sentence each.
    pub(super) fn notes(&self, schema: &Schema) -> Vec<String> {
        let names = |places: &[(usize, usize)]| {
            let name = |(at, place): &(usize, usize)| {
                let table = schema.tables.get(*at)?;
                Some(format!("{}.{}", table.name, table.columns.get(*place)?.name))
            };
            places.iter().filter_map(name).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        if !self.cut.is_empty() {
            notes.push(format!("Only the first {MOST_VALUES} values were read of {}.", names(&self.cut)));
        }
        if !self.unread.is_empty() {
            notes.push(format!("No values could be read of {}.", names(&self.unread)));
        }
        notes
    }
}

async fn read(db: &impl Execute, sql: &str, limits: QueryLimits) -> Result<Option<ResultSet>, DbError> {
    match db.execute(sql, limits).await {
        Ok(result) => Ok(Some(result)),
        Err(error @ (DbError::Cancelled | DbError::NotOpen | DbError::Worker(_))) => Err(error),
        Err(_) => Ok(None),
    }
}

fn first(result: ResultSet, text: impl Fn(Value) -> Option<String>) -> Vec<String> {
    result.rows.into_iter().filter_map(|row| row.into_iter().next().and_then(&text)).collect()
}

/// A value as the schema shows it.
fn shown(value: Value) -> Option<String> {
    match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Text(text) => Some(text),
        Value::Null | Value::InvalidText(_) | Value::Blob(_) => None,
    }
}
