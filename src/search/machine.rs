//! The search as a machine that says what it wants next and goes on with what it is given, so that whoever drives it may
//! draw it, stop it and take the best so far at any moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clauses::{self, From, canonical};
use super::parameters::Parameters;
use super::steps::{Continuation, Step, Steps, Unusable, steps};
use super::tree::{Node, Outcome, ROOT, Tree, reward};

/// Continuations that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What is to be gone on with; empty at first.
    pub prefix: String,
    /// Whether the most probable continuation is among them, as the first.
    pub greedy: bool,
    /// Samples beside it.
    pub samples: u32,
    /// Seed of the first of them; each further one has the next.
    pub seed: u64,
}

/// What a search needs to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Continuations of a prefix; answered by [`Given::Continuations`].
    Continuations(Ask),
    /// Whether a prefix, which is a query by itself, can become a longer one; answered by [`Given::Checked`].
    Check {
        /// The prefix. It has a FROM.
        prefix: String,
        /// Whether a clause follows its FROM, so that all names are known; otherwise an alias or a join may still come.
        closed: bool,
    },
    /// What a finished query gives; answered by [`Given::Tried`].
    Try(String),
    /// Nothing: the search is over.
    Nothing(Ended),
}

/// The answer to what was wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// What the policy wrote, and what that used.
    Continuations(Vec<Continuation>, Spent),
    /// Why no query can begin with the prefix; None where one may.
    Checked(Option<String>),
    /// What the query gave.
    Tried(Outcome),
}

/// Why a search is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// All iterations are done.
    Iterations,
    /// Every trajectory of the tree was tried; further iterations would find nothing new.
    Exhausted,
    /// Nothing that the policy wrote can become a query.
    NothingLeft,
    /// The budget is used up.
    Budget,
    /// Whoever drives it stopped it, for this reason.
    Stopped(String),
}

/// What a search used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Requests to the model.
    pub requests: u32,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens that the model wrote.
    pub answer_tokens: u64,
}

/// A finished query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The query.
    pub sql: String,
    /// Its node; None where the query was written by the policy, but no trajectory has come to its end yet.
    pub node: Option<u32>,
    /// The reward of its trajectory; the query's own score where there is none yet.
    pub reward: f64,
    /// Finished queries whose rows are the same, itself included; 0 where nothing voted.
    pub votes: u32,
}

/// What is known of a node beside what others see.
#[derive(Debug, Clone, Default)]
struct Work {
    /// What the policy wrote below it already: a continuation of its parent that went past the next clause.
    known: Vec<Steps>,
    checked: bool,
    asked: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Pending {
    Continuations(Ask),
    Check(String, bool),
    Try(String),
}

/// A search.
#[derive(Debug, Clone)]
pub struct Search {
    parameters: Parameters,
    tree: Tree,
    work: Vec<Work>,
    /// The trajectory in hand.
    path: Vec<u32>,
    /// Whether it is still selected; after its first expansion it is simulated.
    selecting: bool,
    pending: Option<Pending>,
    iterations: u32,
    samples: u64,
    spent: Spent,
    unusable: BTreeMap<Unusable, u32>,
    /// Finished trajectories: the leaf and its reward, in the order in which they were first found.
    finished: Vec<(u32, f64)>,
    /// The best query that the policy wrote, for when no trajectory has come to its end.
    draft: Option<(String, f64)>,
    ended: Option<Ended>,
}

impl Search {
    /// Nothing is asked yet.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            tree: Tree::default(),
            work: vec![Work::default()],
            path: Vec::new(),
            selecting: true,
            pending: None,
            iterations: 0,
            samples: 0,
            spent: Spent::default(),
            unusable: BTreeMap::new(),
            finished: Vec::new(),
            draft: None,
            ended: None,
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The tree as far as it has grown.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What was used so far.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Iterations that are done.
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Continuations that could not be used, by their reason.
    pub fn unusable(&self) -> &BTreeMap<Unusable, u32> {
        &self.unusable
    }

    /// Finished trajectories, each with its leaf and reward; two of the same leaf are one.
    pub fn finished(&self) -> &[(u32, f64)] {
        &self.finished
    }

    /// The trajectory in hand, from the root; empty between two.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// Bytes that its nodes take, about: their structures and texts.
    pub fn bytes(&self) -> usize {
        let nodes = self.tree.nodes().iter().map(|node| {
            let texts = node.step.capacity() + node.cut.as_ref().map_or(0, String::capacity);
            size_of::<Node>() + texts + node.children.capacity() * size_of::<u32>()
        });
        let known = self.work.iter().map(|work| {
            let steps = work.known.iter().map(|steps| {
                let texts = steps.steps.iter().map(|step| step.text.capacity() + size_of::<Step>());
                size_of::<Steps>() + texts.sum::<usize>()
            });
            size_of::<Work>() + steps.sum::<usize>()
        });
        nodes.sum::<usize>() + known.sum::<usize>()
    }

    /// Why it is over; None while it is not.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Ends the search; the best so far can still be taken.
    pub fn stop(&mut self, why: impl Into<String>) {
        self.end(Ended::Stopped(why.into()));
    }

    fn end(&mut self, why: Ended) {
        self.pending = None;
        self.ended.get_or_insert(why);
    }

    /// What the search wants; the same until it is given.
    pub fn wanted(&mut self) -> Wanted {
        loop {
            if let Some(ended) = &self.ended {
                return Wanted::Nothing(ended.clone());
            }
            match &self.pending {
                Some(Pending::Continuations(ask)) => return Wanted::Continuations(ask.clone()),
                Some(Pending::Check(prefix, closed)) => {
                    return Wanted::Check { prefix: prefix.clone(), closed: *closed };
                }
                Some(Pending::Try(sql)) => return Wanted::Try(sql.clone()),
                None => self.advance(),
            }
        }
    }

    /// Takes the answer to what was wanted; false where something else was, which changes nothing.
    pub fn give(&mut self, given: Given) -> bool {
        let Some(&at) = self.path.last() else { return false };
        match (&self.pending, given) {
            (Some(Pending::Continuations(_)), Given::Continuations(all, spent)) => {
                self.spent.requests = self.spent.requests.saturating_add(spent.requests);
                self.spent.prompt_tokens = self.spent.prompt_tokens.saturating_add(spent.prompt_tokens);
                self.spent.answer_tokens = self.spent.answer_tokens.saturating_add(spent.answer_tokens);
                self.pending = None;
                self.take(at, &all);
            }
            (Some(Pending::Check(..)), Given::Checked(why)) => {
                self.pending = None;
                if let Some(work) = self.work.get_mut(at as usize) {
                    work.checked = true;
                }
                if let Some(why) = why {
                    self.cut(at, why);
                }
            }
            (Some(Pending::Try(_)), Given::Tried(outcome)) => {
                self.pending = None;
                if let Some(node) = self.tree.get_mut(at) {
                    node.outcome = Some(outcome);
                }
            }
            _ => return false,
        }
        true
    }

    /// One move: begins a trajectory, goes one node on, or finds what is wanted for that.
    fn advance(&mut self) {
        let Some(&at) = self.path.last() else { return self.begin() };
        let Some(node) = self.tree.get(at) else { return self.path.clear() };
        if node.cut.is_some() {
            // A dead end is an iteration without a trajectory.
            self.iterations += 1;
            return self.path.clear();
        }
        if node.finished {
            return match node.outcome {
                None if self.parameters.runs_queries() => {
                    self.pending = Some(Pending::Try(self.tree.prefix(at)));
                }
                _ => self.finish(at),
            };
        }
        if node.children.is_empty() {
            return self.expand(at);
        }
        let next = match self.selecting {
            true => self.tree.select(&self.parameters, at),
            false => self.tree.simulate(at),
        };
        match next {
            Some(next) => self.path.push(next),
            None => self.cut(at, "nothing below it can become a query".to_owned()),
        }
    }

    fn begin(&mut self) {
        let root = self.tree.get(ROOT);
        if root.is_some_and(|root| root.cut.is_some()) {
            let why = if self.finished.is_empty() { Ended::NothingLeft } else { Ended::Exhausted };
            return self.end(why);
        }
        if self.iterations >= self.parameters.iterations {
            return self.end(Ended::Iterations);
        }
        if root.is_some_and(|root| root.closed) {
            return self.end(Ended::Exhausted);
        }
        self.path = vec![ROOT];
        self.selecting = true;
    }

    /// Expansion, equation (4): asks for what the node has not yet got.
    fn expand(&mut self, at: u32) {
        self.selecting = false;
        let prefix = self.tree.prefix(at);
        let Some(work) = self.work.get(at as usize) else { return };
        if !work.checked && self.parameters.guidance.is_some() {
            let from = clauses::from(&prefix);
            if from != From::Missing && is_query(&prefix) {
                self.pending = Some(Pending::Check(prefix, from == From::Closed));
                return;
            }
        }
        if work.asked {
            return self.cut(at, "the model finds no end of it".to_owned());
        }
        let known = u32::try_from(work.known.len()).unwrap_or(u32::MAX);
        let greedy = !work.known.iter().any(|steps| steps.greedy);
        // What is known already counts among the beams, but each state is asked for something of its own.
        let mut missing = self.parameters.beams.saturating_sub(known).max(1);
        if let Some(most) = self.parameters.budget.requests {
            missing = missing.min(most.saturating_sub(self.spent.requests));
        }
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        let budget = self.parameters.budget;
        if missing == 0
            || over(budget.prompt_tokens, self.spent.prompt_tokens)
            || over(budget.answer_tokens, self.spent.answer_tokens)
        {
            return self.end(Ended::Budget);
        }
        let ask = Ask {
            prefix,
            greedy,
            samples: missing - u32::from(greedy),
            seed: self.parameters.seed.wrapping_add(self.samples),
        };
        self.samples = self.samples.wrapping_add(u64::from(ask.samples));
        self.pending = Some(Pending::Continuations(ask));
    }

    /// Expansion, equation (5): makes children of the best d different next steps.
    fn take(&mut self, at: u32, all: &[Continuation]) {
        let prefix = self.tree.prefix(at);
        let Some(work) = self.work.get_mut(at as usize) else { return };
        work.asked = true;
        let mut ways = std::mem::take(&mut work.known);
        for continuation in all {
            match steps(&prefix, continuation) {
                Ok(steps) => ways.push(steps),
                Err(why) => *self.unusable.entry(why).or_default() += 1,
            }
        }
        let Some(node) = self.tree.get(at) else { return };
        let (depth, before) = (node.depth + 1, node.prefix_log_probability);
        for way in ways.iter().filter(|way| way.ended) {
            let score = reward(&self.parameters, before + way.log_probability());
            if self.draft.as_ref().is_none_or(|(_, best)| score > *best) {
                let rest: String = way.steps.iter().map(|step| step.text.as_str()).collect();
                self.draft = Some((format!("{prefix}{rest}"), score));
            }
        }
        let last = depth >= self.parameters.depth_limit;
        let mut children: Vec<(Step, bool, Vec<Steps>)> = Vec::new();
        let mut places: BTreeMap<(String, bool), usize> = BTreeMap::new();
        for mut way in ways {
            // At the depth limit the rest of the query is one step.
            let next = if last { way.joined() } else { way.steps.pop_front() };
            let Some(step) = next else { continue };
            let finished = last || way.steps.is_empty() && way.ended;
            let place = *places.entry((canonical(&step.text), finished)).or_insert(children.len());
            if place == children.len() {
                children.push((step.clone(), finished, Vec::new()));
            }
            let Some((kept, _, below)) = children.get_mut(place) else { continue };
            if step.log_probability > kept.log_probability {
                *kept = step;
            }
            if !finished && !way.steps.is_empty() {
                below.push(way);
            }
        }
        children.sort_by(|(a, ..), (b, ..)| b.log_probability.total_cmp(&a.log_probability));
        children.truncate(self.parameters.d as usize);
        for (step, finished, known) in children {
            let reward = reward(&self.parameters, step.log_probability);
            self.tree.add(Node {
                parent: Some(at),
                depth,
                prefix_log_probability: before + step.log_probability,
                log_probability: step.log_probability,
                step: step.text,
                reward,
                finished,
                ..Node::default()
            });
            self.work.push(Work { known, ..Work::default() });
        }
    }

    /// The end of a trajectory: its reward, and what follows from it up to the root.
    fn finish(&mut self, at: u32) {
        let Some(node) = self.tree.get_mut(at) else { return };
        node.closed = true;
        let mut whole = reward(&self.parameters, node.prefix_log_probability);
        if let Some(guidance) = &self.parameters.guidance {
            whole -= match node.outcome {
                Some(Outcome::Failed(_)) => guidance.failed,
                Some(Outcome::Empty) => guidance.empty,
                Some(Outcome::Rows(_)) | None => 0.0,
            };
        }
        let path = std::mem::take(&mut self.path);
        let reward = self.tree.back_propagate(&self.parameters, &path, whole);
        if !self.finished.iter().any(|(leaf, _)| *leaf == at) {
            self.finished.push((at, reward));
        }
        self.close(at);
        self.iterations += 1;
    }

    /// Marks the nodes above as closed where all below them is.
    fn close(&mut self, from: u32) {
        let mut at = from;
        while let Some(parent) = self.tree.get(at).and_then(|node| node.parent) {
            if self.tree.alive(parent).any(|(_, child)| !child.closed) {
                return;
            }
            if let Some(node) = self.tree.get_mut(parent) {
                node.closed = true;
            }
            at = parent;
        }
    }

    /// Cuts a node off, and those above it of which nothing is left.
    fn cut(&mut self, at: u32, why: String) {
        let Some(node) = self.tree.get_mut(at) else { return };
        node.cut = Some(why);
        node.closed = true;
        if let Some(work) = self.work.get_mut(at as usize) {
            work.known = Vec::new();
        }
        match self.tree.get(at).and_then(|node| node.parent) {
            Some(parent) if self.tree.alive(parent).next().is_none() => {
                self.cut(parent, "nothing below it can become a query".to_owned());
            }
            _ => self.close(at),
        }
    }

    /// The best query so far; None where the policy has not written one.
    ///
    /// Without a vote it is the query of the trajectory with the highest reward. With one, it is the best of those whose
    /// rows the most queries have; a query that several trajectories came to says no more than one. Queries that failed
    /// come last.
    pub fn best(&self) -> Option<Best> {
        let leaf = |id: u32| self.tree.get(id);
        let mut votes: BTreeMap<u64, u32> = BTreeMap::new();
        if self.parameters.vote {
            for &(id, _) in &self.finished {
                if let Some(Node { outcome: Some(Outcome::Rows(rows)), .. }) = leaf(id) {
                    *votes.entry(*rows).or_default() += 1;
                }
            }
        }
        let mut best: Option<((bool, u32, f64), u32)> = None;
        for &(id, reward) in &self.finished {
            let Some(node) = leaf(id) else { continue };
            let (ran, voted) = match &node.outcome {
                Some(Outcome::Rows(rows)) => (true, votes.get(rows).copied().unwrap_or(0)),
                Some(Outcome::Failed(_)) => (false, 0),
                Some(Outcome::Empty) | None => (true, 0),
            };
            let better = best.is_none_or(|((best_ran, best_voted, best_reward), _)| {
                (ran, voted).cmp(&(best_ran, best_voted)).then(reward.total_cmp(&best_reward)).is_gt()
            });
            if better {
                best = Some(((ran, voted, reward), id));
            }
        }
        match (best, &self.draft) {
            (Some(((_, votes, reward), id)), _) => {
                Some(Best { sql: self.tree.prefix(id), node: Some(id), reward, votes })
            }
            (None, Some((sql, score))) => {
                Some(Best { sql: sql.clone(), node: None, reward: *score, votes: 0 })
            }
            (None, None) => None,
        }
    }
}

/// Whether a prefix is a query by itself, so that a database can be asked about it.
fn is_query(prefix: &str) -> bool {
    crate::sql::parse_query(prefix).is_ok()
}
