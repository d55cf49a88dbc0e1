//! `lab ask`: a question, answered from a history, by adapting one of its queries or by a language model.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use serde::Serialize;

use super::answering;
use super::model::{Connected, Server};
use super::{Failure, encoder, inputs, json};
use crate::bench::compare::{self, Mode, Verdict};
use crate::bench::score;
use crate::db::{Database, QueryLimits, ResultSet, introspect};
use crate::history::entry::tag;
use crate::history::{KnowledgeBase, report::excerpt};
use crate::llm::{Cancel, Delta};
use crate::pipeline::adapt;
use crate::pipeline::ask::{self as pipeline, Sources};
use crate::pipeline::direct::{self, Direct, Event, Shot, Shots};
use crate::pipeline::staged::Staged;
use crate::pipeline::{Answered, ByModel, Options, Pipeline as _, Way};
use crate::ports::Embed as _;
use crate::ports::blocking::block_on;
use crate::present::answer::{NO_ROWS, chance, change as told_change, tried};
use crate::present::{cells, format};
use crate::retrieval::model::{Asking, By, Found, Steps, retrieve_with};
use crate::retrieval::{Retrieved, Settings};

/// Answer a question from a history, without a model or with one.
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
    /// Encoder: minilm, mpnet or tiny.
    #[arg(long, default_value = "minilm")]
    encoder: String,
    #[command(flatten)]
    server: Server,
    /// Who answers; direct where --llm is given, adapt otherwise.
    #[arg(long)]
    pipeline: Option<answering::By>,
    /// What a model is shown of the history.
    #[arg(long, default_value = "queries", requires = "llm")]
    shots: Kind,
    /// Let the model find the key phrases of the question.
    #[arg(long, requires = "llm")]
    llm_phrases: bool,
    /// Let the model choose among the retrieved queries.
    #[arg(long, requires = "llm")]
    llm_rerank: bool,
    /// Tokens of the model's context; the prompt is shortened to fit.
    #[arg(long, default_value_t = direct::Settings::default().context_tokens, requires = "llm")]
    context: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Items printed at most; --json holds all.
const ITEMS_SHOWN: usize = 10;
/// Milliseconds for the row counts and samples that a model is shown.
const OVERVIEW_MS: u32 = 5_000;

/// Kinds of examples by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Nothing.
    None,
    /// Whole queries.
    Queries,
    /// Pieces of queries.
    Pieces,
}

#[derive(Serialize)]
struct Done<'a> {
    skipped: usize,
    retrieved: &'a Retrieved,
    /// Who found the phrases and who reranked; absent without a model.
    steps: Option<[&'a By; 2]>,
    #[serde(flatten)]
    answered: Told<'a>,
    equal: Option<bool>,
    difference: Option<String>,
}

/// An answer as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Told<'a> {
    Adapted { answer: &'a adapt::Answer },
    Direct { direct: &'a Direct },
    Staged { staged: &'a Staged },
}

/// What one question gave.
struct Asked {
    retrieved: Retrieved,
    steps: Option<[By; 2]>,
    answered: Answered,
}

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, the model cannot be used, nothing in the history fits, or gold does not run.
pub fn run(args: &Ask) -> Result<String, Failure> {
    let spec = encoder::spec(&args.encoder)?;
    let llm = args.server.llm.as_ref();
    let usual = llm.map_or(answering::By::Adapt, |_| answering::By::Model(Way::default()));
    let way = args.pipeline.unwrap_or(usual).with(llm)?;
    let connected = args.server.connect()?;
    let schema = inputs::schema(&args.database)?;
    let database = inputs::database(&args.database)?;
    let (history, report) = inputs::history(&args.history, args.db_id.as_deref(), &schema)?;
    let encoder = encoder::load(spec)?;
    let indexed = inputs::indexed(history, &encoder)?;
    let Some(index) = indexed.index_of(encoder.encoder()) else {
        return Err(Failure::Failed("The history holds no query.".to_owned()));
    };
    let sources = Sources { knowledge: &indexed.base, index, schema: &schema };
    let Asked { retrieved, steps, answered } = match &connected {
        None => adapted(args, sources, &encoder, &database)?,
        Some(connected) => by_model(args, way, connected, sources, &encoder, &database)?,
    };
    let skipped = report.map_or(0, |report| report.skipped.len());
    let (sql, result) = match answered.answer() {
        Ok(answer) => answer,
        Err(why) => return Err(Failure::Failed(why.to_string())),
    };
    let verdict = args.gold.as_ref().map(|gold| {
        let gold = database.execute(gold, score::limits());
        compare::judge(Mode::BirdEx, &gold, &database.execute(sql, score::limits()))
    });
    if let Some(Verdict::GoldFailed(error)) = &verdict {
        return Err(Failure::Failed(format!("The gold SQL does not run: {error}")));
    }
    if args.json {
        let told = match &answered {
            Answered::Adapted(Ok(answer)) => Told::Adapted { answer },
            Answered::Direct(direct) => Told::Direct { direct },
            Answered::Staged(staged) => Told::Staged { staged },
            Answered::Adapted(Err(error)) => return Err(Failure::Failed(error.to_string())),
        };
        return json(&Done {
            skipped,
            retrieved: &retrieved,
            steps: steps.as_ref().map(|[phrases, rerank]| [phrases, rerank]),
            answered: told,
            equal: verdict.as_ref().map(Verdict::correct),
            difference: verdict.as_ref().and_then(difference),
        });
    }
    let mut text = knowledge(&indexed.base, &retrieved);
    if skipped > 0 {
        let _ = writeln!(text, "{skipped} statements of the history were skipped (lab index says why).");
    }
    if let Some([phrases, rerank]) = &steps {
        let _ = writeln!(text, "{}\n{}", phrases.sentence("Key phrases"), rerank.sentence("Reranking"));
    }
    text.push_str(&told(&answered, connected.as_ref().map_or("", |connected| &connected.name)));
    let _ = writeln!(text, "\n{sql}");
    // The rows of a query that is only the nearest there is would look like an answer.
    if !matches!(&answered, Answered::Adapted(Ok(answer)) if !answer.is_near()) {
        let _ = writeln!(text, "\n{}", rows(result));
    }
    if let Some(verdict) = verdict {
        let word = if verdict.correct() { "Same as gold" } else { "Different from gold" };
        let _ = writeln!(text, "\n{word} (bird-ex). {}", difference(&verdict).unwrap_or_default());
    }
    Ok(text)
}

fn adapted(
    args: &Ask,
    sources: Sources<'_>,
    encoder: &crate::embedding::Encoder,
    database: &Database,
) -> Result<Asked, Failure> {
    let (settings, limits) = (Settings::default(), QueryLimits::default());
    let asked = pipeline::ask(&args.question, sources, encoder, database, settings, limits, |_| {});
    let (retrieved, answer) = block_on(asked).map_err(|e| Failure::Failed(e.to_string()))?;
    Ok(Asked { retrieved, steps: None, answered: Answered::Adapted(answer) })
}

fn by_model(
    args: &Ask,
    way: answering::By,
    connected: &Connected,
    sources: Sources<'_>,
    encoder: &crate::embedding::Encoder,
    database: &Database,
) -> Result<Asked, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(e.to_string());
    let (cancel, limits) = (Cancel::default(), QueryLimits::default());
    let asking = Asking {
        model: &connected.server,
        name: &connected.name,
        context_tokens: args.context,
        cancel: &cancel,
    };
    let steps = Steps { phrases: args.llm_phrases, rerank: args.llm_rerank };
    let shown = Settings::default().max_shots;
    let wide = Settings { max_shots: pipeline::CANDIDATES, ..Settings::default() };
    let Sources { knowledge, index, schema } = sources;
    let found = retrieve_with(asking, steps, encoder, index, knowledge, schema, &args.question, wide);
    let Found { mut retrieved, picks, phrases, rerank, .. } = block_on(found).map_err(|e| failed(&e))?;
    let question = &args.question;
    let answered = match way {
        answering::By::Adapt => {
            block_on(crate::pipeline::Adapt.answer(question, sources, &retrieved, database, limits))
        }
        answering::By::Model(way) => {
            let overview = introspect::overview(database, OVERVIEW_MS).map_err(|e| failed(&e))?;
            let settings = direct::Settings {
                model: connected.name.clone(),
                context_tokens: args.context,
                ..direct::Settings::default()
            };
            let shots = match args.shots {
                Kind::None => Shots::None,
                Kind::Queries => Shots::Queries(shown),
                Kind::Pieces => Shots::Fragments(shown),
            };
            let chosen: Vec<Shot> = picks.iter().take(shown).map(Shot::from).collect();
            // Someone who waits at a terminal sees the model write; a program that reads the answer does not.
            let live = !args.json && std::io::stderr().is_terminal();
            let by_model = matches!(rerank, By::Model { .. }) && args.shots != Kind::None;
            let pipeline = ByModel {
                way,
                model: &connected.server,
                settings: &settings,
                tables: &overview.tables,
                shots,
                chosen: by_model.then_some(chosen.as_slice()),
                options: Options::default(),
                on_event: &|event| {
                    if live {
                        write_live(event)
                    }
                },
                cancel: &cancel,
            };
            block_on(pipeline.answer(question, sources, &retrieved, database, limits))
        }
    };
    retrieved.queries.truncate(shown);
    Ok(Asked { retrieved, steps: Some([phrases, rerank]), answered })
}

/// Writes what the model writes as it comes, on standard error.
fn write_live(event: &Event<'_>) {
    match event {
        Event::Stage(name) => eprintln!("\n{name}:"),
        Event::Prompt(prompt) => eprintln!("The model reads a prompt of about {} tokens.", prompt.tokens),
        Event::Delta(_, Delta::Text(text) | Delta::Reasoning(text)) => eprint!("{text}"),
        Event::Attempt(_) => eprintln!(),
    }
}

/// How an answer came about.
fn told(answered: &Answered, model: &str) -> String {
    let mut text = String::new();
    match answered {
        Answered::Adapted(Ok(answer)) => {
            if answer.is_near() {
                let _ = writeln!(text, "Adapted from query {}. No model was used.", tag(answer.entry));
            } else {
                let _ = writeln!(text, "No query of the history is close enough to answer this.");
                let _ = writeln!(text, "The nearest, {}, adapted:", tag(answer.entry));
            }
            let _ = writeln!(text, "  {}", chance(answer.confidence));
            for change in &answer.changes {
                let _ = writeln!(text, "  {}: {}", told_change(change), change.reason);
            }
            if !answer.unbound.is_empty() {
                let _ = writeln!(text, "  Not used: {}", answer.unbound.join(", "));
            }
            if !answer.refused.is_empty() {
                let _ = writeln!(text, "  {}", tried(&answer.refused));
            }
            if answer.result.rows.is_empty() {
                let _ = writeln!(text, "  {NO_ROWS}");
            }
        }
        Answered::Adapted(Err(_)) => {}
        Answered::Direct(direct) => {
            let shots = format::counted(direct.prompt.shots.len(), "example", "examples");
            let _ = writeln!(text, "Written by {model} with {shots} from the history.");
            if let Some(shortened) = direct.prompt.left_out.sentence() {
                let _ = writeln!(text, "  {shortened}");
            }
            for attempt in &direct.attempts {
                if let Some(trouble) = &attempt.trouble {
                    let sql = attempt.extracted.as_ref().map_or("", |extracted| extracted.sql.as_str());
                    let _ = writeln!(text, "  Mended once: {trouble} {}", excerpt(sql));
                }
                for other in attempt.extracted.iter().flat_map(|extracted| &extracted.others) {
                    let _ = writeln!(text, "  Not used, another statement of the answer: {}", excerpt(other));
                }
            }
        }
        Answered::Staged(staged) => {
            let requests = format::counted(staged.exchanges().count(), "request", "requests");
            let _ = writeln!(text, "Written by {model} in {requests}.");
            for stage in &staged.stages {
                for note in &stage.notes {
                    let _ = writeln!(text, "  {}: {note}", stage.name);
                }
            }
        }
    }
    text
}

/// What was retrieved, best first, with its scores.
fn knowledge(base: &KnowledgeBase, retrieved: &Retrieved) -> String {
    let mut text = String::new();
    for hit in &retrieved.queries {
        if let Some(entry) = base.entries.get(hit.entry as usize) {
            let shown = excerpt(entry.question.as_deref().unwrap_or(&entry.sql));
            let _ = writeln!(text, "query {} {:.2} {shown}", tag(hit.entry), hit.score);
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
