//! Queries in the SQL of other systems: written as SQLite where that says the same, else read as they stand.
//!
//! Only what is no SQL of SQLite is rewritten, so nothing that is right for SQLite is read differently.

mod other;
mod placeholders;
mod variables;

use std::ops::Range;

pub(crate) use other::parse_other;
use placeholders::fill_placeholders;
pub use variables::Variable;
pub(crate) use variables::Variables;

use super::lexer::{Lexeme, Lexer};
use super::parse::SqlError;

/// A query in SQLite's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewritten {
    /// Its text; every line is still the line it was.
    pub sql: String,
    /// What was rewritten, each once: "TOP as LIMIT".
    pub told: Vec<&'static str>,
}

/// A bracket's worth of a query, while it is read.
#[derive(Default)]
struct Block {
    /// The limit that TOP sets.
    limit: Option<String>,
    /// Where TOP and its number stand.
    top: Range<usize>,
    /// UNION and its like: SQLite has no LIMIT in their operands.
    compound: bool,
}

/// Rewrites what other systems write differently and SQLite can say as well: `TOP 10`, `##Name##`, `{{ name }}`,
/// `N'…'`, `WITH (NOLOCK)`, declared variables. None where there is nothing of that kind.
pub(crate) fn to_sqlite(sql: &str, variables: &[Variable]) -> Option<Rewritten> {
    let (filled, mut told) = fill_placeholders(sql);
    let edits = edits(&filled, variables, &mut told);
    if told.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(filled.len());
    let mut at = 0;
    for (range, text) in edits {
        // Line breaks inside what is replaced are kept, so that lines stay where they were.
        let (before, gone) = (filled.get(at..range.start)?, filled.get(range.clone())?);
        out.push_str(before);
        out.push_str(&text);
        out.extend(gone.chars().filter(|&c| c == '\n'));
        at = range.end;
    }
    out.push_str(filled.get(at..)?);
    Some(Rewritten { sql: out, told })
}

/// Whether a SELECT of the query still says TOP, which sqlparser reads and SQLite does not.
pub(crate) fn keeps_top(sql: &str) -> bool {
    let space = |kind: &Lexeme| matches!(kind, Lexeme::Space | Lexeme::Comment);
    let pieces = Lexer::new(sql).filter(|(kind, ..)| !space(kind));
    // SELECT, perhaps DISTINCT, TOP, a number.
    let mut stage = 0;
    for (kind, start, end) in pieces {
        let is = |word: &str| sql.get(start..end).is_some_and(|text| text.eq_ignore_ascii_case(word));
        stage = match stage {
            1 if is("DISTINCT") || is("ALL") => 1,
            1 if is("TOP") => 2,
            2 if kind == Lexeme::Number => return true,
            _ => usize::from(is("SELECT")),
        };
    }
    false
}

/// What keeps a text from being SQL of SQLite, in words for people; None where it is an error like any other.
pub(crate) fn foreign(sql: &str, error: &SqlError) -> Option<&'static str> {
    if !matches!(error, SqlError::Syntax { .. }) {
        return None;
    }
    let code = |needle: &str| {
        Lexer::new(sql).any(|(kind, start, _)| {
            kind == Lexeme::Mark && sql.get(start..).is_some_and(|rest| rest.starts_with(needle))
        })
    };
    (code("{{") || code("{%")).then_some("a template: it is SQL only once it is filled in")
}

/// What is replaced by what, in the order of the text.
fn edits(sql: &str, variables: &[Variable], told: &mut Vec<&'static str>) -> Vec<(Range<usize>, String)> {
    let pieces: Vec<(Lexeme, usize, usize)> =
        Lexer::new(sql).filter(|(kind, ..)| !matches!(kind, Lexeme::Space | Lexeme::Comment)).collect();
    let text =
        |at: usize| pieces.get(at).and_then(|&(_, start, end)| sql.get(start..end)).unwrap_or_default();
    let is = |at: usize, words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text(at)));
    let mut tell = |what: &'static str| {
        if !told.contains(&what) {
            told.push(what);
        }
    };
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut blocks = vec![Block::default()];
    for (at, &(kind, start, end)) in pieces.iter().enumerate() {
        let piece = text(at);
        match kind {
            Lexeme::Mark if piece == "(" => blocks.push(Block::default()),
            Lexeme::Mark if piece == ")" && blocks.len() > 1 => {
                let before = at.checked_sub(1).and_then(|before| pieces.get(before)).map_or(start, |p| p.2);
                if blocks.pop().is_some_and(|block| block.close(before, &mut found)) {
                    tell(TOP);
                }
            }
            Lexeme::Word if is(at, &["UNION", "EXCEPT", "INTERSECT"]) => {
                if let Some(block) = blocks.last_mut() {
                    block.compound = true;
                }
            }
            Lexeme::Word if is(at, &["SELECT"]) => {
                let next = at + 1 + usize::from(is(at + 1, &["DISTINCT", "ALL"]));
                if is(next, &["TOP"])
                    && let Some((limit, last)) = limit(&text, &pieces, next + 1)
                    && !is(last + 1, &["PERCENT"])
                    && !(is(last + 1, &["WITH"]) && is(last + 2, &["TIES"]))
                    && let (Some(top), Some(end)) = (pieces.get(next), pieces.get(last))
                    && let Some(block) = blocks.last_mut()
                {
                    block.limit = Some(limit);
                    block.top = top.1..end.2;
                }
            }
            Lexeme::Word
                if is(at, &["WITH"]) && text(at + 1) == "(" && is(at + 2, HINTS) && text(at + 3) == ")" =>
            {
                if let Some(close) = pieces.get(at + 3) {
                    found.push((start..close.2, String::new()));
                    tell("without lock hints");
                }
            }
            Lexeme::Mark if piece == "," && is(at + 1, &["FROM"]) => {
                found.push((start..end, String::new()));
                tell("without a trailing comma");
            }
            // MySQL's comments, and the notes of tools; a table of T-SQL may have such a name.
            Lexeme::Mark | Lexeme::Parameter
                if piece.starts_with('#')
                    && begins_line(sql, start)
                    && (at == 0 || !is(at - 1, &["FROM", "JOIN", "INTO", "TABLE", "UPDATE", ","])) =>
            {
                let line = sql.get(start..).unwrap_or_default().find('\n').map_or(sql.len(), |n| start + n);
                found.push((start..line, String::new()));
                tell("without # comments");
            }
            Lexeme::Word if matches!(piece, "N" | "n") && touches(&pieces, at) => {
                found.push((start..end, String::new()));
                tell("N'…' as '…'");
            }
            Lexeme::Parameter if piece.starts_with('@') => {
                let value = variables.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(piece));
                if let Some((_, value)) = value {
                    found.push((start..end, value.clone()));
                    tell("variables as their values");
                }
            }
            _ => {}
        }
    }
    let closed = |&&(_, start, end): &&(Lexeme, usize, usize)| sql.get(start..end) != Some(";");
    let last = pieces.iter().rev().find(closed).map_or(0, |p| p.2);
    for block in blocks.into_iter().rev() {
        if block.close(last, &mut found) {
            tell(TOP);
        }
    }
    found.sort_by_key(|(range, _)| (range.start, range.end));
    // Nothing is replaced twice: a bracket of hints holds no other edit, but any text may come here.
    let mut end = 0;
    found.retain(|(range, _)| {
        range.start >= end && {
            end = range.end;
            true
        }
    });
    found
}

const TOP: &str = "TOP as LIMIT";
const HINTS: &[&str] = &["NOLOCK", "READUNCOMMITTED", "READPAST", "ROWLOCK", "TABLOCK", "UPDLOCK"];

impl Block {
    /// Moves the limit to the end of the block; whether there was one to move.
    fn close(self, end: usize, found: &mut Vec<(Range<usize>, String)>) -> bool {
        let Some(limit) = self.limit.filter(|_| !self.compound) else { return false };
        found.push((self.top, String::new()));
        found.push((end..end, format!(" LIMIT {limit}")));
        true
    }
}

/// The number behind TOP, and the last of its pieces.
fn limit<'a>(
    text: &impl Fn(usize) -> &'a str,
    pieces: &[(Lexeme, usize, usize)],
    at: usize,
) -> Option<(String, usize)> {
    let value = |at: usize| {
        let &(kind, ..) = pieces.get(at)?;
        matches!(kind, Lexeme::Number | Lexeme::Parameter).then(|| text(at).to_owned())
    };
    match text(at) {
        "(" if text(at + 2) == ")" => Some((value(at + 1)?, at + 2)),
        _ => Some((value(at)?, at)),
    }
}

/// Whether nothing but space stands before a byte on its line.
fn begins_line(sql: &str, at: usize) -> bool {
    sql.get(..at).is_some_and(|before| {
        before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty()
    })
}

/// Whether a string follows a piece without space between them.
fn touches(pieces: &[(Lexeme, usize, usize)], at: usize) -> bool {
    matches!((pieces.get(at), pieces.get(at + 1)),
        (Some((_, _, end)), Some((Lexeme::Text, start, _))) if end == start)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sql::parse_query;

    fn rewritten(sql: &str) -> String {
        let done = to_sqlite(sql, &[]).unwrap();
        assert!(parse_query(&done.sql).is_ok(), "{}", done.sql);
        assert_eq!(done.sql.matches('\n').count(), sql.matches('\n').count(), "{}", done.sql);
        done.sql.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_sqlite_reads_stays_as_it_is() {
        for sql in [
            "SELECT top FROM t WHERE n = '##x##' AND m = '{{ y }}' -- ##z##",
            "SELECT a, '#' FROM [t] WHERE b = @b AND c = :c AND d = ?1",
            "WITH a AS (SELECT 1) SELECT x -> '$.a[#-1]' FROM a",
            "SELECT n FROM t WHERE n IN ('TOP 5', \"#x\")",
        ] {
            assert_eq!(to_sqlite(sql, &[]), None, "{sql}");
        }
    }

    #[test]
    fn top_becomes_limit_at_the_end_of_its_query() {
        assert_eq!(
            rewritten("SELECT TOP 5 a\nFROM t ORDER BY b -- c"),
            "SELECT a FROM t ORDER BY b LIMIT 5 -- c"
        );
        assert_eq!(
            rewritten("SELECT DISTINCT TOP (3) a FROM (select top 10 * from u order by v) AS x;"),
            "SELECT DISTINCT a FROM (select * from u order by v LIMIT 10) AS x LIMIT 3;"
        );
        // SQLite has no LIMIT in an operand of UNION, no share of the rows, and no ties.
        for sql in ["SELECT TOP 5 a FROM t UNION SELECT 2", "SELECT TOP 5 PERCENT a FROM t"] {
            assert_eq!(to_sqlite(sql, &[]), None, "{sql}");
            assert!(keeps_top(sql));
        }
    }

    #[test]
    fn placeholders_become_parameters_names_and_defaults() {
        assert_eq!(
            rewritten("SELECT ##Limit:int?10##, ##User Id##, ##Tag?a'b##"),
            "SELECT 10, :User_Id, 'a''b'"
        );
        assert_eq!(
            rewritten("{% set x = 1 %}SELECT {{ x }} FROM {{ ref('orders') }} JOIN {{ schema }}.t"),
            "SELECT :x FROM orders JOIN schema.t"
        );
        assert_eq!(rewritten("#warn: slow\nSELECT a,\nFROM t"), "SELECT a FROM t");
        assert_eq!(rewritten("SELECT N'ü' FROM t WITH (NOLOCK)"), "SELECT 'ü' FROM t");
    }

    #[test]
    fn variables_take_the_literals_they_were_given() {
        let mut known = Variables::default();
        assert!(known.declare("DECLARE @a int = 5, @b varchar(10) = N'x', @c date = getdate()"));
        assert!(known.declare("SET @a = -6"));
        assert!(known.declare("declare @d int = ##D?7##"));
        assert!(!known.declare("SET x = 1") && !known.declare("SELECT @a"));
        let sql = "SELECT @A, @b, @c, @d, '@a', @a";
        let named = known.named_in(sql);
        assert_eq!(named.len(), 3, "{named:?}");
        assert_eq!(to_sqlite(sql, &named).unwrap().sql, "SELECT -6, 'x', @c, 7, '@a', -6");
        assert_eq!(known.named_in("SELECT '@a', a"), []);
        // A variable that is set to what is not known has no value any more.
        assert!(known.declare("SET @a = (SELECT 1)"));
        assert_eq!(known.named_in("SELECT @a"), []);
    }

    #[test]
    fn other_systems_are_read_where_something_shows_them() {
        let system = |sql: &str| parse_other(sql).map(|(_, system)| system).ok();
        assert_eq!(
            system("SELECT * EXCEPT (a) FROM `p.d.t` WHERE SAFE_CAST(b AS INT64) = 1"),
            Some("BigQuery")
        );
        assert_eq!(system("SELECT a FROM t OUTER APPLY (SELECT TOP 1 b FROM u) AS x"), Some("SQL Server"));
        assert_eq!(system("SELECT FROM FROM t"), None);
        assert!(parse_other("SELECT id FROM FROM ships").is_err_and(|said| said.is_none()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_rewritten_without_a_panic(
            text in "(SELECT |TOP |5|\\(|\\)|##|#|\\{\\{|\\}\\}|\\{%|%\\}|@a|N'|'|,|\n|FROM |WITH |NOLOCK|[a-zé?:]){0,40}"
        ) {
            let known = [("@a".to_owned(), "1".to_owned())];
            if let Some(done) = to_sqlite(&text, &known) {
                proptest::prop_assert!(!done.told.is_empty());
            }
            let mut known = Variables::default();
            known.declare("SET @a = 1");
            known.declare(&text);
            known.named_in(&text);
            let _ = parse_other(&text);
            keeps_top(&text);
        }
    }
}
