//! Precision, recall and F1 of retrieval over knowledge items (BIRD-History, section 5.1 and Appendix A.1).
//!
//! Counts are of knowledge items, not of queries: one query can hold several items, and several queries
//! the same one. A required item is **covered** when a retrieved query is among those that contain it
//! (Appendix A.1), or when a retrieved item has its skeleton.
//!
//! - recall = covered / required
//! - precision = covered / (covered + superfluous), where superfluous are the distinct retrieved items
//!   (by type and skeleton) whose skeleton no required item has. The denominator is thus the number of
//!   distinct items retrieved, counting those that a retrieved query covers without naming them. What counts as
//!   retrieved is either everything in the retrieved queries, as in BIRD-History, or the retrieved components alone
//!   ([`Counted`]).
//!
//! A skeleton that a task names twice, or that several queries hold, counts once. Over many tasks the counts are added
//! (micro averages), because tasks need different numbers of items.

use std::collections::{BTreeMap, HashSet};
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::history::KnowledgeBase;
use crate::sql::ComponentType;

/// One knowledge item that a task needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Required {
    /// Its skeleton.
    pub skeleton: String,
    /// Its type, where the task names it.
    pub kind: Option<ComponentType>,
    /// Identifiers of the historical queries that contain it.
    pub sources: Vec<i64>,
}

/// One knowledge item that was retrieved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retrieved<'a> {
    /// Its skeleton.
    pub skeleton: &'a str,
    /// Its type.
    pub kind: ComponentType,
}

/// Counts of knowledge items; sums of them give micro averages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Items that the tasks need.
    pub required: usize,
    /// Those of them that were retrieved.
    pub covered: usize,
    /// Distinct retrieved items that no task item matches.
    pub superfluous: usize,
}

impl Counts {
    /// covered / (covered + superfluous); None where nothing was retrieved.
    pub fn precision(self) -> Option<f64> {
        ratio(self.covered, self.covered + self.superfluous)
    }

    /// covered / required; None where nothing is required.
    pub fn recall(self) -> Option<f64> {
        ratio(self.covered, self.required)
    }

    /// 2 covered / (2 covered + superfluous + missed), the harmonic mean of both.
    pub fn f1(self) -> Option<f64> {
        ratio(2 * self.covered, self.covered + self.superfluous + self.required)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.required += other.required;
        self.covered += other.covered;
        self.superfluous += other.superfluous;
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Counts of one task or of many.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetrievalMetrics {
    /// All items.
    pub overall: Counts,
    /// Items by type; required items whose task names no type are in `overall` only.
    pub by_type: BTreeMap<ComponentType, Counts>,
    /// Indices into the required items that were covered; empty in sums of several tasks.
    pub covered: Vec<usize>,
}

impl AddAssign<&Self> for RetrievalMetrics {
    /// Micro averages: every item counts the same, whichever task it belongs to.
    fn add_assign(&mut self, other: &Self) {
        self.overall += other.overall;
        for (kind, counts) in &other.by_type {
            *self.by_type.entry(*kind).or_default() += *counts;
        }
        self.covered.clear();
    }
}

/// What precision takes for retrieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// Every item of the retrieved queries.
    Queries,
    /// The retrieved components only.
    Components,
}

/// Measures one task against what was retrieved: queries by entry, and components by item. Both cover required items
/// whichever is counted, since a component is handed on with the query it was found in.
pub fn measure_retrieved(
    required: &[Required],
    history: &KnowledgeBase,
    entries: &[u32],
    components: &[u32],
    counted: Counted,
) -> RetrievalMetrics {
    if counted == Counted::Queries {
        return measure_queries(required, history, entries);
    }
    let items: Vec<Retrieved<'_>> = components
        .iter()
        .filter_map(|id| history.items.get(*id as usize))
        .map(|item| Retrieved { skeleton: &item.skeleton, kind: item.kind })
        .collect();
    measure(required, &sources(history, entries), &items)
}

fn sources(history: &KnowledgeBase, entries: &[u32]) -> Vec<i64> {
    let found = entries.iter().filter_map(|id| history.entries.get(*id as usize));
    found.flat_map(|entry| entry.source_ids.iter().copied()).collect()
}

/// Measures one task against whole retrieved queries of a history: every item of such a query counts as
/// retrieved, as in BIRD-History, where scripts are handed on whole.
pub fn measure_queries(required: &[Required], history: &KnowledgeBase, entries: &[u32]) -> RetrievalMetrics {
    let items: Vec<Retrieved<'_>> = entries
        .iter()
        .flat_map(|id| history.items_of(*id))
        .map(|(_, item)| Retrieved { skeleton: &item.skeleton, kind: item.kind })
        .collect();
    measure(required, &sources(history, entries), &items)
}

/// Measures one task: what it needs against the queries and items that were retrieved for it.
pub fn measure(required: &[Required], queries: &[i64], items: &[Retrieved<'_>]) -> RetrievalMetrics {
    let queries: HashSet<i64> = queries.iter().copied().collect();
    let retrieved: HashSet<(ComponentType, String)> =
        items.iter().map(|item| (item.kind, normal(item.skeleton))).collect();
    let skeletons: HashSet<&str> = retrieved.iter().map(|(_, skeleton)| skeleton.as_str()).collect();
    let mut metrics = RetrievalMetrics::default();
    let mut wanted: HashSet<String> = HashSet::new();
    for (i, item) in required.iter().enumerate() {
        let skeleton = normal(&item.skeleton);
        let covered =
            item.sources.iter().any(|id| queries.contains(id)) || skeletons.contains(skeleton.as_str());
        if !wanted.insert(skeleton) {
            continue;
        }
        let counts = Counts { required: 1, covered: usize::from(covered), superfluous: 0 };
        metrics.overall += counts;
        if let Some(kind) = item.kind {
            *metrics.by_type.entry(kind).or_default() += counts;
        }
        if covered {
            metrics.covered.push(i);
        }
    }
    for (kind, _) in retrieved.iter().filter(|(_, skeleton)| !wanted.contains(skeleton)) {
        let counts = Counts { superfluous: 1, ..Counts::default() };
        metrics.overall += counts;
        *metrics.by_type.entry(*kind).or_default() += counts;
    }
    metrics
}

/// A skeleton without what two writers of the same skeleton differ in: white space, letter case, and
/// quotes around `<val>`.
pub(super) fn normal(skeleton: &str) -> String {
    let bare: String = skeleton.split_whitespace().collect::<String>().to_lowercase();
    bare.replace("'<val>'", "<val>")
}

#[cfg(test)]
mod tests;
