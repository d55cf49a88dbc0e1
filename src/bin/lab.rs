//! The command line. See [`querylore::cli`].

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    querylore::cli::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
