//! What the user can set, kept in this browser.

use gloo_storage::{LocalStorage, Storage as _};
use serde::{Deserialize, Serialize};

use crate::db::QueryLimits;
use crate::retrieval;

const KEY: &str = "querylore.settings";

/// Where the encoder runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EncoderDevice {
    /// A real GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// WebGPU whatever the adapter is, also a software one.
    ForceGpu,
}

/// Colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Where the encoder runs.
    pub device: EncoderDevice,
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
            device: EncoderDevice::default(),
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
        let _ = match self.theme {
            Theme::System => {
                LocalStorage::delete("querylore.theme");
                Ok(())
            }
            // Raw, not JSON: theme.js reads it before this program runs.
            Theme::Light => LocalStorage::raw().set_item("querylore.theme", "light"),
            Theme::Dark => LocalStorage::raw().set_item("querylore.theme", "dark"),
        };
    }
}
