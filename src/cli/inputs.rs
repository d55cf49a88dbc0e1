//! What several commands read: databases, histories, knowledge bases.

use std::path::{Component, Path, PathBuf};

use super::Failure;
use crate::bench::task::{Task, read_tasks};
use crate::db::{Database, Host, introspect};
use crate::embedding::Encoder;
use crate::history::import::{self, Plan};
use crate::history::store::{self, StoreError};
use crate::history::{Builder, KnowledgeBase, Report};
use crate::ports::{Embed as _, blocking::block_on};
use crate::retrieval::Indexed;
use crate::sql::Schema;

/// A database file, with this process's clock; nothing stops a query but its deadline.
///
/// # Errors
/// When it is no database.
pub fn database(path: &Path) -> Result<Database, Failure> {
    Database::from_path(path, Host::default())
        .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))
}

/// The schema of a database file.
///
/// # Errors
/// When it is no database.
pub fn schema(path: &Path) -> Result<Schema, Failure> {
    introspect::schema(&database(path)?, &mut Vec::new())
        .map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::Failed(format!("{} cannot be read: {e}", path.display())))
}

/// The tasks of a file.
///
/// # Errors
/// When it cannot be read, or is no task file.
pub fn tasks(path: &Path) -> Result<Vec<Task>, Failure> {
    read_tasks(&bytes(path)?).map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))
}

pub use crate::bench::run::sha256;

/// Whether two paths lead to one file.
pub fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// A history file, or a knowledge base written by `lab index`, split on `schema`.
///
/// # Errors
/// When it cannot be read, holds no query that can be, or holds several databases and none is chosen.
pub fn history(
    path: &Path,
    db_id: Option<&str>,
    schema: &Schema,
) -> Result<(Indexed, Option<Report>), Failure> {
    let bytes = bytes(path)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{name}: {e}"));
    match (store::from_json(&bytes), db_id) {
        (Ok(_), Some(_)) => {
            return Err(Failure::Usage(format!(
                "{name} is a knowledge base of one database; leave out --db-id."
            )));
        }
        (Ok(stored), None) => return Ok((Indexed::from_stored(stored).map_err(|e| failed(&e))?, None)),
        (Err(StoreError::NotKnowledge), _) => {}
        (Err(error), _) => return Err(failed(&error)),
    }
    let mut plan = import::inspect(&name, &bytes).map_err(|e| failed(&e))?;
    plan.database = chosen(&plan, db_id)?;
    let records = import::read(&bytes, &plan).map_err(|e| failed(&e))?;
    let (base, report) = Builder::onto(KnowledgeBase::default(), records, schema.clone()).whole();
    if let Some(why) = report.nothing_read() {
        return Err(failed(&why));
    }
    Ok((Indexed::without_vectors(base), Some(report)))
}

/// The file of a database in a folder: `DIR/db_id/db_id.sqlite`, or `DIR/db_id.sqlite`.
pub fn database_of(folder: &Path, db_id: &str) -> Option<PathBuf> {
    // A name that leads out of the folder is the name of none in it.
    if Path::new(db_id).components().count() != 1
        || !matches!(Path::new(db_id).components().next(), Some(Component::Normal(_)))
    {
        return None;
    }
    let name = format!("{db_id}.sqlite");
    [folder.join(db_id).join(&name), folder.join(&name)].into_iter().find(|path| path.is_file())
}

/// What a history holds of one database: its records that name it, or all of a file that names none.
///
/// # Errors
/// When it cannot be read or holds nothing of that database.
pub fn history_of(path: &Path, db_id: &str, schema: &Schema) -> Result<KnowledgeBase, Failure> {
    let bytes = bytes(path)?;
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let failed = |e: &dyn std::fmt::Display| Failure::Failed(format!("{name}: {e}"));
    let mut plan = import::inspect(&name, &bytes).map_err(|e| failed(&e))?;
    if !plan.databases.is_empty() {
        plan.database = Some(db_id.to_owned());
    }
    let records = import::read(&bytes, &plan).map_err(|e| failed(&e))?;
    let (base, report) = Builder::new(records, schema.clone()).whole();
    match report.nothing_read() {
        Some(why) => Err(failed(&format!("Nothing of {db_id}. {why}"))),
        None => Ok(base),
    }
}

fn chosen(plan: &Plan, db_id: Option<&str>) -> Result<Option<String>, Failure> {
    let names = || plan.databases.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    match (db_id, plan.databases.len()) {
        (Some(id), _) if plan.databases.iter().any(|(name, _)| name == id) => Ok(Some(id.to_owned())),
        (Some(_), 0) => Err(Failure::Usage(format!("{} names no databases; leave out --db-id.", plan.name))),
        (Some(id), _) => {
            Err(Failure::Usage(format!("{} has no database {id}; it has: {}", plan.name, names())))
        }
        (None, 0 | 1) => Ok(None),
        (None, _) => Err(Failure::Usage(format!(
            "{} holds the queries of several databases; choose one with --db-id: {}",
            plan.name,
            names()
        ))),
    }
}

/// Embeds whatever is not embedded yet.
///
/// # Errors
/// When the encoder fails.
pub fn indexed(history: Indexed, encoder: &Encoder) -> Result<Indexed, Failure> {
    if history.index_of(encoder.encoder()).is_some() {
        return Ok(history);
    }
    let texts = history.base.texts();
    let all: Vec<String> = texts.queries.into_iter().chain(texts.items).collect();
    let vectors = block_on(encoder.embed(&all)).map_err(|e| Failure::Failed(e.to_string()))?;
    Indexed::with_vectors(history.base, encoder.encoder(), vectors)
        .map_err(|e| Failure::Failed(e.to_string()))
}
