//! `lab run`: answers the tasks of a file by a pipeline with a retriever, and keeps every answer in a run file as it comes.
//! `lab merge`: joins the parts of a run.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::model::{self, Connected};
use super::retrieving::{Named, Place, Prepared, Retrieving, Searched};
use super::{Failure, encoder, inputs};
use crate::bench::retrieval_metrics::measure_queries;
use crate::bench::run::{
    self, FORMAT, FileMark, Header, ModelMark, Outcome, RetrievedQuery, RetrieverMark, RunFile, VERSION,
};
use crate::bench::task::{self, Task};
use crate::db::{QueryLimits, TableInfo, introspect};
use crate::embedding::Encoder;
use crate::llm::{Cancel, Patient};
use crate::pipeline::adapt::adapt;
use crate::pipeline::ask::CANDIDATES;
use crate::pipeline::direct::{self, Direct, Inputs, Shots, Trouble, direct};
use crate::ports::blocking::block_on;
use crate::retrieval::Settings;

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
    pipeline: Pipeline,
    /// A server with the OpenAI-compatible API; its model writes the SQL.
    #[arg(long, value_name = "URL")]
    llm: Option<String>,
    /// The model's name at that server; not needed where it has only one.
    #[arg(long, requires = "llm")]
    model: Option<String>,
    /// Environment variable that holds the key for that server.
    #[arg(long, value_name = "NAME", requires = "llm")]
    key_env: Option<String>,
    /// Tokens of the model's context; the prompt is shortened to fit.
    #[arg(long, default_value_t = direct::Settings::default().context_tokens, requires = "llm")]
    context: u32,
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

/// Pipelines by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Pipeline {
    /// A query of the history, adapted.
    Adapt,
    /// A language model, asked once and mended once.
    Direct,
}

/// Requests of one answer at most while the server is busy.
const TRIES: u32 = 6;
/// Milliseconds for the row counts and samples that a model is shown.
const OVERVIEW_MS: u32 = 5_000;

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
    let connected = match (&args.llm, args.pipeline) {
        (Some(url), Pipeline::Direct) => {
            Some(model::connect(url, args.model.as_deref(), args.key_env.as_deref())?)
        }
        (None, Pipeline::Direct) => {
            return Err(Failure::Usage(
                "The pipeline direct needs a model; give its server with --llm.".to_owned(),
            ));
        }
        (Some(_), Pipeline::Adapt) => {
            return Err(Failure::Usage("The pipeline adapt asks no model; leave out --llm.".to_owned()));
        }
        (None, Pipeline::Adapt) => None,
    };
    let bytes = inputs::bytes(&args.tasks)?;
    let tasks =
        task::read_tasks(&bytes).map_err(|e| Failure::Failed(format!("{}: {e}", args.tasks.display())))?;
    let preliminary = args.retrieving.preliminary(&tasks)?;
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

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{} cannot be written: {error}", path.display()))
}

fn mark(path: &Path, bytes: &[u8]) -> FileMark {
    let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    FileMark { name: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(), sha256 }
}

fn header(
    args: &Run,
    connected: Option<&Connected>,
    tasks: &[u8],
    task_count: usize,
    encoder: &str,
) -> Result<Header, Failure> {
    let Retrieving { history, retriever, level, threshold, .. } = &args.retrieving;
    let searched = match level {
        Searched::Q => "q",
        Searched::C => "c",
        Searched::Qc => "qc",
    };
    let asked = direct_settings(args, connected);
    let model = connected.map(|connected| ModelMark {
        name: connected.name.clone(),
        temperature: asked.temperature,
        context_tokens: asked.context_tokens,
        answer_tokens: asked.answer_tokens,
        seed: asked.seed,
    });
    Ok(Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        querylore: env!("CARGO_PKG_VERSION").to_owned(),
        sqlite: crate::db::engine::version().to_owned(),
        tasks: mark(&args.tasks, tasks),
        task_count,
        history: mark(history, &inputs::bytes(history)?),
        pipeline: clap::ValueEnum::to_possible_value(&args.pipeline)
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default(),
        retriever: RetrieverMark {
            name: retriever.name(),
            level: (*retriever == Named::History).then(|| searched.to_owned()),
            threshold: threshold.or((*retriever == Named::History).then_some(Settings::default().threshold)),
            max_shots: args.max_shots.into(),
            encoder: encoder.to_owned(),
        },
        model,
        timeout_ms: args.timeout.saturating_mul(1_000),
        shard: args.shard,
    })
}

fn direct_settings(args: &Run, connected: Option<&Connected>) -> direct::Settings {
    let model = connected.map(|connected| connected.name.clone()).unwrap_or_default();
    direct::Settings { model, context_tokens: args.context, ..direct::Settings::default() }
}

/// The run file, ready for the next line, with what it holds.
fn open(args: &Run, header: &Header) -> Result<(File, RunFile), Failure> {
    let (path, cannot) = (&args.out, |e: std::io::Error| cannot_write(&args.out, &e));
    let exists = path.metadata().is_ok_and(|file| file.len() > 0);
    if exists && !args.resume {
        return Err(Failure::Usage(format!(
            "{} is there already; go on with it by --resume, or choose another.",
            path.display()
        )));
    }
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(cannot)?;
    // Killed before its first line was whole, it holds nothing.
    let bytes = inputs::bytes(path)?;
    if !bytes.contains(&b'\n') {
        if !FORMAT_START
            .as_bytes()
            .starts_with(bytes.get(..FORMAT_START.len().min(bytes.len())).unwrap_or_default())
        {
            return Err(Failure::Failed(format!("{}: This is no run file.", path.display())));
        }
        let line = run::line(header).map_err(|e| Failure::Failed(e.to_string()))?;
        file.set_len(0)
            .and_then(|()| file.write_all(&line))
            .and_then(|()| file.sync_data())
            .map_err(cannot)?;
        return Ok((file, RunFile { header: header.clone(), ..RunFile::default() }));
    }
    let before = RunFile::parse(&bytes).map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
    let differences = before.header.differences(header);
    if !differences.is_empty() {
        return Err(Failure::Usage(format!(
            "{} was made with another {}; go on as it was begun, or choose another file.",
            path.display(),
            differences.join(", ")
        )));
    }
    file.set_len(before.whole as u64).map_err(cannot)?;
    file.seek(SeekFrom::End(0)).map_err(cannot)?;
    Ok((file, before))
}

/// How a run file begins, even one that was cut in its first line.
const FORMAT_START: &str = "{\"format\":\"querylore-run\"";

/// A database with what a model is shown of it.
struct Opened {
    place: Place,
    retriever: Prepared,
    tables: Vec<TableInfo>,
}

impl Opened {
    fn new(args: &Run, db_id: &str, encoder: &Encoder) -> Result<Self, Failure> {
        let place = Place::open(&args.retrieving, db_id, &BTreeMap::new())?;
        let tables = match (&place.database, args.pipeline) {
            (Some(database), Pipeline::Direct) => {
                introspect::overview(database, OVERVIEW_MS)
                    .map_err(|e| Failure::Failed(e.to_string()))?
                    .tables
            }
            _ => Vec::new(),
        };
        let retriever = Prepared::new(&args.retrieving, &place, encoder)?;
        Ok(Self { place, retriever, tables })
    }
}

fn answer(
    args: &Run,
    connected: Option<&Connected>,
    opened: &Opened,
    place: usize,
    task: (&Task, Option<&str>),
    encoder: &Encoder,
) -> Result<Outcome, Failure> {
    let Place { knowledge, schema, database } = &opened.place;
    let Some(database) = database else {
        return Err(Failure::Failed(format!("The database {} is not in --databases.", task.0.db_id)));
    };
    let shots = usize::from(args.max_shots);
    // adapt chooses among more than a model is shown.
    let wide = if args.pipeline == Pipeline::Adapt { shots.max(CANDIDATES) } else { shots };
    let clock = Instant::now();
    let found = opened.retriever.find(&opened.place, encoder, task, wide)?;
    let retrieve_ms = milliseconds(clock.elapsed());
    let task = task.0;
    let clock = Instant::now();
    let limits = QueryLimits { timeout_ms: args.timeout.saturating_mul(1_000), ..QueryLimits::default() };
    let mut outcome = Outcome {
        place,
        question_id: task.question_id,
        db_id: task.db_id.clone(),
        retrieve_ms,
        ..Outcome::default()
    };
    match connected {
        None => match block_on(adapt(&task.question, knowledge, schema, &found, database, limits)) {
            Ok(answer) => outcome.sql = Some(answer.sql),
            Err(error) => outcome.error = Some(error.to_string()),
        },
        Some(connected) => {
            let settings = direct_settings(args, Some(connected));
            let shots = Shots::Queries(shots).of(&found);
            let inputs =
                Inputs { question: &task.question, schema, tables: &opened.tables, knowledge, shots: &shots };
            let patient = Patient::new(&connected.server, TRIES, &std::thread::sleep);
            let cancel = Cancel::default();
            let asked = block_on(direct(&inputs, &settings, &patient, database, limits, &|_| {}, &cancel));
            by_model(&mut outcome, &asked)?;
        }
    }
    outcome.answer_ms = milliseconds(clock.elapsed());
    let entries: Vec<u32> = found.queries.iter().take(shots).map(|hit| hit.entry).collect();
    outcome.knowledge =
        (!task.knowledge.is_empty()).then(|| measure_queries(&task.knowledge, knowledge, &entries));
    let hits = found.queries.iter().take(shots);
    outcome.retrieved = hits
        .filter_map(|hit| {
            let entry = knowledge.entries.get(hit.entry as usize)?;
            Some(RetrievedQuery { entry: hit.entry, source_ids: entry.source_ids.clone(), score: hit.score })
        })
        .collect();
    Ok(outcome)
}

/// Takes over what a model answered. An answer that is missing because its server failed is none: the run stops, and
/// goes on there.
fn by_model(outcome: &mut Outcome, asked: &Direct) -> Result<(), Failure> {
    if let Err(Trouble::Model(error)) = &asked.answer
        && (error.ends_a_job() || error.is_temporary())
    {
        return Err(Failure::Failed(format!("{error} What was answered is kept; --resume goes on.")));
    }
    let extracted = asked.attempts.iter().rev().find_map(|attempt| attempt.extracted.as_ref());
    match &asked.answer {
        Ok(answer) => outcome.sql = Some(answer.sql.clone()),
        // SQL that fails is an answer, and wrong.
        Err(trouble) => {
            outcome.sql = extracted.map(|extracted| extracted.sql.clone());
            outcome.error = Some(trouble.to_string());
        }
    }
    let messages = serde_json::to_vec(&asked.prompt.messages).unwrap_or_default();
    outcome.prompt_sha256 = Some(mark(Path::new(""), &messages).sha256);
    outcome.requests = u32::try_from(asked.attempts.len()).unwrap_or(u32::MAX);
    for answer in asked.attempts.iter().filter_map(|attempt| attempt.answer.as_ref()) {
        let usage = answer.usage.unwrap_or_default();
        let prompt = if usage.prompt > 0 { usage.prompt } else { asked.prompt.tokens };
        outcome.prompt_tokens = outcome.prompt_tokens.saturating_add(prompt);
        outcome.answer_tokens = outcome.answer_tokens.saturating_add(usage.completion);
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
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
