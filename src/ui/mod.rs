//! The page: Leptos, rendered in the browser.

pub mod components;
