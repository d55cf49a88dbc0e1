//! Files over HTTP: with progress, and kept in the browser's cache where that helps.

use gloo_net::http::Request;
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Cache, ReadableStreamDefaultReader, RequestMode, RequestRedirect, Response};

use super::rpc::describe;

/// Name of the cache that keeps encoder weights.
const CACHE: &str = "querylore-weights-1";

/// Fetches `url` whole; `progress` gets bytes so far and the total, 0 where the server does not say.
///
/// # Errors
/// One sentence that names the address and what happened.
pub async fn blob(url: &str, progress: impl FnMut(u64, u64)) -> Result<Blob, String> {
    get(url, RequestMode::Cors, RequestRedirect::Follow, progress).await
}

/// Like [`blob`], but from that address alone: nothing else is asked where it sends on.
///
/// # Errors
/// As [`blob`].
pub async fn exact(url: &str, progress: impl FnMut(u64, u64)) -> Result<Blob, String> {
    get(url, RequestMode::Cors, RequestRedirect::Manual, progress).await
}

/// Like [`blob`], but only from the page's own origin: also where that leads elsewhere, nothing foreign is asked.
///
/// # Errors
/// As [`blob`].
pub async fn own(url: &str, progress: impl FnMut(u64, u64)) -> Result<Blob, String> {
    get(url, RequestMode::SameOrigin, RequestRedirect::Follow, progress).await
}

async fn get(
    url: &str,
    mode: RequestMode,
    redirect: RequestRedirect,
    mut progress: impl FnMut(u64, u64),
) -> Result<Blob, String> {
    let response = Request::get(url).mode(mode).redirect(redirect).send().await.map_err(|e| {
        format!("{url} cannot be reached ({e}). The address may be wrong, or its server may not allow other pages to read it.")
    })?;
    // The browser hides the status of a redirect that it does not follow.
    if redirect == RequestRedirect::Manual && response.status() == 0 {
        return Err(format!(
            "{url} sends on to another address, which was not asked. Open that address itself if you trust it."
        ));
    }
    if !response.ok() {
        return Err(format!("{url} answers {} {}.", response.status(), response.status_text()));
    }
    read(&response.into(), &mut progress).await.map_err(|e| format!("{url} broke off: {e}"))
}

/// Like [`blob`], from the browser's cache when it is there; the flag says whether it was.
///
/// # Errors
/// As [`blob`].
pub async fn cached(url: &str, progress: impl FnMut(u64, u64)) -> Result<(Blob, bool), String> {
    let cache = open_cache().await;
    if let Some(cache) = &cache
        && let Ok(found) = JsFuture::from(cache.match_with_str(url)).await
        && let Ok(response) = found.dyn_into::<Response>()
        && let Ok(kept) = read(&response, &mut |_, _| {}).await
    {
        return Ok((kept, true));
    }
    let fetched = blob(url, progress).await?;
    if let Some(cache) = &cache
        && let Ok(response) = Response::new_with_opt_blob(Some(&fetched))
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

/// Reads a body chunk by chunk into a blob, so that large files never enter the page's own memory.
async fn read(response: &Response, progress: &mut impl FnMut(u64, u64)) -> Result<Blob, String> {
    let total = response
        .headers()
        .get("content-length")
        .ok()
        .flatten()
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let chunks = Array::new();
    if let Some(body) = response.body() {
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut so_far = 0;
        loop {
            let chunk = JsFuture::from(reader.read()).await.map_err(|e| describe(&e))?;
            if Reflect::get(&chunk, &"done".into()).is_ok_and(|done| done.is_truthy()) {
                break;
            }
            let part: Uint8Array =
                Reflect::get(&chunk, &"value".into()).map_err(|e| describe(&e))?.unchecked_into();
            so_far += u64::from(part.length());
            chunks.push(&part);
            progress(so_far, total);
        }
    }
    Blob::new_with_u8_array_sequence(&chunks).map_err(|e| describe(&e))
}
