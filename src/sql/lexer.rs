//! Cutting text into SQLite's lexical elements: linear, lossless, and total on any input.

/// What a lexical element is, before its neighbours are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lexeme {
    /// White space, and a byte order mark.
    Space,
    /// `-- …` up to the end of its line, or `/* … */`.
    Comment,
    /// A bare word: keyword, name or function.
    Word,
    /// A name in double quotes, backticks or brackets.
    QuotedName,
    /// `'…'` or `x'…'`.
    Text,
    /// An integer, decimal or hexadecimal number.
    Number,
    /// A bound parameter: `?1`, `:name`, `@name`, `$name`.
    Parameter,
    /// An operator or a punctuation mark; brackets, commas and semicolons stand alone.
    Mark,
}

/// Iterates over the lexical elements of a text as `(kind, start, end)` in bytes.
///
/// An unclosed string, name or comment runs to the end of the text, as in SQLite's own tokenizer.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the first byte of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The first position at or after `from` whose byte does not satisfy `inside`.
    fn run(&self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().position(|&b| !inside(b)).unwrap_or(rest.len())
    }

    /// The position just after the closing `quote` that ends a literal opened before `from`; a doubled
    /// quote stands for itself.
    fn closing(&self, mut from: usize, quote: u8) -> usize {
        loop {
            let end = self.run(from, |b| b != quote);
            if end >= self.text.len() {
                return self.text.len();
            }
            if quote != b']' && self.byte(end + 1) == quote {
                from = end + 2;
            } else {
                return end + 1;
            }
        }
    }

    /// Where a number that starts at `from` ends.
    fn number(&self, from: usize) -> usize {
        if self.byte(from) == b'0' && matches!(self.byte(from + 1), b'x' | b'X') {
            return self.run(from + 2, |b| b.is_ascii_hexdigit());
        }
        let digit = |b: u8| b.is_ascii_digit() || b == b'_';
        let mut end = self.run(from, digit);
        if self.byte(end) == b'.' {
            end = self.run(end + 1, digit);
        }
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
            if self.byte(end + 1 + sign).is_ascii_digit() {
                end = self.run(end + 1 + sign, digit);
            }
        }
        end
    }

    fn mark(&self, from: usize) -> usize {
        let two = [self.byte(from), self.byte(from + 1)];
        let three = self.byte(from + 2);
        match &two {
            b"->" if three == b'>' => from + 3,
            b"->" | b"==" | b"<>" | b"!=" | b"<=" | b">=" | b"||" | b"<<" | b">>" => from + 2,
            // A step of one character keeps the cut on a character border.
            _ => from + self.text.get(from..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8),
        }
    }
}

/// Whether a byte may stand inside a bare word; every non-ASCII byte may.
pub(crate) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80
}

impl Iterator for Lexer<'_> {
    type Item = (Lexeme, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        let next = self.byte(start + 1);
        let (kind, end) = match self.byte(start) {
            b if b.is_ascii_whitespace() || b == 0x0b => {
                (Lexeme::Space, self.run(start, |b| b.is_ascii_whitespace() || b == 0x0b))
            }
            0xef if self.text.get(start..).is_some_and(|t| t.starts_with('\u{feff}')) => {
                (Lexeme::Space, start + '\u{feff}'.len_utf8())
            }
            b'-' if next == b'-' => (Lexeme::Comment, self.run(start, |b| b != b'\n')),
            b'/' if next == b'*' => {
                let body = self.text.get(start + 2..).unwrap_or_default();
                (Lexeme::Comment, body.find("*/").map_or(self.text.len(), |i| start + 2 + i + 2))
            }
            b'\'' => (Lexeme::Text, self.closing(start + 1, b'\'')),
            b'x' | b'X' if next == b'\'' => (Lexeme::Text, self.closing(start + 2, b'\'')),
            b'"' => (Lexeme::QuotedName, self.closing(start + 1, b'"')),
            b'`' => (Lexeme::QuotedName, self.closing(start + 1, b'`')),
            b'[' => (Lexeme::QuotedName, self.closing(start + 1, b']')),
            b if b.is_ascii_digit() => (Lexeme::Number, self.number(start)),
            b'.' if next.is_ascii_digit() => (Lexeme::Number, self.number(start)),
            b'?' => (Lexeme::Parameter, self.run(start + 1, |b| b.is_ascii_digit())),
            b':' | b'@' | b'$' | b'#' if is_word_byte(next) => {
                (Lexeme::Parameter, self.run(start + 1, is_word_byte))
            }
            b if is_word_byte(b) => (Lexeme::Word, self.run(start, is_word_byte)),
            _ => (Lexeme::Mark, self.mark(start)),
        };
        self.at = end.max(start + 1);
        Some((kind, start, self.at))
    }
}
