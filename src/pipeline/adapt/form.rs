//! The form of an answer: a count, rows for groups, the extreme row, rows without something.

use crate::retrieval::words::words;
use crate::sql::{TokenKind, tokenize};

/// Parts of a form that words and clauses both show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// Rows are counted.
    counts: bool,
    /// There is a mean.
    averages: bool,
    /// There is a percentage or another ratio.
    shares: bool,
    /// There may be a ratio: a question's words that also mean other things, a query's names and its inner parts.
    rates: bool,
    /// A row for each group.
    grouped: bool,
    /// The rows at one end of a scale.
    extreme: bool,
    /// Rows that lack something.
    negated: bool,
    /// Rows in an order.
    ordered: bool,
    /// Rows that two queries give.
    combined: bool,
}

/// Parts of a [`Form`].
pub(super) const PARTS: usize = 8;

const GROUPS: &[&str] = &["each", "every", "per", "respective", "different"];
const RATES: &[&str] = &["share", "shares", "rate", "rates", "fraction", "per", "times", "occupancy"];
const SHARES: &[&str] = &["PERCENT", "PROPORTION", "RATIO", "SHARE"];
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
const PAIRS: &[&str] = &["both", "either"];

impl Form {
    /// What a question asks for.
    pub fn of_question(question: &str) -> Self {
        let text = question.to_lowercase();
        let says = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
        let lower: Vec<String> = words(question).iter().map(|word| word.text.to_lowercase()).collect();
        let has = |marks: &[&str]| lower.iter().any(|word| marks.contains(&word.as_str()));
        let superlative = lower.iter().enumerate().any(|(at, word)| {
            let compares = at.checked_sub(1).and_then(|before| lower.get(before)).is_some_and(|w| w == "at");
            !compares && (EXTREMES.contains(&word.as_str()) || (word.len() > 5 && word.ends_with("est")))
        });
        Self {
            counts: text.starts_with("count ") || says(&["how many", "number of", "count the"]),
            averages: has(&["average", "mean", "avg"]),
            shares: says(&["percent", "proportion", "ratio", "share of"]),
            rates: has(RATES) || text.contains("how full"),
            grouped: has(GROUPS),
            extreme: superlative,
            negated: has(NEGATIONS)
                || lower.iter().any(|word| word.ends_with("n't") || word.ends_with("n’t")),
            ordered: has(ORDERS),
            combined: has(PAIRS),
        }
    }

    /// What a query gives.
    pub fn of_query(sql: &str) -> Self {
        let tokens = tokenize(sql).into_iter();
        let telling = tokens.filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment));
        let telling: Vec<(TokenKind, String)> = telling
            .filter_map(|token| Some((token.kind, sql.get(token.start..token.end)?.to_uppercase())))
            .collect();
        let upper: Vec<&str> = telling.iter().map(|(_, word)| word.as_str()).collect();
        let has = |marks: &[&str]| upper.iter().any(|word| marks.contains(word));
        let not_null = upper.windows(2).filter(|pair| pair == &["NOT", "NULL"]).count();
        let nots = upper.iter().filter(|word| **word == "NOT").count();
        // What is given stands before the first FROM, or in the last of several queries that follow WITH.
        let start =
            upper.iter().rposition(|word| *word == "SELECT").filter(|_| upper.first() == Some(&"WITH"));
        let list: Vec<&(TokenKind, String)> =
            telling.iter().skip(start.unwrap_or(0)).take_while(|(_, word)| word != "FROM").collect();
        let gives = |function: &str| list.iter().any(|(_, word)| word == function);
        // Divided by a number it is another unit.
        let ratio = list.windows(2).any(|pair| pair[0].1 == "/" && pair[1].0 != TokenKind::Number);
        Self {
            counts: gives("COUNT") && !ratio,
            averages: gives("AVG"),
            shares: ratio,
            rates: upper.contains(&"/")
                || telling
                    .iter()
                    .any(|(_, word)| SHARES.iter().chain(&["RATE", "PCT"]).any(|mark| word.contains(mark))),
            grouped: has(&["GROUP"]),
            extreme: has(&["LIMIT", "MAX", "MIN"]),
            negated: nots > not_null || has(&["EXCEPT", "<>", "!="]),
            ordered: has(&["ORDER"]) && !has(&["LIMIT"]),
            combined: has(&["INTERSECT", "UNION", "OR"]),
        }
    }

    /// Whether a query of the form `gives` answers a question of this form with a share where no share is asked for, or
    /// the other way round. `before` is the form of the history's question for the query, which then says what its words
    /// mean.
    pub fn is_misfit(self, gives: Self, before: Option<Self>) -> bool {
        let only_counts = |form: Self| form.counts && !form.shares && !form.rates;
        let asked = |form: Self| form.shares || form.rates;
        if gives.shares {
            let counted = only_counts(self) && !before.is_some_and(only_counts);
            return counted || (!asked(self) && before.is_some_and(|before| before.shares));
        }
        self.shares && !gives.rates && before.is_none_or(|before| !asked(before))
    }

    /// In which parts two forms differ.
    pub fn differences(self, other: Self) -> [bool; PARTS] {
        [
            self.counts != other.counts,
            self.averages != other.averages,
            self.shares != other.shares,
            self.grouped != other.grouped,
            self.extreme != other.extreme,
            self.negated != other.negated,
            self.ordered != other.ordered,
            self.combined != other.combined,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_queries_of_one_form_do_not_differ() {
        for (question, sql) in [
            ("How many boats are there?", "SELECT COUNT(*) FROM boat"),
            ("What is the percentage of boats?", "SELECT 100.0 * SUM(a) / COUNT(*) FROM boat"),
            ("the average length", "select avg(length) from boat"),
            ("Revenue in crowns", "SELECT SUM(fare) / 100.0 FROM trip"),
            ("How many boats has each harbour?", "SELECT harbour, COUNT(*) FROM boat GROUP BY harbour"),
            ("Which boat is the longest?", "SELECT name FROM boat ORDER BY length DESC LIMIT 1"),
            ("Boats without a trip", "SELECT id FROM boat EXCEPT SELECT boat FROM trip"),
            ("Boats that don't sail", "SELECT id FROM boat WHERE sail <> 1"),
            ("Names of at least 3 boats", "SELECT name FROM boat WHERE crew IS NOT NULL"),
            ("Names in alphabetical order", "SELECT name FROM boat ORDER BY name"),
            (
                "Boats of both harbours",
                "SELECT a FROM boat WHERE b = 1 INTERSECT SELECT a FROM boat WHERE b = 2",
            ),
            ("How many?", "WITH c AS (SELECT a FROM boat) SELECT COUNT(*) FROM c"),
        ] {
            let differ = Form::of_question(question).differences(Form::of_query(sql));
            assert_eq!(differ, [false; PARTS], "{question}");
        }
        let form = Form::of_question;
        let share = Form::of_query("SELECT 100.0 * SUM(a) / COUNT(*) FROM boat");
        let count = Form::of_query("SELECT COUNT(*) FROM boat");
        let percent = Some(form("What is the percentage of boats? Find the number of all, too."));
        for question in ["How many boats are there?", "Number of boats", "Boats between 8 and 10 m"] {
            assert!(form(question).is_misfit(share, percent), "{question}");
            assert!(!form(question).is_misfit(count, Some(form("Count the boats"))), "{question}");
        }
        for question in
            ["What share of boats", "Rate of boats", "How many percent of boats", "Boats per crew"]
        {
            assert!(!form(question).is_misfit(share, percent), "{question}");
        }
        for question in ["What percentage of boats has sails?", "The proportion of boats with sails"] {
            assert!(form(question).is_misfit(count, Some(form("How many boats have sails?"))), "{question}");
            assert!(!form(question).is_misfit(count, percent), "{question}");
        }
        // A company's own word for a share, and one that the history has no question for.
        assert!(!form("Punctuality in May").is_misfit(share, Some(form("Punctuality in June"))));
        assert!(!form("Punctuality in May").is_misfit(share, None));
        assert!(form("How many boats sail?").is_misfit(share, None));

        let each = Form::of_question("How many boats has each harbour?");
        let differ = each.differences(Form::of_query("SELECT name FROM boat ORDER BY length LIMIT 1"));
        assert_eq!(differ, [true, false, false, true, true, false, false, false]);
    }
}
