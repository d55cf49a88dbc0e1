//! Asking, running SQL by hand, comparing with gold.

use std::sync::Arc;

use leptos::prelude::*;

use super::now;
use crate::bench::compare::{self, Mode};
use crate::bench::retrieval_metrics;
use crate::bench::task::Task;
use crate::db::{DbError, QueryLimits, ResultSet};
use crate::pipeline::adapt::adapt;
use crate::ports::Execute as _;
use crate::retrieval::Retrieved;
use crate::retrieval::history::retrieve_question;
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
        return fail(state, Trouble::Other("Add a history first: there is nothing to answer from.".to_owned()));
    };
    let engine = state.engine();
    let embedder = engine.embedder.port(state);
    let Some(index) = knowledge.index_of(engine.embedder.encoder()) else {
        return fail(
            state,
            Trouble::Other("The history is not indexed yet. Index it, then ask again.".to_owned()),
        );
    };
    let started = now();
    let settings = state.settings.get_untracked();
    let retrieved = retrieve_question(&embedder, index, &knowledge.base, &question, settings.retrieval).await;
    if !current() {
        return;
    }
    let retrieved = match retrieved {
        Ok(retrieved) => Arc::new(retrieved),
        Err(error) => return fail(state, Trouble::Other(error.to_string())),
    };
    let retrieve_ms = now() - started;
    run.update(|r| {
        r.retrieved = Some(retrieved.clone());
        r.retrieve_ms = retrieve_ms;
        r.stage = Stage::Adapt;
    });
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let answer =
        adapt(&question, &knowledge.base, &schema, &retrieved, &engine.database, settings.limits).await;
    if !current() {
        return;
    }
    match answer {
        Ok(answer) => {
            run.update(|r| {
                r.sql.clone_from(&answer.sql);
                r.result = Some(Arc::new(answer.result.clone()));
                r.answer = Some(Arc::new(answer));
                r.stage = Stage::Done;
            });
            score(state).await;
            say_result(state);
        }
        Err(error) => fail(state, Trouble::Adapt(error)),
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
            (task.sql.clone(), Some(task))
        }
    };
    let before = state.run.get_untracked();
    if before.result.is_none() {
        return;
    }
    let sql = before.sql.clone();
    state.run.update(|r| r.stage = Stage::Score);
    let knowledge = task.as_ref().and_then(|task| knowledge_scores(state, task, before.retrieved.as_deref()));
    let (verdict, gold) = match both(state, &gold_sql, &sql, before.result.as_deref()).await {
        Ok((gold, predicted)) => {
            let verdict = compare::judge(Mode::BirdEx, &gold, &predicted).map_err(|e| e.to_string());
            (verdict.map(Arc::new), Some(Arc::new(gold)))
        }
        Err(error) => (Err(error), None),
    };
    state.run.update(|r| {
        // Another question or query may have taken the place of the one that was scored.
        if r.stage == Stage::Score && r.sql == sql {
            r.score = Some(Score { verdict, gold, knowledge });
            r.stage = Stage::Done;
        }
    });
}

/// Rows of gold and of the answer, both whole.
async fn both(
    state: State,
    gold: &str,
    sql: &str,
    shown: Option<&ResultSet>,
) -> Result<(ResultSet, ResultSet), String> {
    let engine = state.engine();
    let timeout_ms = state.settings.with_untracked(|s| s.limits.timeout_ms);
    let limits = QueryLimits { timeout_ms, max_rows: SCORED_ROWS };
    let gold = engine.database.execute(gold, limits).await.map_err(|e| match e {
        DbError::Timeout(_) => format!("The gold SQL does not finish. {e}"),
        _ => format!("The gold SQL does not run: {e}"),
    })?;
    let predicted = match shown {
        Some(rows) if !rows.more => rows.clone(),
        _ => engine.database.execute(sql, limits).await.map_err(|e| e.to_string())?,
    };
    Ok((gold, predicted))
}

fn knowledge_scores(
    state: State,
    task: &Task,
    retrieved: Option<&Retrieved>,
) -> Option<retrieval_metrics::Scores> {
    if task.history_knowledge.is_empty() {
        return None;
    }
    let knowledge = state.knowledge.get_untracked()?;
    Some(retrieval_metrics::score_retrieved(task, &knowledge.base, retrieved?))
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
        let rows = r.result.as_ref().map_or(0, |rows| rows.rows.len());
        let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        match r.score.as_ref().map(|s| &s.verdict) {
            Some(Ok(verdict)) if verdict.equal => format!("{rows}, the same as gold"),
            Some(Ok(_)) => format!("{rows}, different from gold"),
            _ => rows,
        }
    });
    state.said.set(said);
}
