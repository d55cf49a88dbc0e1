//! Every component of the page with sample content, in the states the design names: `#workspace` as one page,
//! `#states` one by one. For looking at, not for use: built for wasm32 and served beside the style sheets, fonts and
//! theme script of the page with the `index.html` of this folder.

#[cfg(target_arch = "wasm32")]
mod sample;
#[cfg(target_arch = "wasm32")]
mod states;
#[cfg(target_arch = "wasm32")]
mod workspace;

#[cfg(target_arch = "wasm32")]
fn main() {
    use leptos::prelude::*;

    console_error_panic_hook::set_once();
    mount_to_body(|| {
        let states = window().location().hash().is_ok_and(|hash| hash == "#states");
        if states {
            view! { <states::States/> }.into_any()
        } else {
            view! { <workspace::Workspace/> }.into_any()
        }
    });
    // Scripts that take pictures wait for this.
    if let Some(body) = document().body() {
        let _ = body.set_attribute("data-ready", "true");
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("The gallery is a web page: build it for wasm32-unknown-unknown.");
}
