//! The embedder worker: sentence encoders in burn. See `querylore::browser::embedder_worker`.

#[cfg(target_arch = "wasm32")]
fn main() {
    querylore::browser::start();
    querylore::browser::embedder_worker::serve();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
