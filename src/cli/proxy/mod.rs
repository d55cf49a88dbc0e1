//! `lab proxy`: the built page, and a language model for it whose key stays here. A class or a demo needs no keys.
//!
//! Nothing of what is asked or answered is kept or printed.

mod budget;
mod forward;

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::routing::{get, post};

use self::budget::Limits;
use self::forward::{Forward, Rules};
use super::{Failure, model, serve};
use crate::present::format;

/// Serve the built page with a language model, within budgets.
#[derive(Debug, clap::Args)]
pub struct Proxy {
    /// The folder of the built page.
    #[arg(long, default_value = "dist")]
    dir: PathBuf,
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The server that answers, with the OpenAI-compatible API.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Environment variable that holds the key for it.
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// A model that may be used; repeat for several. Without it, all of the server's.
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<String>,
    /// Another page that may use it ("https://example.org"); repeat for several.
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Requests of one client in a minute.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Requests of one client in a period.
    #[arg(long, default_value_t = 500)]
    client_requests: u64,
    /// Tokens of one client in a period.
    #[arg(long, default_value_t = 500_000)]
    client_tokens: u64,
    /// Requests of all clients in a period.
    #[arg(long, default_value_t = 10_000)]
    total_requests: u64,
    /// Tokens of all clients in a period.
    #[arg(long, default_value_t = 5_000_000)]
    total_tokens: u64,
    /// Hours after which the budgets begin anew.
    #[arg(long, default_value_t = 24.0)]
    period_hours: f64,
    /// Tokens that one answer may have.
    #[arg(long, default_value_t = 2_048)]
    max_tokens: u64,
    /// Take the client's address from the last X-Forwarded-For, which the web server in front must set.
    #[arg(long)]
    forwarded: bool,
    /// Leave out the cross-origin isolation headers.
    #[arg(long)]
    plain: bool,
}

/// Serves until interrupted.
///
/// # Errors
/// When the folder holds no page, the key is missing, or the address is taken.
pub fn run(args: &Proxy) -> Result<String, Failure> {
    if !(args.period_hours > 0.0 && args.period_hours.is_finite()) {
        return Err(Failure::Usage("--period-hours must be more than 0.".to_owned()));
    }
    let origin = |text: &&String| {
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        host.is_none_or(|host| {
            host.trim_end_matches('/').is_empty() || host.trim_end_matches('/').contains('/')
        })
    };
    if let Some(wrong) = args.origins.iter().find(origin) {
        return Err(Failure::Usage(format!(
            "--allow-origin {wrong} is no origin. Give scheme and host, such as https://example.org."
        )));
    }
    // A single word would be taken for a host, and the slip be seen only when somebody asks.
    if !args.upstream.contains(['.', ':']) {
        return Err(Failure::Usage(format!(
            "“{}” is not an address of a web server. It begins with http:// or https://.",
            args.upstream
        )));
    }
    let upstream = model::endpoint(&args.upstream, args.key_env.as_deref())?;
    let rules = Rules {
        models: args.models.clone(),
        origins: args
            .origins
            .iter()
            .map(|origin| origin.trim_end_matches('/').to_ascii_lowercase())
            .collect(),
        max_tokens: args.max_tokens.max(1),
        forwarded: args.forwarded,
        limits: Limits {
            rate: args.rate,
            client_requests: args.client_requests,
            client_tokens: args.client_tokens,
            total_requests: args.total_requests,
            total_tokens: args.total_tokens,
            period_s: args.period_hours * 3_600.0,
        },
    };
    let forward = Forward::new(upstream, rules).map_err(Failure::Failed)?;
    let page = serve::page(&args.dir, args.plain)?;
    let app = page
        .route("/v1/chat/completions", post(forward::chat).options(forward::preflight))
        .route("/v1/models", get(forward::models).options(forward::preflight))
        .with_state(forward);
    serve::run_until_stopped(app, args.listen, &offer(args))
}

/// The models and their limits, for the line that says where the page is.
fn offer(args: &Proxy) -> String {
    let models = match args.models.as_slice() {
        [] => format!("all models of {}", args.upstream),
        [only] => format!("the model {only}"),
        several => format!("the models {}", several.join(", ")),
    };
    format!(
        " with {models}; in {} h a client has {} requests ({} a minute) and {} tokens, all clients have {} and {}",
        args.period_hours,
        format::count(args.client_requests),
        args.rate,
        format::count(args.client_tokens),
        format::count(args.total_requests),
        format::count(args.total_tokens)
    )
}
