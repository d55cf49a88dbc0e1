//! Whether a knowledge base from a file holds together, so that no later step trips over it.

use std::collections::HashSet;

use crate::history::KnowledgeBase;

/// Every id is its place, every index points to something, both directions agree; else what is wrong.
pub(super) fn consistent(base: &KnowledgeBase) -> Result<(), String> {
    let KnowledgeBase { entries, summaries, items, entry_items } = base;
    if summaries.len() != entries.len() || entry_items.len() != entries.len() {
        return Err("its lists differ in length".into());
    }
    if !(0..).zip(entries).all(|(id, entry)| entry.id == id) {
        return Err("its queries are out of order".into());
    }
    let lines: Vec<u32> =
        entries.iter().map(|e| u32::try_from(e.sql.split('\n').count()).unwrap_or(u32::MAX)).collect();
    let mut occurs: HashSet<(u32, u32)> = HashSet::new();
    for (index, item) in (0..).zip(items) {
        if item.occurrences.is_empty() {
            return Err("an item occurs nowhere".into());
        }
        if !item.occurrences.is_sorted_by_key(|o| o.entry) {
            return Err("an item's occurrences are out of order".into());
        }
        for occurrence in &item.occurrences {
            let Some(&last) = lines.get(occurrence.entry as usize) else {
                return Err("an item names a query that is not there".into());
            };
            if occurrence.lines.is_some_and(|(from, to)| from == 0 || from > to || to > last) {
                return Err("an item names lines that are not there".into());
            }
            occurs.insert((occurrence.entry, index));
        }
    }
    let mut listed = HashSet::new();
    for (entry, list) in (0..).zip(entry_items) {
        if !list.iter().all(|&item| occurs.contains(&(entry, item)) && listed.insert((entry, item))) {
            return Err("a query lists an item that does not occur in it".into());
        }
    }
    if listed.len() == occurs.len() {
        Ok(())
    } else {
        Err("a query does not list an item that occurs in it".into())
    }
}
