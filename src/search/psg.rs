//! Data to train a model to go on with a query (progressive SQL generation, section 4.2): known queries, cut at keywords.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clauses::{before_space, cuts, words};
use crate::sql::{TokenKind, shape};

/// Why a query is cut, and not only learned whole (the paper cuts where the model errs or the grammar is complex).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Chosen {
    /// The model that is to be trained answered the question wrongly.
    ModelErrs,
    /// It has a subquery, or reads three tables or more in one FROM. (The paper does not say what complex is; the released
    /// code takes three tables.)
    Complex,
}

/// What is learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known<'a> {
    /// The reference query.
    pub gold: &'a str,
    /// Whether the model answered rightly; None where that is not known.
    pub model_right: Option<bool>,
}

/// A query to be gone on with, and how it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Place among what is learned from.
    pub of: usize,
    /// The prefix; empty where the whole query is learned.
    pub prefix: String,
    /// The rest: prefix and rest together are the query.
    pub completion: String,
    /// The keyword that the rest begins with; None where the whole query is learned.
    pub keyword: Option<&'static str>,
    /// Why it was cut.
    pub chosen: Option<Chosen>,
}

/// Examples with their counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Examples {
    /// The examples: of each query the whole first, then its cuts from the longest rest to the shortest.
    pub examples: Vec<Example>,
    /// Queries that were cut, by the reason.
    pub chosen: BTreeMap<Chosen, usize>,
    /// Cuts, by the keyword that follows.
    pub by_keyword: BTreeMap<&'static str, usize>,
    /// Queries that cannot be read, which are left out, by their place.
    pub unread: Vec<usize>,
}

const JOINS: [&str; 8] = ["NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "JOIN"];

/// Keywords and functions of the released code beside the clauses and joins.
const OTHERS: [&str; 14] = [
    "DISTINCT", "AND", "ASC", "DESC", "CASE", "CAST", "IIF", "STRFTIME", "COUNT", "SUM", "AVG", "MIN", "MAX",
    "OR",
];

/// Every place at which a query is cut for training: before its clauses, joins, connectives, directions and functions.
pub fn places(sql: &str) -> Vec<(usize, &'static str)> {
    let mut found: Vec<(usize, &'static str)> =
        cuts(sql).into_iter().map(|cut| (cut.at, cut.keyword)).collect();
    let words = words(sql);
    let join = |at: usize| {
        words.get(at).is_some_and(|(token, text)| {
            token.kind == TokenKind::Keyword && JOINS.iter().any(|word| text.eq_ignore_ascii_case(word))
        })
    };
    for (at, (token, text)) in words.iter().enumerate().skip(1) {
        if !matches!(token.kind, TokenKind::Keyword | TokenKind::Function) {
            continue;
        }
        let other = OTHERS.iter().find(|word| text.eq_ignore_ascii_case(word)).copied();
        // `LEFT OUTER JOIN` is one keyword.
        let keyword = if join(at) && !join(at - 1) { Some("JOIN") } else { other };
        if let Some(keyword) = keyword {
            found.push((before_space(sql, token.start), keyword));
        }
    }
    found.retain(|(at, _)| *at > 0);
    found.sort_unstable();
    found.dedup_by_key(|(at, _)| *at);
    found
}

/// Whether a query's grammar is complex ([`Chosen::Complex`]); None where it cannot be read.
pub fn is_complex(sql: &str) -> Option<bool> {
    let shape = shape(sql).ok()?;
    Some(shape.subqueries > 0 || shape.join_length >= 3)
}

/// Makes examples: each query whole, and those that are chosen cut at up to `cuts_each` places besides.
pub fn examples(known: &[Known<'_>], cuts_each: usize, seed: u64) -> Examples {
    let mut made = Examples::default();
    for (of, known) in known.iter().enumerate() {
        let gold = known.gold.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        let Some(complex) = is_complex(gold) else {
            made.unread.push(of);
            continue;
        };
        let whole =
            Example { of, prefix: String::new(), completion: gold.to_owned(), keyword: None, chosen: None };
        made.examples.push(whole);
        let chosen = match known.model_right {
            Some(false) => Chosen::ModelErrs,
            _ if complex => Chosen::Complex,
            _ => continue,
        };
        // Each query has a sequence of its own, so that a query more does not change the cuts of the others.
        let mut random = Random(seed ^ (of as u64).wrapping_mul(0xD134_2543_DE82_EF95));
        let mut places = places(gold);
        while places.len() > cuts_each {
            places.remove(random.below(places.len()));
        }
        if !places.is_empty() {
            *made.chosen.entry(chosen).or_default() += 1;
        }
        for (at, keyword) in places {
            let (prefix, completion) = gold.split_at_checked(at).unwrap_or(("", gold));
            *made.by_keyword.entry(keyword).or_default() += 1;
            made.examples.push(Example {
                of,
                prefix: prefix.to_owned(),
                completion: completion.to_owned(),
                keyword: Some(keyword),
                chosen: Some(chosen),
            });
        }
    }
    made
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // The bias of the remainder is below one in 10^15 for so few places.
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }
}
