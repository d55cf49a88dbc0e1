//! From the parser's positions to bytes, lines and the text of a piece.

use std::ops::Range;

use sqlparser::tokenizer::Location;

use super::lexer::{Lexeme, Lexer};

/// First and last position, as the parser counts them.
type Span = (Location, Location);

/// A query's text with its lexical elements, to find where a piece begins and ends.
///
/// sqlparser keeps positions of names and literals, not of brackets and most keywords; a piece is
/// therefore widened until its brackets and CASE … END are closed.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    sql: &'a str,
    /// Elements other than space and comments.
    elements: Vec<(Lexeme, usize, usize)>,
    /// First byte of each line.
    lines: Vec<usize>,
}

impl<'a> Text<'a> {
    /// Cuts the text; linear.
    pub(crate) fn new(sql: &'a str) -> Self {
        let elements =
            Lexer::new(sql).filter(|(kind, ..)| !matches!(kind, Lexeme::Space | Lexeme::Comment)).collect();
        let breaks = sql.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self { sql, elements, lines: std::iter::once(0).chain(breaks).collect() }
    }

    /// The byte at a position of the parser, which counts characters from 1.
    fn offset(&self, place: Location) -> Option<usize> {
        let line = usize::try_from(place.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(place.column).ok()?.checked_sub(1)?;
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied().unwrap_or(self.sql.len());
        let text = self.sql.get(start..end)?;
        let head = text.as_bytes().get(..column);
        if head.is_some_and(<[u8]>::is_ascii) {
            return Some(start + column);
        }
        Some(start + text.char_indices().nth(column).map_or(text.len(), |(i, _)| i))
    }

    fn word(&self, element: usize) -> &'a str {
        self.elements.get(element).and_then(|&(_, s, e)| self.sql.get(s..e)).unwrap_or_default()
    }

    fn is(&self, element: usize, words: &[&str]) -> bool {
        let word = self.word(element);
        words.iter().any(|w| w.eq_ignore_ascii_case(word))
    }

    fn opens(&self, element: usize) -> bool {
        self.is(element, &["(", "CASE"])
    }

    fn closes(&self, element: usize) -> bool {
        self.is(element, &[")", "END"])
    }

    /// The first and last element between two positions.
    fn between(&self, (start, end): Span) -> Option<(usize, usize)> {
        let (start, end) = (self.offset(start)?, self.offset(end)?);
        let first = self.elements.partition_point(|&(_, _, e)| e <= start);
        let last = self.elements.partition_point(|&(_, s, _)| s < end).checked_sub(1)?;
        (first <= last && last < self.elements.len()).then_some((first, last))
    }

    /// The first and last element of a piece; `bracketed` are parts of it inside brackets of their own,
    /// innermost first.
    fn elements(&self, span: Span, bracketed: &[Span]) -> Option<(usize, usize)> {
        let mut closed: Vec<(usize, usize)> = Vec::new();
        for inner in bracketed {
            let (mut first, mut last) = self.between(*inner)?;
            // What this pair of brackets holds comes just before it.
            while let Some(part) = closed.pop_if(|part| part.0 <= last && part.1 >= first) {
                first = first.min(part.0);
                last = last.max(part.1);
            }
            let (first, last) = self.widened(first, last);
            closed.push(self.stepped_out(first, last));
        }
        let (mut first, mut last) = self.between(span)?;
        for part in closed {
            first = first.min(part.0);
            last = last.max(part.1);
        }
        Some(self.widened(first, last))
    }

    /// The brackets around a balanced piece, with what belongs before and after them.
    fn stepped_out(&self, first: usize, last: usize) -> (usize, usize) {
        let mut depth = 0_usize;
        let mut opening = None;
        for i in (0..first).rev() {
            if self.closes(i) {
                depth += 1;
            } else if self.opens(i) {
                if depth == 0 {
                    opening = Some(i);
                    break;
                }
                depth -= 1;
            }
        }
        match opening {
            Some(open) => {
                let close = self.closed(last, 1);
                (self.with_prefix(open), self.with_suffix(close))
            }
            None => (first, last),
        }
    }

    /// Closes brackets and takes in what belongs before and after.
    fn widened(&self, mut first: usize, mut last: usize) -> (usize, usize) {
        let mut open = 0_usize;
        let mut missing = 0_usize;
        for i in first..=last {
            if self.opens(i) {
                open += 1;
            } else if self.closes(i) {
                if open > 0 { open -= 1 } else { missing += 1 }
            }
        }
        let mut closed = 0_usize;
        while missing > 0 && first > 0 {
            first -= 1;
            if self.closes(first) {
                closed += 1;
            } else if self.opens(first) {
                if closed > 0 { closed -= 1 } else { missing -= 1 }
            }
        }
        last = self.closed(last, open);
        first = self.with_prefix(first);
        (first, self.with_suffix(last))
    }

    /// The element after `last` that closes `open` brackets.
    fn closed(&self, mut last: usize, mut open: usize) -> usize {
        while open > 0 && last + 1 < self.elements.len() {
            last += 1;
            if self.opens(last) {
                open += 1;
            } else if self.closes(last) {
                open -= 1;
            }
        }
        last
    }

    /// Takes in a function's name before its bracket, and signs and negations.
    fn with_prefix(&self, mut first: usize) -> usize {
        while let Some(before) = first.checked_sub(1) {
            let is_function = self.word(first) == "("
                && self.elements.get(before).is_some_and(|e| e.0 == Lexeme::Word)
                && (self.is(before, &["CAST", "REPLACE", "EXISTS", "NOT"])
                    || !super::tokens::is_keyword(self.word(before)));
            let is_sign = self.is(before, &["-", "+", "~"])
                && before.checked_sub(1).is_none_or(|b| {
                    let kind = self.elements.get(b).map_or(Lexeme::Mark, |e| e.0);
                    (kind == Lexeme::Mark && self.word(b) != ")")
                        || (kind == Lexeme::Word
                            && super::tokens::is_keyword(self.word(b))
                            && !self.is(b, &["END", "NULL"]))
                });
            if is_function || is_sign || self.is(before, &["NOT", "EXISTS"]) {
                first = before;
            } else {
                break;
            }
        }
        first
    }

    /// Takes in `()` of a call without arguments, `IS NOT NULL`, `OVER (…)` and the like.
    fn with_suffix(&self, mut last: usize) -> usize {
        loop {
            let next = last + 1;
            if self.word(next) == "(" && self.word(next + 1) == ")" {
                last = next + 1;
            } else if self.word(next) == "(" && self.word(next + 1) == "*" && self.word(next + 2) == ")" {
                last = next + 2;
            } else if self.is(next, &["OVER"]) {
                last = if self.word(next + 1) == "(" { self.group_end(next + 1) } else { next + 1 };
            } else if self.is(next, &["IS"]) && self.is(next + 1, &["NOT"]) {
                last = next + 2;
            } else if self.is(next, &["IS"]) || (self.is(next, &["NOT"]) && self.is(next + 1, &["NULL"])) {
                last = next + 1;
            } else if self.is(next, &["ISNULL", "NOTNULL", "ASC", "DESC"]) {
                last = next;
            } else if self.is(next, &["NULLS"]) && self.is(next + 1, &["FIRST", "LAST"]) {
                last = next + 1;
            } else {
                return last.min(self.elements.len().saturating_sub(1));
            }
        }
    }

    /// The element that closes the bracket at `open`.
    fn group_end(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for i in open..self.elements.len() {
            if self.word(i) == "(" {
                depth += 1;
            } else if self.word(i) == ")" {
                depth -= 1;
                if depth == 0 {
                    return i;
                }
            }
        }
        self.elements.len().saturating_sub(1)
    }

    /// The bytes of a piece; `keyword` is the first word of its clause, taken in when it stands before.
    pub(crate) fn range(
        &self,
        span: Span,
        bracketed: &[Span],
        keyword: Option<&str>,
    ) -> Option<Range<usize>> {
        let (mut first, mut last) = self.elements(span, bracketed)?;
        if let Some((start, open)) = keyword.and_then(|k| self.clause_start(first, k)) {
            first = start;
            last = self.closed(last, open);
        }
        Some(self.elements.get(first)?.1..self.elements.get(last)?.2)
    }

    /// Where the clause that holds `first` begins, with the brackets opened in between, as in
    /// `SELECT DISTINCT(a)`.
    fn clause_start(&self, first: usize, keyword: &str) -> Option<(usize, usize)> {
        let (mut closed, mut open) = (0_usize, 0_usize);
        for i in (0..=first).rev() {
            if closed == 0 && self.is(i, &[keyword]) {
                return Some((i, open));
            }
            if i == first {
                continue;
            }
            if self.closes(i) {
                closed += 1;
            } else if self.opens(i) {
                if closed > 0 { closed -= 1 } else { open += 1 }
            }
        }
        None
    }

    /// The bytes of a literal; a negative one begins at its sign.
    pub(crate) fn literal(&self, start: Location, negative: bool) -> Option<Range<usize>> {
        let start = self.offset(start)?;
        let at = self.elements.partition_point(|&(_, _, e)| e <= start);
        let &(_, from, to) = self.elements.get(at)?;
        let sign = at.checked_sub(1).filter(|&i| negative && self.word(i) == "-");
        Some(sign.and_then(|i| self.elements.get(i)).map_or(from, |e| e.1)..to)
    }

    /// First and last line of a range, 1-based.
    pub(crate) fn lines(&self, range: &Range<usize>) -> (u32, u32) {
        let line = |at: usize| u32::try_from(self.lines.partition_point(|&s| s <= at)).unwrap_or(u32::MAX);
        (line(range.start), line(range.end.saturating_sub(1).max(range.start)))
    }

    /// The text of a range on one line, without comments.
    pub(crate) fn one_line(&self, range: &Range<usize>) -> String {
        let mut out = String::with_capacity(range.len());
        let first = self.elements.partition_point(|&(_, s, _)| s < range.start);
        let mut end = range.start;
        for &(_, s, e) in self.elements.iter().skip(first).take_while(|e| e.2 <= range.end) {
            if s > end {
                out.push(' ');
            }
            out.push_str(self.sql.get(s..e).unwrap_or_default());
            end = e;
        }
        out
    }
}
