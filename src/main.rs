//! The page: mounts the user interface.

#[cfg(target_arch = "wasm32")]
fn main() {
    querylore::browser::start();
    leptos::mount::mount_to_body(querylore::ui::app::App);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This is the page's program; it runs in a browser. The command line is `lab`.");
}
