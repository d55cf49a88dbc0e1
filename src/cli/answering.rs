//! Who answers: the pipelines by their names on the command line.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::Failure;
use crate::pipeline::Way;

/// A pipeline by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A query of the history, adapted.
    Adapt,
    /// One that asks a model.
    Model(Way),
}

impl By {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adapt => "adapt",
            Self::Model(way) => way.name(),
        }
    }

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

static ALL: LazyLock<Vec<By>> =
    LazyLock::new(|| std::iter::once(By::Adapt).chain(Way::ALL.into_iter().map(By::Model)).collect());

impl ValueEnum for By {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let about = match self {
            Self::Adapt => "a query of the history, adapted; no model",
            Self::Model(way) => way.about(),
        };
        Some(PossibleValue::new(self.name()).help(about))
    }
}
