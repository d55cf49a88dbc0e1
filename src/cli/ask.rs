//! `lab ask`: a question, answered from a history.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::{Failure, encoder, inputs, json};
use crate::bench::compare::{self, Mode, Verdict};
use crate::bench::score;
use crate::db::{QueryLimits, ResultSet};
use crate::history::{KnowledgeBase, report::excerpt};
use crate::pipeline::adapt::Answer;
use crate::pipeline::ask::{self as pipeline, Sources};
use crate::ports::Embed as _;
use crate::ports::blocking::block_on;
use crate::present::{answer::chance, cells, format};
use crate::retrieval::{Retrieved, Settings};

/// Answer a question from a history, without a model.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// The history, or a knowledge base made by `lab index`.
    #[arg(long)]
    history: PathBuf,
    /// Which database of the history, where it holds several.
    #[arg(long)]
    db_id: Option<String>,
    /// The database.
    #[arg(long)]
    database: PathBuf,
    /// The question.
    #[arg(long)]
    question: String,
    /// Gold SQL to compare the answer with, in mode bird-ex.
    #[arg(long)]
    gold: Option<String>,
    /// Encoder: minilm or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Items printed at most; --json holds all.
const ITEMS_SHOWN: usize = 10;

#[derive(Serialize)]
struct Done {
    skipped: usize,
    retrieved: Retrieved,
    answer: Answer,
    equal: Option<bool>,
    difference: Option<String>,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, nothing in the history fits, or gold does not run.
pub fn run(args: &Ask) -> Result<String, Failure> {
    let spec = encoder::spec(&args.encoder)?;
    let schema = inputs::schema(&args.database)?;
    let database = inputs::database(&args.database)?;
    let (history, report) = inputs::history(&args.history, args.db_id.as_deref(), &schema)?;
    let encoder = encoder::load(spec)?;
    let indexed = inputs::indexed(history, &encoder)?;
    let Some(index) = indexed.index_of(encoder.encoder()) else {
        return Err(Failure::Failed("The history holds no query.".to_owned()));
    };
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let limits = QueryLimits::default();
    let (retrieved, answer) = block_on(async {
        let sources = Sources { knowledge: &indexed.base, index, schema: &schema };
        let asked =
            pipeline::ask(&args.question, sources, &encoder, &database, Settings::default(), limits, |_| {})
                .await;
        let (retrieved, answer) = asked.map_err(|e| failed(&e))?;
        Ok::<_, Failure>((retrieved, answer.map_err(|e| failed(&e))?))
    })?;
    let verdict = args.gold.as_ref().map(|gold| {
        let gold = database.execute(gold, score::limits());
        compare::judge(Mode::BirdEx, &gold, &database.execute(&answer.sql, score::limits()))
    });
    if let Some(Verdict::GoldFailed(error)) = &verdict {
        return Err(Failure::Failed(format!("The gold SQL does not run: {error}")));
    }
    let skipped = report.map_or(0, |report| report.skipped.len());
    if args.json {
        return json(&Done {
            skipped,
            retrieved,
            answer,
            equal: verdict.as_ref().map(Verdict::correct),
            difference: verdict.as_ref().and_then(difference),
        });
    }
    let mut text = knowledge(&indexed.base, &retrieved);
    if skipped > 0 {
        let _ = writeln!(text, "{skipped} statements of the history were skipped (lab index says why).");
    }
    if answer.is_near() {
        let _ = writeln!(text, "Adapted from query #{}. No model was used.", answer.entry);
    } else {
        let _ = writeln!(text, "Nothing in the history is near enough to answer this.");
        let _ = writeln!(text, "The nearest query is #{}, adapted:", answer.entry);
    }
    let _ = writeln!(text, "  {}", chance(answer.confidence));
    for change in &answer.changes {
        let (before, after) = (change.before.trim(), change.after.trim());
        let told = match (before, after) {
            (before, "") => format!("{before} was left out"),
            ("", after) => format!("{after} was added"),
            _ => format!("{after} was {before}"),
        };
        let _ = writeln!(text, "  {told}: {}", change.reason);
    }
    if !answer.unbound.is_empty() {
        let _ = writeln!(text, "  Not used: {}", answer.unbound.join(", "));
    }
    let _ = writeln!(text, "\n{}", answer.sql);
    if answer.is_near() {
        let _ = writeln!(text, "\n{}", rows(&answer.result));
    }
    if let Some(verdict) = verdict {
        let word = if verdict.correct() { "Same as gold" } else { "Different from gold" };
        let _ = writeln!(text, "\n{word} (bird-ex). {}", difference(&verdict).unwrap_or_default());
    }
    Ok(text)
}

/// What was retrieved, best first, with its scores.
fn knowledge(base: &KnowledgeBase, retrieved: &Retrieved) -> String {
    let mut text = String::new();
    for hit in &retrieved.queries {
        if let Some(entry) = base.entries.get(hit.entry as usize) {
            let shown = excerpt(entry.question.as_deref().unwrap_or(&entry.sql));
            let _ = writeln!(text, "query #{} {:.2} {shown}", hit.entry, hit.score);
        }
    }
    for hit in retrieved.items.iter().take(ITEMS_SHOWN) {
        if let Some(item) = base.items.get(hit.item as usize) {
            let phrase = hit.evidence.first().and_then(|evidence| retrieved.phrases.get(evidence.phrase));
            let phrase = phrase.map_or("", |phrase| phrase.text.as_str());
            let _ = writeln!(text, "item {:.2} {} | {phrase}", hit.score, item.skeleton);
        }
    }
    if let Some(more) = retrieved.items.len().checked_sub(ITEMS_SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "and {more} more items (--json holds them all)");
    }
    text
}

fn difference(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Different(diagnosis) => Some(diagnosis.sentence.clone()),
        _ => None,
    }
}

fn rows(result: &ResultSet) -> String {
    let head = result.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    let rows = result.rows.iter().map(|row| row.iter().map(cells::short).collect());
    let mut lines: Vec<String> = std::iter::once(head).chain(rows).map(|cells| cells.join(" | ")).collect();
    let more = if result.more { ", more exist" } else { "" };
    lines.push(format!("{}{more}", format::counted(result.rows.len(), "row", "rows")));
    lines.join("\n")
}
