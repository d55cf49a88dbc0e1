//! Pipeline `opensearch-sql`: preprocessing, extraction, generation, alignment, refinement and vote (OpenSearch-SQL v2,
//! arXiv 2502.14913; its code is OpenSearch-AI/OpenSearch-SQL).
//!
//! ```text
//! DatabaseIndex (once a database) ─┐
//! question ─▶ extraction: columns, values, order of outputs ─▶ generation: n samples ─▶ alignment of each different one
//!          ─▶ refinement: errors and empty results are corrected ─▶ vote by equal results
//! ```
//!
//! Structure, order and parameters are the published ones; the prompts are ours. The source has its examples explained
//! by a model beforehand; here columns and values of an example are read from its SQL. It asks a model for most rewrites
//! of the alignment; here they work on the parsed query ([`crate::sql::rewrite`]), and a model is asked only where a
//! value is in another column.

mod align;
mod extraction;
mod generation;
mod index;
mod refinement;
#[cfg(test)]
mod tests;
mod values;
mod vote;

use serde::{Deserialize, Serialize};

pub use index::{ColumnName, DatabaseIndex, IndexError, MOST_VALUES};
pub use values::ValueMatch;

use super::direct::{Answer, Inputs, Trouble};
use super::staged::Talk;
use super::staged::reduced::Reduced;
use crate::db::QueryLimits;
use crate::llm::extract::NoSql;
use crate::ports::{Complete, Embed, Execute};

/// How much is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpensearchSettings {
    /// Queries that are sampled; 21 in the source. Each is a request.
    pub samples: u32,
    /// At this temperature; 0.7 in the source.
    pub temperature: f32,
    /// Corrections of one candidate at most, before it is generated once more; 3 in the source.
    pub corrections: u32,
    /// Requests of the refinement at most, all candidates together.
    pub refinement_requests: u32,
    /// Milliseconds that the queries of one candidate may take in the refinement; 540 s in the source, whose clock also
    /// runs while the model is asked.
    pub refinement_ms: u32,
}

impl Default for OpensearchSettings {
    /// As published; requests of the refinement as many as 21 candidates can need.
    fn default() -> Self {
        Self {
            samples: 21,
            temperature: 0.7,
            corrections: 3,
            refinement_requests: 84,
            refinement_ms: 540_000,
        }
    }
}

/// What all stages share.
struct Context<'a, M, E, D> {
    inputs: &'a Inputs<'a>,
    settings: &'a OpensearchSettings,
    talk: &'a Talk<'a, M>,
    index: &'a DatabaseIndex,
    embed: &'a E,
    db: &'a D,
    limits: QueryLimits,
}

/// What the extraction found.
struct Found {
    /// The schema's part that the question needs.
    part: Reduced,
    /// Values of the database that the question seems to mean.
    values: Vec<ValueMatch>,
    /// What is to be returned, in the question's order; empty where that is left open.
    order: Vec<String>,
}

/// A query with how often it was proposed.
struct Draft {
    sql: String,
    votes: u32,
}

/// Answers a question. `index` was made of the same database by the encoder behind `embed`; with another one or an empty
/// one the pipeline works without similar names and values, and says so.
///
/// # Errors
/// When the user stops, the server fails for good, no sample has SQL, or no candidate runs.
pub async fn opensearch_sql<M: Complete, E: Embed, D: Execute>(
    inputs: &Inputs<'_>,
    settings: &OpensearchSettings,
    talk: &Talk<'_, M>,
    index: &DatabaseIndex,
    embed: &E,
    db: &D,
    limits: QueryLimits,
) -> Result<Answer, Trouble> {
    let context = Context { inputs, settings, talk, index, embed, db, limits };
    let found = extraction::extract(&context).await?;
    let part = Inputs { schema: &found.part.schema, tables: &found.part.tables, ..*inputs };
    let prompt = generation::prompt(&context, &part, &found);
    let drafts = generation::generate(&context, &prompt).await?;
    if drafts.is_empty() {
        return Err(Trouble::NoSql(NoSql::Prose));
    }
    let aligned = align::align(&context, &part, &found, drafts).await?;
    let refined = refinement::refine(&context, &part, &found, &prompt, aligned).await?;
    vote::vote(talk, refined)
}

/// The values that were found, as conditions; empty where there are none.
fn value_lines(values: &[ValueMatch]) -> String {
    let lines: Vec<String> = values.iter().map(condition).collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("## Values in the database\n{}\n", lines.join("\n"))
    }
}

/// A value as the condition that asks for it.
fn condition(found: &ValueMatch) -> String {
    let ValueMatch { column: (table, column), value } = found;
    let name = super::direct::schema_text::identifier;
    format!("{}.{} = '{}'", name(table), name(column), value.replace('\'', "''"))
}
