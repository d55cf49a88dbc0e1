//! Replacing pieces of a historical query.

use std::ops::Range;

use super::Change;

/// A literal to replace.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replacement {
    /// Bytes of the historical SQL.
    pub range: Range<usize>,
    /// The new literal, as SQL.
    pub after: String,
    /// Why.
    pub reason: String,
}

/// The query with its replacements, and what was changed, with ranges in the new text.
pub(super) fn apply(sql: &str, mut replacements: Vec<Replacement>) -> (String, Vec<Change>) {
    replacements.sort_by_key(|replacement| (replacement.range.start, replacement.range.end));
    let (mut text, mut changes, mut from) = (String::with_capacity(sql.len()), Vec::new(), 0);
    for replacement in &replacements {
        let (Some(kept), Some(before)) =
            (sql.get(from..replacement.range.start), sql.get(replacement.range.clone()))
        else {
            continue;
        };
        text.push_str(kept);
        let start = text.len();
        text.push_str(&replacement.after);
        changes.push(Change {
            start,
            end: text.len(),
            before: before.to_owned(),
            after: replacement.after.clone(),
            reason: replacement.reason.clone(),
        });
        from = replacement.range.end;
    }
    text.push_str(sql.get(from..).unwrap_or(""));
    (text, changes)
}
