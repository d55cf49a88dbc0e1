//! Masked questions: what a question asks for without what it asks about.
//!
//! DAIL-SQL (Gao et al. 2024, section 4.2) compares questions after schema linking: words that name a table or a column
//! become `<mask>`, words that name a value, a number or a date become `<unk>`. Linking is by n-grams on the real schema
//! and its values: an n-gram links to a name that it equals or lies in, a word to a value that holds it as a whole word.
//! Numbers link wherever they stand. Stop words alone link to nothing.

use std::collections::{BTreeMap, HashSet};

use crate::retrieval::words::{is_stop_word, stem, words};
use crate::sql::Schema;

/// What a linked name becomes.
const NAME: &str = "<mask>";
/// What a linked value becomes.
const VALUE: &str = "<unk>";
/// Words of the longest n-gram that is linked.
const LONGEST: usize = 5;
/// Longer texts are prose, whose words would link to everything.
const LONGEST_VALUE: usize = 64;

/// What words of a question can be linked to: the names and values of one database.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The stemmed words of each table and column, with a space at each end.
    names: Vec<String>,
    /// Words of the values of text columns, in lower case.
    values: HashSet<String>,
}

impl Links {
    /// From the names of `schema` and the texts that its columns hold; without those numbers alone become `<unk>`.
    pub fn new<'t>(schema: &Schema, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let columns = schema.tables.iter().flat_map(|table| table.columns.iter().map(|column| &column.name));
        let names = schema.tables.iter().map(|table| &table.name).chain(columns).map(|name| name_words(name));
        let mut links = Self { names: names.collect(), values: HashSet::new() };
        links.names.sort();
        links.names.dedup();
        for text in texts.into_iter().filter(|text| text.len() <= LONGEST_VALUE) {
            let linked = words(text).into_iter().map(|word| word.text.to_lowercase());
            links.values.extend(linked.filter(|word| !is_stop_word(word)));
        }
        links
    }

    /// The question with what is linked in masks; everything else stays, in lower case and in its order.
    pub fn mask(&self, question: &str) -> String {
        let found: Vec<(String, String)> = words(question)
            .into_iter()
            .map(|word| word.text.to_lowercase())
            .map(|lower| (stem(&lower), lower))
            .collect();
        let mut masks: BTreeMap<usize, &str> = BTreeMap::new();
        for length in (1..=LONGEST.min(found.len())).rev() {
            for (start, gram) in found.windows(length).enumerate() {
                let taken = (start..start + length).any(|at| masks.contains_key(&at));
                if !taken && gram.iter().any(|(_, lower)| !is_stop_word(lower)) && self.names_hold(gram) {
                    masks.extend((start..start + length).map(|at| (at, NAME)));
                }
            }
        }
        for (at, (_, lower)) in found.iter().enumerate() {
            let number = lower.starts_with(|c: char| c.is_ascii_digit());
            if number || self.values.contains(lower) {
                masks.entry(at).or_insert(VALUE);
            }
        }
        let masked =
            found.iter().enumerate().map(|(at, (_, lower))| masks.get(&at).copied().unwrap_or(lower));
        masked.collect::<Vec<_>>().join(" ")
    }

    fn names_hold(&self, gram: &[(String, String)]) -> bool {
        let gram: Vec<&str> = gram.iter().map(|(stem, _)| stem.as_str()).collect();
        let gram = format!(" {} ", gram.join(" "));
        self.names.iter().any(|name| name.contains(&gram))
    }
}

/// The stemmed words of a name, cut at underscores and inner capitals: `homeTeam_id` is ` home team id `.
fn name_words(name: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c == '_' { ' ' } else { c });
        before = c;
    }
    let stems: Vec<String> = words(&spaced).into_iter().map(|word| stem(&word.text.to_lowercase())).collect();
    format!(" {} ", stems.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::{Column, Table};

    fn links() -> Links {
        let column = |name: &str| Column { name: name.into(), ..Column::default() };
        let columns = ["id", "superhero_name", "eyeColour", "weight_kg"].map(column).to_vec();
        let table = Table { name: "superhero".into(), columns, ..Table::default() };
        let texts = ["Blue", "Marvel Comics", &"long prose ".repeat(9)];
        Links::new(&Schema { tables: vec![table] }, texts)
    }

    #[test]
    fn names_and_values_are_masked() {
        let masked = links().mask("How many superheroes with blue eye colour weigh over 100 kg, at Marvel?");
        assert_eq!(masked, "how many <mask> with <unk> <mask> <mask> weigh over <unk> <mask> at <unk>");
        assert_eq!(links().mask("Which is the long one in 2015?"), "which is the long one in <unk>");
        assert_eq!(links().mask(""), "");
    }

    #[test]
    fn questions_about_other_things_of_the_same_kind_are_masked_alike() {
        let links = links();
        assert_eq!(links.mask("List the id of blue ones"), links.mask("List the weight of Marvel ones"));
    }

    #[test]
    fn without_a_database_only_numbers_are_masked() {
        assert_eq!(Links::default().mask("Top 5 heroes"), "top <unk> heroes");
    }
}
