//! Asking, running SQL by hand, comparing with gold.

use std::sync::Arc;

use leptos::prelude::*;

use super::{encoder, now};
use crate::bench::compare::{self, Mode};
use crate::bench::retrieval_metrics::{Counts, measure_queries};
use crate::bench::task::Task;
use crate::db::QueryLimits;
use crate::pipeline::ask::{self as pipeline, Sources};
use crate::ports::Execute as _;
use crate::present::grid;
use crate::retrieval::Retrieved;
use crate::ui::state::{Gold, Run, Score, Stage, State, Trouble};

/// Most rows read for a comparison: execution accuracy is undefined on a cut result.
const SCORED_ROWS: usize = 1_000_000;
const RECENT: usize = 12;

/// Answers the question in the box from the history, without a model.
pub async fn ask(state: State) {
    let question = state.question.get_untracked().trim().to_owned();
    if question.is_empty() {
        return;
    }
    stop(state);
    state.recent.update(|recent| {
        recent.retain(|q| *q != question);
        recent.insert(0, question.clone());
        recent.truncate(RECENT);
    });
    state.selected.set(None);
    let run = state.run;
    run.set(Run { stage: Stage::Retrieve, question: question.clone(), ..Run::default() });
    // An answer that arrives after the next question was asked is dropped.
    let current = move || run.with_untracked(|r| r.question == question && r.stage != Stage::Idle);
    let question = run.with_untracked(|r| r.question.clone());

    let Some(knowledge) = state.knowledge.get_untracked() else {
        return fail(
            state,
            Trouble::Other("Add a history first: there is nothing to answer from.".to_owned()),
        );
    };
    let settings = state.settings.get_untracked();
    let Some(index) = knowledge.index_of(&settings.encoder) else {
        let why = format!("The history is not indexed with {}. Index it, then ask again.", settings.encoder);
        return fail(state, Trouble::Other(why));
    };
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let engine = state.engine();
    let report = |status| encoder::report(state, status);
    let embedder = engine.embedder.port(settings.wish(), &report);
    let sources = Sources { knowledge: &knowledge.base, index, schema: &schema };
    let started = now();
    let on_retrieved = |retrieved: &Retrieved| {
        if current() {
            run.update(|r| {
                r.retrieved = Some(Arc::new(retrieved.clone()));
                r.retrieve_ms = now() - started;
                r.stage = Stage::Adapt;
            });
        }
    };
    let (retrieval, limits) = (settings.retrieval, settings.limits);
    let asked =
        pipeline::ask(&question, sources, &embedder, &engine.database, retrieval, limits, on_retrieved).await;
    if !current() {
        return;
    }
    match asked {
        Ok((retrieved, answer)) => {
            run.update(|r| r.retrieved = Some(Arc::new(retrieved)));
            match answer {
                Ok(answer) => {
                    run.update(|r| {
                        r.sql.clone_from(&answer.sql);
                        // What is not near enough is offered, not given: its rows come with Run.
                        r.result = answer.is_near().then(|| Arc::new(answer.result.clone()));
                        r.answer = Some(Arc::new(answer));
                        r.stage = Stage::Done;
                    });
                    score(state).await;
                    say_result(state);
                }
                Err(error) => fail(state, Trouble::Adapt(error)),
            }
        }
        Err(error) => fail(state, Trouble::Other(error.to_string())),
    }
}

/// Runs the SQL that the user wrote.
pub async fn run_sql(state: State, sql: String) {
    stop(state);
    state.run.update(|r| {
        r.edited = r.answer.as_ref().is_none_or(|a| a.sql != sql);
        r.sql.clone_from(&sql);
        r.stage = Stage::Run;
        r.trouble = None;
        r.score = None;
    });
    let limits = state.settings.with_untracked(|s| s.limits);
    match state.engine().database.execute(&sql, limits).await {
        Ok(rows) => {
            state.run.update(|r| {
                r.result = Some(Arc::new(rows));
                r.stage = Stage::Done;
            });
            score(state).await;
            say_result(state);
        }
        Err(error) => {
            state.run.update(|r| r.result = None);
            fail(state, Trouble::Db(error));
        }
    }
}

/// Stops what is running; the database stays open.
pub fn stop(state: State) {
    state.engine().database.stop();
}

/// Compares the answer with the chosen gold, if there is one and an answer.
pub async fn score(state: State) {
    let (gold_sql, task) = match state.gold.get_untracked() {
        Gold::None => return state.run.update(|r| r.score = None),
        Gold::Sql(sql) => (sql, None),
        Gold::Task(position) => {
            let Some(task) = state.tasks.with_untracked(|t| t.get(position).cloned()) else { return };
            (task.gold.clone(), Some(task))
        }
    };
    let before = state.run.get_untracked();
    if before.result.is_none() {
        return;
    }
    let sql = before.sql.clone();
    state.run.update(|r| r.stage = Stage::Score);
    let knowledge = task.as_ref().and_then(|task| knowledge_scores(state, task, before.retrieved.as_deref()));
    let engine = state.engine();
    let timeout_ms = state.settings.with_untracked(|s| s.limits.timeout_ms);
    let limits = QueryLimits { timeout_ms, max_rows: SCORED_ROWS };
    let gold = engine.database.execute(&gold_sql, limits).await;
    let predicted = match before.result.as_deref() {
        Some(rows) if !rows.more => Ok(rows.clone()),
        _ => engine.database.execute(&sql, limits).await,
    };
    let verdict = Arc::new(compare::judge(Mode::BirdEx, &gold, &predicted));
    let against = match (gold, predicted) {
        (Ok(gold), Ok(predicted)) => grid::against(Arc::new(gold), &predicted).map(Arc::new),
        _ => None,
    };
    state.run.update(|r| {
        // Another question or query may have taken the place of the one that was scored.
        if r.stage == Stage::Score && r.sql == sql {
            r.score = Some(Score { verdict, against, knowledge });
            r.stage = Stage::Done;
        }
    });
}

fn knowledge_scores(state: State, task: &Task, retrieved: Option<&Retrieved>) -> Option<Counts> {
    if task.knowledge.is_empty() {
        return None;
    }
    let entries: Vec<u32> = retrieved?.queries.iter().map(|q| q.entry).collect();
    let knowledge = state.knowledge.get_untracked()?;
    Some(measure_queries(&task.knowledge, &knowledge.base, &entries).overall)
}

fn fail(state: State, trouble: Trouble) {
    state.run.update(|r| {
        r.trouble = Some(trouble);
        r.stage = Stage::Done;
    });
    state.said.set("No answer.".to_owned());
}

/// "12 rows, different from gold", for those who do not see the page.
fn say_result(state: State) {
    let said = state.run.with_untracked(|r| {
        if r.result.is_none() {
            return "Nothing in the history is near enough.".to_owned();
        }
        let rows = r.result.as_ref().map_or(0, |rows| rows.rows.len());
        let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        match r.score.as_ref().map(|s| &s.verdict) {
            Some(verdict) if verdict.correct() => format!("{rows}, the same as gold"),
            Some(_) => format!("{rows}, different from gold"),
            None => rows,
        }
    });
    state.said.set(said);
}
