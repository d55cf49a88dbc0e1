//! `lab index`: from a history to a knowledge base with vectors.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, encoder, inputs, json, model};
use crate::history::KnowledgeBase;
use crate::llm::{Cache, Cached, Cancel};
use crate::ports::blocking::block_on;
use crate::retrieval::Indexed;
use crate::retrieval::model::Asking;
use crate::retrieval::model::describe::{self, Report};
use crate::sql::Schema;

/// Tokens that a request and its answer may have: one query with its tables.
const CONTEXT_TOKENS: u32 = 8_192;
/// Queries after which the model's answers are written to their file.
const KEEP_EVERY: usize = 10;

/// Split a history into knowledge and index it.
#[derive(Debug, clap::Args)]
pub struct Index {
    /// The history: .sql, .json, .jsonl, .csv, a BIRD or a Spider file.
    #[arg(long)]
    history: PathBuf,
    /// Which database of the history, where it holds several.
    #[arg(long)]
    db_id: Option<String>,
    /// The database; its schema resolves column names.
    #[arg(long)]
    database: Option<PathBuf>,
    /// Encoder: minilm, mpnet or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
    /// A server with the OpenAI-compatible API whose model describes the queries, in place of the rules.
    #[arg(long, value_name = "URL")]
    describe_with: Option<String>,
    /// The model's name at that server; not needed where it has only one.
    #[arg(long, requires = "describe_with")]
    model: Option<String>,
    /// Environment variable that holds the key for that server.
    #[arg(long, value_name = "NAME", requires = "describe_with")]
    key_env: Option<String>,
    /// Where the model's answers are kept, so that a job that was stopped goes on; beside --out unless given.
    #[arg(long, requires = "describe_with")]
    answers: Option<PathBuf>,
    /// Say what describing costs, and stop.
    #[arg(long, requires = "describe_with")]
    cost: bool,
    /// Where to write the knowledge base.
    #[arg(long)]
    out: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Done {
    read: usize,
    queries: usize,
    merged: usize,
    skipped: usize,
    items: usize,
    encoder: String,
    bytes: usize,
    described: Option<Report>,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read or written, or the history holds no query.
pub fn run(args: &Index) -> Result<String, Failure> {
    let spec = encoder::spec(&args.encoder)?;
    keep_inputs(args)?;
    // Said before the work, not after it.
    if let Some(folder) =
        args.out.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        let (out, folder) = (args.out.display(), folder.display());
        return Err(Failure::Failed(format!("{out} cannot be written: the folder {folder} is not there.")));
    }
    let schema = match &args.database {
        Some(path) => inputs::schema(path)?,
        None => Schema::default(),
    };
    let (mut history, report) = inputs::history(&args.history, args.db_id.as_deref(), &schema)?;
    if history.base.entries.is_empty() {
        return Err(Failure::Failed(format!(
            "{} is a knowledge base without a query.",
            args.history.display()
        )));
    }
    let described = match &args.describe_with {
        Some(url) => {
            let before = history.base.texts();
            let said = by_model(args, url, &mut history.base, &schema)?;
            let Some(report) = said else { return Ok(String::new()) };
            if history.base.texts() != before {
                // Vectors of the former descriptions.
                history = Indexed::without_vectors(history.base);
            }
            Some(report)
        }
        None => None,
    };
    let indexed = inputs::indexed(history, &encoder::load(spec)?)?;
    let file = indexed.to_json().map_err(|e| Failure::Failed(e.to_string()))?;
    std::fs::write(&args.out, &file)
        .map_err(|e| Failure::Failed(format!("{} cannot be written: {e}", args.out.display())))?;
    let done = Done {
        read: report.as_ref().map_or(0, |r| r.read),
        queries: indexed.base.entries.len(),
        merged: report.as_ref().map_or(0, |r| r.merged),
        skipped: report.as_ref().map_or(0, |r| r.skipped.len()),
        items: indexed.base.items.len(),
        encoder: spec.name.to_owned(),
        bytes: file.len(),
        described,
    };
    if args.json {
        return json(&done);
    }
    Ok(format!(
        "{}{}{} queries, {} items, {} bytes in {}\n",
        report.map(|report| report.to_text()).unwrap_or_default(),
        done.described.as_ref().map(|report| report.sentence() + "\n").unwrap_or_default(),
        done.queries,
        done.items,
        done.bytes,
        args.out.display()
    ))
}

/// Refuses to write over what is read: a database or history that is lost cannot be made again.
fn keep_inputs(args: &Index) -> Result<(), Failure> {
    let inputs = [("--history", Some(&args.history)), ("--database", args.database.as_ref())];
    let outputs = [("--out", Some(&args.out)), ("--answers", args.answers.as_ref())];
    for (output, written) in outputs {
        let Some(written) = written else { continue };
        let before = inputs.iter().chain(outputs.iter().take_while(|(name, _)| *name != output));
        for (name, path) in before {
            if path.is_some_and(|path| inputs::same(path, written)) {
                return Err(Failure::Usage(format!(
                    "{output} would overwrite {}, the file of {name}; choose another.",
                    written.display()
                )));
            }
        }
    }
    Ok(())
}

/// Describes the history by a model, saying on standard error what it costs and how far it is. None where only the
/// cost was asked for.
fn by_model(
    args: &Index,
    url: &str,
    base: &mut KnowledgeBase,
    schema: &Schema,
) -> Result<Option<Report>, Failure> {
    let connected = model::connect(url, args.model.as_deref(), args.key_env.as_deref())?;
    let path = args.answers.clone().unwrap_or_else(|| {
        let mut name = args.out.clone().into_os_string();
        name.push(".answers.json");
        name.into()
    });
    let cache = RefCell::new(match path.exists() {
        true => Cache::from_json(&inputs::bytes(&path)?)
            .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?,
        false => Cache::default(),
    });
    let server = Cached::new(&connected.server, &cache);
    let cancel = Cancel::default();
    let asking =
        Asking { model: &server, name: &connected.name, context_tokens: CONTEXT_TOKENS, cancel: &cancel };
    let cost = describe::cost(asking, base, schema, &cache.borrow());
    eprintln!("Describing by {}: {}", connected.name, cost.sentence());
    if args.cost {
        return Ok(None);
    }
    let mut lost = None;
    let mut on_progress = |done: usize, all: usize| {
        if done.is_multiple_of(KEEP_EVERY) || done == all {
            eprintln!("{done} of {all}");
            lost = keep(&cache, &path).err().or(lost.take());
        }
    };
    let report = block_on(describe::describe(asking, base, schema, &mut on_progress));
    match lost {
        Some(error) => Err(error),
        None => keep(&cache, &path).map(|()| Some(report)),
    }
}

fn keep(cache: &RefCell<Cache>, path: &Path) -> Result<(), Failure> {
    std::fs::write(path, cache.borrow().to_json())
        .map_err(|e| Failure::Failed(format!("{} cannot be written: {e}", path.display())))
}
