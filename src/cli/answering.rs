//! Who answers: the pipelines by their names on the command line.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::Failure;
pub use crate::experiment::By;

impl By {
    /// Refuses a pipeline that asks a model where none is given.
    ///
    /// # Errors
    /// When it needs a model.
    pub fn with(self, llm: Option<&String>) -> Result<Self, Failure> {
        match self {
            Self::Model(way) if llm.is_none() => {
                Err(Failure::Usage(format!("The pipeline {way} needs a model; give its server with --llm.")))
            }
            _ => Ok(self),
        }
    }
}

static ALL: LazyLock<Vec<By>> = LazyLock::new(|| By::all().collect());

impl ValueEnum for By {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}
