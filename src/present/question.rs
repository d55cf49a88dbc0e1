//! A question cut into plain and underlined pieces.

use crate::sql::ComponentType;

/// A phrase of the question and the kind of knowledge it led to.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// Byte range in the question.
    pub start: usize,
    /// End of the byte range, exclusive.
    pub end: usize,
    /// The component type of the knowledge it matched; None for a phrase that names a value.
    pub kind: Option<ComponentType>,
}

/// A piece of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// None for plain text; otherwise what the phrase stands for.
    pub mark: Option<Option<ComponentType>>,
}

/// Cuts `question` at `marks`. Ranges that overlap an earlier one, leave the text or split a character are
/// left out: they come from an older version of the text while the user is typing.
pub fn pieces(question: &str, marks: &[Marked]) -> Vec<Piece> {
    let mut sorted: Vec<&Marked> = marks.iter().filter(|m| m.start < m.end).collect();
    sorted.sort_by_key(|m| (m.start, m.end));
    let mut out = Vec::new();
    let mut at = 0;
    for mark in sorted {
        if mark.start < at {
            continue;
        }
        let (Some(before), Some(text)) = (question.get(at..mark.start), question.get(mark.start..mark.end))
        else {
            continue;
        };
        if !before.is_empty() {
            out.push(Piece { text: before.to_owned(), mark: None });
        }
        out.push(Piece { text: text.to_owned(), mark: Some(mark.kind) });
        at = mark.end;
    }
    if let Some(rest) = question.get(at..).filter(|r| !r.is_empty()) {
        out.push(Piece { text: rest.to_owned(), mark: None });
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark(start: usize, end: usize) -> Marked {
        Marked { start, end, kind: Some(ComponentType::Dimension) }
    }

    #[test]
    fn marks_cut_the_text_in_order() {
        let got = pieces("share by month", &[mark(6, 14), mark(0, 5)]);
        let texts: Vec<_> = got.iter().map(|p| (p.text.as_str(), p.mark.is_some())).collect();
        assert_eq!(texts, [("share", true), (" ", false), ("by month", true)]);
    }

    #[test]
    fn overlapping_and_outdated_marks_are_left_out() {
        let got = pieces("über", &[mark(0, 2), mark(1, 3), mark(1, 4), mark(2, 99)]);
        let texts: Vec<_> = got.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["ü", "ber"]);
    }

    proptest! {
        #[test]
        fn pieces_always_join_to_the_question(q in ".{0,40}", ranges in prop::collection::vec((0usize..60, 0usize..60), 0..8)) {
            let marks: Vec<_> = ranges.into_iter().map(|(a, b)| mark(a, b)).collect();
            let joined: String = pieces(&q, &marks).into_iter().map(|p| p.text).collect();
            prop_assert_eq!(joined, q);
        }
    }
}
