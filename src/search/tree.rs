//! The tree of prefixes, and the arithmetic of equations (2) to (7).

use serde::{Deserialize, Serialize};

use super::parameters::{Parameters, Uct};

/// The first node: the empty prefix.
pub const ROOT: u32 = 0;

/// What became of a query that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It gave rows; the number is the same for the same rows.
    Rows(u64),
    /// It gave no row, or nothing but NULL.
    Empty,
    /// The database refused it, or did not finish it; why.
    Failed(String),
}

/// A prefix of a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The prefix that it goes on from; None for the root.
    pub parent: Option<u32>,
    /// The prefixes that go on from it, best reward first.
    pub children: Vec<u32>,
    /// Steps from the root.
    pub depth: u32,
    /// What it adds to its parent's prefix.
    pub step: String,
    /// log π of the step.
    pub log_probability: f64,
    /// log π of the whole prefix.
    pub prefix_log_probability: f64,
    /// R of the step, equation (2).
    pub reward: f64,
    /// N: trajectories through it.
    pub visits: u32,
    /// Q, equation (7); None before a trajectory went through it.
    pub value: Option<f64>,
    /// Whether the query ends here.
    pub finished: bool,
    /// What became of the finished query, where it was run.
    pub outcome: Option<Outcome>,
    /// Why nothing below can become a query; None where something may.
    pub cut: Option<String>,
    /// Whether all that can be found below was found.
    pub closed: bool,
}

/// Equation (2): R = β + α · log π.
pub fn reward(parameters: &Parameters, log_probability: f64) -> f64 {
    parameters.beta + parameters.alpha * log_probability
}

/// Equation (3) for one child: Q and the bonus of what was tried little.
pub fn uct(parameters: &Parameters, value: f64, parent_visits: u32, visits: u32) -> f64 {
    let ln = f64::from(parent_visits.max(1)).ln();
    let visits = f64::from(visits.max(1));
    let bonus = match parameters.uct {
        Uct::Released => (ln / visits).sqrt(),
        Uct::Printed => ln.sqrt() / visits,
    };
    value + parameters.w * bonus
}

/// Equation (6): a step's own score, mixed with that of the query that its trajectory ended in.
pub fn mixed(parameters: &Parameters, step: f64, whole: f64) -> f64 {
    parameters.delta * step + (1.0 - parameters.delta) * whole
}

/// The nodes of a search, each after its parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Default for Tree {
    /// The empty prefix alone.
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Tree {
    /// All nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of that number.
    pub fn get(&self, id: u32) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)
    }

    pub(super) fn add(&mut self, node: Node) -> u32 {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(parent) = node.parent.and_then(|parent| self.get_mut(parent)) {
            parent.children.push(id);
        }
        self.nodes.push(node);
        id
    }

    /// The nodes from the root to `id`, both included.
    pub fn path(&self, id: u32) -> Vec<u32> {
        let mut path = vec![id];
        let mut at = id;
        while let Some(parent) = self.get(at).and_then(|node| node.parent) {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// The text of a prefix.
    pub fn prefix(&self, id: u32) -> String {
        let steps = self.path(id).into_iter().filter_map(|id| self.get(id));
        steps.map(|node| node.step.as_str()).collect()
    }

    /// Children that may still become a query.
    pub(super) fn alive(&self, id: u32) -> impl Iterator<Item = (u32, &Node)> {
        let children = self.get(id).map_or(&[][..], |node| node.children.as_slice());
        children
            .iter()
            .filter_map(|&child| Some((child, self.get(child)?)))
            .filter(|(_, node)| node.cut.is_none())
    }

    /// Selection, equation (3): the child with the highest bound; of equal ones the first. A child that no trajectory
    /// went through has its step's score for Q.
    pub fn select(&self, parameters: &Parameters, id: u32) -> Option<u32> {
        let parent = self.get(id)?.visits;
        let bound = |node: &Node| uct(parameters, node.value.unwrap_or(node.reward), parent, node.visits);
        first_best(self.alive(id).map(|(child, node)| (child, bound(node))))
    }

    /// Simulation: the child with the best score of its step.
    pub fn simulate(&self, id: u32) -> Option<u32> {
        first_best(self.alive(id).map(|(child, node)| (child, node.reward)))
    }

    /// Equation (7): gives every node of a finished trajectory the mean of the scores from it to the leaf, if that is its
    /// best so far. Returns the mean over all steps, which is the trajectory's reward. `whole` is the score of the query.
    ///
    /// The root is no step and has no score of its own, so its mean is that of the steps.
    pub fn back_propagate(&mut self, parameters: &Parameters, path: &[u32], whole: f64) -> f64 {
        let (mut sum, mut steps, mut mean) = (0.0, 0.0, whole);
        for &id in path.iter().rev() {
            let Some(node) = self.get_mut(id) else { continue };
            if node.parent.is_some() {
                sum += mixed(parameters, node.reward, whole);
                steps += 1.0;
                mean = sum / steps;
            }
            node.visits = node.visits.saturating_add(1);
            node.value = Some(node.value.map_or(mean, |before| before.max(mean)));
        }
        mean
    }
}

fn first_best(scored: impl Iterator<Item = (u32, f64)>) -> Option<u32> {
    let better = |best: Option<(u32, f64)>, (id, score): (u32, f64)| match best {
        Some((_, high)) if score.total_cmp(&high).is_le() => best,
        _ => Some((id, score)),
    };
    scored.fold(None, better).map(|(id, _)| id)
}
