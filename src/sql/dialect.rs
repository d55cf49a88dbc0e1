//! Queries in the SQL of other systems: written as SQLite where that says the same, else read as they stand.
//!
//! Only what is no SQL of SQLite is rewritten, so nothing that is right for SQLite is read differently.

use std::ops::Range;

use sqlparser::ast::Query;
use sqlparser::dialect::Dialect;

use super::lexer::{Lexeme, Lexer, is_word_byte};
use super::parse::{SqlError, parse_as};
use super::systems::{BigQuery, SqlServer};

/// A variable of a script with the literal it was given.
pub type Variable = (String, String);

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

/// A system whose SQL is read, with what in a query shows that it was written for it.
struct System {
    name: &'static str,
    dialect: &'static dyn Dialect,
    /// Words that SQLite's queries do without.
    words: &'static [&'static str],
    /// Beginnings of marks, parameters and quoted names.
    marks: &'static [&'static str],
}

const SYSTEMS: &[System] = &[
    System {
        name: "SQL Server",
        dialect: &SqlServer,
        words: &[
            "APPLY",
            "CHARINDEX",
            "CONVERT",
            "DATEADD",
            "DATEDIFF",
            "DATENAME",
            "DATEPART",
            "FETCH",
            "GETDATE",
            "NOLOCK",
            "OPENJSON",
            "PERCENT",
            "PIVOT",
            "STUFF",
            "TIES",
            "TOP",
            "TRY_CAST",
            "TRY_CONVERT",
        ],
        marks: &["@", "[", "#"],
    },
    System {
        name: "BigQuery",
        dialect: &BigQuery,
        words: &[
            "ARRAY",
            "ARRAY_AGG",
            "COUNTIF",
            "DATE_ADD",
            "DATE_DIFF",
            "DATE_SUB",
            "DATE_TRUNC",
            "EXCEPT",
            "EXTRACT",
            "FLOAT64",
            "INT64",
            "INTERVAL",
            "OFFSET",
            "QUALIFY",
            "SAFE_CAST",
            "SAFE_DIVIDE",
            "STRUCT",
            "UNNEST",
        ],
        marks: &["`"],
    },
];

/// Parses a query that SQLite's grammar refuses as two systems do that history files often come from, where words or
/// marks of theirs stand in it; with the name of the first one that reads it, or what the first one says against it.
/// Their grammars alone are no evidence: they take a doubled FROM for the name of a table.
pub(crate) fn parse_other(sql: &str) -> Result<(Query, &'static str), Option<(SqlError, &'static str)>> {
    let pieces: Vec<(Lexeme, &str)> =
        Lexer::new(sql).filter_map(|(kind, start, end)| Some((kind, sql.get(start..end)?))).collect();
    let shows = |system: &System| {
        pieces.iter().any(|(kind, text)| match kind {
            Lexeme::Word => system.words.iter().any(|word| word.eq_ignore_ascii_case(text)),
            Lexeme::Mark | Lexeme::Parameter | Lexeme::QuotedName => {
                system.marks.iter().any(|mark| text.starts_with(mark))
            }
            _ => false,
        })
    };
    let mut first = None;
    for system in SYSTEMS.iter().filter(|system| shows(system)) {
        match parse_as(system.dialect, sql) {
            Ok(query) => return Ok((query, system.name)),
            Err(error) => first = first.or(Some((error, system.name))),
        }
    }
    Err(first)
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

/// Replaces `##Name:type?default##` of Stack Exchange's Data Explorer and `{{ name }}`, `{% … %}`, `{# … #}` of Jinja,
/// outside strings, by a parameter, a name or a default.
fn fill_placeholders(sql: &str) -> (String, Vec<&'static str>) {
    let mut told = Vec::new();
    if !sql.contains("##") && !sql.contains("{{") && !sql.contains("{%") && !sql.contains("{#") {
        return (sql.to_owned(), told);
    }
    let mut out = String::with_capacity(sql.len());
    let mut at = 0;
    let mut before = "";
    for (kind, start, end) in Lexer::new(sql) {
        // What was replaced is longer than one lexical element.
        if start < at {
            continue;
        }
        let rest = sql.get(start..).unwrap_or_default();
        if kind == Lexeme::Mark
            && let Some((length, text, what)) = placeholder(rest, before)
        {
            out.push_str(sql.get(at..start).unwrap_or_default());
            out.push_str(&text);
            at = start + length;
            if !told.contains(&what) {
                told.push(what);
            }
        }
        if !matches!(kind, Lexeme::Space | Lexeme::Comment) {
            before = sql.get(start..end).unwrap_or_default();
        }
    }
    out.push_str(sql.get(at..).unwrap_or_default());
    (out, told)
}

/// The placeholder that a text starts with: its length, what stands for it, and what was done.
fn placeholder(rest: &str, before: &str) -> Option<(usize, String, &'static str)> {
    /// Longer ones are something else.
    const LONGEST: usize = 500;
    let inside = |open: &str, close: &str| {
        let body = rest.strip_prefix(open)?;
        let end = body.find(close).filter(|&end| end <= LONGEST)?;
        Some((body.get(..end)?, open.len() + end + close.len()))
    };
    if let Some((body, length)) = inside("##", "##") {
        let (name, default) = body.split_once('?').map_or((body, None), |(name, value)| (name, Some(value)));
        let name = plain_name(name.split(':').next().unwrap_or_default());
        let text = match default.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) if value.parse::<f64>().is_ok() => value.to_owned(),
            Some(value) => format!("'{}'", value.replace('\'', "''")),
            None if name.is_empty() => return None,
            None => format!(":{name}"),
        };
        return Some((length, text, "##parameters## as parameters or their defaults"));
    }
    if let Some((body, length)) = inside("{{", "}}") {
        let body = body.trim().trim_matches('-').trim();
        // dbt's ref('orders') and source('shop', 'orders') are tables.
        let table = ["ref", "source"]
            .iter()
            .any(|f| body.strip_prefix(f).is_some_and(|rest| rest.trim_start().starts_with('(')));
        let quoted = || body.split(['\'', '"']).nth_back(1).unwrap_or_default();
        let name = plain_name(if table { quoted() } else { body.split('(').next().unwrap_or_default() });
        if name.is_empty() {
            return None;
        }
        let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(before));
        let dotted = before == "." || rest.get(length..).is_some_and(|rest| rest.starts_with('.'));
        let text = if table || dotted || is(&["FROM", "JOIN", ","]) { name } else { format!(":{name}") };
        return Some((length, text, "a template filled with names"));
    }
    let (body, length) = inside("{%", "%}").or_else(|| inside("{#", "#}"))?;
    let breaks = body.chars().filter(|&c| c == '\n').collect::<String>();
    Some((length, format!(" {breaks}"), "a template filled with names"))
}

/// The letters, digits and underscores of a text, as a name.
fn plain_name(text: &str) -> String {
    let name: String = text.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_matches('_').to_owned();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
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

/// Takes in what a DECLARE or SET of T-SQL says of variables: those given a literal are known from here on, those given
/// anything else are not. False when the statement is something else.
pub(crate) fn declared(statement: &str, variables: &mut Vec<Variable>) -> bool {
    let (filled, _) = fill_placeholders(statement);
    let pieces: Vec<(Lexeme, &str)> = Lexer::new(&filled)
        .filter(|(kind, ..)| !matches!(kind, Lexeme::Space | Lexeme::Comment))
        .filter_map(|(kind, start, end)| Some((kind, filled.get(start..end)?)))
        .collect();
    let word = pieces.first().map_or("", |(_, text)| *text);
    let starts = ["DECLARE", "SET"].iter().any(|w| w.eq_ignore_ascii_case(word));
    if !starts || !pieces.get(1).is_some_and(|(_, text)| is_variable(text)) {
        return false;
    }
    let mut depth = 0_usize;
    let mut starts = Vec::new();
    for (at, (_, text)) in pieces.iter().enumerate() {
        match *text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            // A variable's own clause starts behind the first word or a comma.
            text if depth == 0
                && is_variable(text)
                && (at == 1 || pieces.get(at - 1).is_some_and(|p| p.1 == ",")) =>
            {
                starts.push(at);
            }
            _ => {}
        }
    }
    for (i, &at) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(pieces.len(), |next| next - 1);
        let own = pieces.get(at..end).unwrap_or_default();
        let Some((_, name)) = own.first() else { continue };
        variables.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if let Some(equals) = own.iter().position(|(_, text)| *text == "=")
            && let Some(value) = literal(own.get(equals + 1..).unwrap_or_default())
        {
            variables.push(((*name).to_owned(), value));
        }
    }
    true
}

fn is_variable(text: &str) -> bool {
    text.strip_prefix('@').is_some_and(|name| name.bytes().next().is_some_and(is_word_byte))
}

/// A literal that stands alone.
fn literal(pieces: &[(Lexeme, &str)]) -> Option<String> {
    match pieces {
        [(Lexeme::Number | Lexeme::Text, text)] => Some((*text).to_owned()),
        [(Lexeme::Mark, "-"), (Lexeme::Number, text)] => Some(format!("-{text}")),
        [(Lexeme::Word, "N" | "n"), (Lexeme::Text, text)] => Some((*text).to_owned()),
        _ => None,
    }
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
        let mut known = Vec::new();
        assert!(declared("DECLARE @a int = 5, @b varchar(10) = N'x', @c date = getdate()", &mut known));
        assert!(declared("SET @a = -6", &mut known));
        assert!(declared("declare @d int = ##D?7##", &mut known));
        assert!(!declared("SET x = 1", &mut known) && !declared("SELECT @a", &mut known));
        let found = to_sqlite("SELECT @A, @b, @c, @d, '@a'", &known).unwrap();
        assert_eq!(found.sql, "SELECT -6, 'x', @c, 7, '@a'");
        // A variable that is set to what is not known has no value any more.
        assert!(declared("SET @a = (SELECT 1)", &mut known));
        assert_eq!(to_sqlite("SELECT @a", &known), None);
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
            declared(&text, &mut Vec::new());
            let _ = parse_other(&text);
            keeps_top(&text);
        }
    }
}
