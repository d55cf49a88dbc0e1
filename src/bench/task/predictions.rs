//! Prediction files.

use serde_json::Value as Json;

use crate::bench::run::{RunError, RunFile};

use super::{Task, TaskError, file, integer, text_of};

/// Reads predictions and gives each task its own, None where the file has none for it.
///
/// Forms: BIRD's object `{"0": "SQL\t----- bird -----\tdb_id"}` whose keys are question ids, or places
/// in the task file where not all of them are ids; a JSON list of texts in the order of the tasks, or of
/// objects with `question_id` and `SQL`; plain lines in the order of the tasks. The database a
/// prediction names is ignored, as in mini_dev: it runs on its task's database. WikiSQL's JSON Lines hold a canonical
/// query each (`{"query": {"sel": …}}`), or an error. A run file holds its answers by their place.
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
    match RunFile::parse(bytes) {
        Err(RunError::NotARun) => {}
        Err(error) => return file(error.to_string()),
        Ok(run) => {
            for outcome in run.outcomes {
                give(outcome.place, outcome.sql)?;
            }
            return Ok(found);
        }
    }
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
