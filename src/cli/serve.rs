//! `lab serve`: the built page over HTTP, on this machine only unless told otherwise.

use std::net::SocketAddr;
use std::path::PathBuf;

use axum::http::{HeaderName, HeaderValue, header};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use super::Failure;

/// Serves a folder.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The folder of the built page.
    #[arg(long, default_value = "dist")]
    dir: PathBuf,
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Leave out the cross-origin isolation headers, as most static hosts do.
    #[arg(long)]
    plain: bool,
}

/// Serves until interrupted.
///
/// # Errors
/// When the folder holds no page or the address is taken.
pub fn run(args: &Serve) -> Result<String, Failure> {
    if !args.dir.join("index.html").is_file() {
        return Err(Failure::Failed(format!(
            "{} holds no index.html. Build the page first (make dist).",
            args.dir.display()
        )));
    }
    let runtime = tokio::runtime::Runtime::new().map_err(|e| Failure::Failed(e.to_string()))?;
    runtime.block_on(serve(args))?;
    Ok(String::new())
}

async fn serve(args: &Serve) -> Result<(), Failure> {
    let mut app = axum::Router::new()
        .fallback_service(ServeDir::new(&args.dir))
        .layer(constant(header::CACHE_CONTROL, "no-cache"));
    if !args.plain {
        // Isolation gives the page the shared flag that stops a query without ending its worker.
        app = app
            .layer(constant(HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
            .layer(constant(HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"))
            .layer(constant(HeaderName::from_static("cross-origin-resource-policy"), "same-origin"));
    }
    let listener = tokio::net::TcpListener::bind(args.listen).await.map_err(|e| {
        Failure::Failed(format!("{} cannot be used: {e}. Choose another with --listen.", args.listen))
    })?;
    println!("Querylore is at http://{}", args.listen);
    axum::serve(listener, app)
        .with_graceful_shutdown(async {
            let _ = tokio::signal::ctrl_c().await;
        })
        .await
        .map_err(|e| Failure::Failed(e.to_string()))
}

fn constant(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
