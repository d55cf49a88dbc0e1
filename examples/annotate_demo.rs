//! Fills `history_knowledge` and `knowledge_types` of the demo's tasks again from its history:
//! `cargo run --example annotate_demo`, after a change to either.

use std::path::Path;

fn main() -> Result<(), querylore::demo::DemoError> {
    querylore::demo::annotate_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("public/demo"))
}
