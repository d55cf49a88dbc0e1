//! Reading and joining run files.

use super::{FORMAT, Header, Outcome, VERSION};

/// Why a run file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Some other file.
    #[error("This is no run file.")]
    NotARun,
    /// Written by a later version.
    #[error("This run file has version {found}; this program reads up to version {VERSION}.")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// A line in the middle cannot be read.
    #[error("Line {line} of the run file is damaged: {message}")]
    Damaged {
        /// From 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A task that the header does not have, or that is there already.
    #[error("Line {line} of the run file answers task {place}, which {why}.")]
    Task {
        /// From 1.
        line: usize,
        /// From 0.
        place: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Runs that were made in different ways.
    #[error("The runs differ in {0}; only parts of one run can be joined.")]
    Different(String),
    /// Two parts hold the same task.
    #[error("Task {0} is in two of the runs.")]
    Twice(usize),
    /// Nothing to join.
    #[error("There is no run to join.")]
    Nothing,
}

/// A run file that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFile {
    /// What it was made with.
    pub header: Header,
    /// Tasks that were answered, in the order of the task file.
    pub outcomes: Vec<Outcome>,
    /// Bytes of the lines that are whole; what follows was cut.
    pub whole: usize,
}

impl RunFile {
    /// Reads a run file; a last line without an end is left out.
    ///
    /// # Errors
    /// When it is another file, of a later version, or damaged.
    pub fn parse(bytes: &[u8]) -> Result<Self, RunError> {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n').zip(1..);
        let (first, _) = lines.next().ok_or(RunError::NotARun)?;
        let mark: serde_json::Value = serde_json::from_slice(first).map_err(|_| RunError::NotARun)?;
        if mark.get("format").and_then(serde_json::Value::as_str) != Some(FORMAT) {
            return Err(RunError::NotARun);
        }
        match mark.get("version").and_then(serde_json::Value::as_u64).and_then(|v| u32::try_from(v).ok()) {
            Some(found) if found > VERSION => return Err(RunError::Newer { found }),
            _ => {}
        }
        let damaged =
            |line: usize, error: serde_json::Error| RunError::Damaged { line, message: error.to_string() };
        let header: Header = serde_json::from_value(mark).map_err(|e| damaged(1, e))?;
        let mut seen = std::collections::BTreeSet::new();
        let mut outcomes = Vec::new();
        for (text, line) in lines.filter(|(text, _)| !text.is_empty()) {
            let outcome: Outcome = serde_json::from_slice(text).map_err(|e| damaged(line, e))?;
            let place = outcome.place;
            if place >= header.task_count || !header.takes(place) {
                return Err(RunError::Task { line, place, why: "is none of this run" });
            }
            if !seen.insert(place) {
                return Err(RunError::Task { line, place, why: "is answered before" });
            }
            outcomes.push(outcome);
        }
        outcomes.sort_by_key(|outcome| outcome.place);
        Ok(Self { header, outcomes, whole })
    }

    /// Places of the tasks that this run still has to answer.
    pub fn missing(&self) -> Vec<usize> {
        let done: std::collections::BTreeSet<usize> =
            self.outcomes.iter().map(|outcome| outcome.place).collect();
        (0..self.header.task_count)
            .filter(|place| self.header.takes(*place) && !done.contains(place))
            .collect()
    }

    /// The file.
    ///
    /// # Errors
    /// When a number cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = line(&self.header)?;
        for outcome in &self.outcomes {
            bytes.extend(line(outcome)?);
        }
        Ok(bytes)
    }
}

/// A value on a line of its own.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn line(value: &impl serde::Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Joins the parts of one run, such as its shards, into one file.
///
/// # Errors
/// When they are not parts of one run, or two hold the same task.
pub fn merge(parts: &[RunFile]) -> Result<RunFile, RunError> {
    let first = parts.first().ok_or(RunError::Nothing)?;
    let header = Header { shard: None, ..first.header.clone() };
    let mut joined = RunFile { header, ..RunFile::default() };
    for part in parts {
        let differences = joined.header.differences(&Header { shard: None, ..part.header.clone() });
        if !differences.is_empty() {
            return Err(RunError::Different(differences.join(", ")));
        }
        joined.outcomes.extend(part.outcomes.iter().cloned());
    }
    joined.outcomes.sort_by_key(|outcome| outcome.place);
    let twice = joined.outcomes.windows(2).find(|pair| matches!(pair, [a, b] if a.place == b.place));
    match twice.and_then(|pair| pair.first()) {
        Some(outcome) => Err(RunError::Twice(outcome.place)),
        None => Ok(joined),
    }
}
