//! `lab ask`: a question, answered from a history.

use std::path::PathBuf;

use serde::Serialize;

use super::{Failure, encoder, inputs, print_json};
use crate::bench::compare::{self, Mode, Verdict};
use crate::bench::score;
use crate::db::{QueryLimits, ResultSet};
use crate::embedding::blocking::block_on;
use crate::pipeline::adapt::Answer;
use crate::pipeline::ask::{self as pipeline, Sources};
use crate::ports::Embed as _;
use crate::present::cells;
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

#[derive(Serialize)]
struct Done {
    retrieved: Retrieved,
    answer: Answer,
    equal: Option<bool>,
    difference: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read, nothing in the history fits, or gold does not run.
pub fn run(args: &Ask) -> Result<(), Failure> {
    let spec = encoder::spec(&args.encoder)?;
    let schema = inputs::schema(&args.database)?;
    let database = inputs::database(&args.database)?;
    let (history, _) = inputs::history(&args.history, args.db_id.as_deref(), &schema)?;
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
            pipeline::ask(&args.question, sources, &encoder, &database, Settings::default(), limits, |_| {}).await;
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
    if args.json {
        return print_json(&Done {
            retrieved,
            answer,
            equal: verdict.as_ref().map(Verdict::correct),
            difference: verdict.as_ref().and_then(difference),
        });
    }
    println!("Adapted from query #{}. No model was used.", answer.entry);
    for change in &answer.changes {
        println!("  {} was {}: {}", change.after, change.before, change.reason);
    }
    println!("\n{}\n", answer.sql);
    print_rows(&answer.result);
    if let Some(verdict) = verdict {
        let word = if verdict.correct() { "Same as gold" } else { "Different from gold" };
        println!("\n{word} (bird-ex). {}", difference(&verdict).unwrap_or_default());
    }
    Ok(())
}

fn difference(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Different(diagnosis) => Some(diagnosis.sentence.clone()),
        _ => None,
    }
}

fn print_rows(rows: &ResultSet) {
    println!("{}", rows.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" | "));
    for row in &rows.rows {
        println!("{}", row.iter().map(cells::short).collect::<Vec<_>>().join(" | "));
    }
    println!("{} rows{}", rows.rows.len(), if rows.more { ", more exist" } else { "" });
}
