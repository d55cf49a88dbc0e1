//! Files for the user: downloads and the clipboard.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

use super::components::toasts::Toasts;
use crate::browser::storage;

/// Offers bytes as a file of this name.
pub fn text(name: &str, media_type: &str, bytes: &[u8]) {
    if let Ok(bytes) = storage::blob(bytes) {
        blob(name, media_type, &bytes);
    }
}

/// Offers a blob as a file of this name.
pub fn blob(name: &str, media_type: &str, blob: &web_sys::Blob) {
    let Ok(typed) = blob.slice_with_f64_and_f64_and_content_type(0.0, blob.size(), media_type) else {
        return;
    };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&typed) else { return };
    let anchor =
        document().create_element("a").ok().and_then(|a| a.dyn_into::<web_sys::HtmlAnchorElement>().ok());
    if let Some(anchor) = anchor {
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
    }
    // The download has taken its own reference by the next turn of the event loop.
    set_timeout(
        move || {
            let _ = web_sys::Url::revoke_object_url(&url);
        },
        std::time::Duration::from_secs(1),
    );
}

/// Copies a text and says so.
pub fn copy(toasts: Toasts, what: &'static str, text: &str) {
    let promise = window().navigator().clipboard().write_text(text);
    spawn_local(async move {
        match JsFuture::from(promise).await {
            Ok(_) => toasts.confirm(format!("Copied {what}")),
            Err(_) => toasts.confirm("This browser does not let the page copy. Select the text instead."),
        }
    });
}
