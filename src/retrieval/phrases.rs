//! Phrases of a question, found by rules (BIRD-History, section 4, asks a language model for them).
//!
//! A phrase is matched against components, so it should be what one component is about: a noun chunk
//! ("eye colour"), a comparison ("height of over 180 cm"), a superlative ("most powers"), a grouping ("per
//! month"), a quoted value, or two chunks tied by a preposition. Overlapping word windows catch the rest.

use std::collections::HashSet;
use std::ops::Range;

use super::Phrase;
use super::words::{Word, is_stop_word, words};

/// Phrases of an ordinary question at most.
pub const MOST: usize = 24;
/// Phrases of any question at most: every phrase costs one pass of the encoder.
pub const MOST_OF_LONG: usize = 48;
/// Words of a chunk at most; longer ones are left to the windows.
const LONGEST_CHUNK: usize = 5;
/// Characters of a quoted phrase at most.
const LONGEST_QUOTE: usize = 120;

/// Words that open a comparison with a number.
const COMPARATORS: &[&str] = &[
    "above",
    "after",
    "before",
    "below",
    "between",
    "equal",
    "exceed",
    "exceeding",
    "exceeds",
    "fewer",
    "from",
    "greater",
    "heavier",
    "higher",
    "larger",
    "least",
    "less",
    "lower",
    "more",
    "most",
    "older",
    "over",
    "shorter",
    "since",
    "smaller",
    "taller",
    "under",
    "until",
    "younger",
];
/// Words that ask for an extreme; so does any word ending in "est".
const SUPERLATIVES: &[&str] =
    &["best", "bottom", "first", "last", "least", "maximum", "minimum", "most", "top", "worst"];
/// Words that end in "est" without being superlatives.
const NOT_SUPERLATIVE: &[&str] =
    &["interest", "request", "test", "rest", "west", "guest", "contest", "forest"];
/// Words that ask for groups.
const GROUPERS: &[&str] = &["by", "each", "every", "per"];

/// The phrases of a question, most telling kinds first; byte ranges lie on character boundaries and
/// `question[start..end] == text`. The same question always gives the same phrases.
pub fn phrases(question: &str) -> Vec<Phrase> {
    let words = words(question);
    let most = (words.len() / 2).clamp(MOST, MOST_OF_LONG);
    let text = Text::new(question, &words);
    let chunks = text.chunks();
    let kinds = [
        quoted(question),
        text.comparisons(),
        text.marked(),
        text.plain(&chunks),
        text.tied(&chunks),
        text.windows(),
    ];
    let mut seen = HashSet::new();
    let mut found: Vec<Phrase> = Vec::new();
    for kind in kinds {
        let fresh: Vec<Range<usize>> = kind
            .into_iter()
            .filter(|range| question.get(range.clone()).is_some_and(|text| seen.insert(text.to_lowercase())))
            .collect();
        for range in spread(&fresh, most.saturating_sub(found.len())) {
            let text = question[range.clone()].to_owned();
            found.push(Phrase { text, start: range.start, end: range.end });
        }
    }
    found
}

/// At most `room` of the ranges, evenly spread, so that the end of a long question is heard too.
fn spread(ranges: &[Range<usize>], room: usize) -> Vec<Range<usize>> {
    let taken = ranges.len().min(room);
    (0..taken).filter_map(|i| ranges.get(i * ranges.len() / taken).cloned()).collect()
}

/// What stands between quotation marks, without the marks and without white space at its ends.
pub(crate) fn quoted(question: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut before: Option<char> = None;
    while let Some(c) = question[from..].chars().next() {
        let start = from + c.len_utf8();
        let closing = match c {
            '"' | '`' => Some(c),
            // After a letter it is an apostrophe.
            '\'' if before.is_none_or(|before| !before.is_alphanumeric()) => Some(c),
            '“' => Some('”'),
            '‘' => Some('’'),
            '«' => Some('»'),
            '「' => Some('」'),
            '『' => Some('』'),
            _ => None,
        };
        before = Some(c);
        from = start;
        let Some(closing) = closing else { continue };
        let rest = &question[start..];
        let end = rest.char_indices().take(LONGEST_QUOTE).find(|&(at, next)| {
            let after = rest[at + next.len_utf8()..].chars().next();
            let inner = matches!(closing, '\'' | '’') && after.is_some_and(char::is_alphanumeric);
            next == closing && !inner
        });
        if let Some((length, _)) = end {
            let text = rest[..length].trim();
            if !text.is_empty() {
                let lead = rest[..length].len() - rest[..length].trim_start().len();
                found.push(start + lead..start + lead + text.len());
            }
            from = start + length + closing.len_utf8();
            before = Some(closing);
        }
    }
    found
}

/// A question as words, with what the rules ask of each word. Ranges of words are half-open.
struct Text<'a> {
    question: &'a str,
    words: &'a [Word<'a>],
    lower: Vec<String>,
    content: Vec<bool>,
}

impl<'a> Text<'a> {
    fn new(question: &'a str, words: &'a [Word<'a>]) -> Self {
        let lower: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
        let content = lower.iter().map(|word| !is_stop_word(word)).collect();
        Self { question, words, lower, content }
    }

    /// Bytes of a run of words.
    fn bytes(&self, run: Range<usize>) -> Option<Range<usize>> {
        let words = self.words.get(run)?;
        Some(words.first()?.start..words.last()?.end)
    }

    fn content(&self, word: usize) -> bool {
        self.content.get(word).copied().unwrap_or(false)
    }

    fn breaks(&self, word: usize) -> bool {
        self.words.get(word).is_none_or(|word| word.breaks)
    }

    fn number(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn is(&self, word: usize, list: &[&str]) -> bool {
        self.lower.get(word).is_some_and(|word| list.contains(&word.as_str()))
    }

    fn superlative(&self, word: usize) -> bool {
        let est = self.lower.get(word).is_some_and(|word| word.len() > 4 && word.ends_with("est"));
        self.is(word, SUPERLATIVES) || (est && !self.is(word, NOT_SUPERLATIVE))
    }

    /// Longest runs of content words without a break, in unspaced scripts cut into pieces of four.
    fn chunks(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in (0..self.words.len()).filter(|&at| self.content(at)) {
            let unspaced = self.words[at].unspaced;
            match found.last_mut() {
                Some(last)
                    if last.end == at
                        && !self.breaks(at)
                        && self.words[at - 1].unspaced == unspaced
                        && !(unspaced && last.len() == 4) =>
                {
                    last.end = at + 1;
                }
                _ => found.push(at..at + 1),
            }
        }
        found
    }

    /// A comparison word with its number: back to the chunk before it, on to one unit after it.
    fn comparisons(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for at in (0..self.words.len()).filter(|&at| self.is(at, COMPARATORS)) {
            let last =
                (at + 1..at + 7).take_while(|&next| !self.breaks(next)).filter(|&next| self.number(next));
            // "between 150 to 180" ends at its second number, but "over 180 and 5 more" at its first.
            let numbers: Vec<usize> = last.take(2).collect();
            let range = self.is(at, &["between", "from"]);
            let Some(&number) =
                (if range { numbers.last() } else { numbers.first().filter(|&&n| n < at + 5) })
            else {
                continue;
            };
            let mut start = at;
            while start > 0 && at - start < 4 && !self.breaks(start) {
                start -= 1;
            }
            while start < at && !self.content(start) {
                start += 1;
            }
            let mut end = number + 1;
            if self.content(end) && !self.breaks(end) {
                end += 1;
            }
            found.extend(self.bytes(start..end));
        }
        found
    }

    /// Superlatives with what they are about, and groupings with what they group by.
    fn marked(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for at in 0..self.words.len() {
            let grouping = self.is(at, GROUPERS);
            if !grouping && !self.superlative(at) {
                continue;
            }
            let mut end = at + 1;
            while end < at + 4 && !self.breaks(end) && (self.content(end) || self.is(end, &["each", "of"])) {
                end += 1;
            }
            while end > at + 1 && !self.content(end - 1) {
                end -= 1;
            }
            // A grouping word alone says nothing.
            if !grouping || end > at + 1 {
                found.extend(self.bytes(at..end));
            }
        }
        found
    }

    fn plain(&self, chunks: &[Range<usize>]) -> Vec<Range<usize>> {
        let telling =
            |run: &&Range<usize>| run.len() <= LONGEST_CHUNK && !(run.len() == 1 && self.number(run.start));
        chunks.iter().filter(telling).filter_map(|run| self.bytes(run.clone())).collect()
    }

    /// Two neighbouring chunks with what stands between them ("eye colour of Blackwulf").
    fn tied(&self, chunks: &[Range<usize>]) -> Vec<Range<usize>> {
        let pairs = chunks.iter().zip(chunks.iter().skip(1)).filter(|(a, b)| {
            let unbroken = (a.end..=b.start).all(|at| !self.breaks(at));
            unbroken && b.start - a.end <= 2 && b.end - a.start <= LONGEST_CHUNK + 2
        });
        pairs.filter_map(|(a, b)| self.bytes(a.start..b.end)).collect()
    }

    /// Overlapping windows of three and two words that begin and end with content.
    fn windows(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for length in [3usize, 2, 4] {
            for start in 0..self.words.len().saturating_sub(length - 1) {
                let end = start + length;
                let unbroken = (start + 1..end).all(|at| !self.breaks(at));
                if unbroken && self.content(start) && self.content(end - 1) {
                    found.extend(self.bytes(start..end).filter(|bytes| bytes.end <= self.question.len()));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use proptest::prelude::*;

    fn texts(question: &str) -> Vec<String> {
        phrases(question).into_iter().map(|phrase| phrase.text).collect()
    }

    #[track_caller]
    fn has(question: &str, wanted: &[&str]) {
        let found = texts(question);
        for phrase in wanted {
            assert!(found.iter().any(|text| text == phrase), "{phrase:?} is missing from {found:?}");
        }
    }

    proptest! {
        #[test]
        fn ranges_are_valid_for_any_text(question in "\\PC{0,300}") {
            let found = phrases(&question);
            prop_assert!(found.len() <= MOST_OF_LONG);
            for phrase in &found {
                prop_assert_eq!(question.get(phrase.start..phrase.end), Some(phrase.text.as_str()));
                prop_assert!(!phrase.text.trim().is_empty());
            }
            prop_assert_eq!(phrases(&question), found);
        }

        #[test]
        fn ranges_are_valid_around_marks(question in "[a \"'’“”「」`«»5é蓝.,-]{0,60}") {
            for phrase in phrases(&question) {
                prop_assert_eq!(question.get(phrase.start..phrase.end), Some(phrase.text.as_str()));
            }
        }
    }

    #[test]
    fn finds_what_a_component_is_about() {
        has(
            "Among villains with a height of over 180cm, which publishers have the most powers per month?",
            &["villains", "height of over 180cm", "publishers", "most powers", "per month"],
        );
        has(
            "How many gold-eyed superheroes did Marvel Comics publish?",
            &["gold-eyed superheroes", "Marvel Comics publish"],
        );
        has(
            "Heroes between 150 to 180 cm with the power of 'Death Touch'",
            &["Heroes between 150 to 180 cm", "Death Touch"],
        );
        has(
            "What is the eye colour of Blackwulf's friend",
            &["eye colour of Blackwulf's friend", "eye colour"],
        );
        has("Who is the tallest superhero?", &["tallest superhero"]);
    }

    #[test]
    fn quotes_are_whole_and_apostrophes_do_not_quote() {
        let question = "Copycat's \"Super Strength\" and 'O'Neil's bar' or “Größe”";
        let found: Vec<&str> = quoted(question).into_iter().map(|range| &question[range]).collect();
        assert_eq!(found, ["Super Strength", "O'Neil's bar", "Größe"]);
        assert!(quoted("an \" unclosed one").is_empty());
    }

    #[test]
    fn chinese_is_cut_into_pieces() {
        let found = texts("蓝眼睛的超级英雄有多少？");
        assert!(!found.is_empty() && found.iter().all(|text| text.chars().count() <= 10), "{found:?}");
    }

    #[test]
    fn a_long_question_is_capped_and_heard_to_its_end() {
        let question: String = (0..2000).map(|i| format!("word{i}, ")).collect();
        let found = phrases(&question);
        assert_eq!(found.len(), MOST_OF_LONG);
        assert!(found.iter().any(|phrase| phrase.start > question.len() * 9 / 10));
        assert!(phrases("").is_empty());
        assert!(phrases("what is the").is_empty());
    }
}
