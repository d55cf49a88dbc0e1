//! The command line `lab`: the same pure modules as the page, over native services.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong use. One line on standard error says what happened.

mod answering;
mod ask;
mod build;
mod encoder;
mod index;
mod inputs;
mod model;
mod proxy;
mod psg_export;
mod report;
mod retrieval_eval;
mod retrieving;
mod run;
mod score;
mod serve;
mod stats;
mod sweep;

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, error::ErrorKind as ArgumentError};

/// Querylore on the command line.
#[derive(Debug, Parser)]
#[command(name = "lab", version, about)]
struct Lab {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Split a history into knowledge and index it.
    Index(index::Index),
    /// Answer a question from a history, without a model or with one.
    Ask(ask::Ask),
    /// Score predictions by a named rule.
    Score(score::Score),
    /// Measure a retriever over the tasks of a file that names the knowledge they need.
    RetrievalEval(retrieval_eval::RetrievalEval),
    /// Measure retrieval over ranges of settings, beside the tables of BIRD-History.
    Sweep(sweep::Sweep),
    /// Answer the tasks of a file, and keep every answer in a run file.
    Run(run::Run),
    /// Join the parts of a run into one file.
    Merge(run::Merge),
    /// Count a task file, and name what in it does not fit.
    Stats(stats::Stat),
    /// Show runs side by side, with their scores.
    Report(report::Report),
    /// Write records to train a model to go on with SQL.
    PsgExport(psg_export::PsgExport),
    /// Serve the built page on this machine.
    Serve(serve::Serve),
    /// Serve the built page with a language model for it, within budgets.
    Proxy(proxy::Proxy),
    /// Convert encoder weights to half precision.
    Half(build::Half),
    /// Write the tiny encoder that tests use.
    Tiny(build::Tiny),
    /// Make the demo workspace.
    Demo(build::Demo),
}

/// Why a command did not finish.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Wrong use: the arguments do not fit; exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Anything else; exit code 1.
    #[error("{0}")]
    Failed(String),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let lab = match Lab::try_parse() {
        Ok(lab) => lab,
        Err(error) if error.use_stderr() => return ended(Err(Failure::Usage(one_line(&error)))),
        Err(help) => return ended(Ok(help.to_string())),
    };
    ended(match &lab.command {
        Command::Index(args) => index::run(args),
        Command::Ask(args) => ask::run(args),
        Command::Score(args) => score::run(args),
        Command::RetrievalEval(args) => retrieval_eval::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Run(args) => run::run(args),
        Command::Merge(args) => run::merge(args),
        Command::Stats(args) => stats::run(args),
        Command::Report(args) => report::run(args),
        Command::PsgExport(args) => psg_export::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Proxy(args) => proxy::run(args),
        Command::Half(args) => build::half(args),
        Command::Tiny(args) => build::tiny(args),
        Command::Demo(args) => build::demo(args),
    })
}

/// Prints what a command has to say and turns it into an exit code.
fn ended(result: Result<String, Failure>) -> ExitCode {
    let printed = result.and_then(|text| match io::stdout().lock().write_all(text.as_bytes()) {
        // Whoever reads has read enough, as in `lab ask … | head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|e| Failure::Failed(format!("The result cannot be printed: {e}"))),
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("lab: {failure}");
            ExitCode::from(if matches!(failure, Failure::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// What is wrong with the arguments, in one line.
fn one_line(error: &clap::Error) -> String {
    if error.kind() == ArgumentError::DisplayHelpOnMissingArgumentOrSubcommand {
        let names: Vec<String> = Lab::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        return format!("A command is missing; there are {}.", names.join(", "));
    }
    let text = error.to_string();
    let said: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    format!("{} (--help explains)", said.join(" ").trim_start_matches("error: "))
}

fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Failed(e.to_string()))?;
    Ok(text + "\n")
}
