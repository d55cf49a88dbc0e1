//! The form of an answer: a count, rows for groups, the extreme row, rows without something.

use crate::retrieval::words::words;
use crate::sql::{TokenKind, tokenize};

/// What kind of answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One count.
    Count,
    /// A percentage or another ratio.
    Share,
    /// A mean.
    Average,
    /// Anything else, mostly rows.
    Rows,
}

impl Shape {
    /// What a question asks for first.
    pub fn of_question(question: &str) -> Self {
        let lower = question.to_lowercase();
        let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
        if has(&["percent", "proportion", "ratio", "share of"]) {
            Self::Share
        } else if lower.starts_with("count ") || has(&["how many", "number of", "count the"]) {
            Self::Count
        } else if has(&["average", "mean "]) {
            Self::Average
        } else {
            Self::Rows
        }
    }

    /// What a query gives, by the first expression of its first SELECT.
    pub fn of_query(sql: &str) -> Self {
        let upper = sql.to_uppercase();
        let list = upper.trim_start().strip_prefix("SELECT").map(str::trim_start).unwrap_or("");
        let until_from = list.split(" FROM ").next().unwrap_or("");
        if until_from.contains('/') {
            Self::Share
        } else if list.starts_with("COUNT") {
            Self::Count
        } else if list.starts_with("AVG") {
            Self::Average
        } else {
            Self::Rows
        }
    }
}

/// Parts of a form that words and clauses both show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// A row for each group.
    grouped: bool,
    /// The rows at one end of a scale.
    extreme: bool,
    /// Rows that lack something.
    negated: bool,
    /// Rows in an order.
    ordered: bool,
}

const GROUPS: &[&str] = &["each", "every", "per", "respective", "different"];
const EXTREMES: &[&str] =
    &["most", "least", "top", "bottom", "first", "last", "maximum", "minimum", "max", "min"];
const NEGATIONS: &[&str] = &["not", "no", "never", "without", "neither", "nor", "except", "excluding"];
const ORDERS: &[&str] = &[
    "ascending",
    "descending",
    "alphabetical",
    "alphabetically",
    "order",
    "ordered",
    "sorted",
    "sort",
    "rank",
];

impl Form {
    /// What a question asks for.
    pub fn of_question(question: &str) -> Self {
        let lower: Vec<String> = words(question).iter().map(|word| word.text.to_lowercase()).collect();
        let has = |marks: &[&str]| lower.iter().any(|word| marks.contains(&word.as_str()));
        let superlative = lower.iter().enumerate().any(|(at, word)| {
            let compares = at.checked_sub(1).and_then(|before| lower.get(before)).is_some_and(|w| w == "at");
            !compares && (EXTREMES.contains(&word.as_str()) || (word.len() > 5 && word.ends_with("est")))
        });
        Self {
            grouped: has(GROUPS),
            extreme: superlative,
            negated: has(NEGATIONS)
                || lower.iter().any(|word| word.ends_with("n't") || word.ends_with("n’t")),
            ordered: has(ORDERS),
        }
    }

    /// What a query gives.
    pub fn of_query(sql: &str) -> Self {
        let tokens = tokenize(sql).into_iter();
        let telling = tokens.filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment));
        let upper: Vec<String> =
            telling.filter_map(|token| sql.get(token.start..token.end)).map(str::to_uppercase).collect();
        let has = |marks: &[&str]| upper.iter().any(|word| marks.contains(&word.as_str()));
        let not_null = upper.windows(2).filter(|pair| pair[0] == "NOT" && pair[1] == "NULL").count();
        let nots = upper.iter().filter(|word| *word == "NOT").count();
        Self {
            grouped: has(&["GROUP"]),
            extreme: has(&["LIMIT", "MAX", "MIN"]),
            negated: nots > not_null || has(&["EXCEPT", "<>", "!="]),
            ordered: has(&["ORDER"]) && !has(&["LIMIT"]),
        }
    }

    /// In how many parts two forms differ.
    pub fn differences(self, other: Self) -> u32 {
        let differ = [
            self.grouped != other.grouped,
            self.extreme != other.extreme,
            self.negated != other.negated,
            self.ordered != other.ordered,
        ];
        differ.into_iter().map(u32::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_answers() {
        for (question, sql, shape) in [
            ("How many boats are there?", "SELECT COUNT(*) FROM boat", Shape::Count),
            ("What is the percentage of boats?", "SELECT 100.0 * SUM(a) / COUNT(*) FROM boat", Shape::Share),
            ("the average length", "select avg(length) from boat", Shape::Average),
            ("Which boats?", "SELECT name, COUNT(*) FROM boat", Shape::Rows),
        ] {
            assert_eq!((Shape::of_question(question), Shape::of_query(sql)), (shape, shape), "{question}");
        }
    }

    #[test]
    fn questions_and_queries_of_one_form_do_not_differ() {
        for (question, sql) in [
            ("How many boats has each harbour?", "SELECT harbour, COUNT(*) FROM boat GROUP BY harbour"),
            ("Which boat is the longest?", "SELECT name FROM boat ORDER BY length DESC LIMIT 1"),
            ("Boats without a trip", "SELECT id FROM boat EXCEPT SELECT boat FROM trip"),
            ("Boats that don't sail", "SELECT id FROM boat WHERE sail <> 1"),
            ("Names of at least 3 boats", "SELECT name FROM boat WHERE crew IS NOT NULL"),
            ("Names in alphabetical order", "SELECT name FROM boat ORDER BY name"),
        ] {
            assert_eq!(Form::of_question(question).differences(Form::of_query(sql)), 0, "{question}");
        }
        let each = Form::of_question("How many boats has each harbour?");
        assert_eq!(each.differences(Form::of_query("SELECT name FROM boat ORDER BY length LIMIT 1")), 2);
    }
}
