//! Giving the browser a turn, and waiting that knows when the page was asleep.

use gloo_timers::future::TimeoutFuture;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A timer that is later than this was held up: the computer slept, or the browser froze the page.
const HELD_UP_MS: f64 = 5_000.0;
/// What others get to answer after that.
const AFTER_WAKING_MS: u32 = 10_000;

/// Milliseconds on the page's clock.
pub fn now() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

/// Lets the browser paint and handle input before going on.
///
/// It sends itself a message: in a tab that is not in view, timers are held back by a second and more.
pub async fn turn() {
    let Some((arrives, close, port)) = message() else { return TimeoutFuture::new(0).await };
    let _ = JsFuture::from(arrives).await;
    // An open port is never freed.
    let _ = close.call0(&port);
}

/// A message to itself: what resolves when it arrives, and what closes its port.
fn message() -> Option<(Promise, Function, JsValue)> {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let constructor: Function = get(&js_sys::global(), "MessageChannel")?.dyn_into().ok()?;
    let channel = Reflect::construct(&constructor, &Array::new()).ok()?;
    let (here, there) = (get(&channel, "port1")?, get(&channel, "port2")?);
    let post: Function = get(&there, "postMessage")?.dyn_into().ok()?;
    let close: Function = get(&here, "close")?.dyn_into().ok()?;
    let mut sent = false;
    let arrives = Promise::new(&mut |resolve, _| {
        sent = Reflect::set(&here, &"onmessage".into(), &resolve).is_ok()
            && post.call1(&there, &JsValue::NULL).is_ok();
    });
    sent.then_some((arrives, close, here))
}

/// Waits for `ms` milliseconds; after a sleep of the computer or the page a little longer, once, so that what was
/// asleep as well can still answer.
pub async fn patience(ms: u32) {
    let wait = ms.min(i32::MAX as u32);
    let start = now();
    TimeoutFuture::new(wait).await;
    if now() - start - f64::from(wait) > HELD_UP_MS {
        TimeoutFuture::new(wait.min(AFTER_WAKING_MS)).await;
    }
}
