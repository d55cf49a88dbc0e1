//! From what a model writes to what was asked for: SQL or JSON, whatever stands around it.

pub mod json;
pub mod sql;

pub use json::{NoJson, json};
pub use sql::{Extracted, NoSql, sql};

/// Tags between which models think aloud.
const TAGS: [&str; 5] = ["think", "thinking", "thought", "reasoning", "scratchpad"];

/// The answer without what stands between thinking tags, and whether thinking was opened and never closed; linear. A
/// closing tag alone ends thinking that began before the answer.
pub fn without_thinking(text: &str) -> (String, bool) {
    let mut kept = String::new();
    let mut thinking = None;
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        let Some((name, closes, length)) = tag(text.get(at..).unwrap_or_default()) else { continue };
        match (thinking, closes) {
            (None, false) => {
                kept.push_str(text.get(from..at).unwrap_or_default());
                thinking = Some(name);
            }
            (None, true) => kept.clear(),
            (Some(open), true) if open == name => thinking = None,
            _ => continue,
        }
        from = at + length;
    }
    if thinking.is_none() {
        kept.push_str(text.get(from..).unwrap_or_default());
    }
    (kept.trim().to_owned(), thinking.is_some())
}

/// The thinking tag that a text begins with: its name, whether it closes, its bytes.
fn tag(text: &str) -> Option<(&'static str, bool, usize)> {
    let closes = text.starts_with("</");
    let start = if closes { 2 } else { 1 };
    let is = |name: &&&str| {
        let end = start + name.len();
        text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(name))
            && text.as_bytes().get(end) == Some(&b'>')
    };
    TAGS.iter().find(is).map(|name| (*name, closes, start + name.len() + 1))
}

/// A block between fences.
#[derive(Debug, PartialEq, Eq)]
struct Fence<'a> {
    /// What stands after the opening fence, in lower case ("sql").
    language: String,
    /// The lines between.
    body: &'a str,
}

/// The fenced blocks of a text, the last one perhaps without its end.
fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (&open, mark) {
            (Some((language, from, opened)), Some(mark)) if mark == *opened => {
                let body = text.get(*from..start).unwrap_or_default();
                found.push(Fence { language: language.clone(), body });
                open = None;
            }
            (None, Some(mark)) => {
                let after = trimmed.trim_start_matches(['`', '~']);
                // A block on one line.
                if let Some(body) = after.strip_suffix(mark) {
                    let body = body.trim();
                    let language = body.split(' ').next().unwrap_or_default();
                    let named = matches!(language.to_ascii_lowercase().as_str(), "sql" | "sqlite" | "json");
                    let rest = if named { body.get(language.len()..).unwrap_or_default() } else { body };
                    let language = if named { language.to_ascii_lowercase() } else { String::new() };
                    found.push(Fence { language, body: rest });
                } else {
                    open = Some((after.trim().to_ascii_lowercase(), at, mark));
                }
            }
            _ => {}
        }
    }
    if let Some((language, from, _)) = open {
        found.push(Fence { language, body: text.get(from..).unwrap_or_default() });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_left_out() {
        let cases = [
            ("<think>SELECT 1</think>\nSELECT 2", "SELECT 2", false),
            ("no start SELECT 1</think>SELECT 2", "SELECT 2", false),
            ("<think>a</think>b<THINK>c</Think>d", "bd", false),
            ("<think>a <think>b</think> c</think>d", "d", false),
            ("x <think>never ends SELECT 1", "x", true),
            ("<reasoning>é</reasoning>ß", "ß", false),
        ];
        for (text, want, open) in cases {
            assert_eq!(without_thinking(text), (want.to_owned(), open), "{text}");
        }
    }

    #[test]
    fn fences_are_found_with_their_language() {
        let text = "a\n```SQL\nSELECT 1;\n```\nb\n~~~\n```\n~~~\n```sql SELECT 2```\n```json\n{";
        let found = fences(text);
        let got: Vec<(&str, &str)> = found.iter().map(|f| (f.language.as_str(), f.body.trim())).collect();
        assert_eq!(got, [("sql", "SELECT 1;"), ("", "```"), ("sql", "SELECT 2"), ("json", "{")]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_cut(text in "(<think>|</think>|```|~~~|sql|\n|SELECT 1;|é|'|\\{|\"|.){0,40}") {
            without_thinking(&text);
            fences(&text);
        }
    }
}
