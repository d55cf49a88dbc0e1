//! `lab run`: answers the tasks of a file by a pipeline with a retriever, and keeps every answer in a run file as it comes.
//! `lab merge`: joins the parts of a run.

mod answer;
mod file;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use self::answer::{Answers, Budget, Opened, asked_with, wait};
use self::file::{cannot_write, header, open};
use super::answering::By;
use super::model::Server;
use super::retrieving::Retrieving;
use super::{Failure, encoder, inputs};
use crate::bench::run::{self, Outcome, RunFile};
use crate::bench::task;
use crate::db::QueryLimits;
use crate::experiment::{Answering, InOrder, Next, Subject, TRIES, work};
use crate::llm::budget::Ledger;
use crate::llm::{Budgeted, Cached, Cancel, Patient};
use crate::pipeline::direct;
use crate::ports::blocking::block_on;

/// Answer the tasks of a file, and keep every answer in a run file.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The task file: BIRD-History, BIRD or Spider.
    #[arg(long)]
    tasks: PathBuf,
    #[command(flatten)]
    retrieving: Retrieving,
    /// Queries handed on at most.
    #[arg(long, default_value_t = 5)]
    max_shots: u16,
    /// Who answers.
    #[arg(long)]
    pipeline: By,
    #[command(flatten)]
    server: Server,
    /// Tokens of the model's context; the prompt is shortened to fit.
    #[arg(long, default_value_t = direct::Settings::default().context_tokens, requires = "llm")]
    context: u32,
    /// Answers to choose among, for pipelines that do so: 1 for dail-sql, 4 for codes, 21 for opensearch-sql if not given.
    #[arg(long, requires = "llm", value_parser = clap::value_parser!(u32).range(1..=100))]
    samples: Option<u32>,
    /// Seconds that a query may take.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// Tasks at a time; more than one helps where the model's server works on several requests at once.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    concurrency: u16,
    #[command(flatten)]
    budget: Budget,
    /// Leave a task's own query, where the history has it, out of the history for that task.
    #[arg(long)]
    own_left_out: bool,
    /// Only part I of N of the tasks, as I/N.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(u32, u32)>,
    /// The run file.
    #[arg(long)]
    out: PathBuf,
    /// Go on with a run that was stopped.
    #[arg(long)]
    resume: bool,
}

/// Join the parts of a run into one file.
#[derive(Debug, clap::Args)]
pub struct Merge {
    /// The run files.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// The joined run file.
    #[arg(long)]
    out: PathBuf,
}

fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok((part, of)),
        _ => Err("give it as I/N, such as 1/4 to 4/4".to_owned()),
    }
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read or written, the run file is another run's, or the model's server fails for good: then every
/// answer before is kept.
pub fn run(args: &Run) -> Result<String, Failure> {
    let spec = encoder::spec(&args.retrieving.encoder)?;
    if args.pipeline.with(args.server.llm.as_ref())? == By::Adapt && args.server.llm.is_some() {
        return Err(Failure::Usage("The pipeline adapt asks no model; leave out --llm.".to_owned()));
    }
    if let (By::Model(way), Some(_)) = (args.pipeline, args.samples)
        && way.samples().is_none()
    {
        return Err(Failure::Usage(format!(
            "The pipeline {way} does not choose among answers; leave out --samples."
        )));
    }
    let connected = args.server.connect()?;
    let bytes = inputs::bytes(&args.tasks)?;
    let tasks =
        task::read_tasks(&bytes).map_err(|e| Failure::Failed(format!("{}: {e}", args.tasks.display())))?;
    let preliminary = args.retrieving.preliminary(&tasks, connected.is_some())?;
    let header = header(args, connected.as_ref(), &bytes, tasks.len(), spec.name)?;
    let (file, before) = open(args, &header)?;
    let missing = before.missing();
    let model = encoder::load(spec)?;
    let answers = connected.is_some().then(|| Answers::open(args)).transpose()?;
    let spent = answers.as_ref().map(|answers| answers.spent).unwrap_or_default();
    let ledger = Ledger::new(args.budget.limits(), args.budget.price(), spent);
    let keep = |key: &str, request: &_, answer: &_| {
        if let Some(answers) = &answers {
            answers.keep(key, request, answer);
        }
    };
    let budgeted = connected.as_ref().map(|connected| Budgeted::new(&connected.server, &ledger));
    let patient = budgeted.as_ref().map(|model| Patient::new(model, TRIES, &wait));
    let cached = patient.as_ref().zip(answers.as_ref());
    let cached = cached.map(|(model, answers)| Cached::new(model, &answers.cache).telling(&keep));

    let settings = asked_with(args, connected.as_ref());
    let timeout_ms = args.timeout.saturating_mul(1_000);
    let limits = QueryLimits { timeout_ms, ..QueryLimits::default() };
    let (cancel, started) = (Cancel::default(), Instant::now());
    let clock = || started.elapsed().as_secs_f64() * 1_000.0;
    let places: RefCell<BTreeMap<&str, Rc<Opened>>> = RefCell::default();
    let begin = async |place: usize| -> Result<Outcome, Failure> {
        let Some(task) = tasks.get(place) else {
            return Err(Failure::Failed(format!("There is no task {place}.")));
        };
        let known = places.borrow().get(task.db_id.as_str()).cloned();
        let opened = match known {
            Some(opened) => opened,
            None => {
                let opened = Rc::new(Opened::new(args, &task.db_id, &model)?);
                places.borrow_mut().insert(&task.db_id, opened.clone());
                opened
            }
        };
        let answering = Answering {
            subject: Subject {
                db: &opened.database,
                schema: &opened.ready.schema,
                tables: &opened.tables,
                history: &opened.ready.history,
            },
            embed: &model,
            retriever: &opened.ready.retriever,
            by: args.pipeline,
            model: cached.as_ref(),
            settings: &settings,
            shots: args.max_shots.into(),
            own: opened.queries.as_ref(),
            known: &opened.known,
            samples: args.samples,
            asks_first: true,
            limits,
            cancel: &cancel,
            clock: &clock,
        };
        let first = preliminary.get(place).and_then(Option::as_deref);
        let answer = answering.answer(place, task, first).await;
        answer.map_err(|e| Failure::Failed(format!("{e} What was answered is kept; --resume goes on.")))
    };
    // A file in the order of its tasks is the same however often the run was stopped, and however many ran at a time.
    let (mut order, mut file) = (InOrder::new(missing.iter().copied()), file);
    let (done, mut failure) = (Cell::new(0), None);
    let ended = async |place: usize, outcome: Result<Outcome, Failure>| {
        let written = outcome.and_then(|outcome| {
            for outcome in order.put(place, outcome) {
                let line = run::line(&outcome).map_err(|e| Failure::Failed(e.to_string()))?;
                // Whole and on the disk, so that what was paid for is not asked again.
                file.write_all(&line)
                    .and_then(|()| file.sync_data())
                    .map_err(|e| cannot_write(&args.out, &e))?;
            }
            answers.as_ref().and_then(|answers| answers.trouble.take()).map_or(Ok(()), Err)
        });
        if let Err(error) = written {
            failure.get_or_insert(error);
            return Next::Stop;
        }
        done.set(done.get() + 1);
        told(done.get(), missing.len(), started.elapsed());
        Next::GoOn
    };
    block_on(work(missing.iter().copied(), args.concurrency.into(), || false, begin, ended));
    if let Some(failure) = failure {
        return Err(failure);
    }
    let done = done.get();
    let after = RunFile::parse(&inputs::bytes(&args.out)?)
        .map_err(|e| Failure::Failed(format!("{}: {e}", args.out.display())))?;
    let answered = after.outcomes.iter().filter(|outcome| outcome.sql.is_some()).count();
    Ok(format!(
        "{} tasks in {}, {answered} with SQL; {done} of them now\n",
        after.outcomes.len(),
        args.out.display()
    ))
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read or written, or they are not parts of one run.
pub fn merge(args: &Merge) -> Result<String, Failure> {
    if args.runs.iter().any(|run| inputs::same(run, &args.out)) {
        return Err(Failure::Usage(format!("--out would overwrite {}; choose another.", args.out.display())));
    }
    let read = |path: &PathBuf| {
        RunFile::parse(&inputs::bytes(path)?).map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))
    };
    let parts: Vec<RunFile> = args.runs.iter().map(read).collect::<Result<_, _>>()?;
    let joined = run::merge(&parts).map_err(|e| Failure::Failed(e.to_string()))?;
    let bytes = joined.to_bytes().map_err(|e| Failure::Failed(e.to_string()))?;
    std::fs::write(&args.out, bytes).map_err(|e| cannot_write(&args.out, &e))?;
    let missing = joined.missing().len();
    let still = if missing > 0 { format!("; {missing} are still missing") } else { String::new() };
    Ok(format!("{} tasks in {}{still}\n", joined.outcomes.len(), args.out.display()))
}

/// How far the run is, where someone watches.
fn told(done: usize, all: usize, elapsed: Duration) {
    use std::io::IsTerminal as _;
    if std::io::stderr().is_terminal() {
        let left = elapsed.as_secs_f64() / done as f64 * (all - done) as f64;
        eprint!("\r{done} of {all} tasks, about {} left   ", crate::present::format::duration(left * 1000.0));
        if done == all {
            eprintln!();
        }
    }
}
