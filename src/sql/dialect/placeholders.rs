//! Placeholders of tools: what a query holds until it is filled in.

use crate::sql::lexer::{Lexeme, Lexer};

/// Replaces `##Name:type?default##` of Stack Exchange's Data Explorer and `{{ name }}`, `{% … %}`, `{# … #}` of Jinja,
/// outside strings, by a parameter, a name or a default.
pub(super) fn fill_placeholders(sql: &str) -> (String, Vec<&'static str>) {
    let mut told = Vec::new();
    if !has_placeholders(sql) {
        return (sql.to_owned(), told);
    }
    let mut out = String::with_capacity(sql.len());
    let mut at = 0;
    let mut before = "";
    for (kind, start, end) in Lexer::new(sql) {
        // What was replaced is longer than one lexical element.
        if start < at {
            continue;
        }
        let rest = sql.get(start..).unwrap_or_default();
        if kind == Lexeme::Mark
            && let Some((length, text, what)) = placeholder(rest, before)
        {
            out.push_str(sql.get(at..start).unwrap_or_default());
            out.push_str(&text);
            at = start + length;
            if !told.contains(&what) {
                told.push(what);
            }
        }
        if !matches!(kind, Lexeme::Space | Lexeme::Comment) {
            before = sql.get(start..end).unwrap_or_default();
        }
    }
    out.push_str(sql.get(at..).unwrap_or_default());
    (out, told)
}

/// Whether the marks of one stand anywhere, be it in a string.
pub(super) fn has_placeholders(sql: &str) -> bool {
    ["##", "{{", "{%", "{#"].iter().any(|mark| sql.contains(mark))
}

/// The placeholder that a text starts with: its length, what stands for it, and what was done.
fn placeholder(rest: &str, before: &str) -> Option<(usize, String, &'static str)> {
    /// Longer ones are something else.
    const LONGEST: usize = 500;
    let inside = |open: &str, close: &str| {
        let body = rest.strip_prefix(open)?;
        let end = body.find(close).filter(|&end| end <= LONGEST)?;
        Some((body.get(..end)?, open.len() + end + close.len()))
    };
    if let Some((body, length)) = inside("##", "##") {
        let (name, default) = body.split_once('?').map_or((body, None), |(name, value)| (name, Some(value)));
        let name = plain_name(name.split(':').next().unwrap_or_default());
        let text = match default.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) if value.parse::<f64>().is_ok() => value.to_owned(),
            Some(value) => format!("'{}'", value.replace('\'', "''")),
            None if name.is_empty() => return None,
            None => format!(":{name}"),
        };
        return Some((length, text, "##parameters## as parameters or their defaults"));
    }
    if let Some((body, length)) = inside("{{", "}}") {
        let body = body.trim().trim_matches('-').trim();
        // dbt's ref('orders') and source('shop', 'orders') are tables.
        let table = ["ref", "source"]
            .iter()
            .any(|f| body.strip_prefix(f).is_some_and(|rest| rest.trim_start().starts_with('(')));
        let quoted = || body.split(['\'', '"']).nth_back(1).unwrap_or_default();
        let name = plain_name(if table { quoted() } else { body.split('(').next().unwrap_or_default() });
        if name.is_empty() {
            return None;
        }
        let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(before));
        let dotted = before == "." || rest.get(length..).is_some_and(|rest| rest.starts_with('.'));
        let text = if table || dotted || is(&["FROM", "JOIN", ","]) { name } else { format!(":{name}") };
        return Some((length, text, "a template filled with names"));
    }
    let (body, length) = inside("{%", "%}").or_else(|| inside("{#", "#}"))?;
    let breaks = body.chars().filter(|&c| c == '\n').collect::<String>();
    Some((length, format!(" {breaks}"), "a template filled with names"))
}

/// The letters, digits and underscores of a text, as a name.
fn plain_name(text: &str) -> String {
    let name: String = text.trim().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let name = name.trim_matches('_').to_owned();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}
