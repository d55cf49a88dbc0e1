//! What the Lab shows: its list, how an experiment stands, its results, its answers, its set-up.

pub mod charts;
pub mod draft;
pub mod predictions;
pub mod progress;
pub mod results;
pub mod statistics;
pub mod when;

pub use progress::Live;

use crate::experiment::kept::{Experiment, Standing};
use crate::present::format::{count, share};

/// What a line's icon says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// At work.
    Running,
    /// Every answer is there.
    Done,
    /// It can go on.
    Held,
    /// The user ended it.
    Cancelled,
    /// A file from elsewhere.
    File,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Names the experiment.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How it stands.
    pub said: String,
    /// The same as an icon.
    pub mark: Mark,
    /// When it was begun.
    pub when: String,
}

/// The line of an experiment at `now_ms` of a clock that is `offset_min` minutes behind universal time, as browsers
/// count.
pub fn line(kept: &Experiment, live: Option<&Live>, now_ms: f64, offset_min: f64) -> Line {
    let live = live.filter(|live| live.id == kept.id);
    let total = kept.total();
    let done = live.map_or(kept.done, |live| live.done);
    let of = share(done as u64, total as u64);
    let errors = match kept.failed.len() {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        n => format!(", {} errors", count(n as u64)),
    };
    let (mark, said) = match (&kept.standing, live) {
        (_, Some(_)) => (Mark::Running, of),
        (Standing::Opened, None) => (Mark::File, of),
        (Standing::Cancelled, None) => (Mark::Cancelled, format!("cancelled at {}", count(done as u64))),
        (_, None) if done >= total => (Mark::Done, format!("{of}{errors}")),
        (Standing::Paused(why), None) if why.contains("limit") => (Mark::Held, format!("{of}, at budget")),
        (Standing::Running, None) => (Mark::Held, format!("{of}, broken off")),
        (_, None) => (Mark::Held, format!("{of}{errors}")),
    };
    let when =
        if mark == Mark::Running { "now".to_owned() } else { when::when(kept.began_ms, now_ms, offset_min) };
    Line { id: kept.id.clone(), name: kept.name.clone(), said, mark, when }
}

/// A name for an experiment, from what it is made of.
pub fn name(setup: &crate::experiment::Setup) -> String {
    let several = |names: &[String]| names.len() > 1;
    match (several(&setup.retrievers), several(&setup.pipelines)) {
        (true, true) => "Retrievers × pipelines".to_owned(),
        (true, false) => format!("Retrievers, {}", setup.pipelines.join(", ")),
        (false, true) => format!("Pipelines, {}", setup.retrievers.join(", ")),
        (false, false) => format!("{} with {}", setup.pipelines.join(", "), setup.retrievers.join(", ")),
    }
}

/// The line under the title: tasks, model, mode, the start.
pub fn about(kept: &Experiment, now_ms: f64, offset_min: f64) -> String {
    let setup = &kept.setup;
    let tasks = super::format::counted(setup.places.len(), "task", "tasks");
    let of = if setup.places.len() < setup.task_count {
        format!(" of {} (those on {})", count(setup.task_count as u64), setup.database)
    } else {
        String::new()
    };
    let file = setup.tasks.name.trim_end_matches(".json");
    let model = setup.model.as_ref().map_or("no model", |model| model.name.as_str());
    let seed = setup.model.as_ref().and_then(|model| model.seed).map(|seed| format!(" · seed {seed}"));
    let began = when::when(kept.began_ms, now_ms, offset_min);
    format!("{file}, {tasks}{of} · {model} · {}{} · begun {began}", setup.mode, seed.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Setup;

    fn kept(standing: Standing, done: usize) -> Experiment {
        let setup = Setup { places: (0..40).collect(), task_count: 40, ..Setup::default() };
        Experiment { id: "a".into(), standing, done, setup, ..Experiment::default() }
    }

    #[test]
    fn a_line_says_how_an_experiment_stands() {
        let said = |kept: Experiment| {
            let line = line(&kept, None, 0.0, 0.0);
            (line.mark, line.said)
        };
        assert_eq!(said(kept(Standing::Ended, 40)), (Mark::Done, "40 of 40".into()));
        assert_eq!(said(kept(Standing::Cancelled, 11)), (Mark::Cancelled, "cancelled at 11".into()));
        let budget = Standing::Paused("The limit of 9 requests is reached.".into());
        assert_eq!(said(kept(budget, 28)), (Mark::Held, "28 of 40, at budget".into()));
        assert_eq!(said(kept(Standing::Running, 5)), (Mark::Held, "5 of 40, broken off".into()));
        let failed =
            Experiment { failed: vec![(0, 1, "x".into())], ..kept(Standing::Paused(String::new()), 39) };
        assert_eq!(said(failed), (Mark::Held, "39 of 40, 1 error".into()));
        let live = Live { id: "a".into(), done: 7, ..Live::default() };
        let line = line(&kept(Standing::Running, 5), Some(&live), 0.0, 0.0);
        assert_eq!((line.mark, line.said.as_str(), line.when.as_str()), (Mark::Running, "7 of 40", "now"));
    }

    #[test]
    fn an_experiment_is_named_by_what_varies() {
        let named = |retrievers: &[&str], pipelines: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            name(&Setup { retrievers: owned(retrievers), pipelines: owned(pipelines), ..Setup::default() })
        };
        assert_eq!(named(&["mqs", "history"], &["adapt", "direct"]), "Retrievers × pipelines");
        assert_eq!(named(&["mqs", "history"], &["direct"]), "Retrievers, direct");
        assert_eq!(named(&["history"], &["adapt"]), "adapt with history");
    }
}
