//! Preprocessing: the vectors of a database's column names and text values, made once and used for every question.

use std::collections::HashMap;

use crate::db::{DbError, QueryLimits, Value, quote_ident};
use crate::llm::Cancel;
use crate::pipeline::staged::lenient::ends_queries;
use crate::ports::{Embed, EmbedError, Execute};
use crate::retrieval::vectors::{Vectors, VectorsError};
use crate::sql::Schema;

/// Values from this length on, in characters, are prose that no question repeats.
const LONGEST: usize = 100;
/// A column of numbers written as text with more different values than this is left out.
const MOST_NUMBERS: usize = 6_000;
/// Words of a column's note that still is a name.
const NAME_WORDS: usize = 6;
/// Texts embedded at once.
const BATCH: usize = 256;
/// Values of one database at most: a vector of each is kept, about 1.2 kB.
pub const MOST_VALUES: usize = 20_000;

/// Why a database has no index.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IndexError {
    /// Its values cannot be read.
    #[error("The values cannot be read: {0}")]
    Database(#[from] DbError),
    /// Its values cannot be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The encoder gave vectors that cannot be searched.
    #[error("The encoder's vectors cannot be used: {0}.")]
    Vectors(#[from] VectorsError),
}

/// A table and a column.
pub type ColumnName = (String, String);

/// A database's column names and text values with their vectors.
#[derive(Debug, Clone, Default)]
pub struct DatabaseIndex {
    /// Made by this encoder; vectors of another one are not compared with these.
    encoder: String,
    /// Each name with the column that has it, as declared or as its note says.
    pub(super) names: Vec<(String, ColumnName)>,
    name_vectors: Vectors,
    /// Each different value with the columns that hold it.
    pub(super) values: Vec<(String, Vec<ColumnName>)>,
    value_vectors: Vectors,
    places: HashMap<String, usize>,
    notes: Vec<String>,
}

impl DatabaseIndex {
    /// Reads the different text values of every column through the database and embeds them. Left out are values of 100
    /// characters and more, UUIDs, and columns of more than 6,000 different numbers; of the rest, `most` at most, the
    /// columns with the fewest first. `on_progress` hears how many texts of how many are embedded.
    ///
    /// # Errors
    /// When the user stops, the database is gone, or the texts cannot be embedded. A column that cannot be read in
    /// time is left out with a note.
    pub async fn build(
        schema: &Schema,
        db: &impl Execute,
        embed: &impl Embed,
        most: usize,
        limits: QueryLimits,
        cancel: &Cancel,
        on_progress: &dyn Fn(usize, usize),
    ) -> Result<Self, IndexError> {
        let mut index = Self { encoder: embed.encoder().to_owned(), ..Self::default() };
        let mut read: Vec<(ColumnName, Vec<String>, bool)> = Vec::new();
        for table in &schema.tables {
            for column in &table.columns {
                let name = (table.name.clone(), column.name.clone());
                index.names.push((spaced(&column.name), name.clone()));
                let note = column.note.as_deref().map(str::trim).unwrap_or_default();
                if (1..=NAME_WORDS).contains(&note.split_whitespace().count()) && note != column.name {
                    index.names.push((note.to_owned(), name.clone()));
                }
                // What a view shows is in its tables.
                if table.view {
                    continue;
                }
                if cancel.is_cancelled() {
                    return Err(EmbedError::Cancelled.into());
                }
                match texts(db, &name, most, limits).await {
                    Ok((values, more)) => read.push((name, values, more)),
                    Err(error) if ends_queries(&error) => return Err(error.into()),
                    Err(error) => {
                        index
                            .notes
                            .push(format!("The values of {}.{} are not known: {error}", name.0, name.1));
                    }
                }
            }
        }
        index.keep(read, most);
        let names: Vec<String> = index.names.iter().map(|(name, _)| name.clone()).collect();
        let values: Vec<String> = index.values.iter().map(|(value, _)| value.clone()).collect();
        let all = names.len() + values.len();
        index.name_vectors = vectors(embed, &names, cancel, &|done| on_progress(done, all)).await?;
        index.value_vectors =
            vectors(embed, &values, cancel, &|done| on_progress(names.len() + done, all)).await?;
        Ok(index)
    }

    /// Takes the values over, `most` at most.
    fn keep(&mut self, mut read: Vec<(ColumnName, Vec<String>, bool)>, most: usize) {
        read.retain(|(_, values, _)| !values.is_empty());
        read.sort_by_key(|(_, values, more)| (*more, values.len()));
        let mut cut: Vec<String> = Vec::new();
        for (column, values, more) in read {
            let numbers = values.iter().filter(|value| is_number(value)).count();
            if numbers == values.len() && values.len() > MOST_NUMBERS {
                continue;
            }
            let mut missing = more;
            for value in values {
                if let Some(&place) = self.places.get(&value) {
                    if let Some((_, columns)) = self.values.get_mut(place) {
                        columns.push(column.clone());
                    }
                } else if self.values.len() < most {
                    self.places.insert(value.clone(), self.values.len());
                    self.values.push((value, vec![column.clone()]));
                } else {
                    missing = true;
                }
            }
            if missing {
                cut.push(format!("{}.{}", column.0, column.1));
            }
        }
        if !cut.is_empty() {
            self.notes.push(format!(
                "Only {} values are in the index; not all values of {} are.",
                self.values.len(),
                cut.join(", ")
            ));
        }
    }

    /// What the index lacks, a sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Different values in it.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether its vectors may be compared with those of this encoder.
    pub fn is_of(&self, embed: &impl Embed) -> bool {
        self.encoder == embed.encoder()
    }

    /// The columns that hold this value exactly.
    pub fn columns_of(&self, value: &str) -> &[ColumnName] {
        let place = self.places.get(value).and_then(|place| self.values.get(*place));
        place.map_or(&[], |(_, columns)| columns.as_slice())
    }

    /// The `most` values nearest to each vector, with their cosines, of at least `floor`.
    pub(super) fn nearest_values(
        &self,
        queries: &[Vec<f32>],
        most: usize,
        floor: f32,
    ) -> Vec<Vec<(&str, &[ColumnName], f32)>> {
        let found = self.value_vectors.search_all(queries, most, floor);
        let entry = |index: u32, score: f32| {
            let (value, columns) = self.values.get(index as usize)?;
            Some((value.as_str(), columns.as_slice(), score))
        };
        found
            .into_iter()
            .map(|hits| hits.iter().filter_map(|hit| entry(hit.index, hit.score)).collect())
            .collect()
    }

    /// The columns whose names are nearest to each vector: `most` names, with a cosine above `floor`.
    pub(super) fn nearest_names(&self, queries: &[Vec<f32>], most: usize, floor: f32) -> Vec<&ColumnName> {
        let found = self.name_vectors.search_all(queries, most, floor);
        let hits = found.into_iter().flatten().filter(|hit| hit.score > floor);
        hits.filter_map(|hit| self.names.get(hit.index as usize).map(|(_, column)| column)).collect()
    }
}

/// A name as words: "hero_name" is "hero name".
fn spaced(name: &str) -> String {
    name.split(['_', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The different text values of a column, and whether there are more.
async fn texts(
    db: &impl Execute,
    (table, column): &ColumnName,
    most: usize,
    limits: QueryLimits,
) -> Result<(Vec<String>, bool), DbError> {
    let (table, column) = (quote_ident(table), quote_ident(column));
    // One more than is kept of numbers, so that too many of them are recognised.
    let most = most.max(MOST_NUMBERS + 1);
    let sql = format!(
        "SELECT DISTINCT {column} FROM {table} WHERE typeof({column}) = 'text' AND length({column}) < {LONGEST} LIMIT {}",
        most + 1
    );
    let result = db.execute(&sql, QueryLimits { max_rows: most, ..limits }).await?;
    let values = result.rows.into_iter().filter_map(|row| match row.into_iter().next() {
        Some(Value::Text(text)) if !text.trim().is_empty() && !is_uuid(&text) => Some(text),
        _ => None,
    });
    Ok((values.collect(), result.more))
}

/// Whether a text is a number.
pub(super) fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"+-.,eE%".contains(&b)) && {
        let plain: String = text.chars().filter(|c| !matches!(c, ',' | '%')).collect();
        plain.parse::<f64>().is_ok()
    }
}

/// Whether a text is a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.trim().split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()))
}

async fn vectors(
    embed: &impl Embed,
    texts: &[String],
    cancel: &Cancel,
    done: &dyn Fn(usize),
) -> Result<Vectors, IndexError> {
    let mut rows = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        if cancel.is_cancelled() {
            return Err(EmbedError::Cancelled.into());
        }
        rows.extend(embed.embed(batch).await?);
        done(rows.len());
    }
    Ok(Vectors::from_rows(&rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_uuids_are_recognised() {
        for number in ["1", "-2.5", "1,000", "3e8", "40%"] {
            assert!(is_number(number), "{number}");
        }
        for text in ["", "a1", "1-2", "2019-01-02", "e", "1 2"] {
            assert!(!is_number(text), "{text}");
        }
        assert!(is_uuid("00d363d4-e85d-5b1d-9b3c-4d2a1f0e6a77"));
        assert!(!is_uuid("00d363d4-e85d-5b1d-9b3c") && !is_uuid("00d363d4-e85d-5b1d-9b3c-4d2a1f0e6a7g"));
    }
}
