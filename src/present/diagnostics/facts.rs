//! What the diagnostics are made of: filled in by the page, told by [`super::sections`] and [`super::report`].
//!
//! What is the user's own is held as text (names, addresses, what the page said); whatever the report repeats is a number
//! or fixed words, or is checked on its way.

use crate::incident::Incident;

/// Everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// When these facts were gathered, in milliseconds since 1970.
    pub now_ms: f64,
    /// Versions.
    pub versions: Versions,
    /// Browser and machine.
    pub machine: Machine,
    /// What the browser can do.
    pub features: Features,
    /// The encoder.
    pub encoder: Encoder,
    /// Memory of each program.
    pub memory: Memory,
    /// What is kept.
    pub storage: Storage,
    /// The open database and history.
    pub open: Open,
    /// The model's server.
    pub model: Model,
    /// The last answer.
    pub last: Option<Last>,
    /// What went wrong, the newest first.
    pub incidents: Vec<Incident>,
}

/// Versions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Versions {
    /// This page.
    pub page: &'static str,
    /// What page and workers agree on.
    pub workers: &'static str,
    /// Whether the page was built to be published.
    pub released: bool,
    /// SQLite, as its worker says; None where it is not running.
    pub sqlite: Option<String>,
    /// The format of knowledge bases that is written.
    pub knowledge: u32,
}

/// Browser and machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// What the browser calls itself.
    pub agent: String,
    /// Processor cores, as the browser tells.
    pub cores: u32,
    /// Width and height of the window.
    pub window: (u32, u32),
    /// Whether the pointer is a finger.
    pub coarse: bool,
}

/// What the browser can do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features {
    /// The page is cross-origin isolated.
    pub isolated: bool,
    /// Shared memory exists.
    pub shared_memory: bool,
    /// Files can be kept.
    pub files: bool,
    /// Responses can be kept.
    pub cache: bool,
    /// SIMD in WebAssembly.
    pub simd: bool,
    /// Locks between tabs.
    pub locks: bool,
    /// Whether the browser promised not to clear what is kept; None where it does not say.
    pub persisted: Option<bool>,
    /// The GPU.
    pub gpu: Gpu,
}

/// What the browser offers as a GPU.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Gpu {
    /// No WebGPU.
    #[default]
    Missing,
    /// WebGPU without an adapter.
    NoAdapter,
    /// An adapter.
    Adapter {
        /// Its name for people.
        name: String,
        /// Its maker.
        vendor: String,
        /// Its family.
        architecture: String,
        /// Whether it is a program on the CPU.
        software: bool,
    },
}

/// The encoder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encoder {
    /// Its name, where it is a known one.
    pub name: Option<&'static str>,
    /// What it is doing.
    pub state: EncoderState,
    /// What the page says about it.
    pub said: String,
}

/// What the encoder is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EncoderState {
    /// Not needed so far.
    #[default]
    Resting,
    /// On its way.
    Loading,
    /// Ready on the CPU.
    Cpu,
    /// Ready on a GPU.
    Gpu,
    /// It cannot be had.
    Failed,
}

/// Bytes of memory of each program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// The page's.
    pub page: u64,
    /// The database worker's.
    pub database: Option<u64>,
    /// Each encoder worker's.
    pub encoders: Vec<u64>,
}

/// What is kept in the browser.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Storage {
    /// Bytes used and granted.
    pub used: Option<(u64, u64)>,
    /// The kept workspaces.
    pub workspaces: Vec<Workspace>,
    /// Answers of models: how many, and their bytes.
    pub answers: (usize, usize),
}

/// A kept workspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// Whether it is open.
    pub open: bool,
    /// Bytes of its database.
    pub database: u64,
    /// Bytes of its history with its index.
    pub history: u64,
}

/// The open database and history, in numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Open {
    /// Tables and views, and all their columns.
    pub tables: Option<(usize, usize)>,
    /// Queries and items.
    pub history: Option<(usize, usize)>,
    /// Vectors and their dimension.
    pub index: Option<(usize, usize)>,
    /// Descriptions whose vector is of another text.
    pub not_indexed: usize,
}

/// The model's server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// Its address as the user wrote it.
    pub address: String,
    /// The model's name.
    pub name: String,
    /// Whether there is a key.
    pub key: bool,
    /// Number of extra headers.
    pub headers: usize,
    /// What its test found: the step that failed, or that none did; None where it was not tested.
    pub tested: Option<Result<(), &'static str>>,
    /// What the page says about the test.
    pub said: String,
}

/// The last answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Last {
    /// Who wrote the SQL.
    pub way: &'static str,
    /// The stages that ended, with milliseconds.
    pub stages: Vec<(&'static str, f64)>,
    /// How it ended.
    pub ended: &'static str,
    /// Rows of the result.
    pub rows: Option<usize>,
}
