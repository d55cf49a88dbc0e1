//! What some pipelines know of a database, read once for all tasks.

use super::By;
use crate::db::QueryLimits;
use crate::llm::Cancel;
use crate::pipeline::Way;
use crate::pipeline::codes::{SchemaVectors, ValueIndex};
use crate::pipeline::opensearch_sql::{DatabaseIndex, MOST_VALUES};
use crate::ports::{Embed, Execute};
use crate::sql::Schema;

/// Knowledge of one database for one pipeline; empty for those that need none.
#[derive(Default)]
pub struct Known {
    /// Of `codes`: values and the schema's vectors.
    pub(super) codes: Option<(ValueIndex, SchemaVectors)>,
    /// Of `opensearch-sql`: names and values with their vectors.
    pub(super) index: Option<DatabaseIndex>,
}

impl Known {
    /// Reads what that pipeline needs.
    ///
    /// # Errors
    /// When the values cannot be read or embedded, or the user stopped, in words.
    pub async fn read(
        by: By,
        schema: &Schema,
        db: &impl Execute,
        embed: &impl Embed,
        limits: QueryLimits,
        cancel: &Cancel,
    ) -> Result<Self, String> {
        let mut known = Self::default();
        match by {
            By::Model(Way::Codes) => {
                let values =
                    ValueIndex::read(schema, db, limits.timeout_ms).await.map_err(|e| e.to_string())?;
                let vectors = SchemaVectors::new(embed, schema).await.map_err(|e| e.to_string())?;
                known.codes = Some((values, vectors));
            }
            By::Model(Way::OpensearchSql) => {
                let built = DatabaseIndex::build(schema, db, embed, MOST_VALUES, limits, cancel, &|_, _| {});
                known.index = Some(built.await.map_err(|e| e.to_string())?);
            }
            By::Adapt | By::Model(Way::Direct | Way::DailSql | Way::NRep | Way::SqlO1) => {}
        }
        Ok(known)
    }
}
