//! WordPiece tokenization as BERT's uncased models, and MPNet's, were trained with.
//!
//! Text is cleaned, ideographs are set apart, accents dropped, letters lower-cased, punctuation split
//! off, and every word cut greedily into the longest pieces of the vocabulary. Special tokens are added
//! here and never recognised inside a text, so that a column named `[SEP]` stays ordinary text.

mod unicode;

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// A word of more characters than this becomes `[UNK]`, as in the reference implementation.
const MAX_WORD_CHARS: usize = 100;

/// Why a vocabulary cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// The file is not text.
    #[error("The vocabulary is not UTF-8 text; fetch vocab.txt again.")]
    NotText,
    /// A token every such vocabulary has is not there.
    #[error("The vocabulary has no {0} token; it is not the vocabulary of this kind of encoder.")]
    Missing(&'static str),
}

/// A WordPiece tokenizer with its vocabulary.
#[derive(Debug, Clone)]
pub struct WordPiece {
    /// Pieces that start a word.
    initial: HashMap<Box<str>, u32>,
    /// Pieces that continue a word, without their `##`.
    continuing: HashMap<Box<str>, u32>,
    longest: usize,
    size: usize,
    unk: u32,
    /// Id of the token before every text.
    start: u32,
    /// Id of the token after it.
    end: u32,
}

impl WordPiece {
    /// Reads `vocab.txt`: one token a line, its number the line's, counted from 0. A text stands between `[CLS]` and
    /// `[SEP]`, or between `<s>` and `</s>` where the vocabulary begins with `<s>`, as MPNet's does.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 or `[UNK]` or one of the two is missing.
    pub fn from_vocab(bytes: &[u8]) -> Result<Self, VocabularyError> {
        let text = std::str::from_utf8(bytes).map_err(|_| VocabularyError::NotText)?;
        let mut initial = HashMap::new();
        let mut continuing = HashMap::new();
        let mut longest = 0;
        let mut size = 0;
        for (id, line) in (0u32..).zip(text.lines()) {
            size += 1;
            match line.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => {
                    longest = longest.max(rest.len());
                    continuing.insert(rest.into(), id);
                }
                _ => {
                    longest = longest.max(line.len());
                    initial.insert(line.into(), id);
                }
            }
        }
        let (start, end) = if initial.get("<s>") == Some(&0) { ("<s>", "</s>") } else { ("[CLS]", "[SEP]") };
        let special =
            |token: &'static str| initial.get(token).copied().ok_or(VocabularyError::Missing(token));
        Ok(Self {
            unk: special("[UNK]")?,
            start: special(start)?,
            end: special(end)?,
            initial,
            continuing,
            longest,
            size,
        })
    }

    /// Number of tokens in the vocabulary.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Token ids of `text` between the two special tokens, at most `max_tokens` (2 or more) in all.
    ///
    /// Reading stops as soon as the limit is reached, so a text of any length costs no more than its
    /// first `max_tokens` tokens.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let room = max_tokens.saturating_sub(2);
        let mut ids = vec![self.start];
        let mut word = Word::default();
        for c in normalized(text) {
            if ids.len() > room {
                break;
            }
            if c == ' ' {
                self.finish(&mut word, &mut ids);
            } else if unicode::is_punctuation(c) {
                self.finish(&mut word, &mut ids);
                word.push(c);
                self.finish(&mut word, &mut ids);
            } else {
                word.push(c);
            }
        }
        self.finish(&mut word, &mut ids);
        ids.truncate(room + 1);
        ids.push(self.end);
        ids
    }

    /// Appends the pieces of `word`, or `[UNK]` when the vocabulary cannot spell it, and empties it.
    fn finish(&self, word: &mut Word, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = word.text.as_str();
        if word.chars > MAX_WORD_CHARS {
            ids.push(self.unk);
            rest = "";
        }
        while !rest.is_empty() {
            let pieces = if ids.len() == before { &self.initial } else { &self.continuing };
            match longest_prefix(rest, self.longest, pieces) {
                Some((length, id)) => {
                    ids.push(id);
                    rest = &rest[length..];
                }
                None => {
                    ids.truncate(before);
                    ids.push(self.unk);
                    break;
                }
            }
        }
        word.text.clear();
        word.chars = 0;
    }
}

/// The word being read; characters beyond the limit are counted but not kept.
#[derive(Default)]
struct Word {
    text: String,
    chars: usize,
}

impl Word {
    fn push(&mut self, c: char) {
        self.chars += 1;
        if self.chars <= MAX_WORD_CHARS {
            self.text.push(c);
        }
    }
}

/// Length in bytes and id of the longest piece that `text` starts with.
fn longest_prefix(text: &str, longest: usize, pieces: &HashMap<Box<str>, u32>) -> Option<(usize, u32)> {
    (1..=text.len().min(longest))
        .rev()
        .filter_map(|end| text.get(..end).map(|prefix| (end, prefix)))
        .find_map(|(end, prefix)| pieces.get(prefix).map(|&id| (end, id)))
}

/// The characters WordPiece sees, lazily: cleaned, white space as `' '`, ideographs between spaces,
/// decomposed, without accents, in lower case.
fn normalized(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|&c| !unicode::is_dropped(c))
        .flat_map(|c| {
            let (before, c, after) = if unicode::is_ideograph(c) {
                (Some(' '), c, Some(' '))
            } else if c.is_whitespace() {
                (None, ' ', None)
            } else {
                (None, c, None)
            };
            before.into_iter().chain([c]).chain(after)
        })
        .nfd()
        .filter(|&c| !unicode::is_accent(c))
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    const VOCAB: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhow\nmany\nsing\n##er\n##s\n?\n-\ncafe\n東\n京\na\n##a";

    fn tokenizer() -> WordPiece {
        WordPiece::from_vocab(VOCAB.as_bytes()).unwrap()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let ids = tokenizer().encode("How many singers?", 256);
        assert_eq!(ids, [2, 4, 5, 6, 7, 8, 9, 3]);
    }

    #[test]
    fn accents_case_controls_and_ideographs() {
        let t = tokenizer();
        assert_eq!(t.encode("CAFÉ\u{200b}\0", 256), [2, 11, 3]);
        assert_eq!(t.encode("cafe\u{301}", 256), [2, 11, 3]);
        assert_eq!(t.encode("東京how", 256), [2, 12, 13, 4, 3]);
        assert_eq!(t.encode("how\u{a0}many\u{2003}how\r\n", 256), [2, 4, 5, 4, 3]);
        assert_eq!(t.encode("how-many", 256), [2, 4, 10, 5, 3]);
    }

    #[test]
    fn unknown_long_and_empty_words() {
        let t = tokenizer();
        assert_eq!(t.encode("", 256), [2, 3]);
        assert_eq!(t.encode("  \t\n", 256), [2, 3]);
        assert_eq!(t.encode("howx many", 256), [2, 1, 5, 3]);
        assert_eq!(t.encode(&"a".repeat(100), 256).len(), 102);
        assert_eq!(t.encode(&"a".repeat(101), 256), [2, 1, 3]);
        assert_eq!(t.encode(&"a".repeat(10_000), 256), [2, 1, 3]);
    }

    #[test]
    fn special_tokens_in_a_text_are_text() {
        assert_eq!(tokenizer().encode("[SEP]", 256), [2, 1, 1, 1, 3]);
    }

    #[test]
    fn a_vocabulary_that_begins_with_s_has_other_special_tokens() {
        let vocabulary = "<s>\n<pad>\n</s>\n<unk>\n[UNK]\n[CLS]\n[SEP]\nhow";
        let t = WordPiece::from_vocab(vocabulary.as_bytes()).unwrap();
        assert_eq!(t.encode("how x", 256), [0, 7, 4, 2]);
    }

    #[test]
    fn truncation_counts_the_special_tokens() {
        let t = tokenizer();
        let ids = t.encode(&"how ".repeat(10_000), 256);
        assert_eq!((ids.len(), ids[0], ids[255]), (256, 2, 3));
        // A word whose pieces straddle the limit is cut at the limit.
        assert_eq!(t.encode("how many singers", 5), [2, 4, 5, 6, 3]);
        assert_eq!(t.encode("how", 2), [2, 3]);
    }

    #[test]
    fn a_foreign_vocabulary_is_refused() {
        assert_eq!(WordPiece::from_vocab(b"hello\nworld").unwrap_err(), VocabularyError::Missing("[UNK]"));
        assert_eq!(WordPiece::from_vocab(&[0xff, 0xfe]).unwrap_err(), VocabularyError::NotText);
    }

    proptest! {
        #[test]
        fn any_text_gives_ids_of_the_vocabulary(text in any::<String>(), max in 2usize..40) {
            let t = tokenizer();
            let ids = t.encode(&text, max);
            prop_assert!(ids.len() >= 2 && ids.len() <= max);
            prop_assert!(ids.iter().all(|&id| (id as usize) < t.size()));
            prop_assert_eq!((ids[0], ids[ids.len() - 1]), (2, 3));
        }

        #[test]
        fn a_limit_only_cuts(text in "[a-z ?\u{e9}\u{6771}-]{0,80}", max in 2usize..40) {
            let t = tokenizer();
            let (all, cut) = (t.encode(&text, 10_000), t.encode(&text, max));
            let kept = cut.len() - 1;
            prop_assert_eq!(&cut[..kept], &all[..kept]);
            prop_assert_eq!(cut.len(), all.len().min(max));
        }
    }
}
