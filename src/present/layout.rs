//! Long SQL on one line, broken at its clauses so that it can be read without scrolling sideways.

use crate::sql::tokens::{TokenKind, tokenize};

/// Bytes that fit beside the gutter on most screens; shorter SQL stays on its line.
const FITS: usize = 90;

/// Keywords that begin a clause outside parentheses.
const CLAUSES: [&str; 14] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "HAVING",
    "WINDOW",
    "ORDER",
    "LIMIT",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "AND",
    "OR",
    "JOIN",
];
/// Keywords that stand before JOIN and begin its clause.
const BEFORE_JOIN: [&str; 7] = ["LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "NATURAL"];

/// The same SQL with a line end in place of the space before each clause, where it stands on one line that is too long.
/// No byte moves, so that places in it stay what they are.
pub fn broken(sql: &str) -> String {
    let mut bytes = sql.as_bytes().to_vec();
    for place in breaks(sql) {
        if let Some(byte) = bytes.get_mut(place) {
            *byte = b'\n';
        }
    }
    // A space became a line end, each one byte: this is still UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| sql.to_owned())
}

/// The spaces that become line ends.
fn breaks(sql: &str) -> Vec<usize> {
    if sql.len() <= FITS || sql.contains('\n') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut depth, mut between) = (0_usize, false);
    let (mut space, mut before) = (None, String::new());
    for token in tokenize(sql) {
        let text = sql.get(token.start..token.end).unwrap_or_default();
        match token.kind {
            // A line end would end a comment's line in another place.
            TokenKind::Comment => return Vec::new(),
            TokenKind::Space => {
                space = Some(token.end - 1).filter(|&at| sql.as_bytes().get(at) == Some(&b' '));
                continue;
            }
            TokenKind::Operator => {
                depth = depth + text.matches('(').count() - text.matches(')').count().min(depth);
                before.clear();
            }
            TokenKind::Keyword => {
                let word = text.to_ascii_uppercase();
                let joins = BEFORE_JOIN.contains(&before.as_str());
                let starts = CLAUSES.contains(&word.as_str()) && !(word == "JOIN" && joins)
                    || BEFORE_JOIN.contains(&word.as_str()) && !joins;
                let of_between = word == "AND" && between;
                if depth == 0 && starts && !of_between {
                    found.extend(space);
                }
                match word.as_str() {
                    "CASE" => depth += 1,
                    "END" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    between = word == "BETWEEN" || between && !of_between;
                }
                before = word;
            }
            _ => before.clear(),
        }
        space = None;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_sql_is_broken_at_its_clauses() {
        let sql = "SELECT a.name, COUNT(*) FROM heroes a LEFT OUTER JOIN powers p ON p.hero = a.id WHERE a.age BETWEEN 3 AND 9 \
            AND a.id IN (SELECT id FROM late WHERE x = 1) GROUP BY a.name ORDER BY 2 DESC LIMIT 3";
        let lines = "SELECT a.name, COUNT(*)\nFROM heroes a\nLEFT OUTER JOIN powers p ON p.hero = a.id\n\
            WHERE a.age BETWEEN 3 AND 9\nAND a.id IN (SELECT id FROM late WHERE x = 1)\nGROUP BY a.name\n\
            ORDER BY 2 DESC\nLIMIT 3";
        assert_eq!(broken(sql), lines);
        let with = format!(
            "WITH late AS (SELECT {} FROM t) SELECT * FROM late UNION SELECT 1",
            "a, ".repeat(30) + "b"
        );
        assert!(broken(&with).ends_with(")\nSELECT *\nFROM late\nUNION\nSELECT 1"), "{}", broken(&with));
    }

    #[test]
    fn a_case_stays_together() {
        let sql = format!("SELECT {}CASE WHEN a = 1 AND b = 2 THEN 3 END AS x FROM t", "c, ".repeat(30));
        assert_eq!(broken(&sql).lines().count(), 2);
    }

    #[test]
    fn short_sql_and_sql_in_lines_stay_as_they_are() {
        for sql in ["SELECT 1 FROM t", &format!("SELECT 1\nFROM t WHERE a = '{}'", "x".repeat(99))] {
            assert_eq!(broken(sql), sql);
        }
        let quoted = format!("SELECT '{} FROM WHERE'", "x ".repeat(60));
        assert_eq!(broken(&quoted), quoted);
    }

    proptest! {
        #[test]
        fn only_spaces_become_line_ends(sql in "([a-z(),'\"ü ]{0,9}( FROM | AND | BETWEEN | LEFT | JOIN | -- )?){0,30}") {
            prop_assert_eq!(broken(&sql).replace('\n', " "), sql.replace('\n', " "));
        }
    }
}
