//! Pipeline `n-rep`: one candidate for each of five ways to show the schema, a vote, and a judge where it is close
//! (N-rep consistency, arXiv 2505.14174; its code is GenaSQL).
//!
//! ```text
//! question ─▶ linking: for each representation, the tables and columns that are needed
//!          ─▶ candidates: one for each configuration, mended once ─▶ vote by equal results ─▶ judge over pairs
//! ```
//!
//! Nothing is sampled and nothing is thought aloud: the candidates differ by what they see. Configurations, order and
//! conditions of the judge are those of the released configuration; the prompts are ours.

mod candidates;
mod choice;
mod linking;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::direct::{Answer, Inputs, Representation, Trouble};
use super::staged::Talk;
use crate::db::QueryLimits;
use crate::ports::{Complete, Execute};

/// What of the schema a candidate sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// All of it.
    None,
    /// The needed tables, whole.
    Tables,
    /// The needed columns.
    Columns,
}

impl Filter {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "whole",
            Self::Tables => "tables",
            Self::Columns => "columns",
        }
    }
}

/// How one candidate is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// How the schema is written.
    pub representation: Representation,
    /// What of it is shown.
    pub filter: Filter,
}

/// Which candidates there are, and what the judge reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NRepSettings {
    /// The candidates, in their order.
    pub configurations: [Configuration; 5],
    /// Rows of a result that the judge reads at most; 10 in the source.
    pub judge_rows: usize,
    /// Characters of them at most; 5,000 in the source.
    pub judge_characters: usize,
}

impl Default for NRepSettings {
    /// As released.
    fn default() -> Self {
        use Filter::{Columns, None, Tables};
        use Representation::{CreateTable, MSchema, MacSchema};
        let configurations = [
            (CreateTable, Columns),
            (MSchema, Columns),
            (MSchema, Tables),
            (MacSchema, None),
            (MacSchema, Columns),
        ];
        let configuration = |(representation, filter)| Configuration { representation, filter };
        Self { configurations: configurations.map(configuration), judge_rows: 10, judge_characters: 5_000 }
    }
}

/// What all stages share.
struct Context<'a, M, D> {
    inputs: &'a Inputs<'a>,
    settings: &'a NRepSettings,
    talk: &'a Talk<'a, M>,
    db: &'a D,
    limits: QueryLimits,
}

/// Answers a question.
///
/// # Errors
/// When the user stops, the server fails for good, no candidate has SQL, or none runs.
pub async fn n_rep<M: Complete, D: Execute>(
    inputs: &Inputs<'_>,
    settings: &NRepSettings,
    talk: &Talk<'_, M>,
    db: &D,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    let context = Context { inputs, settings, talk, db, limits };
    let links = linking::link(&context).await?;
    let candidates = candidates::write(&context, &links).await?;
    choice::choose(&context, candidates).await
}
