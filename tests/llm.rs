//! Language models over HTTP: a server of the test's own that answers as real ones do, well and badly, and, where it
//! is in the cache, a small real model.
#![allow(clippy::unwrap_used)]

#[path = "llm/commands.rs"]
mod commands;
#[path = "llm/http.rs"]
mod http;
#[path = "llm/proxy.rs"]
mod proxy;
#[path = "llm/real.rs"]
mod real;
#[path = "llm/server.rs"]
mod server;
#[path = "llm/workspace.rs"]
mod workspace;
