//! Statements that stand one after the other without a semicolon, as T-SQL allows, and queries inside statements
//! that store their rows (`CREATE VIEW … AS SELECT`, `INSERT INTO … SELECT`).

use std::ops::Range;

use super::lexer::{Lexeme, Lexer};
use super::statements::Statement;
use super::tokens;

/// Longer statements are left whole: they are dumps of rows, and nobody reads them.
const LONGEST: usize = 1_000_000;

/// A statement, or the query inside one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it is.
    pub statement: Statement,
    /// The statement around it: "CREATE VIEW late_trips".
    pub within: Option<String>,
    /// Where that one starts, in bytes.
    pub start: usize,
}

/// A lexical element that is neither space nor comment.
#[derive(Clone, Copy)]
struct Piece<'a> {
    kind: Lexeme,
    text: &'a str,
    start: usize,
    end: usize,
    line: u32,
    /// Brackets open before it.
    depth: usize,
    /// Whether it is the first of its line.
    first: bool,
}

impl Piece<'_> {
    fn is(&self, words: &[&str]) -> bool {
        self.kind == Lexeme::Word && words.iter().any(|word| word.eq_ignore_ascii_case(self.text))
    }
}

/// What a statement begins as, which decides what may follow in it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// SELECT or VALUES: another SELECT belongs to it only behind UNION and its like.
    Query,
    /// WITH, before the SELECT that it is for.
    With,
    /// A statement of T-SQL that holds no query outside brackets: DECLARE, SET, USE.
    Setting,
    /// Anything else is left whole.
    Other,
}

/// Cuts a statement of `text` where another one begins without a semicolon between them, and takes queries out of
/// statements that store their rows. SQLite's own queries stay whole: in none of them does a second SELECT stand
/// outside brackets but behind UNION, EXCEPT and INTERSECT.
pub(crate) fn parts(text: &str, statement: &Statement) -> Vec<Part> {
    if statement.range.len() > LONGEST {
        let start = statement.range.start;
        return vec![Part { statement: statement.clone(), within: None, start }];
    }
    let pieces = pieces(text, statement);
    let mut found = Vec::new();
    let mut from = 0;
    let mut kind = kind_of(&pieces, 0);
    for at in 1..pieces.len() {
        if kind == Kind::With && pieces.get(at).is_some_and(|p| p.depth == 0 && p.is(&["SELECT", "VALUES"])) {
            kind = Kind::Query;
        } else if begins(&pieces, at, kind) {
            found.extend(part(pieces.get(from..at).unwrap_or_default()));
            from = at;
            kind = kind_of(&pieces, at);
        }
    }
    found.extend(part(pieces.get(from..).unwrap_or_default()));
    found
}

fn pieces<'a>(text: &'a str, statement: &Statement) -> Vec<Piece<'a>> {
    let Range { start: base, .. } = statement.range;
    let own = text.get(statement.range.clone()).unwrap_or_default();
    let (mut line, mut depth, mut first) = (statement.line, 0_usize, true);
    let mut found = Vec::new();
    for (kind, start, end) in Lexer::new(own) {
        let piece = own.get(start..end).unwrap_or_default();
        let here = line;
        let breaks = piece.bytes().filter(|&b| b == b'\n').count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        if matches!(kind, Lexeme::Space | Lexeme::Comment) {
            first |= breaks > 0;
            continue;
        }
        if piece == ")" {
            depth = depth.saturating_sub(1);
        }
        let (start, end) = (base + start, base + end);
        found.push(Piece { kind, text: piece, start, end, line: here, depth, first });
        depth += usize::from(piece == "(");
        first = false;
    }
    found
}

fn kind_of(pieces: &[Piece], at: usize) -> Kind {
    match pieces.get(at) {
        Some(p) if p.is(&["SELECT", "VALUES"]) => Kind::Query,
        Some(p) if p.is(&["WITH"]) => Kind::With,
        Some(p) if p.is(&["DECLARE", "SET", "USE", "GO", "PRINT"]) => Kind::Setting,
        _ => Kind::Other,
    }
}

/// Whether a new statement begins at a piece of one of this kind.
fn begins(pieces: &[Piece], at: usize, kind: Kind) -> bool {
    let (Some(piece), Some(before)) = (pieces.get(at), pieces.get(at - 1)) else { return false };
    if piece.depth > 0 || matches!(kind, Kind::Other | Kind::With) {
        return false;
    }
    let next = |n: usize, words: &[&str]| pieces.get(at + n).is_some_and(|p| p.is(words));
    let variable = pieces.get(at + 1).is_some_and(|p| p.text.starts_with('@'));
    if piece.is(&["SELECT"]) {
        return !before.is(&["UNION", "ALL", "EXCEPT", "INTERSECT", "MINUS", "DISTINCT", "FOR", "AS"]);
    }
    // Words that may be names, too, count at the beginning of a line only.
    piece.first
        && (piece.is(&["DECLARE", "SET"]) && variable
            || piece.is(&["GO"]) && ends_value(before) && pieces.get(at + 1).is_none_or(|p| p.first)
            || piece.is(&["INSERT"]) && next(1, &["INTO"])
            || piece.is(&["PRINT"]) && ends_value(before) && variable
            || piece.is(&["CREATE", "DROP"]) && next(1, &["TABLE", "VIEW"])
            // A table expression; the hints of T-SQL are WITH and a bracket.
            || piece.is(&["WITH"])
                && pieces.get(at + 1).is_some_and(|p| matches!(p.kind, Lexeme::Word | Lexeme::QuotedName))
                && (next(2, &["AS"]) || pieces.get(at + 2).is_some_and(|p| p.text == "(")))
}

/// Whether a statement may end with this piece.
fn ends_value(piece: &Piece) -> bool {
    match piece.kind {
        Lexeme::Mark => piece.text == ")",
        Lexeme::Word => {
            !tokens::is_keyword(piece.text) || piece.is(&["ASC", "DESC", "END", "FALSE", "NULL", "TRUE"])
        }
        _ => true,
    }
}

/// One statement, or the query in it.
fn part(pieces: &[Piece]) -> Option<Part> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let (query, within) = match stored(pieces) {
        Some((from, to, within)) => (pieces.get(from).zip(pieces.get(to)), Some(within)),
        None => (None, None),
    };
    let (start, end) = query.unwrap_or((first, last));
    let statement = Statement { range: start.start..end.end, line: start.line };
    Some(Part { statement, within, start: first.start })
}

/// The query whose rows a statement stores: its first and last piece, and what the statement is.
fn stored(pieces: &[Piece]) -> Option<(usize, usize, String)> {
    const QUERY: &[&str] = &["SELECT", "WITH"];
    let top = |at: usize, words: &[&str]| pieces.get(at).is_some_and(|p| p.depth == 0 && p.is(words));
    let first = pieces.first()?;
    let last = pieces.len() - 1;
    if first.is(&["CREATE"]) {
        let noun = (1..pieces.len().min(6)).find(|&at| top(at, &["VIEW", "TABLE"]))?;
        let within = format!("{} {}", upper(pieces.get(1..=noun)?), named(pieces, noun + 1));
        // A virtual table's module may be called as it likes; a view's body stands behind the last AS before it.
        let from = (noun + 2..pieces.len()).find(|&at| top(at, QUERY) && top(at - 1, &["AS"]));
        let bracketed = || {
            let open = (noun + 2..pieces.len()).find(|&at| {
                let is = |at: usize, mark| pieces.get(at).is_some_and(|p| p.depth == 0 && p.text == mark);
                is(at, "(") && top(at - 1, &["AS"]) && is(last, ")")
            })?;
            pieces.get(open + 1).filter(|p| p.is(QUERY)).map(|_| (open + 1, last - 1))
        };
        let (from, last) = from.map(|from| (from, last)).or_else(bracketed)?;
        return Some((from, last, format!("CREATE {within}")));
    }
    if first.is(&["INSERT", "REPLACE"]) {
        let into = (1..pieces.len().min(4)).find(|&at| top(at, &["INTO"]))?;
        let from = (into + 2..pieces.len()).find(|&at| top(at, QUERY))?;
        let end = (from..pieces.len())
            .find(|&at| top(at, &["RETURNING"]) || (top(at, &["ON"]) && top(at + 1, &["CONFLICT"])))
            .map_or(last, |at| at - 1);
        return Some((from, end, format!("INSERT INTO {}", named(pieces, into + 1))));
    }
    None
}

/// The words between CREATE and the name, without those that say only how: "VIEW".
fn upper(pieces: &[Piece]) -> String {
    let said = pieces.iter().filter(|p| !p.is(&["OR", "REPLACE", "TEMP", "TEMPORARY"]));
    said.map(|p| p.text.to_ascii_uppercase()).collect::<Vec<_>>().join(" ")
}

/// The name that starts at a piece, behind IF NOT EXISTS.
fn named(pieces: &[Piece], at: usize) -> String {
    let rest = pieces.get(at..).unwrap_or_default();
    let rest = rest.iter().skip_while(|p| p.is(&["IF", "NOT", "EXISTS"]));
    let mut name = String::new();
    let mut end = None;
    for piece in rest {
        // Parts of a name touch each other; the name's end is the first gap.
        if end.is_some_and(|end| end != piece.start) || piece.text == "(" {
            break;
        }
        name.push_str(piece.text);
        end = Some(piece.end);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::statements;

    fn cut(text: &str) -> Vec<(u32, String, Option<String>)> {
        let found = statements(text);
        let parts = found.iter().flat_map(|statement| parts(text, statement));
        parts.map(|p| (p.statement.line, text[p.statement.range].to_owned(), p.within)).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        cut(text).into_iter().map(|(_, text, _)| text).collect()
    }

    #[test]
    fn queries_of_sqlite_stay_whole() {
        for whole in [
            "WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a\nUNION ALL\nSELECT * FROM b EXCEPT SELECT 3",
            "WITH RECURSIVE c(i) AS (VALUES (1) UNION SELECT i + 1 FROM c) SELECT i FROM c",
            "SELECT (SELECT 1), declare FROM t WHERE x IN (SELECT y FROM u)",
            "SELECT\ngo\nFROM set\nWHERE use = 1",
            "EXPLAIN QUERY PLAN SELECT 1",
            "UPDATE t SET a = (SELECT 1)",
            "INSERT INTO t VALUES (1)",
            "CREATE TABLE t (a INT)",
            "CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO u SELECT 1; SELECT 2; END",
        ] {
            assert_eq!(texts(whole), [whole], "{whole}");
        }
    }

    #[test]
    fn statements_without_semicolons_are_told_apart() {
        let script = "DECLARE @a int = 5\nSET @a = 6\n-- which\nSELECT x FROM t WHERE y = @a\n\nSELECT 2 DESC\nGO\n\
            WITH c AS (SELECT 1)\nSELECT * FROM c WITH (NOLOCK)\nWITH d AS (SELECT 3) SELECT * FROM d";
        let found: Vec<(u32, String)> = cut(script).into_iter().map(|(line, text, _)| (line, text)).collect();
        let wanted = [
            (1, "DECLARE @a int = 5"),
            (2, "SET @a = 6"),
            (4, "SELECT x FROM t WHERE y = @a"),
            (6, "SELECT 2 DESC"),
            (7, "GO"),
            (8, "WITH c AS (SELECT 1)\nSELECT * FROM c WITH (NOLOCK)"),
            (10, "WITH d AS (SELECT 3) SELECT * FROM d"),
        ];
        assert_eq!(found, wanted.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn stored_queries_are_taken_out() {
        let one = |text: &str| {
            let found = cut(text);
            assert_eq!(found.len(), 1, "{found:?}");
            found.into_iter().next().map(|(_, sql, within)| (sql, within.unwrap_or_default()))
        };
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(
            one(
                "CREATE OR REPLACE VIEW\n `p.d.v` (a)\nOPTIONS (x = 1)\nAS\nWITH c AS (SELECT 1) SELECT * FROM c"
            ),
            pair("WITH c AS (SELECT 1) SELECT * FROM c", "CREATE VIEW `p.d.v`")
        );
        assert_eq!(
            one("CREATE TEMP TABLE IF NOT EXISTS main.late AS SELECT 1"),
            pair("SELECT 1", "CREATE TABLE main.late")
        );
        assert_eq!(one("CREATE VIEW v AS (SELECT (1))"), pair("SELECT (1)", "CREATE VIEW v"));
        assert_eq!(
            one("INSERT OR IGNORE INTO t (a, b) SELECT a, b FROM u WHERE TRUE ON CONFLICT DO NOTHING"),
            pair("SELECT a, b FROM u WHERE TRUE", "INSERT INTO t")
        );
    }
}
