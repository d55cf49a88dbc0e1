//! What the user can set in motion. Each action reads signals, calls the pure modules and the engine,
//! and writes signals; the views only bind to them.

pub mod answers;
pub mod archive;
pub mod ask;
mod compare;
pub mod diagnostics;
mod direct;
pub mod edit;
pub mod encoder;
pub mod history;
pub mod keep;
pub mod link;
pub mod model;
pub mod save;
pub mod tasks;
pub mod workspace;

/// Milliseconds on the page's clock.
pub fn now() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

/// Lets the browser paint and handle input before going on.
pub async fn breathe() {
    gloo_timers::future::TimeoutFuture::new(0).await;
}

/// Longest piece of work between two breaths, in milliseconds: under one frame.
pub const SLICE_MS: f64 = 12.0;
