//! What the user can set, kept in this browser.

use gloo_storage::{LocalStorage, Storage as _};
use serde::{Deserialize, Serialize};

use super::components::theme::Theme;
use crate::bench::modes::Mode;
use crate::browser::embedder::Wish;
use crate::db::QueryLimits;
use crate::embedding::device::DevicePreference;
use crate::pipeline::direct::{self, Shots};
use crate::retrieval;
use crate::retrieval::model::Steps;

const KEY: &str = "querylore.settings";
/// Where the key of the model's server is kept, when the user wants that.
const SECRET: &str = "querylore.key";

/// Who writes the SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Way {
    /// A query of the history, adapted.
    #[default]
    Adapt,
    /// A language model.
    Direct,
    /// Both, and the model without the history, side by side.
    Compare,
}

/// The language model, without its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// The server's address as the user wrote it; empty for none.
    pub address: String,
    /// Extra headers, one a line.
    pub headers: String,
    /// The model and how it is asked.
    pub ask: direct::Settings,
    /// Seconds without a sign of life after which an answer is given up.
    pub silence_s: u32,
    /// Who writes the SQL.
    pub way: Way,
    /// What the model sees of the history.
    pub shots: Shots,
    /// Steps of retrieval that ask the model.
    pub steps: Steps,
    /// Whether the key is kept in this browser.
    pub keep_key: bool,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            address: String::new(),
            headers: String::new(),
            ask: direct::Settings::default(),
            silence_s: 120,
            way: Way::default(),
            shots: Shots::Queries(5),
            steps: Steps::default(),
            keep_key: false,
        }
    }
}

/// The key that this browser keeps; empty where it keeps none.
pub fn kept_key() -> String {
    LocalStorage::raw().get_item(SECRET).ok().flatten().unwrap_or_default()
}

/// Keeps the key in this browser; None takes it out.
pub fn keep_key(key: Option<&str>) {
    match key.filter(|key| !key.is_empty()) {
        Some(key) => drop(LocalStorage::raw().set_item(SECRET, key)),
        None => LocalStorage::delete(SECRET),
    }
}

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
    /// The language model.
    pub model: ModelSettings,
    /// What a query may cost.
    pub limits: QueryLimits,
    /// The rule by which rows are compared with gold's.
    pub mode: Mode,
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
            model: ModelSettings::default(),
            limits: QueryLimits::default(),
            mode: Mode::default(),
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
