//! Merging the components of a history into knowledge items.

use serde::{Deserialize, Serialize};

use super::Entry;
use crate::sql::ComponentType;

/// A skeleton with the entries it occurs in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its type.
    pub kind: ComponentType,
    /// The skeleton all occurrences share.
    pub skeleton: String,
    /// A short title in words, made by rules ("On-time share of sailings").
    pub title: String,
    /// One sentence in words, made by rules.
    pub description: String,
    /// Every place it occurs, by entry id and then by place in the text.
    pub occurrences: Vec<Occurrence>,
    /// Schema tables it reads.
    pub tables: Vec<String>,
    /// Schema columns it reads, as (table, column).
    pub columns: Vec<(String, String)>,
    /// What a person changed about it.
    pub edit: Edit,
}

/// What a person changed about an item. It stays with the item when more history is added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edit {
    /// A description in place of the one made by rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the item is left out of retrieval.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The text that the item's vector was made from, where that is not its text now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_as: Option<String>,
}

impl Edit {
    /// Whether nothing was changed.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// One place of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The entry's id.
    pub entry: u32,
    /// The piece as written there.
    pub sql: String,
    /// The literals at `<val>`, in order, as SQL literals.
    pub literals: Vec<String>,
    /// First and last line in the entry's text.
    pub lines: Option<(u32, u32)>,
}

/// A history split into knowledge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeBase {
    /// Queries; `entries[i].id == i`.
    pub entries: Vec<Entry>,
    /// A summary in words of each entry, made by rules, parallel to `entries`.
    pub summaries: Vec<String>,
    /// Items, most seen first within each type.
    pub items: Vec<Item>,
    /// Indices into `items` of each entry's components, in the order of its text, parallel to `entries`.
    pub entry_items: Vec<Vec<u32>>,
}
