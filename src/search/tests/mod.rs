mod cuts;
mod equations;
mod records;
mod searching;

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::machine::{Ask, Given, Search, Spent, Wanted};
use super::parameters::{Budget, Guidance, Parameters, Uct};
use super::psg::{self, Chosen, Known};
use super::report::Report;
use super::steps::{Continuation, Piece, Unusable, steps};
use super::tree::{Node, Outcome, ROOT, Tree, mixed, reward, uct};
use super::{Ended, clauses};

fn parameters() -> Parameters {
    Parameters { beta: 100.0, alpha: 2.0, delta: 0.25, w: 10.0, ..Parameters::default() }
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got} is not {want}");
}

fn written(text: &str, ended: bool) -> Continuation {
    let pieces = text.split_inclusive(' ').map(|word| Piece { bytes: word.len(), log_probability: -1.0 });
    Continuation { text: text.to_owned(), pieces: pieces.collect(), ended, greedy: false }
}
