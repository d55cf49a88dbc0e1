//! The answers of a run, one by one: question, SQL, verdict and why, what was retrieved, the stages.

use crate::bench::run::{Outcome, RunFile};
use crate::bench::task::Task;
use crate::history::KnowledgeBase;
use crate::history::entry::tag;
use crate::present::format::{count, counted, duration, score};

/// How an answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Solved.
    Right,
    /// Not solved.
    Wrong,
    /// Neither: it was not scored.
    Unscored,
}

impl Verdict {
    /// How an answer stands.
    pub fn of(outcome: &Outcome) -> Self {
        match &outcome.scored {
            Some(scored) if scored.correct => Self::Right,
            Some(_) => Self::Wrong,
            None => Self::Unscored,
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "Equal",
            Self::Wrong => "Different",
            Self::Unscored => "Not scored",
        }
    }
}

/// Which answers are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Only {
    /// All.
    #[default]
    All,
    /// Those that were not solved.
    Wrong,
    /// Solved ones.
    Right,
    /// Those without SQL, or whose SQL did not run.
    Failed,
}

/// The choices with their names.
pub const ONLY: [(Only, &str); 4] =
    [(Only::All, "All"), (Only::Wrong, "Different"), (Only::Right, "Equal"), (Only::Failed, "Not run")];

/// A line of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The task's place in its file.
    pub place: usize,
    /// Its identifier.
    pub id: i64,
    /// Its question.
    pub question: String,
    /// How its answer stands.
    pub verdict: Verdict,
    /// Why, in a sentence; what is wrong with the SQL where it did not run.
    pub why: String,
    /// Queries handed on.
    pub shots: usize,
    /// How long it took.
    pub took: String,
}

/// The question of an outcome; older files have it only in the task file.
fn question(outcome: &Outcome, task: Option<&Task>) -> String {
    match (outcome.question.as_str(), task) {
        ("", Some(task)) => task.question.clone(),
        ("", None) => format!("Task {}", outcome.question_id),
        (question, _) => question.to_owned(),
    }
}

fn why(outcome: &Outcome) -> String {
    match (&outcome.error, &outcome.scored) {
        (Some(error), _) => error.clone(),
        (None, Some(scored)) => scored.why.clone(),
        (None, None) => String::new(),
    }
}

/// The answers of a run that pass `only` and hold `text` in their question, SQL or reason, in the order of the tasks.
pub fn list(run: &RunFile, tasks: &[Task], only: Only, text: &str) -> Vec<Line> {
    let text = text.trim().to_lowercase();
    let passes = |outcome: &&Outcome| match only {
        Only::All => true,
        Only::Wrong => Verdict::of(outcome) == Verdict::Wrong,
        Only::Right => Verdict::of(outcome) == Verdict::Right,
        Only::Failed => outcome.sql.is_none() || outcome.error.is_some(),
    };
    let lines = run.outcomes.iter().filter(passes).map(|outcome| {
        let line = Line {
            place: outcome.place,
            id: outcome.question_id,
            question: question(outcome, tasks.get(outcome.place)),
            verdict: Verdict::of(outcome),
            why: why(outcome),
            shots: outcome.retrieved.len(),
            took: duration(outcome.retrieve_ms + outcome.answer_ms),
        };
        (line, outcome.sql.as_deref().unwrap_or_default())
    });
    let holds = |(line, sql): &(Line, &str)| {
        text.is_empty()
            || [&line.question, &line.why, *sql].iter().any(|part: &&str| part.to_lowercase().contains(&text))
    };
    lines.filter(holds).map(|(line, _)| line).collect()
}

/// A query that was handed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// `#31`.
    pub tag: String,
    /// What it was for, or how it begins; empty where the history is not open.
    pub what: String,
    /// The retriever's score.
    pub score: String,
    /// Whether the task names it.
    pub needed: bool,
}

/// A stage in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name, with its requests.
    pub name: String,
    /// What it found and proposed, a line each.
    pub lines: Vec<String>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The task's place in its file.
    pub place: usize,
    /// Its identifier.
    pub id: i64,
    /// Its question.
    pub question: String,
    /// The SQL that was answered.
    pub sql: Option<String>,
    /// The reference query, where the task file is at hand.
    pub gold: Option<String>,
    /// How it stands.
    pub verdict: Verdict,
    /// By which rule.
    pub mode: String,
    /// Why, in a sentence.
    pub why: String,
    /// What was handed on.
    pub sources: Vec<Source>,
    /// How retrieval compares with what the task needs: "2 of 3 needed items, precision 40.0 %".
    pub retrieval: Option<String>,
    /// The stages.
    pub stages: Vec<Stage>,
    /// What it cost: name and figure.
    pub cost: Vec<(&'static str, String)>,
}

/// The answer to the task at that place. `knowledge` is the history where it is the one of the run.
pub fn open(
    run: &RunFile,
    place: usize,
    tasks: &[Task],
    knowledge: Option<&KnowledgeBase>,
) -> Option<Prediction> {
    let outcome = run.outcomes.iter().find(|outcome| outcome.place == place)?;
    let task = tasks.get(place);
    let needed: Vec<i64> =
        task.iter().flat_map(|task| &task.knowledge).flat_map(|item| item.sources.iter().copied()).collect();
    let sources = outcome.retrieved.iter().map(|hit| {
        let entry = knowledge.and_then(|knowledge| knowledge.entries.get(hit.entry as usize));
        let words = entry.map(|entry| entry.question.clone().unwrap_or_else(|| entry.sql.clone()));
        Source {
            tag: tag(hit.entry),
            what: words.unwrap_or_default(),
            score: score(hit.score),
            needed: hit.source_ids.iter().any(|id| needed.contains(id)),
        }
    });
    let retrieval = outcome.knowledge.as_ref().map(|metrics| {
        let counts = metrics.overall;
        let precision = counts.precision().map(|share| format!(", precision {:.1} %", 100.0 * share));
        let items = if counts.required == 1 { "item" } else { "items" };
        format!("{} of {} needed {items}{}", counts.covered, counts.required, precision.unwrap_or_default())
    });
    let stages = outcome.stages.iter().map(|stage| {
        let candidates = stage.candidates.iter().map(|candidate| {
            let end = match (&candidate.error, candidate.rows) {
                (Some(error), _) => format!(": {error}"),
                (None, Some(rows)) => format!(": {}", counted(rows, "row", "rows")),
                (None, None) => String::new(),
            };
            let votes =
                if candidate.votes > 1 { format!(", {} votes", candidate.votes) } else { String::new() };
            let from = if candidate.from.is_empty() { "SQL" } else { &candidate.from };
            format!("{from}{votes}{end}")
        });
        let name = match stage.requests {
            0 => stage.name.clone(),
            n => format!("{} ({})", stage.name, counted(n as usize, "request", "requests")),
        };
        Stage { name, lines: candidates.chain(stage.notes.iter().cloned()).collect() }
    });
    let mut cost =
        vec![("Retrieved in", duration(outcome.retrieve_ms)), ("Answered in", duration(outcome.answer_ms))];
    if outcome.requests > 0 {
        cost.push(("Requests", count(outcome.requests.into())));
        cost.push(("Prompt tokens", count(outcome.prompt_tokens.into())));
        cost.push(("Answer tokens", count(outcome.answer_tokens.into())));
    }
    Some(Prediction {
        place,
        id: outcome.question_id,
        question: question(outcome, task),
        sql: outcome.sql.clone(),
        gold: task.map(|task| task.gold.clone()),
        verdict: Verdict::of(outcome),
        mode: outcome.scored.as_ref().map(|scored| scored.mode.to_string()).unwrap_or_default(),
        why: why(outcome),
        sources: sources.collect(),
        retrieval,
        stages: stages.collect(),
        cost,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::bench::modes::Mode;
    use crate::bench::retrieval_metrics::{Counts, Required, RetrievalMetrics};
    use crate::bench::run::{CandidateMark, RetrievedQuery, Scored, StageMark};
    use crate::history::Entry;

    fn run() -> RunFile {
        let scored = |correct, why: &str| {
            Some(Scored { mode: Mode::BirdEx, score: 0.0, correct, why: why.to_owned() })
        };
        let right = Outcome {
            place: 0,
            question_id: 7,
            question: "How many piers?".into(),
            sql: Some("SELECT count(*) FROM piers".into()),
            scored: scored(true, "Equal."),
            retrieved: vec![RetrievedQuery { entry: 1, source_ids: vec![41], score: 0.876 }],
            knowledge: Some(RetrievalMetrics {
                overall: Counts { required: 3, covered: 2, superfluous: 3 },
                ..RetrievalMetrics::default()
            }),
            requests: 2,
            prompt_tokens: 1_912,
            stages: vec![StageMark {
                name: "vote".into(),
                requests: 1,
                candidates: vec![CandidateMark {
                    from: "m-schema".into(),
                    rows: Some(3),
                    votes: 2,
                    ..CandidateMark::default()
                }],
                notes: vec!["Two agree.".into()],
            }],
            ..Outcome::default()
        };
        let wrong = Outcome {
            place: 1,
            sql: Some("SELECT x".into()),
            error: Some("There is no column x.".into()),
            scored: scored(false, "no such column"),
            ..Outcome::default()
        };
        RunFile {
            outcomes: vec![right, wrong, Outcome { place: 2, ..Outcome::default() }],
            ..RunFile::default()
        }
    }

    #[test]
    fn answers_are_listed_by_how_they_stand() {
        let places = |only, text: &str| -> Vec<usize> {
            list(&run(), &[], only, text).into_iter().map(|line| line.place).collect()
        };
        assert_eq!(places(Only::All, ""), [0, 1, 2]);
        assert_eq!(places(Only::Wrong, ""), [1]);
        assert_eq!(places(Only::Right, ""), [0]);
        assert_eq!(places(Only::Failed, ""), [1, 2]);
        assert_eq!(places(Only::All, "PIERS"), [0]);
        assert_eq!(places(Only::All, "column x"), [1]);
        let lines = list(&run(), &[], Only::All, "");
        assert_eq!(lines[1].why, "There is no column x.");
        assert_eq!((lines[2].verdict, lines[2].question.as_str()), (Verdict::Unscored, "Task 0"));
    }

    #[test]
    fn one_answer_has_everything() {
        let entries =
            vec![Entry::default(), Entry { id: 1, question: Some("Piers?".into()), ..Entry::default() }];
        let knowledge = KnowledgeBase { entries, ..KnowledgeBase::default() };
        let required = Required { skeleton: String::new(), kind: None, sources: vec![41] };
        let task = Task { gold: "SELECT 1".into(), knowledge: vec![required], ..Task::default() };
        let one = open(&run(), 0, &[task], Some(&knowledge)).unwrap();
        assert_eq!(one.gold.as_deref(), Some("SELECT 1"));
        let source = Source { tag: "#2".into(), what: "Piers?".into(), score: "0.88".into(), needed: true };
        assert_eq!(one.sources, [source]);
        assert_eq!(one.retrieval.as_deref(), Some("2 of 3 needed items, precision 40.0 %"));
        assert_eq!(one.stages[0].name, "vote (1 request)");
        assert_eq!(one.stages[0].lines, ["m-schema, 2 votes: 3 rows", "Two agree."]);
        assert!(one.cost.contains(&("Prompt tokens", "1,912".to_owned())));
        assert!(open(&run(), 9, &[], None).is_none());
    }
}
