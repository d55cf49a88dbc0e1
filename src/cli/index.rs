//! `lab index`: from a history to a knowledge base with vectors.

use std::path::PathBuf;

use serde::Serialize;

use super::{Failure, encoder, inputs, json};
use crate::sql::Schema;

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
    /// Encoder: minilm or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
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
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read or written, or the history holds no query.
pub fn run(args: &Index) -> Result<String, Failure> {
    let spec = encoder::spec(&args.encoder)?;
    let schema = match &args.database {
        Some(path) => inputs::schema(path)?,
        None => Schema::default(),
    };
    let (history, report) = inputs::history(&args.history, args.db_id.as_deref(), &schema)?;
    if history.base.entries.is_empty() {
        return Err(Failure::Failed(format!(
            "{} holds no query that could be read.",
            args.history.display()
        )));
    }
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
    };
    if args.json {
        return json(&done);
    }
    Ok(format!(
        "{}{} queries, {} items, {} bytes in {}\n",
        report.map(|report| report.to_text()).unwrap_or_default(),
        done.queries,
        done.items,
        done.bytes,
        args.out.display()
    ))
}
