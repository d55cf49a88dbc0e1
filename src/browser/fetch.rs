//! Files over HTTP: with progress, and kept in the browser's cache where that helps.

use gloo_net::http::Request;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, ReadableStreamDefaultReader, Response};

use super::rpc::describe;

/// Name of the cache that keeps encoder weights.
const CACHE: &str = "querylore-weights-1";

/// Fetches `url` whole; `progress` gets bytes so far and the total, 0 where the server does not say.
///
/// # Errors
/// One sentence that names the address and what happened.
pub async fn bytes(url: &str, mut progress: impl FnMut(u64, u64)) -> Result<Vec<u8>, String> {
    let response = Request::get(url).send().await.map_err(|e| {
        format!("{url} cannot be reached ({e}). The address may be wrong, or its server may not allow other pages to read it.")
    })?;
    if !response.ok() {
        return Err(format!("{url} answers {} {}.", response.status(), response.status_text()));
    }
    read(&response.into(), &mut progress).await.map_err(|e| format!("{url} broke off: {e}"))
}

/// Like [`bytes`], from the browser's cache when it is there; the flag says whether it was.
///
/// # Errors
/// As [`bytes`].
pub async fn cached(url: &str, progress: impl FnMut(u64, u64)) -> Result<(Vec<u8>, bool), String> {
    let cache = open_cache().await;
    if let Some(cache) = &cache
        && let Ok(found) = JsFuture::from(cache.match_with_str(url)).await
        && let Ok(response) = found.dyn_into::<Response>()
        && let Ok(kept) = read(&response, &mut |_, _| {}).await
    {
        return Ok((kept, true));
    }
    let fetched = bytes(url, progress).await?;
    if let Some(cache) = &cache
        && let Ok(response) =
            Response::new_with_opt_buffer_source(Some(&Uint8Array::from(fetched.as_slice())))
    {
        // A full quota only means that the next visit fetches again.
        let _ = JsFuture::from(cache.put_with_str(url, &response)).await;
    }
    Ok((fetched, false))
}

async fn open_cache() -> Option<Cache> {
    let caches = web_sys::window()?.caches().ok()?;
    JsFuture::from(caches.open(CACHE)).await.ok()?.dyn_into().ok()
}

async fn read(response: &Response, progress: &mut impl FnMut(u64, u64)) -> Result<Vec<u8>, String> {
    let total = response
        .headers()
        .get("content-length")
        .ok()
        .flatten()
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let Some(body) = response.body() else { return Ok(Vec::new()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut read = Vec::with_capacity(total as usize);
    loop {
        let chunk = JsFuture::from(reader.read()).await.map_err(|e| describe(&e))?;
        let done = js_sys::Reflect::get(&chunk, &"done".into()).is_ok_and(|d| d.is_truthy());
        if done {
            return Ok(read);
        }
        let value = js_sys::Reflect::get(&chunk, &"value".into()).map_err(|e| describe(&e))?;
        let start = read.len();
        let part: Uint8Array = value.unchecked_into();
        read.resize(start + part.length() as usize, 0);
        if let Some(room) = read.get_mut(start..) {
            part.copy_to(room);
        }
        progress(read.len() as u64, total);
    }
}
