//! What a statement may do: the authorizer's decisions.

use std::ffi::c_int;

use rusqlite::ffi;

/// Pragmas that only describe the schema. FTS5 itself asks for `data_version` while it reads.
const READING_PRAGMAS: [&str; 12] = [
    "table_info",
    "table_xinfo",
    "table_list",
    "foreign_key_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "data_version",
    "collation_list",
    "function_list",
    "compile_options",
    "encoding",
];

/// Functions that reach outside the database.
const REFUSED_FUNCTIONS: [&str; 2] = ["load_extension", "fts3_tokenizer"];

/// Allows reading and refuses everything else; the refusal names the action and its object.
pub(super) fn decide(
    action: c_int,
    first: impl Fn() -> String,
    second: impl Fn() -> String,
) -> Result<(), String> {
    let on = |verb: &str| {
        let table = first();
        Err(if table.is_empty() { verb.to_owned() } else { format!("{verb} on {table}") })
    };
    let named = |verb: &str| Err(format!("{verb} {}", first()).trim_end().to_owned());
    match action {
        ffi::SQLITE_SELECT | ffi::SQLITE_READ | ffi::SQLITE_RECURSIVE => Ok(()),
        ffi::SQLITE_FUNCTION => {
            let name = second().to_ascii_lowercase();
            if REFUSED_FUNCTIONS.contains(&name.as_str()) { Err(format!("function {name}")) } else { Ok(()) }
        }
        ffi::SQLITE_PRAGMA => {
            let name = first().to_ascii_lowercase();
            let encoding_change = name == "encoding" && !second().is_empty();
            if READING_PRAGMAS.contains(&name.as_str()) && !encoding_change {
                Ok(())
            } else {
                named("PRAGMA")
            }
        }
        ffi::SQLITE_INSERT => on("INSERT"),
        ffi::SQLITE_UPDATE => on("UPDATE"),
        ffi::SQLITE_DELETE => on("DELETE"),
        ffi::SQLITE_TRANSACTION => Err(first()),
        ffi::SQLITE_SAVEPOINT => Err("SAVEPOINT".to_owned()),
        ffi::SQLITE_ATTACH => Err("ATTACH".to_owned()),
        ffi::SQLITE_DETACH => Err("DETACH".to_owned()),
        ffi::SQLITE_REINDEX => Err("REINDEX".to_owned()),
        ffi::SQLITE_ANALYZE => named("ANALYZE"),
        ffi::SQLITE_ALTER_TABLE => Err(format!("ALTER TABLE {}", second())),
        ffi::SQLITE_CREATE_INDEX | ffi::SQLITE_CREATE_TEMP_INDEX => named("CREATE INDEX"),
        ffi::SQLITE_CREATE_TABLE | ffi::SQLITE_CREATE_TEMP_TABLE => named("CREATE TABLE"),
        ffi::SQLITE_CREATE_TRIGGER | ffi::SQLITE_CREATE_TEMP_TRIGGER => named("CREATE TRIGGER"),
        ffi::SQLITE_CREATE_VIEW | ffi::SQLITE_CREATE_TEMP_VIEW => named("CREATE VIEW"),
        ffi::SQLITE_CREATE_VTABLE => named("CREATE VIRTUAL TABLE"),
        ffi::SQLITE_DROP_INDEX | ffi::SQLITE_DROP_TEMP_INDEX => named("DROP INDEX"),
        ffi::SQLITE_DROP_TABLE | ffi::SQLITE_DROP_TEMP_TABLE => named("DROP TABLE"),
        ffi::SQLITE_DROP_TRIGGER | ffi::SQLITE_DROP_TEMP_TRIGGER => named("DROP TRIGGER"),
        ffi::SQLITE_DROP_VIEW | ffi::SQLITE_DROP_TEMP_VIEW => named("DROP VIEW"),
        ffi::SQLITE_DROP_VTABLE => named("DROP TABLE"),
        _ => Err("an action that SQLite does not name".to_owned()),
    }
}
