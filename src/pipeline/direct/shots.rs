//! Examples from the history, as a model reads them: whole queries with their questions, or pieces of queries.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::history::{Item, KnowledgeBase};
use crate::retrieval::Retrieved;
use crate::retrieval::model::Pick;
use crate::sql::ComponentType;

/// One example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shot {
    /// A whole query.
    Query {
        /// Index into `KnowledgeBase::entries`.
        entry: u32,
    },
    /// Pieces of a query.
    Fragments {
        /// Index into `KnowledgeBase::entries`.
        entry: u32,
        /// Indices into `KnowledgeBase::items`.
        items: Vec<u32>,
    },
}

/// Which examples of what was retrieved a prompt gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shots {
    /// None: the model has the schema only.
    None,
    /// The first queries, whole.
    Queries(usize),
    /// The matched pieces of the first queries.
    Fragments(usize),
}

impl Shots {
    /// The examples, best first. A piece that several queries have is given once.
    pub fn of(self, retrieved: &Retrieved) -> Vec<Shot> {
        match self {
            Self::None => Vec::new(),
            Self::Queries(most) => {
                retrieved.queries.iter().take(most).map(|hit| Shot::Query { entry: hit.entry }).collect()
            }
            Self::Fragments(most) => {
                let mut given: HashSet<u32> = HashSet::new();
                let fragments = retrieved.queries.iter().take(most).map(|hit| Shot::Fragments {
                    entry: hit.entry,
                    items: hit.items.iter().copied().filter(|item| given.insert(*item)).collect(),
                });
                fragments
                    .filter(|shot| !matches!(shot, Shot::Fragments { items, .. } if items.is_empty()))
                    .collect()
            }
        }
    }
}

impl Shot {
    /// The query it comes from.
    pub fn entry(&self) -> u32 {
        match self {
            Self::Query { entry } | Self::Fragments { entry, .. } => *entry,
        }
    }

    /// The knowledge items it shows.
    pub(super) fn items<'a>(&self, knowledge: &'a KnowledgeBase) -> Vec<&'a Item> {
        match self {
            Self::Query { entry } => knowledge.items_of(*entry).map(|(_, item)| item).collect(),
            Self::Fragments { items, .. } => {
                items.iter().filter_map(|&item| knowledge.items.get(item as usize)).collect()
            }
        }
    }

    /// Its text; empty where the knowledge base has no such query.
    pub(in crate::pipeline) fn text(&self, knowledge: &KnowledgeBase) -> String {
        let at = self.entry() as usize;
        let Some(entry) = knowledge.entries.get(at) else { return String::new() };
        let summary = knowledge.summaries.get(at).map_or("", String::as_str);
        let said =
            entry.question.as_deref().unwrap_or(summary).split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Self::Query { .. } => format!("-- {said}\n{};\n", entry.sql.trim().trim_end_matches(';')),
            Self::Fragments { .. } => {
                let mut text = format!("-- from: {said}\n");
                for item in self.items(knowledge) {
                    let piece = filled(item, self.entry());
                    let _ = writeln!(text, "-- {}: {}\n{piece}", kind(item.kind), item.description);
                }
                text
            }
        }
    }
}

/// A skeleton, whose aliases are resolved, with the literals that it has in one query.
fn filled(item: &Item, entry: u32) -> String {
    let Some(occurrence) = item.occurrences.iter().find(|occurrence| occurrence.entry == entry) else {
        return item.skeleton.clone();
    };
    let mut literals = occurrence.literals.iter();
    let mut pieces = item.skeleton.split("<val>");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text.push_str(literals.next().map_or("<val>", String::as_str));
        text.push_str(piece);
    }
    text
}

fn kind(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Calculation => "calculation",
        ComponentType::Condition => "condition",
        ComponentType::Relation => "join",
        ComponentType::Dimension => "grouping",
        ComponentType::Output => "order and limit",
    }
}

impl From<&Pick> for Shot {
    fn from(pick: &Pick) -> Self {
        match pick.use_all {
            true => Self::Query { entry: pick.entry },
            false => Self::Fragments { entry: pick.entry, items: pick.items.clone() },
        }
    }
}
