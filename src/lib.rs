//! Querylore learns from the SQL written on a database what its schema does not say, and uses it to
//! answer new questions in SQL, inside a web page.
//!
//! # Map
//!
//! Pure modules compile and are tested natively; they know no browser, no clock and no global state:
//!
//! - [`sql`]: parsing, the schema, splitting a query into components, skeletons
//! - [`history`]: reading query histories and merging them into a knowledge base
//! - [`embedding`]: tokenizer and sentence encoders in burn
//! - [`retrieval`]: which knowledge a question needs
//! - [`db`]: SQLite, read-only, with limits
//! - [`llm`]: language models behind the OpenAI-compatible API: requests, streams, what answers hold
//! - [`search`]: the tree search of SQL-o1 over the clauses of a query
//! - [`pipeline`]: from a question to SQL
//! - [`bench`]: tasks and scoring
//! - [`experiment`]: tasks × retrievers × pipelines, as page and command line run them
//! - [`demo`]: the generated demo database
//! - [`workspace`]: the list of databases a browser keeps, workspaces as files, links that open one
//! - [`present`]: numbers, SQL and knowledge as the page shows them
//! - [`incident`]: what went wrong while the page was open
//! - [`ports`]: the traits through which the pure modules reach workers and native services
//! - `cli`: the command line `lab` (native only)
//!
//! Browser modules exist only for wasm32: `browser` implements the ports over web workers, `ui` is the page.
//!
//! Three features keep what one program does not need out of it: `page` is Leptos and `ui`, `sqlite` is SQLite and what
//! runs in it, `encoder` is burn and what calculates with it. All are on by default; each program for the browser is
//! built with one of them.
//!
//! # Dependency rule
//!
//! `main` and `bin` → {`ui`, `cli`} → `present` → `experiment` → {`pipeline`, `bench`} → {`retrieval`, `history`, `db`,
//! `embedding`, `llm`} → `sql`. `pipeline` → `search` → `sql`.
//! `workspace` → `history`. `browser` is named only by `main`, `bin` and `ui`. A test in `tests/architecture.rs` checks it.

pub mod bench;
pub mod db;
#[cfg(feature = "sqlite")]
pub mod demo;
pub mod embedding;
pub mod experiment;
pub mod history;
pub mod incident;
pub mod llm;
pub mod pipeline;
pub mod ports;
pub mod present;
pub mod retrieval;
pub mod search;
pub mod sql;
pub mod workspace;

#[cfg(all(not(target_arch = "wasm32"), feature = "encoder", feature = "sqlite"))]
pub mod cli;

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod ui;
