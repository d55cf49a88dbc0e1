//! A rough number of tokens without a tokenizer: every model cuts text in its own way.

/// Tokens that wrap one message in a chat.
pub const PER_MESSAGE: u32 = 4;

/// Tokens of a text, estimated: a word is one token for every five letters begun, digits are one for every two,
/// every mark is one, spaces belong to the word after them, and letters beyond Latin, Greek and Cyrillic stand alone.
pub fn estimate(text: &str) -> u32 {
    let mut tokens: u32 = 0;
    let (mut letters, mut digits, mut spaces) = (0_u32, 0_u32, 0_u32);
    let mut flush = |letters: &mut u32, digits: &mut u32, spaces: &mut u32| {
        let run = letters.div_ceil(5) + digits.div_ceil(2) + u32::from(*spaces > 1);
        (*letters, *digits, *spaces) = (0, 0, 0);
        tokens = tokens.saturating_add(run);
    };
    let mut alone: u32 = 0;
    for c in text.chars() {
        let kind = match c {
            ' ' | '\t' => 0,
            c if c.is_ascii_digit() => 1,
            c if c.is_alphabetic() && u32::from(c) < 0x530 => 2,
            _ => 3,
        };
        let running = (letters > 0, digits > 0, spaces > 0);
        if !matches!(
            (kind, running),
            (0, (false, false, _)) | (1, (false, _, false)) | (2, (_, false, false))
        ) {
            flush(&mut letters, &mut digits, &mut spaces);
        }
        match kind {
            0 => spaces += 1,
            1 => digits += 1,
            2 => letters += 1,
            _ => alone = alone.saturating_add(1),
        }
    }
    flush(&mut letters, &mut digits, &mut spaces);
    tokens.saturating_add(alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_grows_with_the_text() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("the sailing"), 3);
        assert_eq!(estimate("2024"), 2);
        assert_eq!(estimate("a, b"), 3);
        assert_eq!(estimate("船は何隻"), 4);
        let once = estimate("SELECT count(*) FROM superhero WHERE height_cm > 180;\n");
        assert!((14..24).contains(&once), "{once}");
        assert_eq!(estimate(&"x ".repeat(1000)), 1000);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_an_estimate_of_at_most_its_characters(text in ".{0,200}") {
            let n = text.chars().count() as u32;
            proptest::prop_assert!(estimate(&text) <= n);
        }
    }
}
