//! The command line `lab`: the same pure modules as the page, over native services.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong use. One line on standard error says what happened.

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
    /// Serve the built page on this machine.
    Serve(serve::Serve),
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
        Command::Serve(args) => serve::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("lab: {failure}");
            ExitCode::from(if matches!(failure, Failure::Usage(_)) { 2 } else { 1 })
        }
    }
}
