//! The browser's side of the ports: workers, storage, files. Thin on purpose; everything that can be
//! decided without a browser is decided in the pure modules.

pub mod database;
#[cfg(feature = "sqlite")]
pub mod database_worker;
pub mod embedder;
#[cfg(feature = "encoder")]
pub mod embedder_worker;
pub mod engine;
pub mod features;
pub mod fetch;
pub mod gpu;
pub mod incidents;
pub mod lock;
pub mod model;
pub mod rpc;
pub mod storage;
pub mod time;
pub mod worker;

/// Starts a program of the page: every `main` calls it first.
///
/// It runs the static constructors (of crate `inventory`, which Leptos uses) once. Naming them also tells the
/// linker that the program does so itself: otherwise it has every exported function run them again, which made
/// each DOM operation of the page several hundred times slower.
#[allow(unsafe_code)]
pub fn start() {
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    // SAFETY: the linker makes this function; it takes nothing and is called once, before anything else.
    unsafe { __wasm_call_ctors() };
    incidents::hook_panics();
}

/// Bytes of memory that this program has taken; it never gives any back.
pub fn memory() -> u64 {
    const PAGE: u64 = 65_536;
    core::arch::wasm32::memory_size::<0>() as u64 * PAGE
}
