//! Words for names: tables, columns, literals.

use crate::sql::Schema;

/// Speaks about one schema.
pub(super) struct Words<'a> {
    schema: &'a Schema,
}

/// Column names that say little without their table.
const GENERIC: &[&str] = &[
    "id",
    "name",
    "code",
    "type",
    "date",
    "label",
    "status",
    "number",
    "title",
    "text",
    "value",
    "key",
    "description",
    "year",
    "month",
    "time",
    "count",
    "amount",
    "total",
    "price",
    "rank",
    "language",
    "format",
];

/// Units at the end of a column's name; a question rarely says them.
const UNITS: &[&str] = &["cm", "mm", "km", "kg", "lb", "usd", "eur", "pct"];

/// A column's note is used as its name up to this many characters.
const NOTE_LENGTH: usize = 40;

impl<'a> Words<'a> {
    /// Speaks about `schema`.
    pub(super) fn new(schema: &'a Schema) -> Self {
        Self { schema }
    }

    /// A column in words: its short note, else its name, with its table where it says little by itself.
    pub(super) fn column(&self, table: &str, column: &str) -> String {
        let found = self.schema.table(table).and_then(|t| t.column(column));
        let note = found.and_then(|c| c.note.as_deref()).map(str::trim);
        let note = note.filter(|n| n.chars().count() <= NOTE_LENGTH && !n.contains(['\n', '"', ';']));
        let mut words = match note {
            Some(note) => split_name(note),
            None => split_name(column),
        };
        if words.len() > 1 && words.last().is_some_and(|w| UNITS.contains(&w.as_str())) {
            words.pop();
        }
        let generic = matches!(words.as_slice(), [one] if GENERIC.contains(&one.as_str()) || one.len() < 3);
        let owner = split_name(table);
        if generic && !owner.is_empty() {
            let mut all: Vec<String> = singular(&owner);
            let last = all.last().cloned();
            all.extend(words.into_iter().filter(|w| Some(w) != last.as_ref()));
            words = all;
        }
        words.join(" ")
    }

    /// Whether a column tells rows of its table apart: counting it is counting rows.
    pub(super) fn is_key(&self, table: &str, column: &str) -> bool {
        let declared = self.schema.table(table).and_then(|t| t.column(column)).is_some_and(|c| c.primary_key);
        let single =
            self.schema.table(table).is_some_and(|t| t.columns.iter().filter(|c| c.primary_key).count() == 1);
        (declared && single) || column.eq_ignore_ascii_case("id")
    }

    /// What one row of a table is called.
    pub(super) fn row(&self, table: &str) -> String {
        singular(&split_name(table)).join(" ")
    }

    /// What the rows of a table are called.
    pub(super) fn rows(&self, table: &str) -> String {
        plural(&self.row(table))
    }
}

/// Splits a name at underscores, other marks, and changes of case, in lower case.
pub(crate) fn split_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
            continue;
        }
        let before = i.checked_sub(1).and_then(|p| chars.get(p));
        let after = chars.get(i + 1);
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_numeric())
                || (before.is_some_and(|b| b.is_uppercase()) && after.is_some_and(|a| a.is_lowercase())));
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.extend(Some(word).filter(|w| !w.is_empty()));
    words
}

/// Words that say no more than the formula does.
const EMPTY_WORDS: [&str; 31] = [
    "n", "num", "number", "cnt", "count", "total", "sum", "avg", "average", "min", "max", "val", "value",
    "result", "res", "x", "y", "a", "b", "c", "col", "of", "rank", "rn", "ok", "pct", "perc", "percent",
    "share", "ratio", "rate",
];

/// What the author of a query calls a formula, in words; None where the name says nothing ("n", "total").
pub(super) fn alias_words(alias: &str) -> Option<String> {
    let words = split_name(alias);
    let telling = |word: &String| {
        word.chars().count() > 1 && !EMPTY_WORDS.contains(&word.as_str()) && word.parse::<f64>().is_err()
    };
    if !words.iter().any(telling) {
        return None;
    }
    let spoken = words.iter().map(|word| match word.as_str() {
        "pct" | "perc" => "percent",
        "avg" => "average",
        "num" | "nr" | "cnt" => "number of",
        "amt" => "amount",
        "qty" => "quantity",
        other => other,
    });
    Some(spoken.collect::<Vec<_>>().join(" "))
}

/// The last word without its plural ending.
fn singular(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(last) = words.last_mut() {
        if let Some(stem) = last.strip_suffix("ies").filter(|s| s.len() > 1) {
            *last = format!("{stem}y");
        } else if ["sses", "xes", "ches", "shes"].iter().any(|e| last.ends_with(e)) {
            last.truncate(last.len() - 2);
        } else if last.len() > 3
            && last.ends_with('s')
            && !["ss", "us", "is"].iter().any(|e| last.ends_with(e))
        {
            last.pop();
        }
    }
    words
}

/// A phrase with its last word in the plural.
pub(super) fn plural(phrase: &str) -> String {
    let vowel_y = ["ay", "ey", "oy", "uy"].iter().any(|e| phrase.ends_with(e));
    if let Some(stem) = phrase.strip_suffix('y').filter(|_| !vowel_y) {
        format!("{stem}ies")
    } else if ["s", "x", "ch", "sh", "ro"].iter().any(|e| phrase.ends_with(e)) {
        format!("{phrase}es")
    } else {
        format!("{phrase}s")
    }
}
