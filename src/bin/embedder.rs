//! The embedder worker: sentence encoders in burn. See [`querylore::browser::embedding`].

fn main() {
    #[cfg(target_arch = "wasm32")]
    querylore::browser::embedder_worker::serve();
}
