//! `lab run`: answers the tasks of a file by a pipeline with a retriever, and keeps every answer in a run file as it comes.
//! `lab merge`: joins the parts of a run.

mod answer;
mod by_model;
mod file;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use self::answer::{Opened, answer};
use self::file::{cannot_write, header, open};
use super::answering::By;
use super::model::Server;
use super::retrieving::Retrieving;
use super::{Failure, encoder, inputs};
use crate::bench::run::{self, RunFile};
use crate::bench::task;
use crate::pipeline::direct;

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
    /// Answers to choose among, for pipelines that do so: 1 for dail-sql and 4 for codes if not given.
    #[arg(long, requires = "llm", value_parser = clap::value_parser!(u32).range(1..=100))]
    samples: Option<u32>,
    /// Seconds that a query may take.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
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
    let (mut file, before) = open(args, &header)?;
    let missing = before.missing();
    let model = encoder::load(spec)?;
    let started = Instant::now();
    let mut done = 0;
    // The tasks of a database one after the other would be faster, but a file in the order of its tasks is the same
    // however often the run was stopped.
    let mut places: BTreeMap<&str, Opened> = BTreeMap::new();
    for &place in &missing {
        let Some(task) = tasks.get(place) else { continue };
        if !places.contains_key(task.db_id.as_str()) {
            places.insert(&task.db_id, Opened::new(args, &task.db_id, &model)?);
        }
        let Some(opened) = places.get(task.db_id.as_str()) else { continue };
        let sql = preliminary.get(place).and_then(Option::as_deref);
        let outcome = answer(args, connected.as_ref(), opened, place, (task, sql), &model)?;
        let line = run::line(&outcome).map_err(|e| Failure::Failed(e.to_string()))?;
        // Whole and on the disk, so that what was paid for is not asked again.
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(|e| cannot_write(&args.out, &e))?;
        done += 1;
        told(done, missing.len(), started.elapsed());
    }
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
