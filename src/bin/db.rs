//! The database worker: SQLite, with the page's file in memory.

#[cfg(target_arch = "wasm32")]
fn main() {
    querylore::browser::start();
    querylore::browser::database_worker::run();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
