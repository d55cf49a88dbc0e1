//! Task files (BIRD, BIRD-History, Spider, LiveSQLBench, WikiSQL) and prediction files.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::retrieval_metrics::Required;
use crate::sql::ComponentType;

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

/// Reads predictions and gives each task its own, None where the file has none for it.
///
/// Forms: BIRD's object `{"0": "SQL\t----- bird -----\tdb_id"}` whose keys are question ids, or places
/// in the task file where not all of them are ids; a JSON list of texts in the order of the tasks, or of
/// objects with `question_id` and `SQL`; plain lines in the order of the tasks. The database a
/// prediction names is ignored, as in mini_dev: it runs on its task's database. WikiSQL's JSON Lines hold a canonical
/// query each (`{"query": {"sel": …}}`), or an error.
pub fn read_predictions(bytes: &[u8], tasks: &[Task]) -> Result<Vec<Option<String>>, TaskError> {
    let text = text_of(bytes)?;
    let mut found = vec![None; tasks.len()];
    let mut give = |at: usize, sql: Option<String>| match found.get_mut(at) {
        Some(place) => {
            *place = sql;
            Ok(())
        }
        None => file(format!("There are more predictions than the {} tasks.", tasks.len())),
    };
    let start = text.trim_start();
    if let Some(lines) = prediction_lines(text) {
        for (place, line) in lines.iter().enumerate() {
            give(place, sql_of(line.get("query").unwrap_or(line)))?;
        }
    } else if start.starts_with('{') || start.starts_with('[') {
        let json: Json = serde_json::from_str(text)
            .map_err(|error| TaskError::File(format!("The prediction file is not JSON: {error}.")))?;
        let at_id = |id: i64| tasks.iter().position(|task| task.question_id == id);
        match json {
            Json::Object(entries) => {
                let keys: Option<Vec<i64>> = entries.keys().map(|key| key.trim().parse().ok()).collect();
                let Some(keys) = keys else {
                    return file("The prediction file has a key that is not a whole number.");
                };
                let by_id = keys.iter().all(|key| at_id(*key).is_some());
                for (key, value) in keys.into_iter().zip(entries.values()) {
                    let place = if by_id { at_id(key) } else { usize::try_from(key).ok() };
                    let Some(place) = place.filter(|place| *place < tasks.len()) else {
                        return file(format!("Prediction {key} belongs to no task."));
                    };
                    give(place, sql_of(value))?;
                }
            }
            Json::Array(list) => {
                for (index, value) in list.iter().enumerate() {
                    let id = value.get("question_id").and_then(integer);
                    let place = match id {
                        Some(id) => match at_id(id) {
                            Some(place) => place,
                            None => return file(format!("Prediction {id} belongs to no task.")),
                        },
                        None => index,
                    };
                    let names = ["SQL", "sql", "query", "prediction", "predicted", "pred"];
                    let value = names.iter().find_map(|name| value.get(*name)).unwrap_or(value);
                    give(place, sql_of(value))?;
                }
            }
            _ => return file("The prediction file is JSON, but neither an object nor a list."),
        }
    } else {
        for (place, line) in text.lines().enumerate() {
            // A Spider line may name its database after a tab.
            let sql = line.split('\t').next().unwrap_or_default().trim();
            if sql.is_empty() && place >= tasks.len() {
                continue;
            }
            give(place, Some(sql.to_owned()).filter(|sql| !sql.is_empty()))?;
        }
    }
    if !tasks.is_empty() && found.iter().all(Option::is_none) {
        return file(
            "The prediction file holds no SQL for any task. It is an object of question ids and SQL, a list, or one query a line.",
        );
    }
    Ok(found)
}

/// WikiSQL's predictions: lines of objects with a query or an error.
fn prediction_lines(text: &str) -> Option<Vec<Json>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let of_wikisql = |line: &Json| {
        ["query", "error"].iter().any(|name| line.get(*name).is_some()) || line.get("sel").is_some()
    };
    let read = |line| serde_json::from_str(line).ok().filter(of_wikisql);
    lines.map(read).collect::<Option<Vec<Json>>>().filter(|lines| !lines.is_empty())
}

/// The SQL before BIRD's separator, or a canonical query of WikiSQL; None where the entry is not a text, which counts as wrong.
fn sql_of(value: &Json) -> Option<String> {
    if value.get("sel").is_some() {
        return Some(value.to_string());
    }
    let text = value.as_str()?;
    let sql = text.split("\t----- bird -----\t").next().unwrap_or(text);
    Some(sql.to_owned()).filter(|sql| !sql.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<Task> {
        read_tasks(
            br#"[{"question_id": 7, "db_id": "d", "question": "q", "SQL": "SELECT 1", "x": [1],
                  "history_knowledge": {"a = <val>": [3, "4"]}, "knowledge_types": {"a = <val>": "Condition"}},
                 {"question_id": 9, "db_id": "d", "question": "r", "query": "SELECT 2"}]"#,
        )
        .unwrap()
    }

    #[test]
    fn tasks_on_the_open_database_come_alone() {
        let task = |db_id: &str| Task { db_id: db_id.to_owned(), ..Task::default() };
        let all = || vec![task("cars"), task("Ships"), task("cars")];
        let (ours, others) = of_database(all(), "ships");
        assert_eq!((ours, others), (vec![task("Ships")], 2));
        assert_eq!(of_database(all(), "my ferries"), (all(), 0));
    }

    #[test]
    fn tasks_of_every_format_are_read() {
        let tasks = tasks();
        assert_eq!(
            tasks[0].knowledge,
            [Required {
                skeleton: "a = <val>".into(),
                kind: Some(ComponentType::Condition),
                sources: vec![3, 4]
            }]
        );
        assert_eq!((tasks[1].question_id, tasks[1].gold.as_str()), (9, "SELECT 2"));
    }

    #[test]
    fn lines_of_wikisql_and_livesqlbench_are_read() {
        let wiki =
            r#"{"phase": 1, "table_id": "1-2", "question": "q", "sql": {"sel": 3, "conds": [], "agg": 0}}"#;
        let tasks = read_tasks(format!("{wiki}\n{wiki}\n").as_bytes()).unwrap();
        assert_eq!((tasks.len(), tasks[1].question_id, tasks[1].db_id.as_str()), (2, 1, WIKISQL));
        assert_eq!(tasks[0].table.as_deref(), Some("1-2"));
        assert!(tasks[0].gold.contains("\"sel\":3"), "{}", tasks[0].gold);
        let said = "{\"query\": {\"sel\": 1, \"agg\": 0, \"conds\": []}}\n{\"error\": \"none\"}\n";
        let predictions = read_predictions(said.as_bytes(), &tasks).unwrap();
        assert!(predictions[0].as_ref().unwrap().contains("\"sel\":1") && predictions[1].is_none());

        let live = r#"{"instance_id": "alien_1", "selected_database": "alien", "query": "q",
            "sol_sql": ["SELECT 1"], "conditions": {"decimal": 2, "order": true}}"#;
        let tasks = read_tasks(format!("[{live}]").as_bytes()).unwrap();
        assert_eq!(
            (tasks[0].db_id.as_str(), tasks[0].gold.as_str(), tasks[0].ordered),
            ("alien", "SELECT 1", true)
        );
    }

    #[test]
    fn errors_name_the_place_and_the_field() {
        let said = |json: &str| read_tasks(json.as_bytes()).unwrap_err().to_string();
        assert!(said("{").contains("not JSON"));
        assert!(said("{}").contains("not a list"));
        assert_eq!(
            said(r#"[{"db_id": "d", "question": "q"}]"#),
            "Task 0 (counting from 0): \"SQL\" is missing."
        );
        assert!(said(r#"[{"db_id": 1, "question": "q", "SQL": "x"}]"#).contains("\"db_id\" is not a text"));
        assert!(said("[3]").contains("not an object"));
        assert!(read_tasks(&[0xff]).is_err());
    }

    #[test]
    fn predictions_of_every_form_are_read() {
        let tasks = tasks();
        let read = |text: &str| read_predictions(text.as_bytes(), &tasks);
        let both = Ok(vec![Some("SELECT 1".to_owned()), Some("SELECT 2".to_owned())]);
        assert_eq!(read("{\"7\": \"SELECT 1\\t----- bird -----\\td\", \"9\": \"SELECT 2\"}"), both);
        assert_eq!(read("{\"0\": \"SELECT 1\", \"1\": \"SELECT 2\"}"), both);
        assert_eq!(read("[\"SELECT 1\", \"SELECT 2\"]"), both);
        assert_eq!(
            read(
                "[{\"question_id\": 9, \"SQL\": \"SELECT 2\"}, {\"question_id\": 7, \"sql\": \"SELECT 1\"}]"
            ),
            both
        );
        assert_eq!(read("SELECT 1\td\nSELECT 2\n\n"), both);
        assert_eq!(read("{\"0\": 5, \"1\": \"SELECT 2\"}"), Ok(vec![None, Some("SELECT 2".to_owned())]));
        for empty in ["", "[]", "{}", "{\"0\": 5}", "[{\"answer\": \"SELECT 1\"}]"] {
            assert!(read(empty).unwrap_err().to_string().contains("no SQL for any task"), "{empty}");
        }
        assert!(read("{\"12\": \"x\"}").is_err());
        assert!(read("a\nb\nc\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = read_tasks(&bytes);
            let _ = read_predictions(&bytes, &[Task::default()]);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[{\"a-z0-9:, \t\n}\\]]{0,60}") {
            let _ = read_tasks(text.as_bytes());
            let _ = read_predictions(text.as_bytes(), &[Task::default()]);
        }
    }
}
