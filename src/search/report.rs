//! A search as it is drawn and kept.

use serde::{Deserialize, Serialize};

use super::machine::{Best, Ended, Search, Spent};
use super::parameters::Parameters;
use super::steps::Unusable;
use super::tree::Outcome;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    /// Place of its parent; None for the root.
    pub parent: Option<u32>,
    /// The prefix, whole.
    pub prefix: String,
    /// What it adds to its parent's.
    pub step: String,
    /// N.
    pub visits: u32,
    /// Q; None before a trajectory went through it.
    pub value: Option<f64>,
    /// R of the step.
    pub reward: f64,
    /// log π of the step.
    pub log_probability: f64,
    /// Whether the query ends here.
    pub finished: bool,
    /// What the finished query gave, where it was run.
    pub outcome: Option<Outcome>,
    /// Why nothing below it can become a query.
    pub cut: Option<String>,
}

/// A finished query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// Its leaf.
    pub node: u32,
    /// Its reward.
    pub reward: f64,
}

/// A search so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What it is led by.
    pub parameters: Parameters,
    /// The tree, each node after its parent.
    pub nodes: Vec<NodeReport>,
    /// Finished queries in the order in which they were found.
    pub trajectories: Vec<Trajectory>,
    /// The best so far.
    pub best: Option<Best>,
    /// The nodes from the root to the best one; empty where it has none.
    pub path: Vec<u32>,
    /// Iterations that are done.
    pub iterations: u32,
    /// What was used.
    pub spent: Spent,
    /// Continuations that could not be used, by their reason.
    pub unusable: Vec<(Unusable, u32)>,
    /// Why it is over; None while it is not.
    pub ended: Option<Ended>,
}

impl From<&Search> for Report {
    fn from(search: &Search) -> Self {
        let tree = search.tree();
        let mut nodes: Vec<NodeReport> = Vec::with_capacity(tree.nodes().len());
        for node in tree.nodes() {
            let above = node.parent.and_then(|parent| nodes.get(parent as usize));
            let prefix = above.map(|parent| parent.prefix.as_str()).unwrap_or_default();
            nodes.push(NodeReport {
                parent: node.parent,
                prefix: format!("{prefix}{}", node.step),
                step: node.step.clone(),
                visits: node.visits,
                value: node.value,
                reward: node.reward,
                log_probability: node.log_probability,
                finished: node.finished,
                outcome: node.outcome.clone(),
                cut: node.cut.clone(),
            });
        }
        let best = search.best();
        let path = best.as_ref().and_then(|best| best.node).map(|node| tree.path(node)).unwrap_or_default();
        let trajectory = |&(node, reward): &(u32, f64)| Trajectory { node, reward };
        Self {
            parameters: search.parameters().clone(),
            nodes,
            trajectories: search.finished().iter().map(trajectory).collect(),
            best,
            path,
            iterations: search.iterations(),
            spent: search.spent(),
            unusable: search.unusable().iter().map(|(why, count)| (*why, *count)).collect(),
            ended: search.ended().cloned(),
        }
    }
}
