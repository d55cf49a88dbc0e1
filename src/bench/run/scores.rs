//! The figures of a run: solved tasks, retrieval, cost and time, whole and by group.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Outcome, RunFile};
use crate::bench::interval::wilson;
use crate::bench::modes::Mode;
use crate::bench::retrieval_metrics::{Counts, RetrievalMetrics};
use crate::bench::task::Task;
use crate::sql::ComponentType;

/// Scored tasks of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Share {
    /// Tasks that were scored.
    pub tasks: usize,
    /// Those that count as solved.
    pub solved: usize,
    /// Sum of the scores.
    pub points: f64,
}

impl Share {
    fn add(&mut self, outcome: &Outcome, mode: Mode) {
        if let Some(scored) = outcome.scored.as_ref().filter(|scored| scored.mode == mode) {
            self.tasks += 1;
            self.solved += usize::from(scored.correct);
            self.points += scored.score;
        }
    }

    /// The mean score in per cent.
    pub fn percent(self) -> Option<f64> {
        (self.tasks > 0).then(|| 100.0 * self.points / self.tasks as f64)
    }

    /// Its 95 % interval in per cent, where the score is a share of solved tasks.
    pub fn interval(self, mode: Mode) -> Option<(f64, f64)> {
        let interval = wilson(self.solved, self.tasks).filter(|_| mode.is_accuracy());
        interval.map(|(low, high)| (100.0 * low, 100.0 * high))
    }
}

/// The figures of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Scores {
    /// The rule; that by which most tasks were scored.
    pub mode: Option<Mode>,
    /// All tasks.
    pub overall: Share,
    /// By database.
    pub by_database: BTreeMap<String, Share>,
    /// By difficulty, of tasks that have one; needs the tasks.
    pub by_difficulty: BTreeMap<String, Share>,
    /// By the types of knowledge that a task needs: one task counts for each of them; needs the tasks.
    pub by_type: BTreeMap<ComponentType, Share>,
    /// Retrieval, of tasks that name what they need.
    pub retrieval: RetrievalMetrics,
    /// Tasks that name it.
    pub with_knowledge: usize,
    /// Requests a task.
    pub requests: f64,
    /// Tokens of prompts and answers a task.
    pub tokens: f64,
}

impl Scores {
    /// The figures of a run, by the rule that most of its tasks were scored by. `tasks` are those of its task file, where
    /// they are at hand.
    pub fn of(run: &RunFile, tasks: &[Task]) -> Self {
        let mut modes: BTreeMap<Mode, usize> = BTreeMap::new();
        for scored in run.outcomes.iter().filter_map(|outcome| outcome.scored.as_ref()) {
            *modes.entry(scored.mode).or_default() += 1;
        }
        let mode = modes.into_iter().max_by_key(|(_, tasks)| *tasks).map(|(mode, _)| mode);
        let mut scores = Self { mode, ..Self::default() };
        for outcome in &run.outcomes {
            if let Some(mode) = mode {
                scores.overall.add(outcome, mode);
                scores.by_database.entry(outcome.db_id.clone()).or_default().add(outcome, mode);
                let task = tasks.get(outcome.place);
                if let Some(difficulty) = task.and_then(|task| task.difficulty.clone()) {
                    scores.by_difficulty.entry(difficulty).or_default().add(outcome, mode);
                }
                let mut kinds: Vec<ComponentType> =
                    task.iter().flat_map(|task| &task.knowledge).filter_map(|item| item.kind).collect();
                kinds.sort_unstable();
                kinds.dedup();
                for kind in kinds {
                    scores.by_type.entry(kind).or_default().add(outcome, mode);
                }
            }
            if let Some(knowledge) = &outcome.knowledge {
                scores.retrieval += knowledge;
                scores.with_knowledge += 1;
            }
            scores.requests += f64::from(outcome.requests);
            scores.tokens += f64::from(outcome.prompt_tokens) + f64::from(outcome.answer_tokens);
        }
        let tasks = run.outcomes.len().max(1) as f64;
        (scores.requests, scores.tokens) = (scores.requests / tasks, scores.tokens / tasks);
        scores
    }

    /// Retrieval over all types, where tasks name what they need.
    pub fn found(&self) -> Option<Counts> {
        (self.with_knowledge > 0).then_some(self.retrieval.overall)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bench::retrieval_metrics::Required;
    use crate::bench::run::Scored;

    #[test]
    fn figures_are_of_the_tasks_that_were_scored() {
        let outcome = |place, db_id: &str, scored: Option<(Mode, bool)>| Outcome {
            place,
            db_id: db_id.into(),
            requests: 2,
            prompt_tokens: 100,
            answer_tokens: 20,
            scored: scored.map(|(mode, correct)| Scored {
                mode,
                correct,
                score: f64::from(u8::from(correct)),
                why: String::new(),
            }),
            ..Outcome::default()
        };
        let outcomes = vec![
            outcome(0, "a", Some((Mode::BirdEx, true))),
            outcome(1, "a", Some((Mode::BirdEx, false))),
            outcome(2, "b", Some((Mode::SoftF1, true))),
            outcome(3, "b", None),
        ];
        let required = |kind| Required { skeleton: String::new(), kind: Some(kind), sources: Vec::new() };
        let knowledge = vec![required(ComponentType::Condition), required(ComponentType::Condition)];
        let tasks =
            vec![Task { difficulty: Some("simple".into()), knowledge, ..Task::default() }, Task::default()];
        let scores = Scores::of(&RunFile { outcomes, ..RunFile::default() }, &tasks);
        assert_eq!(scores.mode, Some(Mode::BirdEx));
        assert_eq!(scores.overall, Share { tasks: 2, solved: 1, points: 1.0 });
        assert_eq!((scores.overall.percent(), scores.by_database["b"].percent()), (Some(50.0), None));
        assert_eq!(scores.by_difficulty["simple"].solved, 1);
        assert_eq!(scores.by_type[&ComponentType::Condition].tasks, 1);
        assert_eq!((scores.requests, scores.tokens, scores.found()), (2.0, 120.0, None));
        let (low, high) = scores.overall.interval(Mode::BirdEx).unwrap();
        assert!(low < 50.0 && high > 50.0 && scores.overall.interval(Mode::SoftF1).is_none());
        assert_eq!(Scores::of(&RunFile::default(), &[]).overall.percent(), None);
    }
}
