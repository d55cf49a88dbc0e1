//! Tokens for syntax highlighting.

use serde::{Deserialize, Serialize};

use super::lexer::{Lexeme, Lexer};

/// What a token is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// A word of the language.
    Keyword,
    /// The name of a called function.
    Function,
    /// A name, quoted or not, or a bound parameter.
    Identifier,
    /// A string or blob literal.
    String,
    /// A numeric literal.
    Number,
    /// A comment.
    Comment,
    /// An operator or punctuation mark.
    Operator,
    /// White space.
    Space,
}

/// A piece of SQL text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// What it is shown as.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

/// SQLite's keywords that a highlighted query may hold, sorted for binary search.
const KEYWORDS: &[&str] = &[
    "ALL",
    "ALTER",
    "ANALYZE",
    "AND",
    "AS",
    "ASC",
    "ATTACH",
    "BEGIN",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COLLATE",
    "COMMIT",
    "CREATE",
    "CROSS",
    "CURRENT",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXCLUDE",
    "EXISTS",
    "EXPLAIN",
    "FALSE",
    "FILTER",
    "FIRST",
    "FOLLOWING",
    "FROM",
    "FULL",
    "GLOB",
    "GROUP",
    "GROUPS",
    "HAVING",
    "IN",
    "INDEXED",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "ISNULL",
    "JOIN",
    "LAST",
    "LEFT",
    "LIKE",
    "LIMIT",
    "MATCH",
    "MATERIALIZED",
    "NATURAL",
    "NOT",
    "NOTNULL",
    "NULL",
    "NULLS",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OTHERS",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRAGMA",
    "PRECEDING",
    "RANGE",
    "RECURSIVE",
    "REGEXP",
    "REPLACE",
    "RETURNING",
    "RIGHT",
    "ROW",
    "ROWS",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "TIES",
    "TO",
    "TRIGGER",
    "TRUE",
    "UNBOUNDED",
    "UNION",
    "UPDATE",
    "USING",
    "VALUES",
    "VIEW",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
    "WITHOUT",
];

/// Bytes of the longest keyword.
const LONGEST_KEYWORD: usize = "CURRENT_TIMESTAMP".len();

/// Keywords that SQLite also offers as functions; before an opening bracket they are shown as such.
const FUNCTION_KEYWORDS: &[&str] = &["CAST", "GLOB", "LIKE", "REPLACE"];

/// Whether `word` is a keyword, in any case.
pub(crate) fn is_keyword(word: &str) -> bool {
    let mut upper = [0; LONGEST_KEYWORD];
    let Some(upper) = upper.get_mut(..word.len()) else { return false };
    upper.copy_from_slice(word.as_bytes());
    upper.make_ascii_uppercase();
    KEYWORDS.binary_search_by(|keyword| keyword.as_bytes().cmp(upper)).is_ok()
}

/// Cuts `sql` into tokens that concatenate to `sql`; never fails, linear in its length.
pub fn tokenize(sql: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    // The last word, with nothing but space or comments after it: an opening bracket makes it a function.
    let mut word: Option<usize> = None;
    for (lexeme, start, end) in Lexer::new(sql) {
        let text = sql.get(start..end).unwrap_or_default();
        let kind = match lexeme {
            Lexeme::Space => TokenKind::Space,
            Lexeme::Comment => TokenKind::Comment,
            Lexeme::QuotedName | Lexeme::Parameter => TokenKind::Identifier,
            Lexeme::Text => TokenKind::String,
            Lexeme::Number => TokenKind::Number,
            Lexeme::Mark => TokenKind::Operator,
            Lexeme::Word if is_keyword(text) => TokenKind::Keyword,
            Lexeme::Word => TokenKind::Identifier,
        };
        if text == "("
            && let Some(token) = word.and_then(|i| tokens.get_mut(i))
        {
            let name = sql.get(token.start..token.end).unwrap_or_default().to_ascii_uppercase();
            if token.kind == TokenKind::Identifier || FUNCTION_KEYWORDS.contains(&name.as_str()) {
                token.kind = TokenKind::Function;
            }
        }
        match lexeme {
            Lexeme::Word => word = Some(tokens.len()),
            Lexeme::Space | Lexeme::Comment => {}
            _ => word = None,
        }
        tokens.push(Token { kind, start, end });
    }
    tokens
}
