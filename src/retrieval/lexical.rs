//! Which content words whole queries are described by, to tell apart what vectors blur ("skin" and "eye").

use std::collections::{BTreeSet, HashMap};

use super::words::{is_stop_word, stem, words};

/// Stemmed content words of the texts of a history.
#[derive(Debug, Clone, Default)]
pub(super) struct Lexical {
    numbers: HashMap<String, u32>,
    /// In how many texts each word occurs.
    holding: Vec<u32>,
    /// Words of each text, ascending.
    texts: Vec<Vec<u32>>,
}

impl Lexical {
    /// Reads one text after the other; linear in their length.
    pub fn new<'t>(texts: impl Iterator<Item = [&'t str; 2]>) -> Self {
        let mut lexical = Self::default();
        for parts in texts {
            let mut own = BTreeSet::new();
            for word in parts.into_iter().flat_map(words) {
                let lower = word.text.to_lowercase();
                if is_stop_word(&lower) {
                    continue;
                }
                let next = lexical.holding.len() as u32;
                let number = *lexical.numbers.entry(stem(&lower)).or_insert(next);
                if number == next {
                    lexical.holding.push(0);
                }
                own.insert(number);
            }
            for &number in &own {
                if let Some(count) = lexical.holding.get_mut(number as usize) {
                    *count += 1;
                }
            }
            lexical.texts.push(own.into_iter().collect());
        }
        lexical
    }

    /// The number of a word and its rarity: 1 for a word of one text, 0 for one of all; None for a word that no
    /// text holds.
    pub fn find(&self, word: &str) -> Option<(u32, f32)> {
        let number = *self.numbers.get(&stem(word))?;
        let holding = *self.holding.get(number as usize)? as f32;
        let all = (self.texts.len().max(2)) as f32;
        Some((number, (all / holding.max(1.0)).ln() / all.ln()))
    }

    /// Whether a text holds the word of that number.
    pub fn holds(&self, text: u32, word: u32) -> bool {
        self.texts.get(text as usize).is_some_and(|words| words.binary_search(&word).is_ok())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_inflection_does_not_matter() {
        let lexical =
            Lexical::new([["eye colours", ""], ["skin colour", "the eye"], ["weights", ""]].into_iter());
        let (eye, common) = lexical.find("eyes").unwrap();
        let (weight, rare) = lexical.find("weight").unwrap();
        assert!(rare > common && common > 0.0);
        assert!(lexical.holds(0, eye) && lexical.holds(1, eye) && !lexical.holds(2, eye));
        assert!(lexical.holds(2, weight));
        assert!(lexical.find("the").is_none() && lexical.find("absent").is_none());
    }
}
