//! When two queries are the same: up to white space, comments, the case of words outside quotes, and
//! a closing semicolon.

use crate::sql::{Token, TokenKind, tokenize};

/// A text that is equal for two queries exactly when they are the same; linear in the query's length.
pub fn key(sql: &str) -> String {
    let mut key = String::with_capacity(sql.len());
    for Token { kind, start, end } in tokenize(sql) {
        let piece = sql.get(start..end).unwrap_or_default();
        match kind {
            TokenKind::Space | TokenKind::Comment => continue,
            // Keywords and bare names are compared without ASCII case by SQLite itself.
            TokenKind::Keyword | TokenKind::Function | TokenKind::Identifier if is_bare(piece) => {
                key.extend(piece.chars().map(|c| c.to_ascii_lowercase()));
            }
            _ => key.push_str(piece),
        }
        key.push(' ');
    }
    key.truncate(key.trim_end_matches([' ', ';']).len());
    key
}

fn is_bare(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
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
