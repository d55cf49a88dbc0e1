//! One writer for each workspace: a Web Lock that this tab holds while the workspace is open.
//!
//! web-sys has the Web Locks API only behind its unstable flag, so it is reached by name.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;

/// A held lock; dropping it lets the next tab have it.
pub struct Lock {
    /// Resolves the promise that the browser waits for.
    release: Function,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.release.call0(&JsValue::UNDEFINED);
    }
}

/// What came of asking for a lock.
pub enum Asked {
    /// This tab holds it.
    Held(Lock),
    /// Another tab holds it.
    Elsewhere,
    /// This browser has no locks; nothing is known about other tabs.
    Unknown,
}

/// Asks for the lock `name` without waiting; with `steal`, takes it from the tab that holds it, whose `on_lost` is
/// then called.
pub async fn ask(name: &str, steal: bool, on_lost: impl FnOnce() + 'static) -> Asked {
    let Some((locks, request)) = api() else { return Asked::Unknown };
    let options = Object::new();
    let key = if steal { "steal" } else { "ifAvailable" };
    let _ = Reflect::set(&options, &key.into(), &JsValue::TRUE);
    let (answer, answered) = oneshot::channel();
    let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        if lock.is_null() {
            let _ = answer.send(Asked::Elsewhere);
            return JsValue::UNDEFINED;
        }
        // The browser keeps the lock until this promise is settled.
        let release = Rc::new(RefCell::new(None));
        let kept = release.clone();
        let held = Promise::new(&mut move |resolve, _| {
            kept.replace(Some(resolve));
        });
        if let Some(release) = release.take() {
            let _ = answer.send(Asked::Held(Lock { release }));
        }
        held.into()
    });
    let call = request.call3(&locks, &name.into(), &options, &granted);
    let Some(done) = call.ok().and_then(|p| p.dyn_into::<Promise>().ok()) else { return Asked::Unknown };
    // The promise of the request fails when another tab steals the lock.
    wasm_bindgen_futures::spawn_local(async move {
        if wasm_bindgen_futures::JsFuture::from(done).await.is_err() {
            on_lost();
        }
    });
    answered.await.unwrap_or(Asked::Unknown)
}

fn api() -> Option<(JsValue, Function)> {
    let navigator = web_sys::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    let request = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    Some((locks, request))
}
