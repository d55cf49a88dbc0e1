//! Reading a query with the grammar of the system it was written for.

use sqlparser::ast::Query;
use sqlparser::dialect::Dialect;

use crate::sql::lexer::{Lexeme, Lexer};
use crate::sql::parse::{SqlError, parse_as};
use crate::sql::systems::{BigQuery, SqlServer};

/// A system whose SQL is read, with what in a query shows that it was written for it.
struct System {
    name: &'static str,
    dialect: &'static dyn Dialect,
    /// Words that SQLite's queries do without.
    words: &'static [&'static str],
    /// Beginnings of marks, parameters and quoted names.
    marks: &'static [&'static str],
}

const SYSTEMS: &[System] = &[
    System {
        name: "SQL Server",
        dialect: &SqlServer,
        words: &[
            "APPLY",
            "CHARINDEX",
            "CONVERT",
            "DATEADD",
            "DATEDIFF",
            "DATENAME",
            "DATEPART",
            "FETCH",
            "GETDATE",
            "NOLOCK",
            "OPENJSON",
            "PERCENT",
            "PIVOT",
            "STUFF",
            "TIES",
            "TOP",
            "TRY_CAST",
            "TRY_CONVERT",
        ],
        marks: &["@", "[", "#"],
    },
    System {
        name: "BigQuery",
        dialect: &BigQuery,
        words: &[
            "ARRAY",
            "ARRAY_AGG",
            "COUNTIF",
            "DATE_ADD",
            "DATE_DIFF",
            "DATE_SUB",
            "DATE_TRUNC",
            "EXCEPT",
            "EXTRACT",
            "FLOAT64",
            "INT64",
            "INTERVAL",
            "OFFSET",
            "QUALIFY",
            "SAFE_CAST",
            "SAFE_DIVIDE",
            "STRUCT",
            "UNNEST",
        ],
        marks: &["`"],
    },
];

/// Parses a query that SQLite's grammar refuses as two systems do that history files often come from, where words or
/// marks of theirs stand in it; with the name of the first one that reads it, or what the first one says against it.
/// Their grammars alone are no evidence: they take a doubled FROM for the name of a table.
pub(crate) fn parse_other(sql: &str) -> Result<(Query, &'static str), Option<(SqlError, &'static str)>> {
    let pieces: Vec<(Lexeme, &str)> =
        Lexer::new(sql).filter_map(|(kind, start, end)| Some((kind, sql.get(start..end)?))).collect();
    let shows = |system: &System| {
        pieces.iter().any(|(kind, text)| match kind {
            Lexeme::Word => system.words.iter().any(|word| word.eq_ignore_ascii_case(text)),
            Lexeme::Mark | Lexeme::Parameter | Lexeme::QuotedName => {
                system.marks.iter().any(|mark| text.starts_with(mark))
            }
            _ => false,
        })
    };
    let mut first = None;
    for system in SYSTEMS.iter().filter(|system| shows(system)) {
        match parse_as(system.dialect, sql) {
            Ok(query) => return Ok((query, system.name)),
            Err(error) => first = first.or(Some((error, system.name))),
        }
    }
    Err(first)
}
