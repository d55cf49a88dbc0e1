//! The command line `lab`, run as a program: what it prints and its exit codes.
//!
//! Everything runs on the demo workspace with the tiny encoder, made into a temporary folder.
#![allow(clippy::unwrap_used)]

#[path = "cli/commands.rs"]
mod commands;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/score.rs"]
mod score;
#[path = "llm/server.rs"]
mod server;
#[path = "cli/workspace.rs"]
mod workspace;
