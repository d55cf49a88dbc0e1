//! SQL scripts: each statement is a record, the comments above it say what it is for.

use crate::sql::statements;

use super::comments::{self, Said};
use super::record::RawRecord;
use super::text::newlines;

/// The statements of a script, in order.
pub(super) fn records(text: &str) -> Vec<RawRecord> {
    let mut records = Vec::new();
    let mut before = 0;
    for statement in statements(text) {
        let gap = text.get(before..statement.range.start).unwrap_or_default();
        let sql = text.get(statement.range.clone()).unwrap_or_default();
        let said = comments::read(gap, before == 0);
        before = statement.range.end;
        let (said, skipped, sql) = without_commands(said, sql);
        let line =
            statement.line.saturating_add(u32::try_from(newlines(skipped.as_bytes())).unwrap_or(u32::MAX));
        let sql = sql.trim_end();
        if sql.is_empty() {
            continue;
        }
        let Said { question, user, time, count, id } = said;
        let number = u32::try_from(records.len()).unwrap_or(u32::MAX).saturating_add(1);
        let sql = sql.to_owned();
        records.push(RawRecord { sql, question, user, time, count, id, line, number, verbatim: true });
    }
    records
}

/// Takes commands of SQLite's shell (`.headers on`) off the front of a statement; they end with their
/// line, not with a semicolon. Returns what the comments below them say and the text taken off.
fn without_commands(said: Said, sql: &str) -> (Said, &str, &str) {
    let mut rest = sql;
    let mut said = said;
    while is_command(rest) {
        let after = rest.find('\n').map_or("", |i| rest.get(i..).unwrap_or_default());
        match statements(after).first() {
            Some(next) => {
                said = comments::read(after.get(..next.range.start).unwrap_or_default(), false);
                rest = after.get(next.range.start..).unwrap_or_default();
            }
            None => rest = "",
        }
    }
    let taken = sql.len() - rest.len();
    (said, sql.get(..taken).unwrap_or_default(), rest)
}

fn is_command(sql: &str) -> bool {
    sql.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u32, String, Option<String>)> {
        records(text).into_iter().map(|r| (r.line, r.sql, r.question)).collect()
    }

    #[test]
    fn statements_keep_their_lines_and_questions() {
        let text = "-- All the ships\r\nSELECT 'a;b' -- c;\r\n FROM t; SELECT 2;; -- last one of the day\n\n\
            -- How many?\nSELECT 3\n-- the end of it";
        let some = |s: &str| Some(s.to_owned());
        assert_eq!(
            read(text),
            [
                (2, "SELECT 'a;b' -- c;\r\n FROM t".to_owned(), some("All the ships")),
                (3, "SELECT 2".to_owned(), None),
                (6, "SELECT 3".to_owned(), some("How many?")),
            ]
        );
    }

    #[test]
    fn commands_of_the_shell_are_passed_over() {
        let found = read(".headers on\n.mode csv\n-- All the ships\nSELECT 1;\n.quit\n");
        assert_eq!(found, [(4, "SELECT 1".to_owned(), Some("All the ships".to_owned()))]);
    }
}
