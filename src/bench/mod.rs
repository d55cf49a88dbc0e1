//! Tasks and scoring.

pub mod compare;
