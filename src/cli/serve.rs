//! `lab serve`: the built page over HTTP, on this machine only unless told otherwise.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
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
    run_until_stopped(page(&args.dir, args.plain)?, args.listen, "")
}

/// The built page as the fallback of a router, with the headers that isolate it unless it is to be plain.
///
/// # Errors
/// When the folder holds no page.
pub(super) fn page<S: Clone + Send + Sync + 'static>(
    dir: &Path,
    plain: bool,
) -> Result<axum::Router<S>, Failure> {
    if !dir.join("index.html").is_file() {
        return Err(Failure::Failed(format!(
            "{} holds no index.html. Build the page first (make dist).",
            dir.display()
        )));
    }
    let mut files = axum::Router::new()
        .fallback_service(ServeDir::new(dir))
        .layer(axum::middleware::from_fn(no_such_name))
        .layer(constant(header::CACHE_CONTROL, "no-cache"));
    if !plain {
        // Isolation gives the page the shared flag that stops a query without ending its worker. It is "credentialless",
        // for "require-corp" would keep the test of a model's server from telling a refusal from silence.
        files = files
            .layer(constant(HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
            .layer(constant(HeaderName::from_static("cross-origin-embedder-policy"), "credentialless"))
            .layer(constant(HeaderName::from_static("cross-origin-resource-policy"), "same-origin"));
    }
    Ok(files)
}

/// A name longer than a file system allows is the name of no file; asking for it would be an error of the server.
async fn no_such_name(request: Request, next: Next) -> Response {
    const LONGEST: usize = 255;
    if request.uri().path().split('/').any(|name| name.len() > LONGEST) {
        return StatusCode::NOT_FOUND.into_response();
    }
    next.run(request).await
}

/// Serves on an address until interrupted, which it prints with what is `offer`ed there; handlers get the client's
/// address.
///
/// # Errors
/// When the address is taken.
pub(super) fn run_until_stopped(
    app: axum::Router,
    listen: SocketAddr,
    offer: &str,
) -> Result<String, Failure> {
    let failed = |e: std::io::Error| Failure::Failed(e.to_string());
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(listen).await.map_err(|e| {
            Failure::Failed(format!("{listen} cannot be used: {e}. Choose another with --listen."))
        })?;
        println!("Querylore is at http://{}{offer}", listener.local_addr().map_err(failed)?);
        axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
            .with_graceful_shutdown(async {
                let _ = tokio::signal::ctrl_c().await;
            })
            .await
            .map_err(failed)
    })?;
    Ok(String::new())
}

fn constant(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
}
