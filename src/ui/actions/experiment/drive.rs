//! An experiment at work: run after run, so many tasks at a time, each answer scored and kept as it comes.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::store;
use crate::bench::run::{FileMark, Outcome, RunFile};
use crate::browser::database::Database;
use crate::browser::lock::{self, Asked};
use crate::browser::model::FetchModel;
use crate::browser::time::patience;
use crate::db::{DbError, Overview, QueryLimits, ResultSet};
use crate::experiment::kept::{Experiment, Standing};
use crate::experiment::retriever::Named;
use crate::experiment::scoring::{Remembered, score_one};
use crate::experiment::{
    Answering, Cell as Run, Counted, Ended, Known, Next, Prepared, Queries, Subject, TRIES, work,
};
use crate::llm::budget::Ledger;
use crate::llm::{Budgeted, Cached, Cancel, Patient};
use crate::pipeline::direct;
use crate::ports::Execute;
use crate::present::format::count;
use crate::present::lab::Live;
use crate::retrieval::Indexed;
use crate::ui::actions::{answers, breathe, encoder, model, now};
use crate::ui::lab::{Control, TaskFile};
use crate::ui::state::State;

/// Failures one after the other after which the server is taken to be down.
const IN_A_ROW: usize = 5;
/// Milliseconds between two looks at growing runs, and between two writes of a run that asks no model.
const SHOW_EVERY_MS: f64 = 250.0;
const WRITE_EVERY_MS: f64 = 1_500.0;

/// What an experiment runs on.
struct Ground {
    overview: Arc<Overview>,
    history: Arc<Indexed>,
    tasks: Arc<TaskFile>,
    /// The server, and how it is asked.
    server: Option<FetchModel>,
    settings: direct::Settings,
    opened: u32,
}

/// The database for an experiment: a query that someone else stopped is run again, and one after another database was
/// opened is not run at all.
struct Insistent<'a> {
    state: State,
    database: &'a Database,
    cancel: &'a Cancel,
    opened: u32,
}

impl Execute for Insistent<'_> {
    async fn execute(&self, sql: &str, limits: QueryLimits) -> Result<ResultSet, DbError> {
        loop {
            if self.state.opened() != self.opened {
                self.cancel.cancel();
            }
            if self.cancel.is_cancelled() {
                return Err(DbError::Cancelled);
            }
            match self.database.execute(sql, limits).await {
                Err(DbError::Cancelled) if !self.cancel.is_cancelled() => breathe().await,
                other => return other,
            }
        }
    }
}

/// Looks whether what is open is what the experiment was begun with.
async fn ground(state: State, kept: &Experiment) -> Result<Ground, String> {
    let setup = &kept.setup;
    let overview = state.overview.get_untracked().ok_or("Open a database first.")?;
    let history = state.knowledge.get_untracked().unwrap_or_default();
    let mark = FileMark::of("", history.base.identity().as_bytes());
    if setup.history_queries > 0 && mark.sha256 != setup.history.sha256 {
        return Err(format!(
            "This ran on “{}” with a history of {} queries. Open that database with that history, then go on.",
            setup.database,
            count(setup.history_queries as u64)
        ));
    }
    let tasks = store::load_tasks(state, &setup.tasks).await;
    let tasks = tasks.ok_or_else(|| format!("Open the task file {} again, then go on.", setup.tasks.name))?;
    let encoder = state.settings.with_untracked(|settings| settings.encoder.clone());
    if encoder != setup.encoder {
        return Err(format!(
            "This ran with the encoder {}. Choose it in Settings, Encoder, then go on.",
            setup.encoder
        ));
    }
    let server = if setup.asks() { Some(model::server(state)?) } else { None };
    let settings = setup.model.as_ref().map_or_else(direct::Settings::default, |mark| direct::Settings {
        model: mark.name.clone(),
        context_tokens: mark.context_tokens,
        answer_tokens: mark.answer_tokens,
        temperature: mark.temperature,
        seed: mark.seed,
        logprobs: None,
    });
    Ok(Ground { overview, history, tasks, server, settings, opened: state.opened() })
}

/// Runs what is missing of an experiment; how it stands afterwards.
pub(super) async fn drive(state: State, kept: &mut Experiment) -> Standing {
    let lab = state.lab;
    // One tab at a time: two would ask the same tasks twice.
    let _lock = match lock::ask("querylore-lab", false, || {}).await {
        Asked::Held(lock) => Some(lock),
        Asked::Unknown => None,
        Asked::Elsewhere => {
            return Standing::Paused(
                "Another tab of this browser runs an experiment. Pause it there first.".to_owned(),
            );
        }
    };
    store::load_runs(state, kept).await;
    let ground = match ground(state, kept).await {
        Ok(ground) => ground,
        Err(why) => return Standing::Paused(why),
    };
    let control = lab.control.get_value();
    let ledger = Rc::new(Ledger::new(kept.setup.limits, kept.setup.price, kept.spent));
    control.ledger.replace(ledger.clone());
    let sqlite = state.engine().database.about().await.map(|about| about.sqlite).unwrap_or_default();
    let mut prepared: HashMap<Named, Rc<Prepared>> = HashMap::new();
    let golds = Remembered::default();
    let queries = kept.setup.own_left_out.then(|| Queries::of(&ground.history));
    for (at, cell) in kept.setup.cells().into_iter().enumerate() {
        let runs = lab.runs.with_untracked(|runs| runs.get(&kept.id).cloned()).unwrap_or_default();
        let mut run = runs.get(at).cloned().unwrap_or_default();
        let have: HashSet<usize> = run.outcomes.iter().map(|outcome| outcome.place).collect();
        let missing: Vec<usize> =
            kept.setup.places.iter().copied().filter(|place| !have.contains(place)).collect();
        if missing.is_empty() {
            continue;
        }
        if run.outcomes.is_empty() {
            run.header = kept.setup.header(cell, &sqlite);
        }
        update(state, |live| {
            live.cell = at;
            live.preparing = format!("making {} ready", cell.retriever.name());
        });
        let retriever = match prepared.get(&cell.retriever) {
            Some(ready) => ready.clone(),
            None => match prepare(state, kept, cell, &ground, &control).await {
                Ok(ready) => prepared.entry(cell.retriever).or_insert(Rc::new(ready)).clone(),
                Err(why) => return Standing::Paused(why),
            },
        };
        update(state, |live| live.preparing.clear());
        let job = Job { state, kept, at, cell, ground: &ground, control: &control, ledger: &ledger };
        let (run, held) = job.run(run, missing, &retriever, queries.as_ref(), &golds).await;
        show_run(state, &kept.id, at, &run);
        store::put_run(state, kept, at, &run).await;
        answers::keep(state).await;
        let live = lab.live.get_untracked().unwrap_or_default();
        (kept.done, kept.failed, kept.spent) = (live.done, live.failed, ledger.spent());
        store::put(state, kept).await;
        if let Some(held) = held {
            return held;
        }
    }
    if kept.failed.is_empty() { Standing::Ended } else { Standing::Paused(String::new()) }
}

async fn prepare(
    state: State,
    kept: &Experiment,
    cell: Run,
    ground: &Ground,
    control: &Control,
) -> Result<Prepared, String> {
    let engine = state.engine();
    let report = |status| encoder::report(state, status);
    let embed = engine.embedder.port(state.settings.with_untracked(|settings| settings.wish()), &report);
    let db = Insistent { state, database: &engine.database, cancel: &control.cancel, opened: ground.opened };
    let how = (kept.setup.level, Some(kept.setup.threshold).filter(|_| cell.retriever == Named::History));
    let subject = (&ground.history.base, &ground.overview.schema);
    Prepared::new(cell.retriever, how, subject, &embed, Some(&db)).await.map_err(|error| error.to_string())
}

fn update(state: State, how: impl FnOnce(&mut Live)) {
    state.lab.live.update(|live| {
        if let Some(live) = live {
            how(live);
        }
    });
}

/// Puts a run where the page sees it.
fn show_run(state: State, id: &str, at: usize, run: &RunFile) {
    state.lab.runs.update(|all| {
        let runs = all.entry(id.to_owned()).or_default();
        if let Some(place) = Arc::make_mut(runs).get_mut(at) {
            *place = run.clone();
        }
    });
}

/// One run at work.
struct Job<'a> {
    state: State,
    kept: &'a Experiment,
    at: usize,
    cell: Run,
    ground: &'a Ground,
    control: &'a Control,
    ledger: &'a Ledger,
}

impl Job<'_> {
    /// Answers what is missing; the run, and why it does not go on.
    async fn run(
        &self,
        run: RunFile,
        missing: Vec<usize>,
        retriever: &Prepared,
        queries: Option<&Queries>,
        golds: &Remembered,
    ) -> (RunFile, Option<Standing>) {
        let Self { state, kept, cell, ground, control, ledger, .. } = self;
        let (state, setup) = (*state, &kept.setup);
        let engine = state.engine();
        let report = |status| encoder::report(state, status);
        let embed = engine.embedder.port(state.settings.with_untracked(|settings| settings.wish()), &report);
        let db =
            Insistent { state, database: &engine.database, cancel: &control.cancel, opened: ground.opened };
        let wait = async |time: Duration| {
            let ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
            update(state, |live| {
                live.waited_ms += f64::from(ms);
                live.waited_for = "the server".to_owned();
            });
            patience(ms).await;
        };
        let known = state.answers.get_value();
        let budgeted = ground.server.as_ref().map(|server| Budgeted::new(server, ledger));
        let patient = budgeted.as_ref().map(|model| Patient::new(model, TRIES, &wait));
        let on_new = |_: &str, _: &_, _: &_| answers::keep_now_and_then(state);
        let cached = patient.as_ref().map(|model| Cached::new(model, &known).telling(&on_new));
        let limits = QueryLimits { timeout_ms: setup.timeout_ms, ..QueryLimits::default() };
        let read = Known::read(cell.by, &ground.overview.schema, &db, &embed, limits, &control.cancel).await;
        let known = match read {
            Ok(known) => known,
            Err(why) => return (run, Some(Standing::Paused(why))),
        };
        let begin = async |place: usize| -> (Result<Outcome, Ended>, bool) {
            // The page is drawn between two tasks.
            breathe().await;
            let Some(task) = ground.tasks.tasks.get(place) else {
                return (Err(Ended::Halted(format!("The task file has no task {place}."))), false);
            };
            let counted = cached.as_ref().map(Counted::new);
            let answering = Answering {
                subject: Subject {
                    db: &db,
                    schema: &ground.overview.schema,
                    tables: &ground.overview.tables,
                    history: &ground.history,
                },
                embed: &embed,
                retriever,
                by: cell.by,
                model: counted.as_ref(),
                settings: &ground.settings,
                shots: setup.shots,
                own: queries,
                known: &known,
                samples: None,
                asks_first: true,
                limits,
                cancel: &control.cancel,
                clock: &now,
            };
            let mut outcome = match answering.answer(place, task, None).await {
                Ok(outcome) => outcome,
                Err(ended) => return (Err(ended), false),
            };
            match score_one(setup.mode, task, &outcome, &db, golds).await {
                Ok(scored) => outcome.scored = Some(scored),
                Err(_) => return (Err(Ended::Cancelled), false),
            }
            let fresh = counted.is_none_or(|counted| counted.fresh() > 0);
            (Ok(outcome), !fresh)
        };
        let (run, stopped) = (RefCell::new(run), RefCell::new(None::<Standing>));
        let (shown_at, written_at, noted_at) = (Cell::new(now()), Cell::new(now()), Cell::new(now()));
        let in_a_row = Cell::new(0);
        let ended = async |place: usize, (result, from_cache): (Result<Outcome, Ended>, bool)| {
            let kept_one = result.is_ok();
            match result {
                Ok(outcome) => {
                    in_a_row.set(0);
                    let mut run = run.borrow_mut();
                    let at = run.outcomes.partition_point(|known| known.place < place);
                    run.outcomes.insert(at, outcome);
                }
                Err(Ended::Failed(why)) => {
                    in_a_row.set(in_a_row.get() + 1);
                    update(state, |live| live.failed.push((self.at, place, why.clone())));
                    if in_a_row.get() >= IN_A_ROW {
                        let held = format!("{IN_A_ROW} tasks failed one after the other: {why}");
                        stopped.borrow_mut().get_or_insert(Standing::Paused(held));
                    }
                }
                Err(Ended::Cancelled) => {
                    let why = if state.opened() == ground.opened {
                        Standing::Cancelled
                    } else {
                        Standing::Paused(format!(
                            "Another database was opened. Open “{}” and go on.",
                            setup.database
                        ))
                    };
                    stopped.borrow_mut().get_or_insert(why);
                }
                Err(Ended::Halted(why) | Ended::Budget(why)) => {
                    stopped.borrow_mut().get_or_insert(Standing::Paused(why));
                }
            }
            update(state, |live| {
                live.done += usize::from(kept_one);
                live.from_cache += usize::from(kept_one && from_cache);
                live.spent = ledger.spent();
                live.pace.update(now(), live.done);
            });
            // What was paid for is written at once, what was not now and then.
            let paid = cell.by.asks() && kept_one;
            if paid || now() - written_at.get() > WRITE_EVERY_MS {
                let now_run = run.borrow().clone();
                store::put_run(state, kept, self.at, &now_run).await;
                if now() - noted_at.get() > WRITE_EVERY_MS {
                    let done =
                        state.lab.live.with_untracked(|live| live.as_ref().map_or(0, |live| live.done));
                    let noted = Experiment { done, spent: ledger.spent(), ..(*kept).clone() };
                    store::put(state, &noted).await;
                    noted_at.set(now());
                }
                written_at.set(now());
            }
            if now() - shown_at.get() > SHOW_EVERY_MS {
                show_run(state, &kept.id, self.at, &run.borrow());
                shown_at.set(now());
            }
            if stopped.borrow().is_some() { Next::Stop } else { Next::GoOn }
        };
        let held =
            || control.paused.get() || control.cancel.is_cancelled() || state.opened() != ground.opened;
        work(missing, setup.at_a_time, held, begin, ended).await;
        let mut stopped = stopped.into_inner();
        if stopped.is_none() && held() {
            stopped = Some(if control.cancel.is_cancelled() {
                Standing::Cancelled
            } else {
                Standing::Paused(String::new())
            });
        }
        (run.into_inner(), stopped)
    }
}
