//! The schema filter: the tables and columns that a question needs.
//!
//! The source ranks them by a classifier trained on questions with their SQL. Here a name or note scores for the share of
//! its words that the question has, a column also for values that the question mentions, and both, where there is an
//! encoder, for the cosine of their texts with the question. A table scores as its name and its best column do.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::pipeline::direct::Inputs;
use crate::ports::{Embed, EmbedError};
use crate::retrieval::words::content_of_names;
use crate::sql::{Schema, Table};

/// What the words of a note count beside those of the name.
const NOTE: f32 = 0.5;

/// Values that a question mentions, by the places of their table and column.
pub(super) type Matched = BTreeMap<(usize, usize), Vec<String>>;

/// The texts of a schema as vectors, made once for a database.
#[derive(Debug, Clone, Default)]
pub struct SchemaVectors {
    tables: Vec<Vec<f32>>,
    columns: Vec<Vec<Vec<f32>>>,
}

/// How near one question is to each table and column, as the cosine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearness {
    tables: Vec<f32>,
    columns: Vec<Vec<f32>>,
}

impl SchemaVectors {
    /// Embeds the name of every table, and of every column with its note.
    ///
    /// # Errors
    /// When the texts cannot be embedded.
    pub async fn new(embed: &impl Embed, schema: &Schema) -> Result<Self, EmbedError> {
        let spaced = |name: &str| name.replace('_', " ");
        let mut texts: Vec<String> = schema.tables.iter().map(|table| spaced(&table.name)).collect();
        for table in &schema.tables {
            texts.extend(table.columns.iter().map(|column| {
                let note = column.note.as_deref().unwrap_or_default();
                format!("{} {} {note}", spaced(&table.name), spaced(&column.name)).trim_end().to_owned()
            }));
        }
        let mut vectors = embed.embed(&texts).await?.into_iter();
        let tables = vectors.by_ref().take(schema.tables.len()).collect();
        let columns =
            schema.tables.iter().map(|table| vectors.by_ref().take(table.columns.len()).collect()).collect();
        Ok(Self { tables, columns })
    }

    /// How near a question is to each.
    ///
    /// # Errors
    /// When the question cannot be embedded.
    pub async fn nearness(&self, embed: &impl Embed, question: &str) -> Result<Nearness, EmbedError> {
        let question = embed.embed(&[question.to_owned()]).await?.into_iter().next().unwrap_or_default();
        let cosine = |vector: &Vec<f32>| vector.iter().zip(&question).map(|(a, b)| a * b).sum::<f32>();
        Ok(Nearness {
            tables: self.tables.iter().map(cosine).collect(),
            columns: self.columns.iter().map(|table| table.iter().map(cosine).collect()).collect(),
        })
    }
}

/// What the filter keeps: places of tables in the schema's order, with the scores of their columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    /// Places of the kept tables, the most relevant first.
    ranked: Vec<usize>,
    /// Of every table the places of its columns, the most relevant first.
    columns: Vec<Vec<usize>>,
    most_columns: usize,
}

impl Kept {
    /// Ranks the schema and keeps `most_tables` tables with `most_columns` columns each.
    pub fn new(
        inputs: &Inputs<'_>,
        near: Option<&Nearness>,
        matched: &Matched,
        most_tables: usize,
        most_columns: usize,
    ) -> Self {
        let asked = content_of_names(inputs.question);
        let mut columns = Vec::new();
        let mut ranked: Vec<(usize, f32)> = Vec::new();
        for (at, table) in inputs.schema.tables.iter().enumerate() {
            let score = |place: usize| -> f32 {
                let Some(column) = table.columns.get(place) else { return 0.0 };
                let note = column.note.as_deref().map_or(0.0, |note| share(note, &asked));
                let close = near.and_then(|near| near.columns.get(at)?.get(place)).copied().unwrap_or(0.0);
                let mentioned = if matched.contains_key(&(at, place)) { 1.0 } else { 0.0 };
                share(&column.name, &asked) + NOTE * note + close + mentioned
            };
            let mut scored: Vec<(usize, f32)> = (0..table.columns.len()).map(|at| (at, score(at))).collect();
            scored.sort_by(|a, b| b.1.total_cmp(&a.1));
            let best = scored.first().map_or(0.0, |(_, score)| *score);
            let close = near.and_then(|near| near.tables.get(at)).copied().unwrap_or(0.0);
            ranked.push((at, share(&table.name, &asked) + close + best));
            columns.push(scored.into_iter().map(|(place, _)| place).collect());
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let ranked = ranked.into_iter().take(most_tables.max(1)).map(|(at, _)| at).collect();
        Self { ranked, columns, most_columns }
    }

    /// Keeps less: no more tables, the most relevant first, and columns than that.
    pub fn cut(&self, most_tables: usize, most_columns: usize) -> Self {
        let ranked = self.ranked.iter().copied().take(most_tables).collect();
        Self { ranked, columns: self.columns.clone(), most_columns: self.most_columns.min(most_columns) }
    }

    /// Kept tables and columns by their places, in the schema's order. Columns that join two kept tables are among
    /// them whatever their score.
    pub fn places(&self, schema: &Schema) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut kept: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &at in &self.ranked {
            let best = self.columns.get(at).into_iter().flatten().take(self.most_columns).copied();
            kept.insert(at, best.collect());
        }
        for &at in &self.ranked {
            let Some(table) = schema.tables.get(at) else { continue };
            for key in &table.foreign_keys {
                let Some(other) = place(schema, &key.table).filter(|other| kept.contains_key(other)) else {
                    continue;
                };
                let ends = [(at, &key.column), (other, &key.referenced_column)];
                for (at, name) in ends {
                    let column = schema.tables.get(at).and_then(|table| column_place(table, name));
                    if let (Some(column), Some(columns)) = (column, kept.get_mut(&at)) {
                        columns.insert(column);
                    }
                }
            }
        }
        kept
    }

    /// How much is kept, in a sentence.
    pub fn sentence(&self, schema: &Schema) -> String {
        let kept = self.places(schema);
        let columns: usize = kept.values().map(BTreeSet::len).sum();
        let all: usize = schema.tables.iter().map(|table| table.columns.len()).sum();
        format!("Kept: {} of {} tables, {columns} of {all} columns.", kept.len(), schema.tables.len())
    }

    /// How many tables and columns of one are kept at most.
    pub fn size(&self) -> (usize, usize) {
        (self.ranked.len(), self.most_columns)
    }
}

fn place(schema: &Schema, name: &str) -> Option<usize> {
    schema.tables.iter().position(|table| table.name.eq_ignore_ascii_case(name))
}

fn column_place(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
}

/// The share of a text's words that the question has.
fn share(text: &str, asked: &HashSet<String>) -> f32 {
    let own: HashSet<String> = content_of_names(text);
    if own.is_empty() { 0.0 } else { own.intersection(asked).count() as f32 / own.len() as f32 }
}
