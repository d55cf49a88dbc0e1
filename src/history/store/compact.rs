//! A knowledge base with short names, for the file: occurrences are the bulk of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::history::{Edit, Entry, Item, KnowledgeBase, Occurrence};
use crate::sql::ComponentType;

#[derive(Serialize, Deserialize)]
pub(super) struct Compact<'a> {
    entries: Cow<'a, [Entry]>,
    summaries: Cow<'a, [String]>,
    items: Vec<CompactItem<'a>>,
    entry_items: Cow<'a, [Vec<u32>]>,
}

#[derive(Serialize, Deserialize)]
struct CompactItem<'a> {
    kind: ComponentType,
    skeleton: Cow<'a, str>,
    title: Cow<'a, str>,
    description: Cow<'a, str>,
    tables: Cow<'a, [String]>,
    columns: Cow<'a, [(String, String)]>,
    occurrences: Vec<CompactOccurrence<'a>>,
    /// Since version 2.
    #[serde(default, skip_serializing_if = "unedited")]
    edit: Cow<'a, Edit>,
}

fn unedited(edit: &Edit) -> bool {
    edit.is_none()
}

/// Entry, SQL, literals, first and last line or null.
#[derive(Serialize, Deserialize)]
struct CompactOccurrence<'a>(u32, Cow<'a, str>, Cow<'a, [String]>, Option<(u32, u32)>);

impl<'a> From<&'a KnowledgeBase> for Compact<'a> {
    fn from(base: &'a KnowledgeBase) -> Self {
        let occurrence =
            |o: &'a Occurrence| CompactOccurrence(o.entry, (&o.sql).into(), (&o.literals).into(), o.lines);
        let item = |i: &'a Item| CompactItem {
            kind: i.kind,
            skeleton: (&i.skeleton).into(),
            title: (&i.title).into(),
            description: (&i.description).into(),
            tables: (&i.tables).into(),
            columns: (&i.columns).into(),
            edit: Cow::Borrowed(&i.edit),
            occurrences: i.occurrences.iter().map(occurrence).collect(),
        };
        Self {
            entries: (&base.entries).into(),
            summaries: (&base.summaries).into(),
            items: base.items.iter().map(item).collect(),
            entry_items: (&base.entry_items).into(),
        }
    }
}

impl From<Compact<'_>> for KnowledgeBase {
    fn from(compact: Compact) -> Self {
        let occurrence = |CompactOccurrence(entry, sql, literals, lines): CompactOccurrence| Occurrence {
            entry,
            sql: sql.into_owned(),
            literals: literals.into_owned(),
            lines,
        };
        let item = |i: CompactItem| Item {
            kind: i.kind,
            skeleton: i.skeleton.into_owned(),
            title: i.title.into_owned(),
            description: i.description.into_owned(),
            tables: i.tables.into_owned(),
            columns: i.columns.into_owned(),
            edit: i.edit.into_owned(),
            occurrences: i.occurrences.into_iter().map(occurrence).collect(),
        };
        Self {
            entries: compact.entries.into_owned(),
            summaries: compact.summaries.into_owned(),
            items: compact.items.into_iter().map(item).collect(),
            entry_items: compact.entry_items.into_owned(),
        }
    }
}
