//! What the user can set, kept in this browser.

use gloo_storage::{LocalStorage, Storage as _};
use serde::{Deserialize, Serialize};

use super::components::theme::Theme;
use crate::browser::embedder::Wish;
use crate::db::QueryLimits;
use crate::embedding::device::DevicePreference;
use crate::retrieval;

const KEY: &str = "querylore.settings";

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Name of the encoder.
    pub encoder: String,
    /// Where it may run.
    pub device: DevicePreference,
    /// Retrieval.
    pub retrieval: retrieval::Settings,
    /// What a query may cost.
    pub limits: QueryLimits,
    /// Whether single keys (`/`, `e`, `?`) are shortcuts.
    pub single_keys: bool,
    /// Colours.
    pub theme: Theme,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            encoder: "all-MiniLM-L6-v2".to_owned(),
            device: DevicePreference::Auto,
            retrieval: retrieval::Settings::default(),
            limits: QueryLimits::default(),
            single_keys: true,
            theme: Theme::default(),
        }
    }
}

impl Settings {
    /// The kept settings; what is missing or damaged has its default.
    pub fn load() -> Self {
        LocalStorage::get(KEY).unwrap_or_default()
    }

    /// Keeps the settings; where nothing can be kept they last until the tab closes.
    pub fn save(&self) {
        let _ = LocalStorage::set(KEY, self);
        // Raw, not JSON: theme.js reads it before this program runs.
        match self.theme.name() {
            None => LocalStorage::delete("querylore.theme"),
            Some(name) => drop(LocalStorage::raw().set_item("querylore.theme", name)),
        }
    }

    /// The encoder wanted.
    pub fn wish(&self) -> Wish {
        Wish { encoder: self.encoder.clone(), device: self.device }
    }
}
