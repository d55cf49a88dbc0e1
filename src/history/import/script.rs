//! SQL scripts: each statement is a record, the comments above it say what it is for. Declarations of variables are no
//! records; what they declare goes with the queries behind them.

use crate::sql::batch::{self, Part};
use crate::sql::{dialect, open_comment, statements};

use super::comments::{self, Said};
use super::record::RawRecord;
use super::text::newlines;
use crate::history::report::{Reason, Skip};

/// The statements of a script, in order.
pub(super) fn records(text: &str) -> Vec<RawRecord> {
    let mut records = Vec::new();
    let mut before = 0;
    let mut variables = Vec::new();
    // What is said above declarations is said of the query behind them.
    let mut above = Said::default();
    let found = statements(text);
    for Part { statement, within, start } in found.iter().flat_map(|whole| batch::parts(text, whole)) {
        let sql = text.get(statement.range.clone()).unwrap_or_default();
        let mut said = comments::read(text.get(before..start).unwrap_or_default(), before == 0);
        said.fill(std::mem::take(&mut above));
        if within.is_some() {
            said.fill(comments::read(text.get(start..statement.range.start).unwrap_or_default(), false));
        }
        before = statement.range.end;
        let (said, skipped, sql) = without_commands(said, sql);
        let line =
            statement.line.saturating_add(u32::try_from(newlines(skipped.as_bytes())).unwrap_or(u32::MAX));
        let sql = sql.trim_end();
        if dialect::declared(sql, &mut variables) {
            above = said;
            continue;
        }
        if sql.is_empty() || sql.eq_ignore_ascii_case("go") {
            continue;
        }
        let Said { question, user, time, count, id } = said;
        let number = u32::try_from(records.len()).unwrap_or(u32::MAX).saturating_add(1);
        records.push(RawRecord {
            sql: sql.to_owned(),
            question,
            user,
            time,
            count,
            id,
            line,
            number,
            verbatim: true,
            within,
            variables: variables.clone(),
        });
    }
    records
}

/// The rest of a script behind its last record, where a comment that is never closed swallows it.
pub(super) fn unread(text: &str, records: usize) -> Option<Skip> {
    let start = open_comment(text)?;
    let (before, rest) = text.split_at_checked(start)?;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    let reason = Reason::Unclosed("a comment".to_owned());
    Some(Skip::new(number(newlines(before.as_bytes())), number(records), reason, rest))
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
#[allow(clippy::unwrap_used)]
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
    fn declarations_and_stored_queries_are_read() {
        let text = "-- Two ships\nDECLARE @n int = 2;\nSELECT @n\nGO\n\n-- Late trips\nCREATE VIEW late AS\nSELECT 1;";
        let found = records(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].line, found[0].sql.as_str()), (3, "SELECT @n"));
        assert_eq!(found[0].question.as_deref(), Some("Two ships"));
        assert_eq!(found[0].variables, [("@n".to_owned(), "2".to_owned())]);
        assert_eq!((found[1].line, found[1].sql.as_str()), (8, "SELECT 1"));
        assert_eq!(found[1].question.as_deref(), Some("Late trips"));
        assert_eq!(found[1].within.as_deref(), Some("CREATE VIEW late"));
    }

    #[test]
    fn what_an_open_comment_swallows_is_said() {
        let text = "SELECT 1;\n\n/* closed */\n\n/* not closed\nSELECT 2;\nSELECT 3;\n";
        assert_eq!(read(text).len(), 1);
        let skip = unread(text, 1).unwrap();
        assert_eq!((skip.line, skip.number), (5, 2));
        assert_eq!(skip.reason.to_string(), "a comment is not closed; what follows it was not read");
        assert_eq!(skip.start, "/* not closed SELECT 2; SELECT 3;");
        for whole in ["SELECT 1 /* x */", "SELECT 1 -- /*", "SELECT '/*'", "/**/", ""] {
            assert_eq!(unread(whole, 0), None, "{whole}");
        }
        assert!(unread("SELECT 1 /*/", 1).is_some());
    }

    #[test]
    fn commands_of_the_shell_are_passed_over() {
        let found = read(".headers on\n.mode csv\n-- All the ships\nSELECT 1;\n.quit\n");
        assert_eq!(found, [(4, "SELECT 1".to_owned(), Some("All the ships".to_owned()))]);
    }
}
