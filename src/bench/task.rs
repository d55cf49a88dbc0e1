//! Task files (BIRD, BIRD-History, Spider, LiveSQLBench, WikiSQL) and prediction files.

mod predictions;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::retrieval_metrics::Required;
use crate::sql::ComponentType;

pub use predictions::read_predictions;

/// One question with its reference query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its identifier; its place in the file where the file gives none.
    pub question_id: i64,
    /// The database it is about.
    pub db_id: String,
    /// The question.
    pub question: String,
    /// The reference query; WikiSQL's canonical query as JSON.
    pub gold: String,
    /// BIRD's hint.
    pub evidence: Option<String>,
    /// BIRD's difficulty.
    pub difficulty: Option<String>,
    /// The knowledge items that BIRD-History says it needs; empty in other files.
    pub knowledge: Vec<Required>,
    /// WikiSQL's table.
    #[serde(default)]
    pub table: Option<String>,
    /// Whether LiveSQLBench's conditions say that the order of rows counts.
    #[serde(default)]
    pub ordered: bool,
}

/// The database of WikiSQL's tasks, which are all on tables of one file.
pub const WIKISQL: &str = "wikisql";

/// The tasks on the database `open`, and how many are on others; all of them where none names it.
pub fn of_database(tasks: Vec<Task>, open: &str) -> (Vec<Task>, usize) {
    let (ours, others): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|task| task.db_id.eq_ignore_ascii_case(open.trim()));
    if ours.is_empty() { (others, 0) } else { (ours, others.len()) }
}

/// Places of the tasks on the database `open`; of all tasks where none names it.
pub fn places_of(tasks: &[Task], open: &str) -> Vec<usize> {
    let open = open.trim();
    let named = tasks.iter().enumerate().filter(|(_, task)| task.db_id.eq_ignore_ascii_case(open));
    let named: Vec<usize> = named.map(|(place, _)| place).collect();
    if named.is_empty() { (0..tasks.len()).collect() } else { named }
}

/// Why a file of tasks or predictions cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum TaskError {
    /// The file as a whole.
    #[error("{0}")]
    File(String),
    /// One field of one task.
    #[error("Task {index} (counting from 0): {problem}.")]
    Task {
        /// Place in the list, from 0.
        index: usize,
        /// What is wrong, naming the field.
        problem: String,
    },
}

fn file<T>(message: impl Into<String>) -> Result<T, TaskError> {
    Err(TaskError::File(message.into()))
}

fn text_of(bytes: &[u8]) -> Result<&str, TaskError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        TaskError::File(format!("The file is not UTF-8 text (byte {}).", error.valid_up_to()))
    })
}

/// Reads a JSON list of tasks of BIRD, BIRD-History or Spider, or the JSON Lines of LiveSQLBench or WikiSQL. Unknown
/// fields are ignored.
pub fn read_tasks(bytes: &[u8]) -> Result<Vec<Task>, TaskError> {
    let text = text_of(bytes)?;
    if let Some(lines) = json_lines(text) {
        return lines.iter().enumerate().map(|(index, json)| task(index, json)).collect();
    }
    let json: Json = serde_json::from_str(text)
        .map_err(|error| TaskError::File(format!("The task file is not JSON: {error}.")))?;
    let Json::Array(list) = json else {
        return file("The task file is JSON, but not a list of tasks.");
    };
    list.iter().enumerate().map(|(index, json)| task(index, json)).collect()
}

/// The lines of a text, where there are several and each is a JSON object.
fn json_lines(text: &str) -> Option<Vec<Json>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let objects: Vec<Json> =
        lines.map(|line| serde_json::from_str(line).ok().filter(Json::is_object)).collect::<Option<_>>()?;
    let alone = objects.len() == 1 && objects.iter().all(|object| object.get("question").is_none());
    (!objects.is_empty() && !alone).then_some(objects)
}

fn task(index: usize, json: &Json) -> Result<Task, TaskError> {
    let wrong = |problem: String| TaskError::Task { index, problem };
    let Json::Object(fields) = json else { return Err(wrong("it is not an object".to_owned())) };
    let string = |names: &[&str]| -> Result<Option<String>, TaskError> {
        match names.iter().find_map(|name| fields.get(*name).map(|value| (*name, value))) {
            Some((_, Json::String(text))) => Ok(Some(text.clone())),
            None | Some((_, Json::Null)) => Ok(None),
            Some((name, _)) => Err(wrong(format!("\"{name}\" is not a text"))),
        }
    };
    let needed =
        |name: &str, value: Option<String>| value.ok_or_else(|| wrong(format!("\"{name}\" is missing")));
    let question_id = match fields.get("question_id") {
        None | Some(Json::Null) => index as i64,
        Some(value) => {
            integer(value).ok_or_else(|| wrong("\"question_id\" is not a whole number".to_owned()))?
        }
    };
    if let (Some(query), Some(Json::String(table))) = (fields.get("sql"), fields.get("table_id")) {
        return Ok(Task {
            question_id,
            db_id: WIKISQL.to_owned(),
            question: needed("question", string(&["question"])?)?,
            gold: query.to_string(),
            table: Some(table.clone()),
            ..Task::default()
        });
    }
    // LiveSQLBench calls the question "query".
    let live = fields.contains_key("selected_database");
    let (question, gold) = if live {
        let statements = fields.get("sol_sql").and_then(Json::as_array);
        let statements = statements.map(|list| list.iter().filter_map(Json::as_str).collect::<Vec<_>>());
        (string(&["query"])?, statements.filter(|list| !list.is_empty()).map(|list| list.join(";\n")))
    } else {
        (string(&["question"])?, string(&["SQL", "query", "sql_query", "gold"])?)
    };
    let ordered = fields.get("conditions").and_then(|conditions| conditions.get("order")?.as_bool());
    Ok(Task {
        question_id,
        db_id: needed("db_id", string(&["db_id", "selected_database"])?)?,
        question: needed("question", question)?,
        gold: needed(if live { "sol_sql" } else { "SQL" }, gold)?,
        evidence: string(&["evidence"])?.filter(|text| !text.is_empty()),
        difficulty: string(&["difficulty"])?,
        knowledge: knowledge(fields).map_err(wrong)?,
        table: None,
        ordered: ordered.unwrap_or_default(),
    })
}

fn integer(value: &Json) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn knowledge(fields: &Map<String, Json>) -> Result<Vec<Required>, String> {
    let items = match fields.get("history_knowledge") {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(Json::Object(items)) => items,
        Some(_) => return Err("\"history_knowledge\" is not an object".to_owned()),
    };
    let types = fields.get("knowledge_types").and_then(Json::as_object);
    let item = |(skeleton, sources): (&String, &Json)| {
        let sources = sources
            .as_array()
            .and_then(|ids| ids.iter().map(integer).collect::<Option<Vec<i64>>>())
            .ok_or_else(|| format!("\"history_knowledge\" of {skeleton:?} is not a list of whole numbers"))?;
        let kind = types.and_then(|types| types.get(skeleton)).and_then(Json::as_str).and_then(kind);
        Ok(Required { skeleton: skeleton.clone(), kind, sources })
    };
    items.iter().map(item).collect()
}

fn kind(name: &str) -> Option<ComponentType> {
    Some(match name.to_ascii_lowercase().as_str() {
        "calculation" => ComponentType::Calculation,
        "condition" => ComponentType::Condition,
        "relation" => ComponentType::Relation,
        "dimension" => ComponentType::Dimension,
        "output" => ComponentType::Output,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
