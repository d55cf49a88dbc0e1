//! When two queries are the same: up to white space, comments, the case of words outside quotes, and
//! a closing semicolon.

use crate::sql::lexer::{Lexeme, Lexer};

/// A text that is equal for two queries exactly when they are the same; linear in the query's length.
pub(super) fn key(sql: &str) -> String {
    let mut key = String::with_capacity(sql.len());
    for (lexeme, start, end) in Lexer::new(sql) {
        let piece = sql.get(start..end).unwrap_or_default();
        match lexeme {
            Lexeme::Space | Lexeme::Comment => continue,
            // Keywords and bare names are compared without ASCII case by SQLite itself.
            Lexeme::Word => key.extend(piece.chars().map(|c| c.to_ascii_lowercase())),
            _ => key.push_str(piece),
        }
        key.push(' ');
    }
    key.truncate(key.trim_end_matches([' ', ';']).len());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_does_not_matter() {
        let wanted = key("SELECT a.b, COUNT(*) FROM t WHERE x>=1");
        for same in [
            "select a . b,count( * )\r\nfrom T where X >= 1 ;",
            "/* c */ SELECT a.b -- d; e\n, COUNT(*) FROM t WHERE x >= 1;;\n-- end",
        ] {
            assert_eq!(key(same), wanted);
        }
    }

    #[test]
    fn what_is_quoted_matters() {
        assert_ne!(key("SELECT 'a'"), key("SELECT 'A'"));
        assert_ne!(key("SELECT 'a  b'"), key("SELECT 'a b'"));
        assert_ne!(key("SELECT \"a\""), key("SELECT a"));
        assert_ne!(key("SELECT 'a' 'b'"), key("SELECT 'a''b'"));
        assert_ne!(key("SELECT 1 - -1"), key("SELECT 1 --1"));
        assert_ne!(key("SELECT ';'"), key("SELECT '"));
    }
}
