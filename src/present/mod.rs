//! How values, SQL and knowledge are put into words and lines for the page.
//!
//! Pure and tested natively; the components of `ui` only turn these structures into elements.

pub mod answer;
pub mod catalogue;
pub mod cells;
pub mod diagnostics;
pub mod format;
pub mod grid;
pub mod incidents;
pub mod item;
pub mod keys;
pub mod model;
pub mod palette;
pub mod question;
pub mod schema;
pub mod sql_lines;
pub mod titles;
