//! Words for a statement that was refused. They name it in a message and decide nothing.

use crate::db::value::DbError;

/// Statements that change nothing and give no rows.
const NO_QUERIES: [&str; 7] = ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "DETACH"];

/// The error of a statement that was refused.
pub(super) fn refused(sql: &str, refusal: Option<&str>) -> DbError {
    match described(sql, refusal) {
        what if NO_QUERIES.contains(&what.as_str()) => {
            DbError::Sql { message: format!("this is not a query ({what})"), offset: None }
        }
        what => DbError::ReadOnly(what),
    }
}

/// What the refused statement does: the refusal of the authorizer, or where that only names SQLite's
/// own catalogue, the statement's first words ("CREATE TABLE t").
fn described(sql: &str, refusal: Option<&str>) -> String {
    let words = words(sql);
    match refusal {
        Some(refusal) if !names_catalogue(refusal) => refusal.to_owned(),
        _ if words.is_empty() => refusal.unwrap_or("a change").to_owned(),
        _ => words,
    }
}

fn names_catalogue(refusal: &str) -> bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"]
        .iter()
        .any(|name| refusal.ends_with(name))
}

/// The leading keywords in capitals, and the object's name after CREATE, DROP and ALTER.
fn words(sql: &str) -> String {
    const KINDS: [&str; 8] = ["TEMP", "TEMPORARY", "UNIQUE", "VIRTUAL", "TABLE", "INDEX", "VIEW", "TRIGGER"];
    let mut rest = skip_blank(sql);
    let mut said: Vec<String> = Vec::new();
    while said.len() < 5 {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            break;
        }
        let capital = word.to_uppercase();
        let first = said.is_empty();
        if !first && ["IF", "NOT", "EXISTS"].contains(&capital.as_str()) {
            rest = skip_blank(after);
            continue;
        }
        let keyword = first || KINDS.contains(&capital.as_str());
        said.push(if keyword { capital.clone() } else { word.to_owned() });
        if !keyword || (first && !["CREATE", "DROP", "ALTER"].contains(&capital.as_str())) {
            break;
        }
        rest = skip_blank(after);
    }
    said.join(" ")
}

/// The text after leading white space, comments and semicolons.
fn skip_blank(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        sql = if sql.starts_with("--") {
            sql.find('\n').and_then(|end| sql.get(end..)).unwrap_or("")
        } else if let Some(comment) = sql.strip_prefix("/*") {
            comment.find("*/").and_then(|end| comment.get(end + 2..)).unwrap_or("")
        } else {
            return sql;
        };
    }
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn catalogue_changes_are_named_by_their_words() {
        let refusal = Some("INSERT on sqlite_master");
        assert_eq!(described("create table if not exists t(a)", refusal), "CREATE TABLE t");
        assert_eq!(
            described(" -- x\n/* y */ CREATE UNIQUE INDEX i ON t(a)", refusal),
            "CREATE UNIQUE INDEX i"
        );
        assert_eq!(described("drop view \"odd name\"", refusal), "DROP VIEW");
        assert_eq!(described("vacuum into 'x'", None), "VACUUM");
        assert_eq!(described("update t set a = 1", Some("UPDATE on t")), "UPDATE on t");
        assert_eq!(described("/* open", None), "a change");
    }
}
