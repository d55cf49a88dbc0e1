//! The demo database, made by a deterministic generator.
