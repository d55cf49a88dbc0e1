//! The browser's side of the ports: workers, storage, files. Thin on purpose; everything that can be
//! decided without a browser is decided in the pure modules.

pub mod database;
pub mod database_worker;
pub mod embedder;
pub mod engine;
pub mod embedder_worker;
pub mod fetch;
pub mod gpu;
pub mod rpc;
pub mod storage;
pub mod worker;
