//! Run files: what a pipeline answered to the tasks of a file, with all that says how.
//!
//! A run file is JSON, a value a line: first the [`Header`], then an [`Outcome`] for each task that was answered, in the order
//! of the task file. A line is written whole or not at all; a last line that was cut when the program was killed is
//! taken off when the run goes on, and its task is asked again.

mod parse;
pub mod scores;
pub mod table;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use parse::{RunError, RunFile, line, merge};

use super::modes::Mode;
use super::retrieval_metrics::RetrievalMetrics;

/// The mark of these files.
pub const FORMAT: &str = "querylore-run";
/// The version that this program writes.
pub const VERSION: u32 = 1;

/// SHA-256 of some bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that a run depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Its name without its folder.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl FileMark {
    /// The mark of a file with these bytes.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.to_owned(), sha256: sha256(bytes) }
    }
}

/// How queries were retrieved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RetrieverMark {
    /// Its name (`history`, `mqs`, …).
    pub name: String,
    /// What was searched (`q`, `c`, `qc`).
    pub level: Option<String>,
    /// Similarity or likeness to be reached.
    pub threshold: Option<f32>,
    /// Queries handed on at most.
    pub max_shots: usize,
    /// Name of the encoder.
    pub encoder: String,
}

/// Which language model answered, and how it was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelMark {
    /// Its name at its server; no address is kept, which may name a person's machine.
    pub name: String,
    /// 0 for the most probable answer.
    pub temperature: f32,
    /// Tokens of prompt and answer together at most.
    pub context_tokens: u32,
    /// Tokens of the answer at most.
    pub answer_tokens: u32,
    /// Makes sampling repeatable where the server can.
    pub seed: Option<u64>,
}

/// What a run was made with. Two runs with equal headers answer the same tasks in the same way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Version of this program.
    pub querylore: String,
    /// Version of SQLite.
    pub sqlite: String,
    /// The task file.
    pub tasks: FileMark,
    /// Number of tasks in it.
    pub task_count: usize,
    /// The history.
    pub history: FileMark,
    /// Name of the pipeline.
    pub pipeline: String,
    /// The retriever.
    pub retriever: RetrieverMark,
    /// The model; None where none was asked.
    pub model: Option<ModelMark>,
    /// Answers that the pipeline chooses among, where the caller says how many.
    #[serde(default)]
    pub samples: Option<u32>,
    /// Milliseconds that a query may take.
    pub timeout_ms: u32,
    /// Part `i` of `n` of the tasks, from 1: those whose place has the remainder `i - 1`.
    pub shard: Option<(u32, u32)>,
    /// Whether a task's own query, where the history has it, was left out for that task.
    #[serde(default)]
    pub own_left_out: bool,
}

impl Header {
    /// Whether the task at that place of the file, from 0, belongs to this run.
    pub fn takes(&self, place: usize) -> bool {
        self.shard.is_none_or(|(part, of)| place % of.max(1) as usize + 1 == part as usize)
    }

    /// The names of what two headers have differently.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let fields = |header: &Self| match serde_json::to_value(header) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (ours, theirs) = (fields(self), fields(other));
        ours.iter()
            .filter(|(name, value)| theirs.get(*name) != Some(value))
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// A query that was retrieved for a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievedQuery {
    /// Its place in the history of its database, from 0.
    pub entry: u32,
    /// Its identifiers in the history's file.
    pub source_ids: Vec<i64>,
    /// The retriever's score.
    pub score: f32,
}

/// A query that a stage of a pipeline proposed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CandidateMark {
    /// The SQL.
    pub sql: String,
    /// What it was made with, in a few words.
    pub from: String,
    /// Its number of rows; None where it was not run, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Candidates that say the same.
    pub votes: u32,
}

/// A stage of a pipeline of several, in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StageMark {
    /// Its name.
    pub name: String,
    /// Requests that it made.
    pub requests: u32,
    /// Queries that it proposed or changed.
    pub candidates: Vec<CandidateMark>,
    /// What it found, and what it had to do without.
    pub notes: Vec<String>,
}

/// What an answer is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// By which rule.
    pub mode: Mode,
    /// As [`Judged::score`](crate::bench::modes::Judged::score).
    pub score: f64,
    /// Whether the task counts as solved.
    pub correct: bool,
    /// One sentence for people.
    pub why: String,
}

/// What became of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its place in the task file, from 0.
    pub place: usize,
    /// Its identifier.
    pub question_id: i64,
    /// Its database.
    pub db_id: String,
    /// Its question; empty in older files.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// The SQL that was answered.
    pub sql: Option<String>,
    /// Why there is none, or why it did not run.
    pub error: Option<String>,
    /// What was handed on, best first.
    pub retrieved: Vec<RetrievedQuery>,
    /// How that compares with what the task needs, where it says so.
    pub knowledge: Option<RetrievalMetrics>,
    /// SHA-256 of the messages of the first request.
    pub prompt_sha256: Option<String>,
    /// Requests to the model.
    pub requests: u32,
    /// Tokens of the prompts, by the server's count or else about.
    pub prompt_tokens: u32,
    /// Tokens of the answers, by the server's count or else about.
    pub answer_tokens: u32,
    /// Milliseconds of retrieval.
    pub retrieve_ms: f64,
    /// Milliseconds of answering.
    pub answer_ms: f64,
    /// The stages of a pipeline of several, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageMark>,
    /// What it is worth, where it was scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scored: Option<Scored>,
}
