//! Which letters of an entry were found.

use super::Entry;
use super::fit::{Text, begins, folded};

/// A piece of a text, found or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Whether these letters were found.
    pub hit: bool,
}

/// Letters before the first found one that are shown, where a long text is cut at its beginning.
const BEFORE: usize = 16;
/// Letters of such a text that are shown at most.
const LONGEST: usize = 160;

/// The name and what stands beside it, both in pieces: the detail, or of the other texts the one that holds words which
/// the name does not.
pub fn shown(entry: &Entry, words: &[String]) -> (Vec<Piece>, Vec<Piece>) {
    let title = Text::new(&entry.title);
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for word in words {
        match in_title(&title, word) {
            // Letters strewn over the name are a guess; another text may hold the word itself.
            Some((ranges, sure)) => {
                if !sure {
                    missing.push(word);
                }
                found.push((ranges, sure));
            }
            None => missing.push(word),
        }
    }
    let detail = beside(entry, &missing);
    // What another text holds was found there.
    let ranges = found.into_iter().filter(|(_, sure)| *sure || detail.iter().all(|piece| !piece.hit));
    let ranges = ranges.flat_map(|(ranges, _)| ranges).collect();
    (pieces(&entry.title, ranges), detail)
}

type Range = (usize, usize);

/// Where the word stands in a folded name, and whether it stands there in one piece.
fn in_title(title: &Text, word: &str) -> Option<(Vec<Range>, bool)> {
    let mut places = title.lower.match_indices(word).map(|(at, _)| at);
    let first = places.clone().find(|at| title.begins(*at)).or_else(|| places.next());
    if let Some(at) = first {
        return Some((vec![(at, at + word.len())], true));
    }
    let places = title.letters(word)?;
    let ranges = places.iter().zip(word.chars()).map(|(at, letter)| (*at, at + letter.len_utf8())).collect();
    Some((ranges, false))
}

fn beside(entry: &Entry, missing: &[&String]) -> Vec<Piece> {
    let plain = || pieces(&entry.detail, Vec::new());
    if missing.is_empty() {
        return plain();
    }
    let texts = std::iter::once(&entry.detail).chain(&entry.words);
    let held = |text: &String| {
        let lower = folded(text);
        let place = |word: &&&String| {
            let mut places = lower.match_indices(word.as_str()).map(|(at, _)| at);
            let at = places.clone().find(|at| begins(&lower, *at)).or_else(|| places.next())?;
            Some((at, at + word.len()))
        };
        missing.iter().filter_map(|word| place(&word)).collect::<Vec<Range>>()
    };
    // Of two that hold as many words the first: the detail, then the texts in their order.
    let best = texts
        .map(|text| (held(text), text))
        .reduce(|best, next| if next.0.len() > best.0.len() { next } else { best });
    match best {
        Some((ranges, text)) if !ranges.is_empty() => cut(pieces(text, ranges)),
        _ => plain(),
    }
}

/// A text in pieces; the ranges are of its folded form.
fn pieces(text: &str, mut ranges: Vec<Range>) -> Vec<Piece> {
    ranges.sort_unstable();
    let mut out: Vec<Piece> = Vec::new();
    let mut at = 0;
    for letter in text.chars() {
        let end = at + letter.to_lowercase().map(char::len_utf8).sum::<usize>();
        let hit = ranges.iter().any(|(from, to)| *from < end && at < *to);
        at = end;
        match out.last_mut() {
            Some(last) if last.hit == hit => last.text.push(letter),
            _ => out.push(Piece { text: letter.to_string(), hit }),
        }
    }
    out
}

/// Brings the first found letters of a long text into view, and leaves out its end.
fn cut(mut pieces: Vec<Piece>) -> Vec<Piece> {
    if let [first, _, ..] = pieces.as_mut_slice()
        && !first.hit
    {
        let letters = first.text.chars().count();
        if letters > 2 * BEFORE {
            let tail: String = first.text.chars().skip(letters - BEFORE).collect();
            let words = tail.split_once(' ').map(|(_, words)| words).filter(|words| !words.is_empty());
            first.text = format!("…{}", words.unwrap_or(&tail));
        }
    }
    let mut room = LONGEST;
    for piece in &mut pieces {
        let letters = piece.text.chars().count();
        if letters > room {
            piece.text = piece.text.chars().take(room).collect();
        }
        room = room.saturating_sub(letters);
    }
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}
