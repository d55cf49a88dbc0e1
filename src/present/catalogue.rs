//! The knowledge of a history as a filtered, grouped list.

use std::collections::{BTreeMap, BTreeSet};

use super::titles;
use crate::history::entry::tag;
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
    /// Items that were hidden or described by hand.
    pub edited: bool,
}

/// How many items the filters of the sources let through, each alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sources {
    /// Items of a query that has a question.
    pub with_question: usize,
    /// Items seen more than once.
    pub repeated: usize,
    /// Items that were hidden or described by hand.
    pub edited: usize,
}

/// Counts them.
pub fn sources(base: &KnowledgeBase) -> Sources {
    let count = |filter: Filter| base.items.iter().filter(|item| passes(base, item, &filter)).count();
    Sources {
        with_question: count(Filter { with_question: true, ..Filter::default() }),
        repeated: count(Filter { repeated: true, ..Filter::default() }),
        edited: count(Filter { edited: true, ..Filter::default() }),
    }
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
    /// What tells it from others of its title; empty where nothing need, or where only the skeleton does.
    pub remark: String,
    /// Its skeleton.
    pub skeleton: String,
    /// How often it was seen.
    pub seen: u64,
    /// In how many distinct queries.
    pub queries: usize,
    /// The latest time among its queries, as written in the log.
    pub last: Option<String>,
    /// Whether it is left out of retrieval.
    pub hidden: bool,
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

/// A place that the keyboard goes to in the list: the head of a group, its "Show all", a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Head of the group at this place.
    Head(usize),
    /// Shows more of the group at this place.
    More(usize),
    /// A line of the group, by its item's key.
    Line(usize, u32),
}

/// Which of a group's lines are drawn: none of a folded group, else up to `limit`.
pub fn shown(group: &Group, folded: bool, limit: usize) -> &[Line] {
    let count = if folded { 0 } else { limit.min(group.lines.len()) };
    group.lines.get(..count).unwrap_or_default()
}

/// The stop that Tab comes to: the last one visited while it is in view, else the first.
pub fn tab_stop<'a>(
    groups: impl Iterator<Item = (usize, &'a [Line])>,
    visited: Option<Stop>,
) -> Option<Stop> {
    let mut first = None;
    for (at, lines) in groups {
        first = first.or(Some(Stop::Head(at)));
        let here = match visited {
            Some(Stop::Head(group) | Stop::More(group)) => group == at,
            Some(Stop::Line(group, key)) => group == at && lines.iter().any(|line| line.key == key),
            None => false,
        };
        if here {
            return visited;
        }
    }
    first
}

/// Lists what passes `filter`; groups without a line are left out.
pub fn list(base: &KnowledgeBase, filter: &Filter, grouping: Grouping) -> Vec<Group> {
    let found: Option<BTreeSet<u32>> = (!filter.text.trim().is_empty())
        .then(|| base.search(&filter.text).items.into_iter().chain(base.asked_for(&filter.text)).collect());
    let remarks = titles::remarks(base);
    let passing = base.items.iter().zip(0_u32..).filter(|(item, key)| {
        found.as_ref().is_none_or(|found| found.contains(key)) && passes(base, item, filter)
    });
    let mut groups: BTreeMap<(usize, String), Vec<Line>> = BTreeMap::new();
    for (item, key) in passing {
        let remark = remarks.get(key as usize).map_or("", String::as_str);
        let line = line(base, item, key, remark);
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
                    let head = format!("{} {question}", tag(entry.id));
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
        && (!filter.edited || item.edit.hidden || item.edit.description.is_some())
}

fn line(base: &KnowledgeBase, item: &Item, key: u32, remark: &str) -> Line {
    Line {
        key,
        kind: item.kind,
        title: item.title.clone(),
        // The skeleton stands beside the title anyway.
        remark: if remark == item.skeleton { String::new() } else { remark.to_owned() },
        skeleton: item.skeleton.clone(),
        seen: base.times_seen(item),
        queries: base.entries_of(item).count(),
        last: base.entries_of(item).filter_map(|e| e.time.clone()).max(),
        hidden: item.edit.hidden,
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
        Builder::onto(KnowledgeBase::default(), read, schema).whole().0
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
    fn tab_comes_to_what_was_visited_or_else_to_the_first_head() {
        let base = base();
        let groups = list(&base, &Filter::default(), Grouping::Type);
        let stop = |limit: usize, folded: bool, visited| {
            tab_stop(groups.iter().enumerate().map(|(i, g)| (i, shown(g, folded, limit))), visited)
        };
        let last = groups[1].lines.last().unwrap().key;
        let line = Stop::Line(1, last);
        assert_eq!(stop(usize::MAX, false, Some(line)), Some(line));
        assert_eq!(stop(0, false, Some(line)), Some(Stop::Head(0)));
        assert_eq!(stop(usize::MAX, true, Some(line)), Some(Stop::Head(0)));
        assert_eq!(stop(usize::MAX, false, Some(Stop::More(1))), Some(Stop::More(1)));
        assert_eq!(stop(usize::MAX, false, Some(Stop::Head(99))), Some(Stop::Head(0)));
        assert_eq!(tab_stop(std::iter::empty(), Some(line)), None);
    }

    #[test]
    fn hidden_and_described_items_are_counted_and_found() {
        let mut base = base();
        assert_eq!(sources(&base).edited, 0);
        base.items[0].edit.hidden = true;
        base.items[1].edit.description = Some("ours".into());
        let counts = sources(&base);
        assert_eq!(counts.edited, 2);
        assert!(counts.with_question > 0 && counts.with_question < base.items.len());
        let edited = Filter { edited: true, ..Filter::default() };
        let groups = list(&base, &edited, Grouping::Type);
        let lines: Vec<&Line> = groups.iter().flat_map(|g| &g.lines).collect();
        assert_eq!((lines.len(), lines.iter().filter(|l| l.hidden).count()), (2, 1));
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
        // A question finds the items of its query.
        let asked = Filter { text: "how MANY".to_owned(), ..Filter::default() };
        assert_eq!(list(&base, &asked, Grouping::Query).len(), 1);
        let nothing = Filter { text: "no such word".to_owned(), ..Filter::default() };
        assert!(list(&base, &nothing, Grouping::Type).is_empty());
    }
}
