//! Columns that a question calls by their names.

use super::values::ColumnName;
use crate::retrieval::words::{Word, stem, words};
use crate::sql::Table;
use crate::sql::describe::split_name;

/// The columns of some tables with the words that name them.
pub(super) struct Names {
    columns: Vec<Name>,
}

struct Name {
    column: ColumnName,
    /// Stems of the column's name.
    roots: Vec<String>,
    /// Stems without those of its table at the start: `boat.boat_name` is a boat's name.
    short: Vec<String>,
    table: Vec<String>,
}

/// A word without its ending, "ids" as well.
pub(super) fn root(word: &str) -> String {
    let stem = stem(word);
    stem.strip_suffix('s').filter(|_| stem.len() == 3).map(str::to_owned).unwrap_or(stem)
}

/// Stems of the words of a name.
pub(super) fn roots(name: &str) -> Vec<String> {
    split_name(name).iter().map(|word| root(word)).collect()
}

impl Names {
    /// The names of all columns of `tables`.
    pub fn of<'t>(tables: impl Iterator<Item = &'t Table>) -> Self {
        let mut columns: Vec<Name> = Vec::new();
        for table in tables {
            let of_table = roots(&table.name);
            for column in &table.columns {
                let own = (table.name.clone(), column.name.clone());
                if columns.iter().any(|known| known.column == own) {
                    continue;
                }
                let roots = roots(&column.name);
                let short = roots.strip_prefix(of_table.as_slice()).unwrap_or(&[]).to_vec();
                columns.push(Name { column: own, roots, short, table: of_table.clone() });
            }
        }
        Self { columns }
    }

    /// Whether a word names one of the tables.
    pub fn is_table(&self, word: &str) -> bool {
        let root = root(word);
        self.columns.iter().any(|name| name.table.contains(&root))
    }

    /// Whether a word alone is the name of one of the tables.
    pub fn is_whole_table(&self, word: &str) -> bool {
        let root = [root(word)];
        self.columns.iter().any(|name| name.table == root)
    }

    /// The column that the words from `at` on name, with the number of words: the longest name, the whole name
    /// before a shortened one, the table that is named beside it. None also where two columns fit alike.
    pub fn at(&self, words: &[Word<'_>], at: usize) -> Option<(ColumnName, usize)> {
        let here: Vec<String> = words.iter().skip(at).take(6).map(|word| root(word.text)).collect();
        let starts = |name: &[String]| !name.is_empty() && here.starts_with(name);
        let fits = self.columns.iter().filter_map(|name| {
            let length = [&name.roots, &name.short].into_iter().filter(|n| starts(n)).map(Vec::len).max()?;
            let near = words.iter().skip(at.saturating_sub(1)).take(length + 5);
            let beside = near.filter(|word| name.table.contains(&root(word.text))).count().min(1);
            Some(((length, beside, usize::from(starts(&name.roots))), name))
        });
        let fits: Vec<_> = fits.collect();
        let best = fits.iter().map(|(rank, _)| *rank).max()?;
        let mut chosen = fits.iter().filter(|(rank, _)| *rank == best);
        let (Some((_, name)), None) = (chosen.next(), chosen.next()) else { return None };
        Some((name.column.clone(), best.0))
    }

    /// The column named last among the `reach` words before word number `end`, with the word it starts at.
    pub fn last_before(&self, text: &str, end: usize, reach: usize) -> Option<(ColumnName, usize)> {
        let words = words(text);
        let range = end.saturating_sub(reach)..end;
        range.rev().find_map(|at| {
            let (column, length) = self.at(&words, at)?;
            (at + length <= end).then_some((column, at))
        })
    }
}
