//! What this browser can do.

use js_sys::{Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Whether the page is cross-origin isolated.
pub fn isolated() -> bool {
    has(&["crossOriginIsolated"])
}

/// Whether a property of a property of the global object is there and not false.
pub fn has(path: &[&str]) -> bool {
    let mut at: JsValue = js_sys::global().into();
    for name in path {
        match Reflect::get(&at, &(*name).into()) {
            Ok(next) if next.is_truthy() => at = next,
            _ => return false,
        }
    }
    true
}

/// Whether WebAssembly has SIMD: a module with one such instruction is valid.
pub fn simd() -> bool {
    const MODULE: [u8; 31] = [
        0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
        253, 98, 11,
    ];
    WebAssembly::validate(&Uint8Array::from(MODULE.as_slice())).unwrap_or(false)
}

/// Whether the browser promised to keep what is stored; None where it does not say.
pub async fn persisted() -> Option<bool> {
    let storage = web_sys::window()?.navigator().storage();
    if storage.is_undefined() {
        return None;
    }
    JsFuture::from(storage.persisted().ok()?).await.ok()?.as_bool()
}

/// What the browser calls itself.
pub fn agent() -> String {
    web_sys::window().and_then(|w| w.navigator().user_agent().ok()).unwrap_or_default()
}

/// Processor cores, as the browser tells.
pub fn cores() -> u32 {
    web_sys::window().map_or(1, |w| w.navigator().hardware_concurrency() as u32)
}
