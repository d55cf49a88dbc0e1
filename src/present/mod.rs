//! How values, SQL and knowledge are put into words and lines for the page.
//!
//! Pure and tested natively; the components of `ui` only turn these structures into elements.

pub mod answer;
pub mod catalogue;
pub mod cells;
pub mod chart;
pub mod columns;
pub mod diagnostics;
pub mod fault;
pub mod format;
pub mod grid;
pub mod incidents;
pub mod item;
pub mod keys;
pub mod lab;
pub mod layout;
pub mod model;
pub mod pace;
pub mod palette;
pub mod question;
pub mod schema;
pub mod score;
pub mod sort;
pub mod sql_lines;
pub mod titles;
pub mod told;
pub mod trace;
