//! What LiveSQLBench does to SQL before it runs it. All of it looks at characters, also inside texts.

/// The query as it is run: without comments, then without DISTINCT, then without ROUND.
pub(super) fn rewritten(sql: &str) -> String {
    without_round(&without_distinct(&without_comments(sql)))
}

/// Without `/* */`; without `--` up to a line's end, so that one on the last line stays; without blank lines.
fn without_comments(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(start) = rest.find("/*") {
        let after = rest.get(start + 2..).unwrap_or_default();
        let Some(end) = after.find("*/") else { break };
        text.push_str(rest.get(..start).unwrap_or_default());
        rest = after.get(end + 2..).unwrap_or_default();
    }
    text.push_str(rest);

    let mut lines = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find("--") {
        let Some(end) = rest.get(start..).and_then(|comment| comment.find(['\r', '\n'])) else { break };
        lines.push_str(rest.get(..start).unwrap_or_default());
        rest = rest.get(start + end..).unwrap_or_default();
    }
    lines.push_str(rest);
    without_blank_lines(&lines).trim().to_owned()
}

/// White space from one line end to a later one is one line end.
fn without_blank_lines(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\n') {
        kept.push_str(rest.get(..=at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        if let Some(last) = rest.get(..blank).and_then(|blank| blank.rfind('\n')) {
            rest = rest.get(last + 1..).unwrap_or_default();
        }
    }
    kept.push_str(rest);
    kept
}

/// Without the word DISTINCT between spaces; `COUNT(DISTINCT a)` keeps it.
fn without_distinct(sql: &str) -> String {
    let words: Vec<&str> = sql.split(' ').filter(|word| !word.eq_ignore_ascii_case("distinct")).collect();
    words.join(" ")
}

/// Every `ROUND(a, n)` is `a`, from the first on, until one is not closed.
fn without_round(sql: &str) -> String {
    let mut text = sql.to_owned();
    while let Some((start, open)) = round_call(&text) {
        let (mut depth, mut first_end, mut close) = (0_usize, None, None);
        for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    if depth == 0 {
                        close = Some(at);
                        break;
                    }
                }
                ',' if depth == 1 => first_end = first_end.or(Some(at)),
                _ => {}
            }
        }
        let Some(close) = close else { break };
        let argument = text.get(open + 1..first_end.unwrap_or(close)).unwrap_or_default().trim().to_owned();
        text.replace_range(start..=close, &argument);
    }
    text
}

/// Where the first `ROUND(` begins, in any case and also at the end of a longer word, and where its bracket is.
fn round_call(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("round").find_map(|(start, word)| {
        let after = text.get(start + word.len()..)?;
        let open = after.trim_start();
        open.starts_with('(').then(|| (start, text.len() - open.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_is_rewritten_as_in_test_utils() {
        let cases = [
            // Comments of both kinds; the line end of `--` stays, blank lines do not.
            ("SELECT /* a\nb */ 1 -- c\n\n  \nFROM t", "SELECT  1 \nFROM t"),
            // No line end follows, so the pattern does not match.
            ("SELECT 1 -- c", "SELECT 1 -- c"),
            // Also inside a text, and an open block comment stays.
            ("SELECT '--x'\n, 1 /* y", "SELECT '\n, 1 /* y"),
            // split(" "): a word of its own between single spaces only.
            ("SELECT DISTINCT a", "SELECT a"),
            ("SELECT distinct\na", "SELECT distinct\na"),
            ("SELECT COUNT(DISTINCT a)", "SELECT COUNT(DISTINCT a)"),
            // ROUND goes with its digits, nested and over its own brackets.
            ("SELECT ROUND(AVG(a), 2), round (b)", "SELECT AVG(a), b"),
            ("SELECT ROUND(ROUND(a / (b + 1), 3) * 100, 2)", "SELECT a / (b + 1) * 100"),
            ("SELECT ROUND( COALESCE(a, 0), 1 )", "SELECT COALESCE(a, 0)"),
            // Not closed: it stays. The end of a longer word counts as well.
            ("SELECT ROUND(a", "SELECT ROUND(a"),
            ("SELECT ground(a, 1)", "SELECT ga"),
        ];
        for (sql, wanted) in cases {
            assert_eq!(rewritten(sql), wanted, "{sql}");
        }
    }
}
