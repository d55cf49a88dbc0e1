//! Values of the database that are near to what a question says.

use std::collections::{BTreeSet, HashMap};

use super::index::{ColumnName, DatabaseIndex, is_number};
use crate::ports::{Embed, EmbedError};

/// Values looked at for one text.
const TOP: usize = 10;
/// Euclidean distance below which a value is near.
const NEAR: f32 = 0.65;
/// The same for one word of several: half of it, and 0.2 at least.
const NEAR_WORD: f32 = if NEAR / 2.0 > 0.2 { NEAR / 2.0 } else { 0.2 };
/// How much farther than the best one a value may be.
const GAP: f32 = 0.3;
/// Characters by which a value may be longer or shorter than the text.
const LONGER: usize = 10;

/// A value that a question seems to mean.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueMatch {
    /// The column that holds it.
    pub column: ColumnName,
    /// The value as the database writes it.
    pub value: String,
}

impl DatabaseIndex {
    /// The values near to these texts (names, nouns, quotes), at most one of each column for a text. Where the database
    /// has a text exactly, only that counts. A text of several words stands for its words too, where each has a value.
    ///
    /// # Errors
    /// When the texts cannot be embedded.
    pub async fn matches(&self, texts: &[String], embed: &impl Embed) -> Result<Vec<ValueMatch>, EmbedError> {
        if self.is_empty() || !self.is_of(embed) {
            return Ok(Vec::new());
        }
        let texts: Vec<&str> = texts
            .iter()
            .map(|text| text.trim_matches([' ', '\'', '"']))
            .filter(|text| !text.is_empty() && !is_number(text))
            .collect();
        let pieces = texts.iter().flat_map(|text| std::iter::once(*text).chain(text.split_whitespace()));
        let pieces: Vec<String> = pieces.collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect();
        let vectors = embed.embed(&pieces).await?;
        let floor = 1.0 - NEAR * NEAR / 2.0 - 0.01;
        let nearest = self.nearest_values(&vectors, TOP, floor);
        let found: HashMap<&str, Near<'_>> = pieces.iter().map(String::as_str).zip(nearest).collect();
        let of =
            |text: &str, near: f32| found.get(text).map_or_else(Vec::new, |hits| chosen(text, hits, near));
        let mut all: Vec<ValueMatch> = Vec::new();
        for text in texts {
            let mut matches = of(text, NEAR);
            let words: Vec<&str> = text.split_whitespace().collect();
            if words.len() > 1 {
                let single: Vec<ValueMatch> = words.iter().flat_map(|word| of(word, NEAR_WORD)).collect();
                if single.len() >= words.len() {
                    matches.extend(single);
                }
            }
            for found in matches {
                if !all.contains(&found) {
                    all.push(found);
                }
            }
        }
        Ok(all)
    }
}

/// Values with their columns and cosines.
type Near<'i> = Vec<(&'i str, &'i [ColumnName], f32)>;

/// Which of the nearest values count.
fn chosen(text: &str, hits: &Near<'_>, near: f32) -> Vec<ValueMatch> {
    // Exactly the text first, then by distance.
    let mut hits: Vec<(bool, f32, &str, &ColumnName)> = hits
        .iter()
        .flat_map(|(value, columns, cosine)| {
            let differs = value.trim() != text;
            let distance = if differs { (2.0 - 2.0 * cosine).max(0.0).sqrt() } else { 0.0 };
            columns.iter().map(move |column| (differs, distance, *value, column))
        })
        .collect();
    hits.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.3.cmp(b.3)).then(a.2.cmp(b.2)));
    hits.truncate(TOP);
    let Some(&(first_differs, first_distance, ..)) = hits.first() else { return Vec::new() };
    let length = text.chars().count();
    let mut seen: BTreeSet<&ColumnName> = BTreeSet::new();
    let mut matches = Vec::new();
    for (differs, distance, value, column) in hits {
        let alike = differs == first_differs || value.to_lowercase() == text.to_lowercase();
        let fits = !is_number(value) && value.chars().count().abs_diff(length) <= LONGER;
        if alike && fits && distance < near && distance - first_distance < GAP && seen.insert(column) {
            matches.push(ValueMatch { column: column.clone(), value: value.to_owned() });
        }
    }
    matches
}
