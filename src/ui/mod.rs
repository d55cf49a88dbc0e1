//! The page: Leptos, rendered in the browser. Views bind signals to components; `actions` set things in motion;
//! whatever can be computed without a browser is in the pure modules.

pub mod actions;
pub mod app;
pub mod components;
mod database_menu;
mod download;
mod export_dialog;
mod import_dialog;
mod incomplete_dialog;
mod keys;
pub mod lab;
mod link_dialog;
mod pages;
mod palette;
mod report_dialog;
mod route;
pub mod settings;
pub mod state;
