//! The pages. They bind signals to components and hold no logic.

pub mod add_history;
pub mod answer;
pub mod ask;
pub mod bench;
pub mod compared;
pub mod diagnostics;
pub mod inspector;
pub mod knowledge;
pub mod lab;
pub mod prompt;
pub mod rail;
pub mod score;
pub mod settings;
pub mod settings_model;
pub mod what;
