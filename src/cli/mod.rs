//! The command line `lab`: the same pure modules as the page, over native services.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong use. One line on standard error says what happened.

mod ask;
mod build;
mod encoder;
mod index;
mod inputs;
mod score;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    /// Answer a question from a history, without a model.
    Ask(ask::Ask),
    /// Score predictions by execution accuracy.
    Score(score::Score),
    /// Serve the built page on this machine.
    Serve(serve::Serve),
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
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let result = match &lab.command {
        Command::Index(args) => index::run(args),
        Command::Ask(args) => ask::run(args),
        Command::Score(args) => score::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Half(args) => build::half(args),
        Command::Tiny(args) => build::tiny(args),
        Command::Demo(args) => build::demo(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("lab: {failure}");
            ExitCode::from(if matches!(failure, Failure::Usage(_)) { 2 } else { 1 })
        }
    }
}

fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(|e| Failure::Failed(e.to_string()))?;
    println!("{json}");
    Ok(())
}
