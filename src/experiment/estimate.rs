//! What an experiment will use, before it runs and while it does.

use super::{By, Setup};
use crate::bench::run::Outcome;
use crate::bench::task::Task;
use crate::db::TableInfo;
use crate::history::KnowledgeBase;
use crate::llm::budget::{Limits, Price, Spent};
use crate::pipeline::direct::{self, Inputs, Shot};
use crate::sql::Schema;

/// Tasks whose prompts are written to measure them.
const TRIED: usize = 5;
/// Tokens of an answer where none was measured: a query of some lines.
const ANSWER: f64 = 90.0;

/// What a number of answers will use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Answers to come.
    pub answers: usize,
    /// Requests.
    pub requests: f64,
    /// Tokens of prompts.
    pub prompt: f64,
    /// Tokens of answers.
    pub answer: f64,
    /// Answers that were measured for it; 0 where prompts were only counted.
    pub measured: usize,
}

impl Estimate {
    /// As something spent, to compare with limits.
    pub fn spent(self) -> Spent {
        let whole = |x: f64| x.max(0.0).ceil() as u64;
        Spent { requests: whole(self.requests), prompt: whole(self.prompt), answer: whole(self.answer) }
    }

    /// Dollars.
    pub fn cost(self, price: Price) -> f64 {
        self.spent().cost(price)
    }
}

/// Tokens of the prompt of a request, on average over a few tasks, with and without examples: the queries of the history
/// stand in for what will be retrieved.
fn prompt_tokens(
    setup: &Setup,
    tasks: &[&Task],
    (schema, tables, knowledge): (&Schema, &[TableInfo], &KnowledgeBase),
    settings: &direct::Settings,
    with_shots: bool,
) -> f64 {
    let step = tasks.len().div_ceil(TRIED).max(1);
    let tried: Vec<&&Task> = tasks.iter().step_by(step).collect();
    let stride = (knowledge.entries.len() / setup.shots.max(1)).max(1);
    let shots: Vec<Shot> = if with_shots {
        let spread = knowledge.entries.iter().step_by(stride).take(setup.shots);
        spread.map(|entry| Shot::Query { entry: entry.id }).collect()
    } else {
        Vec::new()
    };
    let tokens = tried.iter().map(|task| {
        let inputs = Inputs { question: &task.question, schema, tables, knowledge, shots: &shots };
        f64::from(direct::prompt(&inputs, settings).tokens)
    });
    tokens.sum::<f64>() / tried.len().max(1) as f64
}

/// What a set-up will use in all. `done` holds what was answered before, by pipeline and retriever: where a run has
/// answers, the rest is taken to be like them.
pub fn estimate(
    setup: &Setup,
    tasks: &[&Task],
    subject: (&Schema, &[TableInfo], &KnowledgeBase),
    settings: &direct::Settings,
    done: &[Vec<Outcome>],
) -> Estimate {
    let mut whole = Estimate { answers: setup.answers(), ..Estimate::default() };
    let mut counted = [None; 2];
    for (at, cell) in setup.cells().into_iter().enumerate() {
        let count = setup.places.len() as f64;
        let first = cell.retriever == super::retriever::Named::Dail;
        if !cell.by.asks() && !first {
            continue;
        }
        let known = done.get(at).map_or(&[][..], Vec::as_slice);
        let known: Vec<&Outcome> = known.iter().filter(|outcome| outcome.requests > 0).collect();
        if !known.is_empty() {
            let mean = |of: &dyn Fn(&Outcome) -> u32| {
                known.iter().map(|outcome| f64::from(of(outcome))).sum::<f64>() / known.len() as f64
            };
            whole.requests += count * mean(&|outcome| outcome.requests);
            whole.prompt += count * mean(&|outcome| outcome.prompt_tokens);
            whole.answer += count * mean(&|outcome| outcome.answer_tokens);
            whole.measured += known.len();
            continue;
        }
        let shots = cell.retriever != super::retriever::Named::None;
        let mut size = |with: bool| {
            let kept = counted.get_mut(usize::from(with));
            let new = || prompt_tokens(setup, tasks, subject, settings, with);
            kept.map_or_else(new, |kept: &mut Option<f64>| *kept.get_or_insert_with(new))
        };
        let requests = cell.by.usual_requests();
        let firsts = f64::from(u8::from(first));
        whole.requests += count * (requests + firsts);
        whole.prompt += count * (requests * size(shots) + firsts * size(false));
        whole.answer += count * (requests + firsts) * ANSWER;
    }
    whole
}

/// The answer near which a limit is reached, by what `done` answers used: their number and the limit in words. None where
/// all `total` answers fit.
pub fn reached_near(
    limits: Limits,
    price: Price,
    spent: Spent,
    done: usize,
    total: usize,
) -> Option<(usize, &'static str)> {
    if done == 0 {
        return None;
    }
    let left = |limit: Option<f64>, used: f64, name: &'static str| {
        let each = used / done as f64;
        let near = done as f64 + (limit? - used).max(0.0) / each;
        (each > 0.0 && near < total as f64).then_some((near as usize, name))
    };
    let limits = [
        left(limits.requests.map(|n| n as f64), spent.requests as f64, "request"),
        left(limits.tokens.map(|n| n as f64), spent.tokens() as f64, "token"),
        left(limits.cost, spent.cost(price), "cost"),
    ];
    limits.into_iter().flatten().min_by_key(|(near, _)| *near)
}

/// Whether an estimate passes a limit; the limit's name.
pub fn over(limits: Limits, price: Price, estimate: Estimate) -> Option<String> {
    estimate.spent().passes(limits, price)
}

/// Requests a task of a pipeline, as the set-up shows them: "0", "1", "about 11".
pub fn calls(by: By) -> String {
    match by.usual_requests() {
        0.0 => "0".to_owned(),
        1.0 => "1".to_owned(),
        n => format!("about {n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Way;

    fn setup() -> Setup {
        Setup {
            places: (0..10).collect(),
            task_count: 10,
            pipelines: vec!["adapt".into(), Way::Direct.name().into()],
            retrievers: vec!["none".into(), "history".into()],
            ..Setup::default()
        }
    }

    fn estimated(done: &[Vec<Outcome>]) -> Estimate {
        let task = Task { question: "How many piers are there?".into(), ..Task::default() };
        let (schema, knowledge) = (Schema::default(), KnowledgeBase::default());
        estimate(&setup(), &[&task], (&schema, &[], &knowledge), &direct::Settings::default(), done)
    }

    #[test]
    fn an_estimate_counts_prompts_until_there_are_answers() {
        let counted = estimated(&[]);
        // adapt with none is not run, and adapt asks nothing.
        assert_eq!((counted.answers, counted.requests, counted.measured), (30, 20.0, 0));
        assert!(counted.prompt > 20.0 * 60.0 && counted.answer == 20.0 * ANSWER, "{counted:?}");
        let answer =
            |requests| Outcome { requests, prompt_tokens: 1_000, answer_tokens: 10, ..Outcome::default() };
        let measured = estimated(&[Vec::new(), vec![answer(1), answer(3)]]);
        assert_eq!((measured.requests, measured.measured), (10.0 * 2.0 + 10.0, 2));
        assert!(measured.prompt > 10_000.0);
    }

    #[test]
    fn the_answer_near_which_a_limit_is_reached() {
        let spent = Spent { requests: 100, prompt: 50_000, answer: 5_000 };
        let price = Price { prompt: 1.0, answer: 2.0 };
        let near = |limits| reached_near(limits, price, spent, 50, 600);
        assert_eq!(near(Limits::default()), None);
        assert_eq!(near(Limits { requests: Some(900), ..Limits::default() }), Some((450, "request")));
        assert_eq!(near(Limits { requests: Some(1_200), ..Limits::default() }), None);
        // 0.06 dollars were used for 50 answers.
        let limits = Limits { cost: Some(0.12), requests: Some(900), ..Limits::default() };
        assert_eq!(near(limits), Some((100, "cost")));
        assert_eq!(reached_near(limits, price, spent, 0, 600), None);
    }
}
