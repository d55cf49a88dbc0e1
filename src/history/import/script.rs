//! SQL scripts: each statement is a record, the comments above it say what it is for. Declarations of variables are no
//! records; what they declare goes with the queries behind them.

use crate::sql::batch::{self, Part};
use crate::sql::dialect::Variables;
use crate::sql::statements::{Statements, Step, beginning};

use super::comments::{self, Said};
use super::record::RawRecord;
use super::text::newlines;
use crate::history::report::{Reason, Skip};

/// The statements of a script, in order.
pub(super) fn records(text: &str) -> Vec<RawRecord> {
    let mut records = Records::new(text);
    let mut found = Vec::new();
    loop {
        match records.step(usize::MAX) {
            Step::Found(record) => found.push(record),
            Step::Later => {}
            Step::End => return found,
        }
    }
}

/// The records of a script, found in steps of bounded work.
pub(super) struct Records<'a> {
    text: &'a str,
    statements: Statements<'a>,
    /// What is left of the statement that was found last.
    parts: std::vec::IntoIter<Part>,
    /// Where the part before ends.
    before: usize,
    /// What is said above declarations is said of the query behind them.
    above: Said,
    variables: Variables,
    found: u32,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            statements: Statements::new(text),
            parts: Vec::new().into_iter(),
            before: 0,
            above: Said::default(),
            variables: Variables::default(),
            found: 0,
        }
    }

    /// How many bytes were looked at.
    pub(super) fn at(&self) -> usize {
        self.statements.at()
    }

    /// Goes on until a record is found, but for no more lexical elements than these.
    pub(super) fn step(&mut self, pieces: usize) -> Step<RawRecord> {
        if let Some(part) = self.parts.next() {
            return self.record(part).map_or(Step::Later, Step::Found);
        }
        match self.statements.step(pieces) {
            Step::Found(whole) => {
                self.parts = batch::parts(self.text, &whole).into_iter();
                Step::Later
            }
            Step::Later => Step::Later,
            Step::End => Step::End,
        }
    }

    fn record(&mut self, part: Part) -> Option<RawRecord> {
        let Part { statement, within, start } = part;
        let text = self.text;
        let sql = text.get(statement.range.clone()).unwrap_or_default();
        let mut said = comments::read(text.get(self.before..start).unwrap_or_default(), self.before == 0);
        said.fill(std::mem::take(&mut self.above));
        if within.is_some() {
            said.fill(comments::read(text.get(start..statement.range.start).unwrap_or_default(), false));
        }
        self.before = statement.range.end;
        let (said, skipped, sql) = without_commands(said, sql);
        let line =
            statement.line.saturating_add(u32::try_from(newlines(skipped.as_bytes())).unwrap_or(u32::MAX));
        let sql = sql.trim_end();
        if self.variables.declare(sql) {
            self.above = said;
            return None;
        }
        if sql.is_empty() || sql.eq_ignore_ascii_case("go") {
            return None;
        }
        let Said { question, user, time, count, id } = said;
        self.found = self.found.saturating_add(1);
        Some(RawRecord {
            sql: sql.to_owned(),
            question,
            user,
            time,
            count,
            odd_count: None,
            id,
            line,
            number: self.found,
            verbatim: true,
            within,
            variables: self.variables.named_in(sql),
        })
    }

    /// The rest of the script behind its last record, where a comment that is never closed swallows it; known at the end.
    pub(super) fn unread(&self) -> Option<Skip> {
        let (before, rest) = self.text.split_at_checked(self.statements.open_comment()?)?;
        let line = u32::try_from(newlines(before.as_bytes())).unwrap_or(u32::MAX).saturating_add(1);
        let reason = Reason::Unclosed("a comment".to_owned());
        Some(Skip::new(line, self.found.saturating_add(1), reason, rest))
    }
}

/// Takes commands of SQLite's shell (`.headers on`) off the front of a statement; they end with their
/// line, not with a semicolon. Returns what the comments below them say and the text taken off.
fn without_commands(said: Said, sql: &str) -> (Said, &str, &str) {
    let mut rest = sql;
    let mut said = said;
    while is_command(rest) {
        let after = rest.find('\n').map_or("", |i| rest.get(i..).unwrap_or_default());
        match beginning(after) {
            Some(next) => {
                said = comments::read(after.get(..next).unwrap_or_default(), false);
                rest = after.get(next..).unwrap_or_default();
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
    use proptest::prelude::*;

    use super::*;
    use crate::sql::statements::PIECES;

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

    /// The records, found in steps of so many lexical elements, and what is not read behind them.
    fn sliced(text: &str, pieces: usize) -> (Vec<RawRecord>, Option<Skip>) {
        let mut records = Records::new(text);
        let mut found = Vec::new();
        loop {
            match records.step(pieces) {
                Step::Found(record) => found.push(record),
                Step::Later => {}
                Step::End => return (found, records.unread()),
            }
        }
    }

    fn unread(text: &str) -> (usize, Option<Skip>) {
        let (found, rest) = sliced(text, usize::MAX);
        (found.len(), rest)
    }

    proptest! {
        #[test]
        fn steps_of_any_length_find_the_same(pieces in proptest::collection::vec(piece(), 0..60), length in 1..9_usize) {
            let text = pieces.concat();
            let whole = sliced(&text, usize::MAX);
            prop_assert_eq!(&records(&text), &whole.0);
            prop_assert_eq!(sliced(&text, length), whole);
        }
    }

    /// What scripts are made of, in any order.
    fn piece() -> impl Strategy<Value = &'static str> {
        proptest::sample::select(vec![
            "SELECT 1",
            "SELECT @a",
            ";",
            ";",
            "\n",
            " ",
            "-- What?\n",
            "-- by: m.okoye, 2024-03-02\n",
            "/* x */",
            "/*",
            "'",
            "'a;b'",
            "[",
            "DECLARE @a int = 5",
            "SET @a = 6",
            "\nGO\n",
            "CREATE VIEW v AS ",
            "CREATE TRIGGER x ",
            "BEGIN ",
            "END",
            "INSERT INTO t ",
            ".headers on\n",
            ".x",
            "WITH c AS (",
            ")",
            "##A?1##",
            "{{ a }}",
            "é",
        ])
    }

    #[test]
    fn what_an_open_comment_swallows_is_said() {
        let text = "SELECT 1;\n\n/* closed */\n\n/* not closed\nSELECT 2;\nSELECT 3;\n";
        let (found, skip) = unread(text);
        let skip = skip.unwrap();
        assert_eq!(found, 1);
        assert_eq!((skip.line, skip.number), (5, 2));
        assert_eq!(skip.reason.to_string(), "a comment is not closed; what follows it was not read");
        assert_eq!(skip.start, "/* not closed SELECT 2; SELECT 3;");
        for whole in ["SELECT 1 /* x */", "SELECT 1 -- /*", "SELECT '/*'", "/**/", ""] {
            assert_eq!(unread(whole).1, None, "{whole}");
        }
        assert!(unread("SELECT 1 /*/").1.is_some());
    }

    #[test]
    fn commands_of_the_shell_are_passed_over() {
        let found = read(".headers on\n.mode csv\n-- All the ships\nSELECT 1;\n.quit\n");
        assert_eq!(found, [(4, "SELECT 1".to_owned(), Some("All the ships".to_owned()))]);
    }

    #[test]
    fn long_scripts_take_time_in_proportion() {
        // Done again for each command, variable or record, any of these would take minutes.
        let commands = ".x\n".repeat(100_000);
        assert_eq!(read(&format!("{commands}SELECT 1")).len(), 1);
        let declared: String = (0..20_000).map(|i| format!("DECLARE @v{i} int = {i};")).collect();
        let named = "SELECT @v7;".repeat(20_000);
        let found = records(&(declared + &named));
        assert_eq!(found.len(), 20_000);
        assert!(found.iter().all(|r| r.variables == [("@v7".to_owned(), "7".to_owned())]));
    }

    #[test]
    fn one_step_is_short_and_progress_grows() {
        let one = format!("SELECT {};", vec!["1"; 100_000].join(","));
        let text = format!("{one}-- two\nSELECT 2;");
        let mut records = Records::new(&text);
        let (mut steps, mut found, mut at) = (0, 0, 0);
        loop {
            match records.step(PIECES) {
                Step::Found(_) => found += 1,
                Step::Later => {}
                Step::End => break,
            }
            assert!(records.at() >= at);
            (steps, at) = (steps + 1, records.at());
        }
        assert_eq!((found, at), (2, text.len()));
        assert!(steps > 100, "{steps}");
    }
}
