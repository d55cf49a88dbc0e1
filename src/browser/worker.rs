//! The worker's end of [`super::rpc`]: receive requests, answer each once, report progress.

use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::rpc::{Port, VERSION, kind, post, unpack};

impl Port for DedicatedWorkerGlobalScope {
    fn post(&self, message: &JsValue, transfer: &JsValue) -> Result<(), JsValue> {
        self.post_message_with_transfer(message, transfer)
    }
}

/// One request on its way through the worker.
pub struct Call {
    scope: DedicatedWorkerGlobalScope,
    /// Number of the request.
    pub id: u32,
    /// The JavaScript value that came with it.
    pub attachment: JsValue,
}

impl Call {
    /// Reports progress.
    pub fn event(&self, event: &impl Serialize) {
        if let Ok(bytes) = postcard::to_stdvec(event) {
            let _ = post(&self.scope, kind::EVENT, self.id, &bytes, &JsValue::UNDEFINED);
        }
    }
}

/// Answers requests with `handler` from now on and tells the page that the worker is ready.
///
/// Requests run concurrently as far as the handler awaits.
pub fn serve<Request, Response, Answer>(handler: impl Fn(Request, Rc<Call>) -> Answer + 'static)
where
    Request: DeserializeOwned + 'static,
    Response: Serialize + 'static,
    Answer: Future<Output = Response> + 'static,
{
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    let here = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Some((kind::REQUEST, id, payload, attachment)) = unpack(&event.data()) else { return };
        // A payload that does not decode means another build; the handshake has refused it already.
        let Ok(request) = postcard::from_bytes::<Request>(&payload) else { return };
        let call = Rc::new(Call { scope: here.clone(), id, attachment });
        let answer = handler(request, call.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let response = answer.await;
            if let Ok(bytes) = postcard::to_stdvec(&response) {
                let _ = post(&call.scope, kind::RESPONSE, call.id, &bytes, &JsValue::UNDEFINED);
            }
        });
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let _ = post(&scope, kind::READY, 0, VERSION.as_bytes(), &JsValue::UNDEFINED);
}
