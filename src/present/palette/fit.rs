//! How well a typed word fits a text.

use super::Entry;

/// How a word fits an entry, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is the name.
    Whole,
    /// The name begins with it.
    Start,
    /// A word of the name begins with it.
    WordStart,
    /// A word of the other texts begins with it.
    Other,
    /// The name holds it.
    Within,
    /// The other texts hold it.
    OtherWithin,
    /// Its letters stand in the name in this order; with the number of pieces they stand in.
    Letters(u8),
}

impl Fit {
    /// A figure that several words' fits are summed by.
    pub fn cost(self) -> u32 {
        match self {
            Self::Whole => 0,
            Self::Start => 1,
            Self::WordStart => 2,
            Self::Other => 4,
            Self::Within => 5,
            Self::OtherWithin => 8,
            Self::Letters(pieces) => 16 + u32::from(pieces),
        }
    }
}

/// An entry's texts in lower case.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    title: Text,
    other: String,
    /// The letters of the title, and of all texts: a word with another letter needs no search.
    title_letters: Letters,
    letters: Letters,
}

/// A set of letters. Rare ones share their places, so it may hold more than it was given, never less.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters(u64);

impl Letters {
    /// The letters of a folded text.
    pub fn of(text: &str) -> Self {
        Self(text.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % 64)))
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

/// A text in lower case, with the places where its words begin.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The text.
    pub lower: String,
    /// Offsets into it.
    pub starts: Vec<u32>,
}

/// A text in lower case, letter by letter, so that each letter's place in the original is known.
pub fn folded(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

impl Text {
    /// Folds a text. Words begin after what is no letter or digit, and where a capital follows a small letter.
    pub fn new(text: &str) -> Self {
        let mut found = Self { lower: String::with_capacity(text.len()), starts: Vec::new() };
        let mut before = ' ';
        for c in text.chars() {
            if c.is_alphanumeric() && (!before.is_alphanumeric() || before.is_lowercase() && c.is_uppercase())
            {
                found.starts.push(u32::try_from(found.lower.len()).unwrap_or(u32::MAX));
            }
            found.lower.extend(c.to_lowercase());
            before = c;
        }
        found
    }

    /// Whether a word begins at this offset.
    pub fn begins(&self, at: usize) -> bool {
        u32::try_from(at).is_ok_and(|at| self.starts.binary_search(&at).is_ok())
    }

    /// The offsets of the letters of `word`, in order, from the beginning of a word on and not too far apart; the choice
    /// with the fewest pieces. Nearly all pieces begin a word: strewn letters are a chance.
    pub fn letters(&self, word: &str) -> Option<Vec<usize>> {
        let (reach, most_inner) = (8 + 4 * word.len(), word.chars().count() / 3);
        let from = |start: &u32| {
            let start = *start as usize;
            let mut places = Vec::with_capacity(word.len());
            let mut at = start;
            for letter in word.chars() {
                let found = at + self.lower.get(at..)?.find(letter)?;
                if places.is_empty() && found != start || found - start > reach {
                    return None;
                }
                places.push(found);
                at = found + letter.len_utf8();
            }
            Some(places)
        };
        let near = |places: &Vec<usize>| {
            let inner = self.heads(places).filter(|at| !self.begins(*at)).count();
            inner <= most_inner
        };
        self.starts.iter().filter_map(from).filter(near).min_by_key(|places| self.pieces(places))
    }

    /// In how many pieces the letters at these offsets stand.
    pub fn pieces(&self, places: &[usize]) -> u8 {
        u8::try_from(self.heads(places).count()).unwrap_or(u8::MAX)
    }

    /// Where these pieces begin.
    fn heads<'a>(&'a self, places: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let mut end = None;
        places.iter().copied().filter(move |at| {
            let width = self.lower.get(*at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8);
            end.replace(at + width) != Some(*at)
        })
    }
}

impl Folded {
    /// Folds an entry's texts.
    pub fn new(entry: &Entry) -> Self {
        let mut other = String::new();
        let more = [entry.kind.name(), entry.detail.as_str()];
        for text in more.into_iter().chain(entry.words.iter().map(String::as_str)) {
            other.push('\n');
            other.extend(text.chars().flat_map(char::to_lowercase));
        }
        let title = Text::new(&entry.title);
        let title_letters = Letters::of(&title.lower);
        let letters = title_letters.with(Letters::of(&other));
        Self { title, other, title_letters, letters }
    }

    /// How a folded word, which has these letters, fits; None where it does not.
    pub fn fit(&self, word: &str, letters: Letters) -> Option<Fit> {
        if !self.letters.has(letters) {
            return None;
        }
        let title = &self.title;
        let mut within = false;
        for (at, _) in title.lower.match_indices(word) {
            within = true;
            if at == 0 {
                return Some(if title.lower.len() == word.len() { Fit::Whole } else { Fit::Start });
            }
            if title.begins(at) {
                return Some(Fit::WordStart);
            }
        }
        let mut other_within = false;
        for (at, _) in self.other.match_indices(word) {
            other_within = true;
            if begins(&self.other, at) {
                return Some(Fit::Other);
            }
        }
        if within {
            return Some(Fit::Within);
        }
        if other_within {
            return Some(Fit::OtherWithin);
        }
        if !self.title_letters.has(letters) {
            return None;
        }
        // One letter stands somewhere in nearly every name.
        word.chars().nth(1)?;
        title.letters(word).map(|places| Fit::Letters(title.pieces(&places)))
    }
}

/// Whether a word of a folded text begins at this offset.
pub fn begins(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    !before.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::present::palette::{Kind, Target};

    proptest! {
        #[test]
        fn letters_rule_out_only_what_does_not_fit(title in "[a-cA-C_0-2 éß]{0,12}", other in "[a-d .]{0,12}", word in "[a-d0-2éß_]{1,4}") {
            let mut entry = Entry::new(Target::Demo, Kind::Table, title);
            entry.words.push(other);
            let quick = Folded::new(&entry);
            let any = Letters(u64::MAX);
            let slow = Folded { title_letters: any, letters: any, ..quick.clone() };
            let word = folded(&word);
            prop_assert_eq!(quick.fit(&word, Letters::of(&word)), slow.fit(&word, Letters::of(&word)));
        }
    }
}
