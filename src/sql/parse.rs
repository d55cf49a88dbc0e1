//! Parsing one query with sqlparser's SQLite dialect.

use serde::{Deserialize, Serialize};
use sqlparser::ast::{Query, SetExpr};
use sqlparser::dialect::{Dialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};

use super::lexer::{Lexeme, Lexer};
use super::tokens;

/// Why a text is not a query we can split.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum SqlError {
    /// The parser's message, with line and column (1-based) inside the query where it names them.
    #[error("{message}")]
    Syntax {
        /// What was expected and found.
        message: String,
        /// Line inside the query, 1-based.
        line: Option<u32>,
        /// Column inside the line, 1-based.
        column: Option<u32>,
    },
    /// A statement that is not a query, named by its first keyword ("DELETE").
    #[error("{0} is not a query, left out")]
    NotAQuery(String),
    /// Nothing but white space and comments.
    #[error("no SQL here")]
    Empty,
    /// Deeper than the parser follows.
    #[error("nested too deeply to read")]
    TooDeep,
}

/// First words of SQLite's statements other than queries, and of the commonest ones of other systems.
const OTHER_STATEMENTS: &[&str] = &[
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BEGIN",
    "CALL",
    "COMMIT",
    "CREATE",
    "DECLARE",
    "DELETE",
    "DESCRIBE",
    "DETACH",
    "DROP",
    "END",
    "EXEC",
    "EXECUTE",
    "EXPLAIN",
    "GRANT",
    "IF",
    "INSERT",
    "LOCK",
    "MERGE",
    "PRAGMA",
    "PRINT",
    "REINDEX",
    "RELEASE",
    "REPLACE",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SET",
    "SHOW",
    "START",
    "TRUNCATE",
    "UPDATE",
    "USE",
    "VACUUM",
];

/// Brackets open at once at most. sqlparser's own limit is lower; this one stops before it is tried.
const MAX_BRACKETS: usize = 200;

/// Operators in a row at most: sqlparser builds one level of its tree for each, and dropping or
/// visiting that tree takes stack in proportion (the page has 1 MB).
const MAX_CHAIN: u32 = 2000;

/// Parses one query: SELECT, VALUES, or WITH … SELECT, with any number of semicolons after it.
///
/// Text that SQLite reads in its own ways is read so too: names in backticks, brackets or double
/// quotes, `==`, a byte order mark. The result is safe to walk and drop on a 1 MB stack.
pub fn parse_query(sql: &str) -> Result<Query, SqlError> {
    parse_as(&SQLiteDialect {}, sql)
}

/// [`parse_query`] with the grammar of another system.
pub(crate) fn parse_as(dialect: &dyn Dialect, sql: &str) -> Result<Query, SqlError> {
    check_first_word(sql)?;
    check_depth(sql)?;
    let text = sql.trim_start_matches('\u{feff}');
    let tokens = Tokenizer::new(dialect, text)
        .tokenize_with_location()
        .map_err(|e| syntax(&e.message, Some((e.location.line, e.location.column))))?;
    let tokens = isnull_spelled_out(tokens);
    let query =
        whole_query(Parser::new(dialect).with_tokens_with_locations(tokens)).map_err(
            |error| match error {
                ParserError::RecursionLimitExceeded => SqlError::TooDeep,
                ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
                    let (message, place) = split_place(&message);
                    syntax(message, place)
                }
            },
        )?;
    match leftmost(&query.body) {
        SetExpr::Insert(_) => Err(SqlError::NotAQuery("INSERT".into())),
        SetExpr::Update(_) => Err(SqlError::NotAQuery("UPDATE".into())),
        SetExpr::Delete(_) => Err(SqlError::NotAQuery("DELETE".into())),
        SetExpr::Merge(_) => Err(SqlError::NotAQuery("MERGE".into())),
        _ => Ok(query),
    }
}

/// One query and nothing after it but semicolons. The parser's way in for any statement is left alone: it would bring
/// every kind of them into the page, a fifth of its size.
fn whole_query(mut parser: Parser<'_>) -> Result<Query, ParserError> {
    while parser.consume_token(&Token::SemiColon) {}
    let query = parser.parse_query()?;
    let mut ended = false;
    while parser.consume_token(&Token::SemiColon) {
        ended = true;
    }
    match parser.peek_token() {
        TokenWithSpan { token: Token::EOF, .. } => Ok(*query),
        found if ended => parser.expected("one statement", found),
        found => parser.expected("end of statement", found),
    }
}

/// `a ISNULL` as `a IS NULL`: sqlparser does not know the former. A column or a function of this name stays.
fn isnull_spelled_out(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_isnull = |word: &Word| word.quote_style.is_none() && word.value.eq_ignore_ascii_case("ISNULL");
    if !tokens.iter().any(|token| matches!(&token.token, Token::Word(word) if is_isnull(word))) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    // Whether a value ends at the last token that is neither space nor comment.
    let mut after_value = false;
    for token in tokens {
        match &token.token {
            Token::Word(word) if after_value && is_isnull(word) => {
                out.push(TokenWithSpan::new(Token::make_keyword("IS"), token.span));
                out.push(TokenWithSpan::new(Token::make_keyword("NULL"), token.span));
                continue;
            }
            Token::Whitespace(_) => {}
            Token::Word(word) => {
                let name = word.quote_style.is_some() || !tokens::is_keyword(&word.value);
                after_value = name || ["END", "NULL"].iter().any(|w| w.eq_ignore_ascii_case(&word.value));
            }
            Token::RParen | Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => {
                after_value = true;
            }
            _ => after_value = false,
        }
        out.push(token);
    }
    out
}

/// The first operand of a chain of set operations.
pub(crate) fn leftmost(mut body: &SetExpr) -> &SetExpr {
    while let SetExpr::SetOperation { left, .. } = body {
        body = left;
    }
    body
}

fn check_first_word(sql: &str) -> Result<(), SqlError> {
    let first = Lexer::new(sql)
        .filter_map(|(kind, start, end)| Some((kind, sql.get(start..end)?)))
        .find(|(kind, text)| !matches!(kind, Lexeme::Space | Lexeme::Comment) && *text != ";");
    let Some((kind, text)) = first else { return Err(SqlError::Empty) };
    let word = text.to_ascii_uppercase();
    if kind == Lexeme::Word && OTHER_STATEMENTS.contains(&word.as_str()) {
        return Err(SqlError::NotAQuery(match created(sql) {
            Some(noun) if word == "CREATE" => format!("{word} {noun}"),
            _ => word,
        }));
    }
    Ok(())
}

/// What a CREATE creates.
fn created(sql: &str) -> Option<&'static str> {
    const NOUNS: &[&str] =
        &["TABLE", "VIEW", "TRIGGER", "INDEX", "FUNCTION", "PROCEDURE", "SCHEMA", "DATABASE"];
    /// Words before it at most: CREATE OR REPLACE TEMP AGGREGATE FUNCTION.
    const BEFORE: usize = 6;
    let words = Lexer::new(sql).filter(|(kind, ..)| *kind == Lexeme::Word);
    words.take(BEFORE).find_map(|(_, start, end)| {
        let word = sql.get(start..end)?;
        NOUNS.iter().find(|noun| noun.eq_ignore_ascii_case(word)).copied()
    })
}

/// Refuses text whose tree would be too deep, before any of it is built.
fn check_depth(sql: &str) -> Result<(), SqlError> {
    /// Operators since the last comma, and set operations, inside one pair of brackets or CASE … END.
    #[derive(Default, Clone, Copy)]
    struct Chain {
        operators: u32,
        sets: u32,
    }
    let mut outer: Vec<Chain> = Vec::new();
    let mut chain = Chain::default();
    for (kind, start, end) in Lexer::new(sql) {
        let text = sql.get(start..end).unwrap_or_default();
        let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
        match kind {
            Lexeme::Mark | Lexeme::Word if is(&["(", "CASE"]) => {
                outer.push(std::mem::take(&mut chain));
                if outer.len() > MAX_BRACKETS {
                    return Err(SqlError::TooDeep);
                }
            }
            Lexeme::Mark | Lexeme::Word if is(&[")", "END"]) => chain = outer.pop().unwrap_or_default(),
            Lexeme::Mark if is(&[",", ";"]) => chain.operators = 0,
            Lexeme::Mark if text == "." => {}
            Lexeme::Mark => chain.operators += 1,
            Lexeme::Word if is(&["WHEN", "THEN", "ELSE"]) => chain.operators = 0,
            Lexeme::Word if is(&["UNION", "EXCEPT", "INTERSECT"]) => {
                chain.operators = 0;
                chain.sets += 1;
            }
            Lexeme::Word if tokens::is_keyword(text) => chain.operators += 1,
            _ => {}
        }
        if chain.operators > MAX_CHAIN || chain.sets > MAX_CHAIN / 2 {
            return Err(SqlError::TooDeep);
        }
    }
    Ok(())
}

/// Cuts " at Line: 3, Column: 7" off the parser's message.
fn split_place(message: &str) -> (&str, Option<(u64, u64)>) {
    let Some((text, place)) = message.rsplit_once(" at Line: ") else { return (message, None) };
    let Some((line, column)) = place.split_once(", Column: ") else { return (message, None) };
    let place = line.trim().parse().ok().zip(column.trim().parse().ok());
    if place.is_some() { (text, place) } else { (message, None) }
}

/// A sentence from the parser's "Expected: an expression, found: FROM".
fn syntax(message: &str, place: Option<(u64, u64)>) -> SqlError {
    /// Longer pieces of the query are cut in the message.
    const SHOWN: usize = 60;
    let cut = |text: &str| {
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        shown
    };
    let place = place.filter(|(line, _)| *line > 0);
    let at = place.map_or(String::new(), |(line, column)| format!("Line {line}, column {column}: "));
    let expected = message.strip_prefix("Expected: ").or_else(|| message.strip_prefix("Expected "));
    let what = match expected.and_then(|rest| rest.split_once(", found: ")) {
        Some((wanted, "EOF")) => format!("expected {}, but the query ends there.", cut(wanted)),
        Some((wanted, found)) => format!("expected {}, found {}.", cut(wanted), cut(found)),
        None => format!("{}.", cut(message.trim_end_matches('.'))),
    };
    let what = if at.is_empty() { capitalised(&what) } else { what };
    let number = |n: u64| u32::try_from(n).ok();
    SqlError::Syntax {
        message: format!("{at}{what}"),
        line: place.and_then(|(line, _)| number(line)),
        column: place.and_then(|(_, column)| number(column)),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
