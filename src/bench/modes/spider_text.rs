//! What Spider's test suite does to SQL before it runs it.

use super::rule::{Side, unusable};
use crate::db::DbError;
use crate::sql::{TokenKind, tokenize};

/// The query as it is run, in the order of the source: `value` is 1 in predictions, `> =` is closed, DISTINCT goes, and
/// MySQL's current year is 2020.
pub(super) fn rewritten(side: Side, sql: &str, keep_distinct: bool) -> Result<String, DbError> {
    let mut text = match side {
        Side::Predicted => sql.replace("value", "1"),
        Side::Gold => sql.to_owned(),
    };
    text = text.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=");
    if !keep_distinct {
        text = without_distinct(&text)?;
    }
    Ok(with_year(&text))
}

/// The first statement without its words DISTINCT. Texts, quoted names and comments are single tokens, and stay.
fn without_distinct(sql: &str) -> Result<String, DbError> {
    let mut kept = String::with_capacity(sql.len());
    let mut empty = true;
    for token in tokenize(sql) {
        let text = sql.get(token.start..token.end).unwrap_or_default();
        if !text.eq_ignore_ascii_case("distinct") {
            kept.push_str(text);
        }
        empty &= matches!(token.kind, TokenKind::Space | TokenKind::Comment);
        if text == ";" {
            break;
        }
    }
    if empty { Err(unusable("There is no SQL here.")) } else { Ok(kept) }
}

/// `YEAR(CURDATE())`, in any case and spacing, with the white space after it, is `2020`.
fn with_year(sql: &str) -> String {
    let mut done = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        match year(rest) {
            Some(after) => {
                done.push_str("2020");
                rest = after;
            }
            None => {
                done.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    done
}

/// What follows the call where `text` begins with it.
fn year(text: &str) -> Option<&str> {
    let mut rest = text;
    for part in ["year", "(", "curdate", "(", ")", ")"] {
        let found = rest.get(..part.len()).filter(|found| found.eq_ignore_ascii_case(part))?;
        rest = rest.get(found.len()..)?.trim_start();
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(sql: &str) -> [String; 2] {
        [Side::Gold, Side::Predicted].map(|side| rewritten(side, sql, false).unwrap())
    }

    #[test]
    fn sql_is_rewritten_as_in_exec_eval() {
        // The word goes, and nothing else: the spaces around it stay. It is a word only outside texts and names.
        let sql = "SELECT DISTINCT a, COUNT(distinct b), 'DISTINCT', \"distinct\" FROM t";
        assert_eq!(both(sql)[0], "SELECT  a, COUNT( b), 'DISTINCT', \"distinct\" FROM t");
        assert_eq!(rewritten(Side::Gold, sql, true).unwrap(), sql);
        assert_eq!(
            both("SELECT a WHERE b > = 1 AND c ! = 2 AND d < = 3")[0],
            "SELECT a WHERE b >= 1 AND c != 2 AND d <= 3"
        );
        // evaluation.py: p_str.replace("value", "1"), in predictions and inside words, in lower case only.
        assert_eq!(
            both("SELECT value, VALUE FROM values_of"),
            ["SELECT value, VALUE FROM values_of", "SELECT 1, VALUE FROM 1s_of"]
        );
        // YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*, ignoring case.
        assert_eq!(both("SELECT Year ( curdate( ) )  - b FROM t")[0], "SELECT 2020- b FROM t");
        assert_eq!(both("SELECT YEAR(b)")[0], "SELECT YEAR(b)");
        // sqlparse.parse(s)[0]: of several statements the first.
        assert_eq!(both("SELECT 1; SELECT 2")[0], "SELECT 1;");
        assert_eq!(both("SELECT ';'")[0], "SELECT ';'");
        assert!(rewritten(Side::Predicted, " -- nothing", false).is_err());
    }
}
