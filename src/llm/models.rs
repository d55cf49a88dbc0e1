//! The list of models that a server offers at `/models`.

use serde_json::Value as Json;

/// Names of the models, sorted, each once; also where a server nests or names the list differently
/// (`data[].id`, `models[].name`, a plain list).
///
/// # Errors
/// A sentence, when the answer is no list of models.
pub fn names(body: &str) -> Result<Vec<String>, String> {
    let wrong = || "The server answered, but not with a list of models. Check the address.".to_owned();
    let json: Json = serde_json::from_str(body).map_err(|_| wrong())?;
    let list = json.get("data").or_else(|| json.get("models")).unwrap_or(&json);
    let list = list.as_array().ok_or_else(wrong)?;
    let name = |model: &Json| {
        let fields = ["id", "name", "model"];
        let named = fields.iter().find_map(|field| model.get(field)?.as_str());
        named.or(model.as_str()).map(str::to_owned)
    };
    let mut names: Vec<String> = list.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn lists_of_several_servers_are_read() {
        for body in [
            r#"{"object": "list", "data": [{"id": "b"}, {"id": "a"}, {"id": "b"}]}"#,
            r#"{"models": [{"name": "a"}, {"model": "b"}]}"#,
            r#"[{"id": "a"}, "b", 3]"#,
        ] {
            assert_eq!(names(body).unwrap(), ["a", "b"], "{body}");
        }
        assert_eq!(names(r#"{"data": []}"#).unwrap(), Vec::<String>::new());
        for body in ["", "<html>", "{}", "3", r#"{"data": 4}"#] {
            assert!(names(body).is_err(), "{body}");
        }
    }
}
