//! SQL-o1: a tree search over the clauses of a query, led by the log probabilities of the model that writes them
//! (arXiv:2502.11741, section 4.3). Pure: what asks a model and a database is outside.
//!
//! ```text
//! Search ── wanted() ─▶ continuations of a prefix ─▶ a model ─┐
//!    ▲                  a prefix or query to try  ─▶ SQLite ──┤
//!    └───────────────────────────── give() ◀──────────────────┘
//! ```
//!
//! A state is a prefix of a query that ends before a clause ([`clauses`]), a step is the next clause. Equations (2) to (7)
//! are in [`tree`], what drives them is in [`machine`]. [`psg`] cuts known queries in the same way, to train a model on.
//!
//! Where the paper and its released code differ, or say nothing:
//!
//! - Equation (3) as printed divides the root by N; the code takes the root of the ratio. See [`Uct`].
//! - Equation (6): the code gives a step that does not end the query nothing for the whole query, so that of two
//!   trajectories the one of fewer clauses has the higher mean. Here every step of a trajectory has the score of the
//!   query that the trajectory ended in, as the superscripts of the equation say.
//! - Equation (7) as printed divides by l - t, which is 0 at the leaf; the code takes the mean of the nodes from t to
//!   the leaf, and so does this.
//! - Beam search is not offered by servers. The most probable continuation and samples stand for the beams, and a
//!   continuation that went past the next clause is used again below it.
//! - At the depth limit the code looks at the reference query. Here the last step is the rest of the query.
//! - The code counts a task as solved if any of its trajectories is right. Here one query is the answer.

pub mod clauses;
pub mod machine;
pub mod parameters;
pub mod psg;
pub mod report;
pub mod steps;
pub mod tree;

pub use machine::{Ask, Best, Ended, Given, Search, Spent, Wanted};
pub use parameters::{Budget, Guidance, Parameters, Uct};
pub use report::{NodeReport, Report, Trajectory};
pub use steps::{Continuation, Piece};
pub use tree::{Node, Outcome, Tree};

#[cfg(test)]
mod tests;
