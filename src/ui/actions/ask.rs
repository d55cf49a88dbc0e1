//! Asking, running SQL by hand, comparing with gold.

use std::sync::Arc;

use leptos::prelude::*;

use super::{compare, direct, encoder, now, save};
use crate::bench::compare::{self as comparison, Mode, Verdict};
use crate::bench::modes::Forgetful;
use crate::bench::retrieval_metrics::{Counts, measure_queries};
use crate::bench::task::Task;
use crate::browser::database::Database;
use crate::browser::incidents;
use crate::db::{DbError, QueryLimits, ResultSet};
use crate::experiment::scoring::judge_one;
use crate::incident::Source;
use crate::llm::Cancel;
use crate::pipeline::Answered;
use crate::pipeline::ask::{self as pipeline, Sources};
use crate::pipeline::direct::Direct;
use crate::ports::Execute;
use crate::present::grid;
use crate::present::incidents::of_database;
use crate::present::layout;
use crate::present::score::Standing;
use crate::retrieval::Retrieved;
use crate::ui::settings::Way;
use crate::ui::state::{Gold, Run, Score, Stage, State, Trouble};

/// Most rows read for a comparison: execution accuracy is undefined on a cut result.
const SCORED_ROWS: usize = 1_000_000;
const RECENT: usize = 12;

/// Answers the question in the box, by whoever the settings name.
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
    save::keep_recent(state);
    state.selected.set(None);
    let number = state.run.with_untracked(|r| r.number.wrapping_add(1));
    let way = state.settings.with_untracked(|s| s.model.way);
    state.run.set(Run { number, way, stage: Stage::Retrieve, question, ..Run::default() });
    let asking = Asking { state, number, cancel: state.cancel.get_value() };
    let ended = match way {
        Way::Adapt => adapt(&asking).await,
        Way::Direct => direct::ask(&asking).await,
        Way::Compare => compare::ask(&asking).await,
    };
    if !asking.current() {
        return;
    }
    match ended {
        Ok(answered) => {
            show(state, &answered);
            if state.run.with_untracked(|r| r.trouble.is_none()) {
                score(state).await;
                if asking.current() {
                    say_result(state);
                }
            }
        }
        Err(trouble) => fail(state, trouble),
    }
}

/// A question on its way.
pub(super) struct Asking {
    pub(super) state: State,
    number: u32,
    cancel: Cancel,
}

/// The database as a question sees it that may have been stopped, or followed by another, between two queries.
struct Wanted<'a> {
    cancel: &'a Cancel,
    database: &'a Database,
}

impl Execute for Wanted<'_> {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        if self.cancel.is_cancelled() {
            return Err(DbError::Cancelled);
        }
        self.database.execute(sql, limits).await
    }
}

impl Asking {
    /// Whether no later question was asked: an answer that comes after it is dropped.
    pub(super) fn current(&self) -> bool {
        self.state.run.with_untracked(|r| r.number == self.number)
    }

    /// Changes the answer on the page, unless a later question has taken its place.
    pub(super) fn update(&self, how: impl FnOnce(&mut Run)) {
        if self.current() {
            self.state.run.update(how);
        }
    }

    /// The question.
    pub(super) fn question(&self) -> String {
        self.state.run.with_untracked(|r| r.question.clone())
    }
}

/// The history has no vectors of this encoder.
pub(super) fn not_indexed(encoder: &str) -> Trouble {
    Trouble::Other(format!(
        "The history is not indexed with {encoder}. Index it in Settings, Encoder, then ask again."
    ))
}

/// The history's own answer, without a model.
pub(super) async fn adapt(asking: &Asking) -> Result<Arc<Answered>, Trouble> {
    let state = asking.state;
    let Some(knowledge) = state.knowledge.get_untracked() else {
        return Err(Trouble::Other("Add a history first: there is nothing to answer from.".to_owned()));
    };
    let settings = state.settings.get_untracked();
    let Some(index) = knowledge.index_of(&settings.encoder) else {
        return Err(not_indexed(&settings.encoder));
    };
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let engine = state.engine();
    let report = |status| encoder::report(state, status);
    let embedder = engine.embedder.port(settings.wish(), &report);
    let sources = Sources { knowledge: &knowledge.base, index, schema: &schema };
    let started = now();
    let on_retrieved = |retrieved: &Retrieved| {
        asking.update(|r| {
            r.retrieved = Some(Arc::new(retrieved.clone()));
            r.retrieve_ms = now() - started;
            r.stage = Stage::Adapt;
        });
    };
    let (retrieval, limits) = (settings.retrieval, settings.limits);
    let question = asking.question();
    let database = Wanted { cancel: &asking.cancel, database: &engine.database };
    let asked =
        pipeline::ask(&question, sources, &embedder, &database, retrieval, limits, on_retrieved).await;
    let (retrieved, answer) = asked.map_err(|error| Trouble::Other(error.to_string()))?;
    asking.update(|r| {
        r.retrieved = Some(Arc::new(retrieved));
        r.adapt_ms = now() - started - r.retrieve_ms;
    });
    Ok(Arc::new(Answered::Adapted(answer)))
}

/// Shows an answer in place of the one that is shown.
pub fn show(state: State, answered: &Answered) {
    state.run.update(|r| {
        (r.answer, r.direct, r.trouble, r.result) = (None, None, None, None);
        (r.score, r.edited, r.stage, r.stale) = (None, false, Stage::Done, false);
        match answered {
            Answered::Adapted(Ok(answer)) => {
                r.sql = layout::broken(&answer.sql);
                // What is not near enough is offered, not given: its rows come with Run.
                r.result = answer.is_near().then(|| Arc::new(answer.result.clone()));
                r.answer = Some(Arc::new(answer.clone()));
            }
            Answered::Adapted(Err(error)) => r.trouble = Some(Trouble::Adapt(error.clone())),
            Answered::Direct(direct) => by_model(r, direct.as_ref().clone()),
            Answered::Staged(staged) => by_model(r, staged.last()),
        }
    });
    if state.run.with_untracked(|r| r.trouble.is_some()) {
        state.said.set("No answer.".to_owned());
    }
}

/// Shows what a model answered: SQL and rows, or the SQL that it tried last.
fn by_model(r: &mut Run, direct: Direct) {
    r.prompt = Some(Arc::new(direct.prompt.clone()));
    match &direct.answer {
        Ok(answer) => {
            r.sql = layout::broken(&answer.sql);
            r.result = Some(Arc::new(answer.result.clone()));
        }
        Err(_) => {
            let tried = direct.attempts.iter().rev().find_map(|a| a.extracted.as_ref());
            r.sql = tried.map(|tried| tried.sql.clone()).unwrap_or_default();
            r.trouble = Some(Trouble::Model);
        }
    }
    r.direct = Some(Arc::new(direct));
}

/// Runs the SQL that is shown; where it fails there are no rows.
pub async fn run_sql(state: State, sql: String) {
    if let Err(error) = try_sql(state, sql).await {
        state.run.update(|r| {
            (r.result, r.score, r.stale) = (None, None, false);
        });
        fail(state, Trouble::Db(error));
    }
}

/// Runs SQL that the user wrote, in place of the answer's. Where it fails, everything stays as it was.
pub async fn try_sql(state: State, sql: String) -> Result<(), DbError> {
    stop(state);
    // A question that is still being answered comes too late, as does a query before this one.
    let number = state.run.with_untracked(|r| r.number.wrapping_add(1));
    state.run.update(|r| (r.number, r.stage) = (number, Stage::Run));
    let limits = state.settings.with_untracked(|s| s.limits);
    let ran = state.engine().database.execute(&sql, limits).await;
    // Another question may have been asked, or another query run, meanwhile.
    if state.run.with_untracked(|r| r.number != number) {
        return Ok(());
    }
    let rows = match ran {
        Ok(rows) => rows,
        Err(error) => {
            // The rows stay, and are said to be those of the query before.
            state.run.update(|r| (r.stage, r.stale) = (Stage::Done, r.result.is_some()));
            if error != DbError::Cancelled {
                incidents::record(Source::Answer, of_database(&error), &error.to_string());
            }
            return Err(error);
        }
    };
    state.run.update(|r| {
        let answered = r.answer.as_ref().map(|a| &a.sql);
        let written = r.direct.as_ref().and_then(|d| d.answer.as_ref().ok()).map(|a| &a.sql);
        r.edited = answered.or(written).map(|sql| layout::broken(sql)).as_ref() != Some(&sql);
        (r.sql, r.result) = (sql, Some(Arc::new(rows)));
        (r.trouble, r.score, r.stage, r.stale) = (None, None, Stage::Done, false);
    });
    score(state).await;
    if state.run.with_untracked(|r| r.number == number) {
        say_result(state);
    }
    Ok(())
}

/// Shows the answer again, in place of what the user wrote.
pub async fn restore(state: State) {
    let (answer, direct) = state.run.with_untracked(|r| (r.answer.clone(), r.direct.clone()));
    let answered = match (answer, direct) {
        (Some(answer), _) => Answered::Adapted(Ok(answer.as_ref().clone())),
        (None, Some(direct)) => Answered::Direct(Box::new(direct.as_ref().clone())),
        (None, None) => return,
    };
    show(state, &answered);
    if state.run.with_untracked(|r| r.result.is_some()) {
        score(state).await;
        say_result(state);
    }
}

/// Stops what is running; the database stays open.
pub fn stop(state: State) {
    state.cancel.get_value().cancel();
    state.cancel.set_value(Cancel::default());
    state.engine().database.stop();
}

/// Compares the answer with the chosen gold, if there is one and an answer.
pub async fn score(state: State) {
    let Some((gold_sql, task)) = gold(state) else { return state.run.update(|r| r.score = None) };
    let before = state.run.get_untracked();
    if before.result.is_none() {
        return;
    }
    let sql = before.sql.clone();
    state.run.update(|r| r.stage = Stage::Score);
    let started = now();
    let knowledge = task.as_ref().and_then(|task| knowledge_scores(state, task, before.retrieved.as_deref()));
    let gold = state.engine().database.execute(&gold_sql, scored(state)).await;
    let predicted = whole(state, &sql, before.result.as_deref()).await;
    let mode = state.settings.with_untracked(|settings| settings.mode);
    let verdict = Arc::new(verdict(state, mode, (&gold_sql, task.as_ref()), &sql, (&gold, &predicted)).await);
    let against = match (gold, predicted) {
        (Ok(gold), Ok(predicted)) => grid::against(Arc::new(gold), &predicted).map(Arc::new),
        _ => None,
    };
    state.run.update(|r| {
        // Another question or query may have taken the place of the one that was scored.
        if r.number == before.number && r.stage == Stage::Score && r.sql == sql {
            r.score = Some(Score { verdict, against, knowledge });
            r.score_ms = now() - started;
            r.stage = Stage::Done;
        }
    });
}

/// How rows stand to gold's by a rule: those at hand where it compares them as they are; a rule that rewrites queries, or
/// reads them, runs both anew.
pub(super) async fn verdict(
    state: State,
    mode: Mode,
    (gold_sql, task): (&str, Option<&Task>),
    sql: &str,
    (gold, predicted): (&Result<ResultSet, DbError>, &Result<ResultSet, DbError>),
) -> Verdict {
    if mode == Mode::BirdEx {
        return comparison::judge(mode, gold, predicted);
    }
    let task = task.cloned().unwrap_or_else(|| Task { gold: gold_sql.to_owned(), ..Task::default() });
    let judged = judge_one(mode, &task, Some(sql), &state.engine().database, &Forgetful).await;
    judged.map_or_else(Verdict::PredictedFailed, |judged| judged.verdict)
}

/// All rows of a query, for a comparison: those that are there, or, where they were cut, read anew.
pub(super) async fn whole(state: State, sql: &str, rows: Option<&ResultSet>) -> Result<ResultSet, DbError> {
    match rows {
        Some(rows) if !rows.more => Ok(rows.clone()),
        _ => state.engine().database.execute(sql, scored(state)).await,
    }
}

/// The chosen gold SQL, with its task.
pub(super) fn gold(state: State) -> Option<(String, Option<Task>)> {
    match state.gold.get_untracked() {
        Gold::None => None,
        Gold::Sql(sql) => Some((sql, None)),
        Gold::Task(position) => {
            let task = state.tasks.with_untracked(|t| t.get(position).cloned())?;
            Some((task.gold.clone(), Some(task)))
        }
    }
}

/// How much a query that is scored may read.
pub(super) fn scored(state: State) -> QueryLimits {
    let timeout_ms = state.settings.with_untracked(|s| s.limits.timeout_ms);
    QueryLimits { timeout_ms, max_rows: SCORED_ROWS }
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
            return "No query of the history is close enough. The nearest is offered.".to_owned();
        }
        let rows = r.result.as_ref().map_or(0, |rows| rows.rows.len());
        let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        match r.score.as_ref().map(|s| Standing::of(&s.verdict)) {
            Some(Standing::Equal) => format!("{rows}, the same as gold"),
            Some(Standing::Different) => format!("{rows}, different from gold"),
            Some(Standing::NotCompared) => format!("{rows}, not compared with gold"),
            None => rows,
        }
    });
    state.said.set(said);
}
