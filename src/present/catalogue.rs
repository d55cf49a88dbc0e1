//! The knowledge of a history as a filtered, grouped list.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{Item, KnowledgeBase};
use crate::sql::ComponentType;

/// The five types, in the order they are listed everywhere.
pub const TYPES: [ComponentType; 5] = [
    ComponentType::Calculation,
    ComponentType::Condition,
    ComponentType::Relation,
    ComponentType::Dimension,
    ComponentType::Output,
];

/// What is listed. An empty set does not filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Words that must occur in title, description, skeleton or a source's question.
    pub text: String,
    /// Only this type.
    pub kind: Option<ComponentType>,
    /// Items that read any of these tables.
    pub tables: BTreeSet<String>,
    /// Items of a query by any of these authors.
    pub authors: BTreeSet<String>,
    /// Items of a query that has a question.
    pub with_question: bool,
    /// Items seen more than once.
    pub repeated: bool,
}

/// How the list is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// By type.
    #[default]
    Type,
    /// By the first table an item reads.
    Table,
    /// By source query; an item stands under each.
    Query,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Index into `KnowledgeBase::items`.
    pub key: u32,
    /// Its type.
    pub kind: ComponentType,
    /// Its title.
    pub title: String,
    /// Its skeleton.
    pub skeleton: String,
    /// How often it was seen.
    pub seen: u64,
    /// In how many distinct queries.
    pub queries: usize,
    /// The latest time among its queries, as written in the log.
    pub last: Option<String>,
}

/// Lines under one head.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its head: a type's name is written by the page; a table, or a query with its question.
    pub title: String,
    /// The type, when grouped by type.
    pub kind: Option<ComponentType>,
    /// Its lines, most seen first.
    pub lines: Vec<Line>,
}

/// Lists what passes `filter`; groups without a line are left out.
pub fn list(base: &KnowledgeBase, filter: &Filter, grouping: Grouping) -> Vec<Group> {
    let found: Option<BTreeSet<u32>> =
        (!filter.text.trim().is_empty()).then(|| base.search(&filter.text).items.into_iter().collect());
    let passing = base.items.iter().zip(0_u32..).filter(|(item, key)| {
        found.as_ref().is_none_or(|found| found.contains(key)) && passes(base, item, filter)
    });
    let mut groups: BTreeMap<(usize, String), Vec<Line>> = BTreeMap::new();
    for (item, key) in passing {
        let line = line(base, item, key);
        match grouping {
            Grouping::Type => {
                let order = TYPES.iter().position(|t| *t == item.kind).unwrap_or(TYPES.len());
                groups.entry((order, String::new())).or_default().push(line);
            }
            Grouping::Table => {
                let table = item.tables.first().cloned().unwrap_or_else(|| "no table".to_owned());
                groups.entry((0, table)).or_default().push(line);
            }
            Grouping::Query => {
                for entry in base.entries_of(item) {
                    let question = entry.question.as_deref().unwrap_or("no question in the log");
                    let head = format!("#{} {question}", entry.id);
                    groups.entry((entry.id as usize, head)).or_default().push(line.clone());
                }
            }
        }
    }
    groups
        .into_iter()
        .map(|((order, title), mut lines)| {
            lines.sort_by_key(|l| (std::cmp::Reverse(l.seen), l.key));
            let kind = (grouping == Grouping::Type).then(|| TYPES.get(order).copied()).flatten();
            Group { title, kind, lines }
        })
        .collect()
}

fn passes(base: &KnowledgeBase, item: &Item, filter: &Filter) -> bool {
    filter.kind.is_none_or(|kind| kind == item.kind)
        && (filter.tables.is_empty() || item.tables.iter().any(|t| filter.tables.contains(t)))
        && (filter.authors.is_empty()
            || base.entries_of(item).any(|e| e.user.as_ref().is_some_and(|u| filter.authors.contains(u))))
        && (!filter.with_question || base.entries_of(item).any(|e| e.question.is_some()))
        && (!filter.repeated || base.times_seen(item) > 1)
}

fn line(base: &KnowledgeBase, item: &Item, key: u32) -> Line {
    Line {
        key,
        kind: item.kind,
        title: item.title.clone(),
        skeleton: item.skeleton.clone(),
        seen: base.times_seen(item),
        queries: base.entries_of(item).count(),
        last: base.entries_of(item).filter_map(|e| e.time.clone()).max(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Builder, import};
    use crate::sql::{Schema, Table};

    fn base() -> KnowledgeBase {
        let log = "[{\"sql\":\"SELECT COUNT(*) FROM ships WHERE ships.state = 'A'\",\"user\":\"ada\",\"question\":\"how many\"},\
                    {\"sql\":\"SELECT ports.name FROM ports WHERE ports.size > 3 LIMIT 2\",\"user\":\"bo\"}]";
        let read = import::inspect("log.json", log.as_bytes())
            .and_then(|plan| import::read(log.as_bytes(), &plan))
            .unwrap();
        let table = |name: &str| Table { name: name.to_owned(), ..Table::default() };
        let schema = Schema { tables: vec![table("ships"), table("ports")] };
        let mut builder = Builder::onto(KnowledgeBase::default(), read, schema);
        while builder.step() {}
        builder.finish().0
    }

    #[test]
    fn groups_by_type_hold_every_item_once() {
        let base = base();
        let groups = list(&base, &Filter::default(), Grouping::Type);
        assert_eq!(groups.iter().map(|g| g.lines.len()).sum::<usize>(), base.items.len());
        assert!(groups.iter().all(|g| g.kind.is_some()));
        assert!(!base.items.is_empty());
    }

    #[test]
    fn filters_narrow_the_list() {
        let base = base();
        let ada = Filter { authors: BTreeSet::from(["ada".to_owned()]), ..Filter::default() };
        let hers = list(&base, &ada, Grouping::Query);
        assert_eq!(hers.len(), 1);
        assert!(hers[0].title.contains("how many"));
        let ports = Filter { tables: BTreeSet::from(["ports".to_owned()]), ..Filter::default() };
        let tables = list(&base, &ports, Grouping::Table);
        assert!(tables.iter().all(|g| g.title == "ports") && !tables.is_empty());
        let nothing = Filter { text: "no such word".to_owned(), ..Filter::default() };
        assert!(list(&base, &nothing, Grouping::Type).is_empty());
    }
}
