//! The stages of one answer: Retrieve 34 ms, Adapt, Run 12 ms, Score.

use super::format;

/// Where an answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// Nothing asked.
    #[default]
    Idle,
    /// Looking for knowledge.
    Retrieve,
    /// Adapting and running candidates.
    Adapt,
    /// A model answers, and what it answers is run.
    Answer,
    /// Running SQL the user wrote.
    Run,
    /// Comparing with gold.
    Score,
    /// Finished.
    Done,
}

/// Where one stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Not begun.
    Waiting,
    /// At work.
    Now,
    /// Done.
    Done,
    /// Failed.
    Failed,
}

/// One stage as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its name and figure ("Retrieve 34 ms").
    pub text: String,
    /// Where it stands.
    pub state: StepState,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Whether a model writes the SQL.
    pub by_model: bool,
    /// The stage at work.
    pub stage: Stage,
    /// Milliseconds of retrieval, where it has ended.
    pub retrieved_ms: Option<f64>,
    /// Whether a query was adapted.
    pub adapted: bool,
    /// Tokens of the prompt, where there is one.
    pub prompt_tokens: Option<u32>,
    /// Tokens the model has written, and the milliseconds it took.
    pub written: (u32, f64),
    /// Milliseconds of the query, where it has run.
    pub ran_ms: Option<f64>,
    /// Whether the rows were compared with gold.
    pub scored: bool,
    /// Whether no stage will follow: a model's answer is whole, or something went wrong.
    pub ended: bool,
    /// Whether the query that ran last failed, and rows and score are of the one before.
    pub stale: bool,
}

/// The stages of an answer, in their order.
pub fn steps(progress: &Progress) -> Vec<Step> {
    let timed = |name: &str, ms: Option<f64>| ms.map(|ms| format!("{name} {}", format::duration(ms)));
    let retrieve = ("Retrieve", Stage::Retrieve, timed("Retrieve", progress.retrieved_ms));
    let run = ("Run", Stage::Run, timed("Run", progress.ran_ms.filter(|_| !progress.stale)));
    let mut stages = vec![retrieve];
    if progress.by_model {
        let prompt = progress.prompt_tokens.map(|n| format!("Prompt {} tokens", format::count(u64::from(n))));
        // A prompt is made within one stage of the answer: it is never at work on its own.
        stages.push(("Prompt", Stage::Idle, prompt));
        stages.push(("Answer", Stage::Answer, written(progress.written)));
    } else if progress.adapted || progress.retrieved_ms.is_some() {
        stages.push(("Adapt", Stage::Adapt, progress.adapted.then(|| "Adapt".to_owned())));
    }
    stages.push(run);
    let scored = progress.scored && !progress.stale;
    if scored || progress.stage == Stage::Score {
        stages.push(("Score", Stage::Score, scored.then(|| "Score".to_owned())));
    }
    stages.into_iter().map(|(name, stage, done)| step(progress, name, stage, done)).collect()
}

fn step(progress: &Progress, name: &str, stage: Stage, done: Option<String>) -> Step {
    let now = stage != Stage::Idle && progress.stage == stage;
    let state = match &done {
        _ if now => StepState::Now,
        Some(_) => StepState::Done,
        None if (progress.ended || progress.stale) && progress.stage == Stage::Done => StepState::Failed,
        None => StepState::Waiting,
    };
    Step { text: done.unwrap_or_else(|| name.to_owned()), state }
}

fn written((tokens, took_ms): (u32, f64)) -> Option<String> {
    let speed = f64::from(tokens) / (took_ms / 1000.0).max(0.001);
    (tokens > 0).then(|| format!("Answer {} tokens, {speed:.0}/s", format::count(u64::from(tokens))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(progress: &Progress) -> Vec<(String, StepState)> {
        steps(progress).into_iter().map(|step| (step.text, step.state)).collect()
    }

    #[test]
    fn an_adapted_answer_goes_through_its_stages() {
        use StepState::{Done, Now, Waiting};
        let begun = Progress { stage: Stage::Retrieve, ..Progress::default() };
        assert_eq!(shown(&begun), [("Retrieve".into(), Now), ("Run".into(), Waiting)]);
        let adapting = Progress { stage: Stage::Adapt, retrieved_ms: Some(34.0), ..begun };
        let want = [("Retrieve 34 ms".into(), Done), ("Adapt".into(), Now), ("Run".into(), Waiting)];
        assert_eq!(shown(&adapting), want);
        let done = Progress { stage: Stage::Score, adapted: true, ran_ms: Some(12.0), ..adapting };
        let want = [
            ("Retrieve 34 ms".into(), Done),
            ("Adapt".into(), Done),
            ("Run 12 ms".into(), Done),
            ("Score".into(), Now),
        ];
        assert_eq!(shown(&done), want);
    }

    #[test]
    fn what_was_not_reached_has_failed_when_it_ended() {
        let failed = Progress {
            stage: Stage::Done,
            retrieved_ms: Some(3.0),
            adapted: true,
            ended: true,
            ..Progress::default()
        };
        assert_eq!(shown(&failed).last(), Some(&("Run".into(), StepState::Failed)));
        // What is only offered waits for its run.
        let offered = Progress { ended: false, ..failed };
        assert_eq!(shown(&offered).last(), Some(&("Run".into(), StepState::Waiting)));
    }

    #[test]
    fn a_query_that_failed_has_no_tick_from_the_one_before() {
        let stale = Progress {
            stage: Stage::Done,
            retrieved_ms: Some(3.0),
            adapted: true,
            ran_ms: Some(12.0),
            scored: true,
            stale: true,
            ..Progress::default()
        };
        assert_eq!(shown(&stale).last(), Some(&("Run".into(), StepState::Failed)));
        let mended = Progress { stale: false, ..stale };
        assert_eq!(shown(&mended).last(), Some(&("Score".into(), StepState::Done)));
    }

    #[test]
    fn a_query_that_runs_again_is_at_work_with_its_last_figure() {
        let again = Progress { stage: Stage::Run, ran_ms: Some(12.0), ..Progress::default() };
        assert_eq!(shown(&again).last(), Some(&("Run 12 ms".into(), StepState::Now)));
    }

    #[test]
    fn a_model_has_a_prompt_and_a_speed() {
        use StepState::{Done, Now, Waiting};
        let writing = Progress {
            by_model: true,
            stage: Stage::Answer,
            retrieved_ms: Some(8.0),
            prompt_tokens: Some(1_840),
            written: (50, 2_000.0),
            ..Progress::default()
        };
        let want = [
            ("Retrieve 8 ms".into(), Done),
            ("Prompt 1,840 tokens".into(), Done),
            ("Answer 50 tokens, 25/s".into(), Now),
            ("Run".into(), Waiting),
        ];
        assert_eq!(shown(&writing), want);
        let silent = Progress { stage: Stage::Done, written: (0, 0.0), ended: true, ..writing };
        assert_eq!(shown(&silent)[2], ("Answer".into(), StepState::Failed));
    }
}
