//! Words of a text with their places, shared by phrase extraction and by the matching of values.

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// As written.
    pub text: &'a str,
    /// Byte offset of its first character.
    pub start: usize,
    /// Byte offset after its last character.
    pub end: usize,
    /// Whether punctuation that ends a thought stands before it.
    pub breaks: bool,
    /// Whether it is one character of a script written without spaces.
    pub unspaced: bool,
}

/// Whether a character belongs to a script that is written without spaces (Han, Kana, Hangul is spaced).
fn unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Punctuation that may stand between the words of one phrase.
fn joins(c: char) -> bool {
    c.is_whitespace() && c != '\n'
        || matches!(c, '-' | '\'' | '’' | '/' | '&' | '_' | '%' | '$' | '€' | '£' | '+' | '#')
}

/// Splits at everything that is neither letter nor digit; digits keep their inner points and commas
/// ("1,000.5"), letters their inner apostrophe ("don't") except a possessive 's, and characters of
/// unspaced scripts stand alone.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut breaks = false;
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        if unspaced(c) {
            found.push(Word { text: &text[start..end], start, end, breaks, unspaced: true });
            breaks = false;
            continue;
        }
        if !c.is_alphanumeric() {
            let possessive = found.last().is_some_and(|word| word.end == start);
            breaks |= !joins(c);
            if matches!(c, '\'' | '’') && possessive {
                // Leaves out the s of a possessive.
                let mut ahead = chars.clone();
                if ahead.next().is_some_and(|(_, s)| matches!(s, 's' | 'S'))
                    && ahead.next().is_none_or(|(_, next)| !next.is_alphanumeric())
                {
                    chars.next();
                }
            }
            continue;
        }
        while let Some(&(at, next)) = chars.peek() {
            if next.is_alphanumeric() && !unspaced(next) {
                end = at + next.len_utf8();
                chars.next();
                continue;
            }
            let after = text[at + next.len_utf8()..].chars().next();
            let digits = text[start..end].ends_with(|c: char| c.is_ascii_digit())
                && after.is_some_and(|c| c.is_ascii_digit());
            let possessive = matches!(after, Some('s' | 'S'))
                && text[at + next.len_utf8() + 1..].chars().next().is_none_or(|c| !c.is_alphanumeric());
            let letters = after.is_some_and(char::is_alphabetic) && !possessive;
            if (matches!(next, '.' | ',') && digits) || (matches!(next, '\'' | '’') && letters) {
                chars.next();
                continue;
            }
            break;
        }
        found.push(Word { text: &text[start..end], start, end, breaks, unspaced: false });
        breaks = false;
    }
    found
}

/// Words that carry no content of their own in a question about data.
const STOP_WORDS: &str = "
    a about above all also am among an and any are as at be been being below between both but by
    calculate can could count did do does down each every find for from give had has have having he
    her his how i identify if in indicate into is it its kindly list many me mention much name no not
    of on or our out over please provide really return said same she should show so some state such
    tell than that the their them then there these they this those to under us was we were what when
    where which while who whom whose why will with within without would you your
";

/// Whether a word, in lower case, carries no content of its own.
pub(crate) fn is_stop_word(lower: &str) -> bool {
    STOP_WORDS.split_ascii_whitespace().any(|word| word == lower)
}

/// Stems of the words of a text that carry content, in their order.
pub(crate) fn content<C: FromIterator<String>>(text: &str) -> C {
    let lower = words(text).into_iter().map(|word| word.text.to_lowercase());
    lower.filter(|word| !is_stop_word(word)).map(|word| stem(&word)).collect()
}

/// The same where the text may be a name of a schema, whose words have underscores between them.
pub(crate) fn content_of_names<C: FromIterator<String>>(text: &str) -> C {
    content(&text.replace('_', " "))
}

/// A word in lower case without simple English inflection: "Categories" and "category" meet, and so do
/// "skinned" and "skin". Rough on purpose: both sides of every comparison pass through it.
pub(crate) fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if !lower.is_ascii() || lower.len() < 4 || lower.bytes().any(|b| b.is_ascii_digit()) {
        return lower;
    }
    let cut = |suffix: &str| lower.strip_suffix(suffix).map(str::to_owned);
    if let Some(root) = cut("ies").filter(|root| root.len() > 2) {
        return root + "y";
    }
    for suffix in ["sses", "shes", "ches", "xes"] {
        if lower.ends_with(suffix) {
            return lower[..lower.len() - 2].to_owned();
        }
    }
    if let Some(root) = cut("s").filter(|root| !root.ends_with(['s', 'u', 'i'])) {
        return stem(&root);
    }
    if lower.len() == 4 && lower.ends_with("ed") {
        return lower[..3].to_owned();
    }
    for suffix in ["ing", "ed"] {
        if let Some(mut root) = cut(suffix).filter(|root| root.len() > 2) {
            let mut last = root.bytes().rev();
            if let (Some(a), Some(b)) = (last.next(), last.next())
                && a == b
                && !matches!(a, b'l' | b's' | b'e')
            {
                root.pop();
            }
            return root.strip_suffix('e').map(str::to_owned).unwrap_or(root);
        }
    }
    cut("e").filter(|root| root.len() > 2).unwrap_or(lower)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn splits_words_numbers_and_possessives() {
        assert_eq!(texts("Copycat's race, 1,000.5 kg"), ["Copycat", "race", "1,000.5", "kg"]);
        assert_eq!(texts("gold-eyed, don't; heroes' 3."), ["gold", "eyed", "don't", "heroes", "3"]);
        assert_eq!(texts("蓝眼睛 2019年"), ["蓝", "眼", "睛", "2019", "年"]);
        assert!(texts("?! ''").is_empty());
    }

    #[test]
    fn knows_where_a_thought_ends() {
        let breaks: Vec<bool> = words("one two, three-four (five)").into_iter().map(|w| w.breaks).collect();
        assert_eq!(breaks, [false, false, true, false, true]);
    }

    #[test]
    fn stems_meet() {
        for (a, b) in [
            ("categories", "category"),
            ("skinned", "skin"),
            ("superheroes", "superhero"),
            ("published", "publish"),
            ("publishes", "publish"),
            ("boxes", "box"),
            ("weighing", "weigh"),
            ("names", "name"),
            ("eyed", "eyes"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_ne!(stem("gender"), stem("race"));
        assert_eq!(stem("status"), "status");
    }
}
