//! SQL as lines for the page: highlighted pieces, the provenance gutter, changed literals, folding.

use crate::pipeline::adapt::Change;
use crate::sql::ComponentType;
use crate::sql::tokens::{TokenKind, tokenize};

/// The lines that one knowledge component covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The component's type.
    pub kind: ComponentType,
    /// First line, 1-based.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// What selecting it selects (an index into `KnowledgeBase::items`).
    pub key: u32,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Its text, without line ends.
    pub text: String,
    /// How it is highlighted.
    pub kind: TokenKind,
    /// What stood here before, where it was changed; empty where the piece was put in.
    pub was: Option<String>,
    /// Whether the engine pointed at it.
    pub error: bool,
}

/// The gutter beside a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gutter {
    /// Type whose colour the line has.
    pub kind: ComponentType,
    /// What selecting it selects.
    pub key: u32,
    /// Whether the line is the first of its run and carries the icon.
    pub starts: bool,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// 1-based.
    pub number: u32,
    /// Its text in pieces.
    pub pieces: Vec<Piece>,
    /// The component shown beside it: of those that cover it, the one with the fewest lines.
    pub gutter: Option<Gutter>,
    /// Every component that covers it, as (key, type).
    pub keys: Vec<(u32, ComponentType)>,
}

impl Line {
    /// What changed in this line, as it was before, in order.
    pub fn was(&self) -> Vec<&str> {
        self.pieces.iter().filter_map(|p| p.was.as_deref()).collect()
    }
}

/// Cuts `sql` into lines. `error` is the byte offset that the engine complained about. Changes and spans that
/// do not fit the text are left out. A result has at least one line.
pub fn lines(sql: &str, spans: &[Span], changes: &[Change], error: Option<usize>) -> Vec<Line> {
    let mut out = vec![Line { number: 1, ..Line::default() }];
    let fits = |c: &&Change| sql.is_char_boundary(c.start) && sql.is_char_boundary(c.end);
    let changes: Vec<&Change> = changes.iter().filter(fits).collect();
    // A piece that was left out has no text of its own: what it was stands where it would follow.
    let mut gone = changes.iter().filter(|change| change.start == change.end).peekable();
    for token in tokenize(sql) {
        let mut at = token.start;
        while let Some(change) = gone.next_if(|change| change.start <= token.start) {
            out.last_mut().into_iter().for_each(|line| line.pieces.push(left_out(change)));
        }
        for (end, was) in cuts(token.start, token.end, &changes) {
            let text = sql.get(at..end).unwrap_or_default();
            let error = error.is_some_and(|e| e >= at && e < end) && token.kind != TokenKind::Space;
            at = end;
            for (i, part) in text.split('\n').enumerate() {
                if i > 0 {
                    let number = out.len() as u32 + 1;
                    out.push(Line { number, ..Line::default() });
                }
                let part = part.strip_suffix('\r').unwrap_or(part);
                if let (Some(line), false) = (out.last_mut(), part.is_empty()) {
                    line.pieces.push(Piece {
                        text: part.to_owned(),
                        kind: token.kind,
                        was: was.clone(),
                        error,
                    });
                }
            }
        }
    }
    for change in gone {
        out.last_mut().into_iter().for_each(|line| line.pieces.push(left_out(change)));
    }
    for line in &mut out {
        add_spans(line, spans);
    }
    mark_starts(&mut out);
    out
}

/// The place of a change that left nothing.
fn left_out(change: &Change) -> Piece {
    let was = change.before.split_whitespace().collect::<Vec<_>>().join(" ");
    Piece { text: String::new(), kind: TokenKind::Space, was: Some(was), error: false }
}

/// Cuts the range of a token at the changes inside it: a date inside a longer string may have changed alone.
fn cuts(start: usize, end: usize, changes: &[&Change]) -> Vec<(usize, Option<String>)> {
    let mut out = Vec::new();
    let mut at = start;
    for change in changes {
        let (from, to) = (change.start.max(at), change.end.min(end));
        if from >= to {
            continue;
        }
        if from > at {
            out.push((from, None));
        }
        // The old value stands once, with the part of the change that comes first.
        out.push((to, (change.start >= start).then(|| change.before.clone())));
        at = to;
    }
    if at < end {
        out.push((end, None));
    }
    out
}

fn add_spans(line: &mut Line, spans: &[Span]) {
    let mut best: Option<&Span> = None;
    for span in spans.iter().filter(|s| s.first <= line.number && line.number <= s.last) {
        if !line.keys.iter().any(|(key, _)| *key == span.key) {
            line.keys.push((span.key, span.kind));
        }
        let length = |s: &Span| s.last - s.first;
        if best.is_none_or(|b| length(span) < length(b)) {
            best = Some(span);
        }
    }
    line.gutter = best.map(|s| Gutter { kind: s.kind, key: s.key, starts: true });
}

fn mark_starts(lines: &mut [Line]) {
    let mut before = None;
    for line in lines {
        if let Some(gutter) = &mut line.gutter {
            gutter.starts = before != Some(gutter.key);
            before = Some(gutter.key);
        } else {
            before = None;
        }
    }
}

/// What a folded view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The line of that index.
    Line(usize),
    /// A fold that stands for this many lines, from that index on.
    Hidden {
        /// Index of the first hidden line.
        from: usize,
        /// How many.
        count: usize,
    },
}

/// Folds SQL of more than `limit` lines to those that carry knowledge or a change; without any, to the first
/// `limit`. A fold of one line would save nothing, so that line is shown.
pub fn fold(lines: &[Line], limit: usize) -> Vec<Shown> {
    if lines.len() <= limit {
        return (0..lines.len()).map(Shown::Line).collect();
    }
    let carries =
        |line: &Line| line.gutter.is_some() || line.pieces.iter().any(|p| p.was.is_some() || p.error);
    let any = lines.iter().any(carries);
    let keep = |i: usize, line: &Line| if any { carries(line) } else { i < limit };
    let mut out: Vec<Shown> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if keep(i, line) {
            out.push(Shown::Line(i));
        } else if let Some(Shown::Hidden { count, .. }) = out.last_mut() {
            *count += 1;
        } else {
            out.push(Shown::Hidden { from: i, count: 1 });
        }
    }
    for shown in &mut out {
        if let Shown::Hidden { from, count: 1 } = *shown {
            *shown = Shown::Line(from);
        }
    }
    out
}

/// A piece of a skeleton; `kind` is None for a `<val>`.
#[derive(Debug, Clone, PartialEq)]
pub struct SkeletonPiece {
    /// Its text.
    pub text: String,
    /// How it is highlighted.
    pub kind: Option<TokenKind>,
}

/// Cuts a skeleton into highlighted pieces and `<val>` holes.
pub fn skeleton(text: &str) -> Vec<SkeletonPiece> {
    const HOLE: &str = "<val>";
    // A number of the same length in each hole's place keeps the rest of the skeleton what it is; in quotes it is
    // part of a string.
    let filled = text.replace(HOLE, "00000");
    let mut out: Vec<SkeletonPiece> = Vec::new();
    for token in tokenize(&filled) {
        let piece = text.get(token.start..token.end).unwrap_or_default();
        for (i, part) in piece.split(HOLE).enumerate() {
            if i > 0 {
                out.push(SkeletonPiece { text: HOLE.to_owned(), kind: None });
            }
            if !part.is_empty() {
                out.push(SkeletonPiece { text: part.to_owned(), kind: Some(token.kind) });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SQL: &str = "SELECT a\nFROM t\nWHERE b = 'HL' -- x\n  AND c = 1";

    fn span(first: u32, last: u32, key: u32) -> Span {
        Span { kind: ComponentType::Condition, first, last, key }
    }

    fn change(start: usize, end: usize, before: &str) -> Change {
        Change { start, end, before: before.into(), after: String::new(), reason: String::new() }
    }

    #[test]
    fn a_hole_in_quotes_does_not_make_the_rest_a_string() {
        let pieces = skeleton("STRFTIME('<val>', t.day) > <val>");
        let text: String = pieces.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(text, "STRFTIME('<val>', t.day) > <val>");
        assert_eq!(pieces.iter().filter(|p| p.kind.is_none()).count(), 2);
        let day = pieces.iter().find(|p| p.text == "day");
        assert_eq!(day.and_then(|p| p.kind), Some(TokenKind::Identifier));
    }

    #[test]
    fn changed_literals_keep_their_old_value() {
        let start = SQL.find("'HL'").unwrap_or_default();
        let got = lines(SQL, &[], &[change(start, start + 4, "'AX'")], None);
        assert_eq!(got.len(), 4);
        assert_eq!(got[2].was(), ["'AX'"]);
        let piece = got[2].pieces.iter().find(|p| p.was.is_some());
        assert_eq!(piece.map(|p| (p.text.as_str(), p.kind)), Some(("'HL'", TokenKind::String)));
    }

    #[test]
    fn what_was_left_out_is_told_where_it_stood() {
        let end = SQL.find(" -- x").unwrap_or_default();
        let got = lines(
            SQL,
            &[],
            &[change(end, end, "\n  AND d = 2"), change(SQL.len(), SQL.len(), "LIMIT 3")],
            None,
        );
        assert_eq!(got[2].was(), ["AND d = 2"]);
        assert_eq!(got[3].was(), ["LIMIT 3"]);
        let text: String = got[2].pieces.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(text, "WHERE b = 'HL' -- x");
    }

    #[test]
    fn a_change_inside_a_literal_cuts_it() {
        let got = lines("x = '2024-04-01'", &[], &[change(5, 9, "2023")], None);
        let texts: Vec<_> = got[0].pieces.iter().map(|p| (p.text.as_str(), p.was.is_some())).collect();
        assert!(texts.contains(&("'", false)) && texts.contains(&("2024", true)));
    }

    #[test]
    fn a_change_that_splits_a_character_is_left_out() {
        let got = lines("é = 1", &[], &[change(0, 1, "x")], None);
        assert_eq!(got[0].was(), Vec::<&str>::new());
    }

    #[test]
    fn the_shortest_component_has_the_gutter_and_its_first_line_the_icon() {
        let got = lines(SQL, &[span(1, 4, 1), span(3, 4, 2)], &[], None);
        let gutters: Vec<_> = got.iter().map(|l| l.gutter.map(|g| (g.key, g.starts))).collect();
        assert_eq!(gutters, [Some((1, true)), Some((1, false)), Some((2, true)), Some((2, false))]);
        assert_eq!(got[2].keys.len(), 2);
    }

    #[test]
    fn the_offending_token_is_marked() {
        let got = lines(SQL, &[], &[], Some(7));
        let marked: Vec<_> = got[0].pieces.iter().filter(|p| p.error).map(|p| p.text.as_str()).collect();
        assert_eq!(marked, ["a"]);
    }

    #[test]
    fn long_sql_folds_to_what_carries_knowledge() {
        let sql = "x\n".repeat(29);
        let plain = lines(&sql, &[], &[], None);
        assert_eq!(fold(&plain, 30).len(), 30);
        assert_eq!(fold(&plain, 24).last(), Some(&Shown::Hidden { from: 24, count: 6 }));
        let known = lines(&sql, &[span(2, 2, 1), span(4, 5, 2)], &[], None);
        assert_eq!(
            fold(&known, 24),
            [
                Shown::Line(0),
                Shown::Line(1),
                Shown::Line(2),
                Shown::Line(3),
                Shown::Line(4),
                Shown::Hidden { from: 5, count: 25 }
            ]
        );
    }

    #[test]
    fn holes_are_their_own_pieces() {
        let got = skeleton("a BETWEEN <val> AND <val>");
        assert_eq!(got.iter().filter(|p| p.kind.is_none()).count(), 2);
        assert!(got.iter().any(|p| p.text == "BETWEEN" && p.kind == Some(TokenKind::Keyword)));
    }

    proptest! {
        #[test]
        fn lines_join_to_the_text(sql in "[a-z'\"\\-\\n /*(é]{0,60}", at in prop::collection::vec((0usize..70, 0usize..70), 0..4)) {
            let changes: Vec<_> = at.into_iter().map(|(a, b)| change(a, b, "1")).collect();
            let joined: Vec<String> = lines(&sql, &[], &changes, Some(3))
                .into_iter()
                .map(|l| l.pieces.into_iter().map(|p| p.text).collect())
                .collect();
            prop_assert_eq!(joined.join("\n"), sql);
        }
    }
}
