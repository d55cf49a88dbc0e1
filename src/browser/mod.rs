//! browser.
