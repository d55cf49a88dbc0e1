//! The list of experiments that a browser keeps, and how each stands.

use serde::{Deserialize, Serialize};

use super::Setup;
use crate::bench::run::RunFile;
use crate::llm::budget::Spent;

const FORMAT: &str = "querylore-experiments";
const VERSION: u32 = 1;

/// How an experiment stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// Nothing more is to come, but for what may still be missing.
    #[default]
    Ended,
    /// It was at work; where nobody works on it now, its tab was closed.
    Running,
    /// The user, a limit or an error holds it; the reason, empty for the user's wish.
    Paused(String),
    /// The user ended it before its end.
    Cancelled,
    /// A run file from elsewhere, to look at.
    Opened,
}

/// An experiment without its answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Experiment {
    /// Names its files; letters, digits and hyphens.
    pub id: String,
    /// Its name.
    pub name: String,
    /// When it was begun, in milliseconds since 1970.
    pub began_ms: f64,
    /// What it is made of.
    pub setup: Setup,
    /// How it stands.
    pub standing: Standing,
    /// What it used.
    pub spent: Spent,
    /// Answers that were there, when it was last kept.
    pub done: usize,
    /// Tasks that failed, with the reason, when it last ended: pipeline and retriever, place, reason.
    pub failed: Vec<(usize, usize, String)>,
}

impl Experiment {
    /// Names of its run files, in the order of its cells.
    pub fn files(&self) -> Vec<String> {
        let runs = if self.standing == Standing::Opened { 1 } else { self.setup.cells().len() };
        (0..runs).map(|at| format!("{}-{at}.jsonl", self.id)).collect()
    }

    /// The file with its tasks: one for all experiments on the same task file.
    pub fn tasks_file(&self) -> String {
        tasks_file(&self.setup.tasks.sha256)
    }

    /// Counts what its runs hold: after a crash they are ahead of what was noted here.
    pub fn recount(&mut self, runs: &[RunFile]) {
        self.done = runs.iter().map(|run| run.outcomes.len()).sum();
        let used = runs.iter().flat_map(|run| &run.outcomes).fold(Spent::default(), |sum, outcome| {
            sum.and(Spent {
                requests: outcome.requests.into(),
                prompt: outcome.prompt_tokens.into(),
                answer: outcome.answer_tokens.into(),
            })
        });
        // What was answered from memory cost nothing, so that only a whole note is right.
        if self.standing == Standing::Running {
            self.spent = Spent {
                requests: self.spent.requests.max(used.requests),
                prompt: self.spent.prompt.max(used.prompt),
                answer: self.spent.answer.max(used.answer),
            };
        }
    }

    /// Answers of an experiment that is whole.
    pub fn total(&self) -> usize {
        if self.standing == Standing::Opened { self.setup.places.len() } else { self.setup.answers() }
    }
}

/// The file that holds the task file of this hash.
pub fn tasks_file(sha256: &str) -> String {
    format!("tasks-{}.json", sha256.get(..16).unwrap_or(sha256))
}

/// Why a list of experiments cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeptError {
    /// Damaged, or another file.
    #[error(
        "The list of experiments in this browser is damaged. Its run files are kept; new experiments begin a new list."
    )]
    Damaged,
    /// Of a later version.
    #[error(
        "The list of experiments has version {0}, this page reads up to version {VERSION}. Load the newest version."
    )]
    Newer(u32),
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    experiments: Vec<Experiment>,
}

/// The file of a list.
///
/// # Errors
/// When a number cannot be written as JSON.
pub fn to_json(experiments: &[Experiment]) -> Result<String, serde_json::Error> {
    serde_json::to_string(&File {
        format: FORMAT.to_owned(),
        version: VERSION,
        experiments: experiments.to_vec(),
    })
}

/// Reads the file of a list, newest first.
///
/// # Errors
/// When it is damaged or of a later version.
pub fn from_json(bytes: &[u8]) -> Result<Vec<Experiment>, KeptError> {
    let mark: serde_json::Value = serde_json::from_slice(bytes).map_err(|_| KeptError::Damaged)?;
    match mark.get("version").and_then(serde_json::Value::as_u64).and_then(|v| u32::try_from(v).ok()) {
        Some(VERSION) => {}
        Some(version) if version > VERSION => return Err(KeptError::Newer(version)),
        _ => return Err(KeptError::Damaged),
    }
    let file: File = serde_json::from_value(mark).map_err(|_| KeptError::Damaged)?;
    if file.format == FORMAT { Ok(file.experiments) } else { Err(KeptError::Damaged) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bench::run::Outcome;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let kept = vec![Experiment {
            id: "a1".into(),
            standing: Standing::Paused("The limit of 3 requests is reached.".into()),
            failed: vec![(0, 7, "The server failed.".into())],
            ..Experiment::default()
        }];
        let json = to_json(&kept).unwrap();
        assert_eq!(from_json(json.as_bytes()).unwrap(), kept);
        assert_eq!(from_json(b"[]"), Err(KeptError::Damaged));
        assert_eq!(
            from_json(json.replace("experiments\",\"version\":1", "x\",\"version\":1").as_bytes()),
            Err(KeptError::Damaged)
        );
        assert_eq!(
            from_json(json.replace("\"version\":1", "\"version\":4").as_bytes()),
            Err(KeptError::Newer(4))
        );
    }

    #[test]
    fn a_crash_leaves_what_the_runs_hold() {
        let outcome = |place| Outcome { place, requests: 2, prompt_tokens: 100, ..Outcome::default() };
        let runs =
            [RunFile { outcomes: vec![outcome(0), outcome(1)], ..RunFile::default() }, RunFile::default()];
        let spent = Spent { requests: 3, prompt: 500, answer: 7 };
        let mut kept = Experiment { spent, done: 1, standing: Standing::Running, ..Experiment::default() };
        kept.recount(&runs);
        assert_eq!((kept.done, kept.spent), (2, Spent { requests: 4, prompt: 500, answer: 7 }));
        let mut ended = Experiment { spent, ..Experiment::default() };
        ended.recount(&runs);
        assert_eq!((ended.done, ended.spent), (2, spent));
    }

    #[test]
    fn an_experiment_names_its_files() {
        let setup = Setup {
            retrievers: vec!["mqs".into(), "history".into()],
            places: vec![0, 1, 2],
            ..Setup::default()
        };
        let mut kept = Experiment { id: "x".into(), setup, ..Experiment::default() };
        assert_eq!((kept.files(), kept.total()), (vec!["x-0.jsonl".to_owned(), "x-1.jsonl".to_owned()], 6));
        kept.standing = Standing::Opened;
        assert_eq!((kept.files().len(), kept.total()), (1, 3));
    }
}
