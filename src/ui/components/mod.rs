//! The parts of the page. They take plain values, signals and callbacks, keep only the state of the view, and know
//! neither workers nor storage.

pub mod button;
pub mod choice;
pub mod dialog;
pub mod dom;
pub mod drop_zone;
pub mod empty;
pub mod field;
pub mod file_input;
pub mod icon;
pub mod import_mapping;
pub mod import_report;
pub mod item_inspector;
pub mod kind;
pub mod knowledge;
pub mod menu;
pub mod notice;
pub mod palette;
pub mod progress;
pub mod question_box;
mod result_chart;
mod result_grid;
mod result_row;
pub mod result_table;
pub mod schema_tree;
pub mod score_panel;
pub mod shell;
pub mod shortcuts;
pub mod sql_editor;
pub mod sql_view;
pub mod tabs;
pub mod tag;
pub mod text_dialog;
pub mod theme;
pub mod toasts;
pub mod trace;
pub mod value_dialog;
