//! Commands that make files of the built page: half-precision weights, the tiny encoder, the demo.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Failure, encoder, inputs};
use crate::bench::task::read_tasks;
use crate::demo;
use crate::embedding::encoder::tiny;
use crate::embedding::weights;
use crate::ports::Embed as _;
use crate::ports::blocking::block_on;
use crate::retrieval::{phrases::phrases, remembered};

/// Convert encoder weights to half precision.
#[derive(Debug, clap::Args)]
pub struct Half {
    /// The weights, as safetensors.
    #[arg(long)]
    model: PathBuf,
    /// Where to write them.
    #[arg(long)]
    out: PathBuf,
}

/// Write the tiny encoder that tests use.
#[derive(Debug, clap::Args)]
pub struct Tiny {
    /// The folder.
    #[arg(long)]
    out: PathBuf,
}

/// Make the demo workspace: database, indexed history, vectors of its questions.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// The folder that holds history.jsonl, tasks.json and workspace.json; the rest is written into it.
    #[arg(long)]
    dir: PathBuf,
    /// Encoder: minilm, mpnet or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
}

/// Runs `lab half`.
///
/// # Errors
/// When the weights cannot be read, converted or written.
pub fn half(args: &Half) -> Result<String, Failure> {
    let halved = weights::to_half(&inputs::bytes(&args.model)?)
        .map_err(|e| Failure::Failed(format!("{}: {e}", args.model.display())))?;
    write(&args.out, &halved)?;
    Ok(String::new())
}

/// Runs `lab tiny`.
///
/// # Errors
/// When the files cannot be written.
pub fn tiny(args: &Tiny) -> Result<String, Failure> {
    write(&args.out.join("model.safetensors"), &tiny::weights())?;
    write(&args.out.join("vocab.txt"), tiny::vocabulary().as_bytes())?;
    Ok(String::new())
}

/// Runs `lab demo`.
///
/// # Errors
/// When a file cannot be read or written or the encoder is missing.
pub fn demo(args: &Demo) -> Result<String, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let database = args.dir.join("norhaven.sqlite");
    demo::write_database(&database).map_err(|e| failed(&e))?;
    let encoder = encoder::load(encoder::spec(&args.encoder)?)?;
    let (history, _) = inputs::history(&args.dir.join("history.jsonl"), None, &inputs::schema(&database)?)?;
    let indexed = inputs::indexed(history, &encoder)?;
    write(&args.dir.join("knowledge.json"), indexed.to_json().map_err(|e| failed(&e))?.as_bytes())?;

    // Examples and tasks are answered at once, before the encoder is fetched.
    let mut texts = BTreeSet::new();
    for question in questions(&args.dir)? {
        texts.extend(phrases(&question).into_iter().map(|p| p.text));
        texts.insert(question);
    }
    let texts: Vec<String> = texts.into_iter().collect();
    let vectors = block_on(encoder.embed(&texts)).map_err(|e| failed(&e))?;
    write(&args.dir.join("vectors.bin"), &remembered::to_bytes(encoder.encoder(), &texts, &vectors))?;
    Ok(String::new())
}

/// The example questions and those of the tasks.
fn questions(dir: &Path) -> Result<Vec<String>, Failure> {
    #[derive(serde::Deserialize)]
    struct Workspace {
        questions: Vec<String>,
    }
    let path = dir.join("workspace.json");
    let workspace: Workspace = serde_json::from_slice(&inputs::bytes(&path)?)
        .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
    let path = dir.join("tasks.json");
    let tasks = read_tasks(&inputs::bytes(&path)?)
        .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
    Ok(workspace.questions.into_iter().chain(tasks.into_iter().map(|t| t.question)).collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::Failed(format!("{} cannot be written: {e}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, bytes).map_err(failed)
}
