//! WebGPU: what adapter the browser offers, and a device on it for burn.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::embedding::device::Adapter;

/// The adapter that burn would get: the browser's choice where speed matters more than power. None
/// where the browser has no WebGPU or no adapter.
///
/// Asked through reflection, because the typed bindings of WebGPU are not stable yet.
pub async fn adapter() -> Option<Adapter> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let gpu = Reflect::get(&navigator, &"gpu".into()).ok().filter(JsValue::is_truthy)?;
    let request = Reflect::get(&gpu, &"requestAdapter".into()).ok()?.dyn_into::<Function>().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"powerPreference".into(), &"high-performance".into()).ok()?;
    let promise = request.call1(&gpu, &options).ok()?.dyn_into::<Promise>().ok()?;
    let adapter = JsFuture::from(promise).await.ok().filter(JsValue::is_truthy)?;
    let info = Reflect::get(&adapter, &"info".into()).unwrap_or(JsValue::UNDEFINED);
    let text = |name: &str| {
        Reflect::get(&info, &name.into()).ok().and_then(|value| value.as_string()).unwrap_or_default()
    };
    // The flag moved from the adapter to its info in 2025.
    let flag = |object: &JsValue| {
        Reflect::get(object, &"isFallbackAdapter".into()).is_ok_and(|value| value.is_truthy())
    };
    Some(Adapter {
        vendor: text("vendor"),
        architecture: text("architecture"),
        description: text("description"),
        fallback: flag(&info) || flag(&adapter),
    })
}

/// The GPU as a burn device; the runtime can be set up only once in a worker, so callers keep it.
///
/// # Errors
/// A clause that says why there is none.
#[cfg(feature = "encoder")]
pub async fn device() -> Result<burn::tensor::Device, String> {
    burn::tensor::Device::wgpu_options().init_async().await.map_err(|error| error.to_string())
}
