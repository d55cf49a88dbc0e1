//! Which form a file has, from its name and content.

use serde::{Deserialize, Serialize};

use super::{ImportError, Mapping, gold, json, table};

/// The form of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Statements with comments.
    Script,
    /// A query, a tab and a database name on each line.
    Gold,
    /// A list of objects, or an object with one inside.
    Json,
    /// JSON with BIRD's columns.
    Bird,
    /// JSON with Spider's columns.
    Spider,
    /// A JSON object on each line.
    JsonLines,
    /// CSV and its relatives.
    Table {
        /// What stands between two cells: `,`, `;`, a tab or `|`.
        delimiter: u8,
    },
}

impl Format {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Script => "SQL script",
            Self::Gold => "list of queries and databases",
            Self::Json => "JSON",
            Self::Bird => "BIRD file",
            Self::Spider => "Spider file",
            Self::JsonLines => "JSON Lines",
            Self::Table { delimiter: b';' } => "table with semicolons",
            Self::Table { delimiter: b'\t' } => "table with tabs",
            Self::Table { delimiter: b'|' } => "table with bars",
            Self::Table { .. } => "CSV",
        }
    }
}

/// The form of a text. The extension decides between forms that the content allows.
pub(super) fn format(name: &str, text: &str) -> Result<Format, ImportError> {
    let extension = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "sql" => return Ok(if gold::is_gold(text) { Format::Gold } else { Format::Script }),
        "jsonl" | "ndjson" => return Ok(Format::JsonLines),
        "csv" | "tsv" | "tab" => {
            return Ok(Format::Table { delimiter: table::delimiter(text).unwrap_or(fallback(&extension)) });
        }
        _ => {}
    }
    let start = text.trim_start();
    if extension == "json" || start.starts_with(['{', '[']) {
        return match json::check(text) {
            Ok(()) => Ok(Format::Json),
            Err(_) if is_json_lines(text) => Ok(Format::JsonLines),
            Err(error) => Err(error),
        };
    }
    if gold::is_gold(text) {
        return Ok(Format::Gold);
    }
    let first = start.lines().next().unwrap_or_default();
    if super::columns::looks_like_sql(first) || first.trim().eq_ignore_ascii_case("select") {
        return Ok(Format::Script);
    }
    // Neither name nor beginning says SQL: a table must show a column of it.
    Ok(table::delimiter(text).map_or(Format::Script, |delimiter| Format::Table { delimiter }))
}

fn fallback(extension: &str) -> u8 {
    if extension == "csv" { b',' } else { b'\t' }
}

/// Several JSON values, of which the first fills the first line.
fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let first = lines.next().is_some_and(|l| l.trim_start().starts_with('{') && json::check(l).is_ok());
    first && lines.next().is_some_and(|l| l.trim_start().starts_with('{'))
}

/// Recognises BIRD and Spider files by their columns.
pub(super) fn benchmark(format: Format, mapping: &Mapping) -> Format {
    let Mapping { sql, question, id, db_id, .. } = mapping;
    let names = [sql, question, db_id].map(|n| n.as_deref().unwrap_or_default());
    match (format, names) {
        (Format::Json, ["SQL", "question", "db_id"]) if id.as_deref() == Some("question_id") => Format::Bird,
        (Format::Json, ["query", "question", "db_id"]) => Format::Spider,
        _ => format,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_content_decide() {
        let found = |name: &str, text: &str| format(name, text).ok();
        let table = |delimiter| Some(Format::Table { delimiter });
        assert_eq!(found("a.sql", "{{ config }} SELECT 1"), Some(Format::Script));
        assert_eq!(found("dev_gold.sql", "SELECT 1\tcars"), Some(Format::Gold));
        assert_eq!(found("a.json", "[{\"sql\": 1}]"), Some(Format::Json));
        assert_eq!(found("a.json", "{\"sql\": 1}\n{\"sql\": 2}\n"), Some(Format::JsonLines));
        assert_eq!(found("a.txt", "{\"sql\": 1}\n{\"sql\": 2\n"), Some(Format::JsonLines));
        assert_eq!(found("log", "q,sql\na,SELECT 1\n"), table(b','));
        assert_eq!(found("log.csv", "q;sql\na;SELECT 1\n"), table(b';'));
        assert_eq!(found("log.tsv", "a\tb\n"), table(b'\t'));
        assert_eq!(found("log.txt", "SELECT a,\nb FROM t;"), Some(Format::Script));
        assert_eq!(found("log.txt", "-- x\nSELECT a"), Some(Format::Script));
        assert!(matches!(format("a.json", "[{\"sql\": 1}"), Err(ImportError::Json { line: 1, .. })));
    }
}
