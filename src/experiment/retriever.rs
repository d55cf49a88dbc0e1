//! Retrievers by name, made ready for the history of one database.

use std::collections::HashSet;
use std::str::FromStr;

use crate::db::{QueryLimits, Value, quote_ident};
use crate::history::KnowledgeBase;
use crate::ports::{Embed, EmbedError, Execute};
use crate::retrieval::retrievers::{
    Asked, By, DAIL_THRESHOLD, Gold, History, Links, Nothing, Questions, Retriever as _, Select, Similar,
};
use crate::retrieval::select::Choosing;
use crate::retrieval::{Index, Indexed, Level, Retrieved, Settings};
use crate::sql::Schema;

/// Retrievers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Named {
    /// Queries and components, fused.
    History,
    /// The components that a question needs, and the queries that hold most of them.
    Select,
    /// Masked question similarity.
    Mqs,
    /// The same, with the skeleton of a preliminary SQL.
    Dail,
    /// Masked question similarity over queries that run and give a row.
    MqsFilter,
    /// The larger similarity of masked and plain questions.
    MqsQs,
    /// The queries that the task names.
    Gold,
    /// Nothing.
    None,
}

impl Named {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Mqs,
        Self::Dail,
        Self::MqsFilter,
        Self::MqsQs,
        Self::History,
        Self::Select,
        Self::Gold,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Select => "select",
            Self::Mqs => "mqs",
            Self::Dail => "dail",
            Self::MqsFilter => "mqs-filter",
            Self::MqsQs => "mqs-qs",
            Self::Gold => "gold",
            Self::None => "none",
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::History => "queries and components, fused",
            Self::Select => "the components that a question needs, and the queries that hold most of them",
            Self::Mqs => "masked question similarity",
            Self::Dail => "masked question similarity, with the skeleton of a first SQL",
            Self::MqsFilter => "masked question similarity over queries that run and give a row",
            Self::MqsQs => "the larger similarity of masked and plain questions",
            Self::Gold => "the queries that the task names",
            Self::None => "nothing",
        }
    }
}

impl FromStr for Named {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|named| named.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("The retriever {name} is not known; there are {names}.")
        })
    }
}

/// The name of a level in run files.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Query => "q",
        Level::Component => "c",
        Level::Both => "qc",
    }
}

/// Distinct values read of a column.
const VALUES: usize = 20_000;
/// Milliseconds for the values of a column, and for a query that is tried.
const PATIENCE_MS: u32 = 30_000;

/// What words of a question can name: the schema, and the texts of the database where it is at hand.
pub async fn links(schema: &Schema, db: Option<&impl Execute>) -> Links {
    let mut texts: Vec<String> = Vec::new();
    let limits = QueryLimits { timeout_ms: PATIENCE_MS, max_rows: VALUES };
    if let Some(db) = db {
        for table in schema.tables.iter().filter(|table| !table.view) {
            for column in &table.columns {
                let (table, column) = (quote_ident(&table.name), quote_ident(&column.name));
                // Qualified, because SQLite takes an unknown "name" for the text 'name'.
                let sql =
                    format!("SELECT DISTINCT t.{column} FROM {table} AS t WHERE t.{column} IS NOT NULL");
                let found = db.execute(&sql, limits).await.map(|result| result.rows).unwrap_or_default();
                texts.extend(found.into_iter().flatten().filter_map(|value| match value {
                    Value::Text(text) => Some(text),
                    _ => None,
                }));
            }
        }
    }
    Links::new(schema, texts.iter().map(String::as_str))
}

/// Entries whose query runs and gives a row that is not all NULL; where there is no database, nothing speaks against
/// any.
async fn giving_rows(knowledge: &KnowledgeBase, db: Option<&impl Execute>) -> HashSet<u32> {
    let limits = QueryLimits { timeout_ms: PATIENCE_MS, max_rows: 1 };
    let mut giving = HashSet::new();
    for entry in &knowledge.entries {
        let gives = match db {
            None => true,
            Some(db) => db
                .execute(&entry.sql, limits)
                .await
                .is_ok_and(|result| result.rows.iter().flatten().any(|value| *value != Value::Null)),
        };
        if gives {
            giving.insert(entry.id);
        }
    }
    giving
}

/// A retriever made ready for the history of one database.
pub enum Prepared {
    /// `none`.
    Nothing,
    /// `gold`.
    Gold,
    /// `history`, over the vectors of the knowledge base.
    History(Settings),
    /// `select`, over the same vectors.
    Select,
    /// `mqs`, `mqs-filter`, `mqs-qs`, and `dail` with its threshold.
    Similar(Box<(Links, Questions)>, By, Option<f32>),
}

impl Prepared {
    /// Embeds what the retriever compares questions with. `threshold` is of `history` and `dail`, `level` of `history`.
    ///
    /// # Errors
    /// When the texts cannot be embedded.
    pub async fn new(
        named: Named,
        (level, threshold): (Level, Option<f32>),
        (knowledge, schema): (&KnowledgeBase, &Schema),
        embed: &impl Embed,
        db: Option<&impl Execute>,
    ) -> Result<Self, EmbedError> {
        let by = match named {
            Named::None => return Ok(Self::Nothing),
            Named::Gold => return Ok(Self::Gold),
            Named::Select => return Ok(Self::Select),
            Named::History => {
                let threshold = threshold.unwrap_or(Settings::default().threshold);
                return Ok(Self::History(Settings { level, threshold, ..Settings::default() }));
            }
            Named::MqsQs => By::MaskedOrPlain,
            Named::Mqs | Named::MqsFilter | Named::Dail => By::Masked,
        };
        let links = links(schema, db).await;
        let giving = match named {
            Named::MqsFilter => Some(giving_rows(knowledge, db).await),
            _ => None,
        };
        let keep = |entry| giving.as_ref().is_none_or(|giving| giving.contains(&entry));
        let questions = Questions::new(embed, knowledge, &links, keep).await?;
        let skeletons = (named == Named::Dail).then(|| threshold.unwrap_or(DAIL_THRESHOLD));
        Ok(Self::Similar(Box::new((links, questions)), by, skeletons))
    }

    /// At most `shots` queries of `history` for a question. `own` is the entry that was taken out of the history this was
    /// made for, in whose numbers the questions are kept.
    ///
    /// # Errors
    /// When the question cannot be embedded, or `history` has no vectors of this encoder.
    pub async fn find(
        &self,
        history: &Indexed,
        own: Option<u32>,
        embed: &impl Embed,
        asked: Asked<'_>,
        shots: usize,
    ) -> Result<Retrieved, EmbedError> {
        match self {
            Self::Nothing => Nothing.retrieve(embed, asked).await,
            Self::Gold => {
                let mut found = Gold { knowledge: &history.base }.retrieve(embed, asked).await?;
                found.queries.truncate(shots);
                Ok(found)
            }
            Self::Similar(compared, by, skeletons) => {
                let (links, questions) = &**compared;
                // One more, for the one that may be the task's own.
                let shots_and_own = shots.saturating_add(usize::from(own.is_some()));
                let similar =
                    Similar { questions, links, by: *by, skeletons: *skeletons, shots: shots_and_own };
                let mut found = similar.retrieve(embed, asked).await?;
                if let Some(own) = own {
                    found.queries.retain(|hit| hit.entry != own);
                    for hit in &mut found.queries {
                        hit.entry -= u32::from(hit.entry > own);
                    }
                }
                found.queries.truncate(shots);
                Ok(found)
            }
            Self::Select => {
                let index = indexed(history, embed.encoder())?;
                let choosing = Choosing::default();
                Select { knowledge: &history.base, index, choosing, shots }.retrieve(embed, asked).await
            }
            Self::History(settings) => {
                let index = indexed(history, embed.encoder())?;
                let settings = Settings { max_shots: shots, ..*settings };
                History { knowledge: &history.base, index, settings }.retrieve(embed, asked).await
            }
        }
    }
}

/// The vectors of a history by that encoder.
fn indexed<'a>(history: &'a Indexed, encoder: &str) -> Result<&'a Index, EmbedError> {
    let index = history.index_of(encoder);
    index.ok_or_else(|| {
        EmbedError::Failed(format!("The history is not indexed with {encoder}. Index it, then go on."))
    })
}
