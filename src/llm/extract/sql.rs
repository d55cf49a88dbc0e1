//! The SQL in an answer: fenced, bare, or inside prose.
//!
//! Nothing here decides whether a statement may run: a DELETE is found like a SELECT, and the engine refuses it.

use serde::{Deserialize, Serialize};

use super::{fences, without_thinking};
use crate::sql::{parse_query, statements};

/// Bytes of an answer that are looked at, thinking left out.
const MOST: usize = 64 << 10;
/// Statements of an answer that are looked at.
const MOST_STATEMENTS: usize = 40;
/// Times that a text is parsed for one answer: where a statement ends inside prose is found by trying.
const MOST_PARSED: usize = 200;
/// Ends tried for one statement.
const MOST_ENDS: usize = 60;

/// The words that statements begin with.
const QUERIES: [&str; 3] = ["SELECT", "WITH", "VALUES"];
const OTHERS: [&str; 14] = [
    "DELETE", "INSERT", "UPDATE", "REPLACE", "DROP", "CREATE", "ALTER", "ATTACH", "DETACH", "PRAGMA",
    "VACUUM", "EXPLAIN", "REINDEX", "ANALYZE",
];

/// SQL found in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// One statement, without a semicolon at its end.
    pub sql: String,
    /// Other statements of the answer that are not used, in its order.
    pub others: Vec<String>,
}

/// Why an answer has no SQL. Displayed as one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum NoSql {
    /// Nothing was written.
    #[error("The answer is empty.")]
    Empty,
    /// Everything was thought, nothing answered.
    #[error("The answer ends inside the model's thinking. Allow more tokens.")]
    OnlyThinking,
    /// Words without a statement.
    #[error("The answer has no SQL in it.")]
    Prose,
    /// The statement has no end: the model ran out of tokens.
    #[error("The SQL is cut off: the model's tokens were used up. Allow more tokens.")]
    Cut,
}

/// The last complete query of an answer; where there is none, its last statement. `cut` says that the answer ended
/// because its tokens were used up, so that an incomplete query at its end is refused.
///
/// # Errors
/// When there is no statement.
pub fn sql(answer: &str, cut: bool) -> Result<Extracted, NoSql> {
    let (text, thinking) = without_thinking(answer);
    let text = head(&text);
    if text.is_empty() {
        return Err(if thinking { NoSql::OnlyThinking } else { NoSql::Empty });
    }
    let mut found = Vec::new();
    let mut parses = MOST_PARSED;
    let mut add = |text: &str, found: &mut Vec<Candidate>| candidates(text, found, &mut parses);
    if let Some(sql) = from_json(text) {
        add(&sql, &mut found);
    }
    if found.is_empty() {
        let blocks = fences(text);
        let named = |language: &str| matches!(language, "sql" | "sqlite" | "sqlite3");
        let marked = blocks.iter().any(|block| named(&block.language));
        for block in blocks.iter().filter(|block| !marked || named(&block.language)) {
            add(block.body, &mut found);
        }
    }
    if found.is_empty() {
        // Inline code is the only hint at where SQL ends inside a sentence.
        for piece in text.split('`').skip(1).step_by(2).filter(|piece| !piece.is_empty()) {
            add(piece, &mut found);
        }
    }
    if found.is_empty() {
        add(text, &mut found);
    }
    let last = |test: &dyn Fn(&Candidate) -> bool| found.iter().rposition(test);
    let complete = |c: &Candidate| c.query && c.parses;
    let Some(chosen) = last(&complete).or_else(|| last(&|c| c.query)).or_else(|| last(&|_| true)) else {
        return Err(NoSql::Prose);
    };
    let at_the_end = chosen + 1 == found.len();
    let mut statements = found.into_iter();
    let mut others: Vec<String> = Vec::new();
    others.extend(statements.by_ref().take(chosen).map(|c| c.sql));
    let Some(Candidate { sql, parses, .. }) = statements.next() else { return Err(NoSql::Prose) };
    if cut && at_the_end && !parses {
        return Err(NoSql::Cut);
    }
    others.extend(statements.map(|c| c.sql));
    others.retain(|other| *other != sql);
    Ok(Extracted { sql, others })
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A statement of an answer.
struct Candidate {
    sql: String,
    /// Whether it begins like a query.
    query: bool,
    /// Whether it is a whole query.
    parses: bool,
}

/// Adds the statements of a text, which may have words around them.
fn candidates(text: &str, found: &mut Vec<Candidate>, parses: &mut usize) {
    let mut rest = text;
    while let Some(start) = beginning(rest).filter(|_| found.len() < MOST_STATEMENTS) {
        let from = rest.get(start..).unwrap_or_default();
        let Some(statement) = statements(from).into_iter().next() else { return };
        let whole = from.get(statement.range.clone()).unwrap_or_default();
        let ended = from.get(statement.range.end..).unwrap_or_default().trim_start().starts_with(';');
        let query = QUERIES.iter().any(|word| begins(whole, word));
        let (sql, complete) = shortened(whole, ended, parses);
        let used = statement.range.start + sql.len();
        if query || OTHERS.iter().any(|word| begins(whole, word)) {
            found.push(Candidate { sql: sql.trim_end().to_owned(), query, parses: complete && query });
        }
        rest = from.get(used.max(1)..).unwrap_or_default();
    }
}

/// Where a line begins with SQL, after marks of lists and a label such as "SQL:".
fn beginning(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        for (start, word) in starts(line) {
            let plain = line.get(start..).unwrap_or_default();
            let query = QUERIES.contains(&word.as_str()) && plausible(plain, &word);
            if query || OTHERS.contains(&word.as_str()) && plausible_change(plain) {
                return Some(at + start);
            }
        }
        at += line.len();
    }
    None
}

/// Places of a line at which a statement may begin, with the word there in capitals.
fn starts(line: &str) -> Vec<(usize, String)> {
    let mut places = vec![0];
    places.extend(line.match_indices(':').map(|(at, _)| at + 1));
    places.extend(line.match_indices(";").map(|(at, _)| at + 1));
    let word = |at: usize| {
        let tail = line.get(at..)?;
        let skipped = tail.find(|c: char| !(c.is_whitespace() || "*#>-•\"'0123456789.)(".contains(c)))?;
        let tail = tail.get(skipped..)?;
        let end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        // A query that begins in brackets keeps them.
        let brackets =
            line.get(at..at + skipped).map_or(0, |skip| skip.len() - skip.trim_end_matches('(').len());
        Some((at + skipped - brackets, tail.get(..end)?.to_ascii_uppercase()))
    };
    places.into_iter().filter_map(word).collect()
}

/// Whether a line that begins with a query's word goes on like SQL and not like a sentence.
fn plausible(line: &str, word: &str) -> bool {
    let rest = line.trim_start_matches('(').get(word.len()..).unwrap_or_default();
    let capital = line.trim_start_matches('(').starts_with(word);
    match word {
        // "With this query …" is a sentence: a CTE has a name and AS, or begins with RECURSIVE.
        "WITH" => {
            let mut words =
                rest.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
            let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            first.eq_ignore_ascii_case("RECURSIVE")
                || second.eq_ignore_ascii_case("AS")
                || second.is_empty()
                || capital && rest.contains('(')
        }
        "VALUES" => rest.trim_start().starts_with('('),
        // "Select the rows …" is a sentence, "select name" may be SQL.
        _ => {
            capital
                || rest.trim().is_empty()
                || !rest.trim_start().starts_with("the ") && !line.starts_with("Select ")
                || rest.to_ascii_lowercase().contains(" from ")
        }
    }
}

/// Whether a line that begins with a change's word is one: models write these words in capitals.
fn plausible_change(line: &str) -> bool {
    let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
    word.chars().all(|c| c.is_ascii_uppercase()) || line.trim_end().ends_with(';')
}

fn begins(text: &str, word: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
    let next = text.as_bytes().get(word.len());
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        && next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

/// The longest beginning of a statement that parses, cut at the ends of its lines, and whether any does; where none
/// does, what is before the first empty line.
fn shortened<'s>(statement: &'s str, ended: bool, parses: &mut usize) -> (&'s str, bool) {
    let mut is_query = |text: &str| {
        let left = *parses > 0;
        *parses = parses.saturating_sub(1);
        left && parse_query(text).is_ok()
    };
    if is_query(statement) {
        return (statement, true);
    }
    if !ended {
        let ends: Vec<usize> = statement.match_indices('\n').map(|(at, _)| at).collect();
        for end in ends.iter().rev().take(MOST_ENDS) {
            let before = statement.get(..*end).unwrap_or_default();
            if is_query(before) {
                return (before, true);
            }
        }
        if let Some(paragraph) = statement.find("\n\n") {
            return (statement.get(..paragraph).unwrap_or_default(), false);
        }
    }
    (statement, false)
}

/// The SQL of an answer in JSON, as models give it that were told to answer so.
fn from_json(text: &str) -> Option<String> {
    let json = text.starts_with('{').then(|| serde_json::from_str::<serde_json::Value>(text).ok())??;
    ["sql", "SQL", "query", "answer"].iter().find_map(|name| json.get(name)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(answer: &str) -> String {
        let found = sql(answer, false).unwrap_or_else(|e| panic!("{answer}: {e}"));
        found.sql
    }

    #[test]
    fn sql_is_found_whatever_stands_around_it() {
        for answer in [
            "SELECT a FROM t",
            "SELECT a FROM t;",
            "```sql\nSELECT a FROM t;\n```",
            "```\nSELECT a FROM t\n```",
            "```sqlite\nSELECT a FROM t",
            "```sql SELECT a FROM t; ```",
            "Here is the query:\n\n```sql\nSELECT a FROM t;\n```\nIt reads the table `t`.",
            "SQL: SELECT a FROM t",
            "**Answer:** SELECT a FROM t;",
            "1. SELECT a FROM t;",
            "Sure! The query is:\nSELECT a FROM t\n\nThis query selects a from t.",
            "SELECT a FROM t\nThis query selects every a.",
            "You can use `SELECT a FROM t` for that.",
            "<think>Maybe SELECT b FROM u; or\n```sql\nSELECT c\n```\n</think>SELECT a FROM t",
            "{\"sql\": \"SELECT a FROM t;\"}",
            "With this query you get it: SELECT a FROM t",
            "Select the rows like this:\nSELECT a FROM t;",
            "-- the rows\nSELECT a FROM t",
            "sql\nSELECT a FROM t",
        ] {
            assert_eq!(one(answer), "SELECT a FROM t", "{answer}");
        }
        assert_eq!(one("select a from t"), "select a from t");
        let cte = "WITH x AS (SELECT 1 AS a)\nSELECT a FROM x";
        assert_eq!(one(&format!("{cte};\n\nNote that x is small.")), cte);
        assert_eq!(
            one("WITH\n  x AS (SELECT 1)\nSELECT * FROM x"),
            "WITH\n  x AS (SELECT 1)\nSELECT * FROM x"
        );
        assert_eq!(one("SELECT ';' AS a, 'x -- y' FROM t; "), "SELECT ';' AS a, 'x -- y' FROM t");
        assert_eq!(one("(SELECT a FROM t)"), "(SELECT a FROM t)");
        let blank = "SELECT a\n\nFROM t\n\nWHERE a > 1";
        assert_eq!(one(blank), blank);
    }

    #[test]
    fn of_two_statements_the_last_complete_query_is_used() {
        let found = sql("```sql\nSELECT 1;\n```\nor better\n```sql\nSELECT 2;\n```", false).unwrap();
        assert_eq!((found.sql.as_str(), found.others), ("SELECT 2", vec!["SELECT 1".to_owned()]));
        let found = sql("SELECT 1; DELETE FROM t;", false).unwrap();
        assert_eq!((found.sql.as_str(), found.others), ("SELECT 1", vec!["DELETE FROM t".to_owned()]));
        // The second is cut off.
        let found = sql("SELECT 1;\nSELECT a FROM (SELECT", true).unwrap();
        assert_eq!((found.sql.as_str(), found.others.len()), ("SELECT 1", 1));
        // The same query twice is one.
        assert_eq!(sql("SELECT 1;\nSELECT 1;", false).unwrap().others, Vec::<String>::new());
    }

    #[test]
    fn changes_are_found_for_the_engine_to_refuse() {
        for change in ["DELETE FROM t", "ATTACH 'x' AS y", "DROP TABLE t", "PRAGMA writable_schema = 1"] {
            assert_eq!(one(change), change);
            assert_eq!(one(&format!("```sql\n{change};\n```")), change);
        }
    }

    #[test]
    fn what_has_no_sql_is_refused_with_its_reason() {
        for (answer, cut, want) in [
            ("", false, NoSql::Empty),
            (" \n", false, NoSql::Empty),
            ("<think>SELECT 1", true, NoSql::OnlyThinking),
            ("<think>SELECT 1;</think>", false, NoSql::Empty),
            ("I cannot answer this from the schema.", false, NoSql::Prose),
            ("Update me when you know more about the table", false, NoSql::Prose),
            ("With this schema the question cannot be answered.", false, NoSql::Prose),
            ("SELECT a FROM t WHERE (", true, NoSql::Cut),
            ("```sql\nSELECT a,", true, NoSql::Cut),
        ] {
            assert_eq!(sql(answer, cut), Err(want), "{answer}");
        }
        // Not cut: the engine says what is wrong with it.
        assert_eq!(one("SELECT a FROM t WHERE ("), "SELECT a FROM t WHERE (");
    }

    #[test]
    fn hostile_answers_take_no_time() {
        let started = std::time::Instant::now();
        for piece in
            ["SELECT x,\n\n", "</think>", "<think>", "SELECT (", "```\n", "`SELECT", "DELETE ;", ": SELECT a"]
        {
            let _ = sql(&piece.repeat((1 << 19) / piece.len()), false);
        }
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in "(SELECT |FROM t|WITH x AS \\(|;|```|sql|\n|'|\"|`|<think>|</think>|\\(|\\)|DELETE |é|: |--|/\\*|.){0,40}",
            cut in proptest::bool::ANY,
        ) {
            if let Ok(found) = sql(&text, cut) {
                proptest::prop_assert!(!found.sql.trim().is_empty());
                // Thinking that is taken out may join what stood around it.
                let whole = text.contains(&found.sql) || text.contains(['{', '<']);
                proptest::prop_assert!(whole);
            }
        }

        #[test]
        fn any_characters_are_read_or_refused(text in "\\PC{0,200}") {
            let _ = sql(&text, true);
        }
    }
}
