//! Refinement: candidates that fail or find nothing are corrected, and generated once more where that does not help.

use super::generation::sql_of;
use super::{Context, Draft, Found, condition, value_lines};
use crate::db::{DbError, ResultSet};
use crate::llm::Message;
use crate::pipeline::direct::{Inputs, Representation, Trouble, hints};
use crate::pipeline::staged::Sampling;
use crate::pipeline::staged::lenient::ends_queries;
use crate::pipeline::staged::prompt::Parts;
use crate::ports::{Complete, Embed, Execute};
use crate::sql::{BoundLiteral, LiteralValue, literals};

const RULES: &str = "You correct SQL for SQLite. You get the part of a schema, values that the database holds, a \
question, a query for it and what went wrong with the query. Find the mistake and write the whole query again, without \
it. Use only tables and columns of the schema. Answer with one SELECT statement in a ```sql block and nothing else.";

/// Temperature of the one generation after the corrections, and the least of a correction.
const TEMPERATURE: f32 = 0.2;
/// Nucleus of a correction.
const TOP_P: f32 = 0.3;

/// A candidate with what it gave at last.
pub(super) struct Refined {
    /// The query.
    pub sql: String,
    /// How often it was proposed.
    pub votes: u32,
    /// Its rows, or why there are none.
    pub result: Result<ResultSet, DbError>,
}

/// What is wrong with a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Column,
    Table,
    Ambiguous,
    Syntax,
    Function,
    Aggregate,
    ReadOnly,
    Slow,
    Empty,
    Other,
}

impl Kind {
    /// By what the database says; Empty where it says nothing.
    pub(super) fn of(result: &Result<ResultSet, DbError>) -> Option<Self> {
        let error = match result {
            Ok(result) if result.rows.is_empty() => return Some(Self::Empty),
            Ok(_) => return None,
            Err(error) => error,
        };
        let DbError::Sql { message, .. } = error else {
            return Some(match error {
                DbError::ReadOnly(_) => Self::ReadOnly,
                DbError::Timeout(_) => Self::Slow,
                _ => Self::Other,
            });
        };
        const SAID: [(&str, Kind); 8] = [
            ("no such column", Kind::Column),
            ("no such table", Kind::Table),
            ("ambiguous column", Kind::Ambiguous),
            ("syntax error", Kind::Syntax),
            ("incomplete input", Kind::Syntax),
            ("unrecognized token", Kind::Syntax),
            ("no such function", Kind::Function),
            ("misuse of", Kind::Aggregate),
        ];
        Some(SAID.iter().find(|(said, _)| message.contains(said)).map_or(Self::Other, |(_, kind)| *kind))
    }

    /// What to look for, with a small example.
    fn advice(self) -> &'static str {
        match self {
            Self::Column => {
                "The column is in another table, or spelled otherwise: look it up in the schema, and join its table. \
                 For example, SELECT p.city FROM person AS p becomes SELECT a.city FROM person AS p JOIN address AS a \
                 ON p.address_id = a.id."
            }
            Self::Table => "Use a table of the schema; in FROM, every alias stands after its table.",
            Self::Ambiguous => {
                "Several tables have the column: write the table's alias before it, as in T1.name."
            }
            Self::Syntax => {
                "Write plain SQLite: names with spaces in double quotes, texts in single quotes, a quote in a text \
                 doubled, all brackets closed."
            }
            Self::Function => {
                "SQLite has no such function: use STRFTIME for parts of dates, SUBSTR and INSTR for texts, IIF or CASE \
                 for conditions, || to join texts."
            }
            Self::Aggregate => {
                "An aggregate stands in SELECT, HAVING or ORDER BY, never in WHERE. For example, WHERE COUNT(*) > 2 \
                 becomes GROUP BY id HAVING COUNT(*) > 2."
            }
            Self::ReadOnly => "The database is only read: write a SELECT statement.",
            Self::Slow => {
                "The query takes too long: join on keys, leave out tables that are not needed, and filter first."
            }
            Self::Empty => {
                "The query finds no row. Check each condition: the value as the database writes it, the column that \
                 holds it, the columns of each join, and whether all conditions can hold at once."
            }
            Self::Other => "Check the query against the schema.",
        }
    }
}

/// Runs every candidate and refines those that need it.
///
/// # Errors
/// When the user stops, the database is gone, or the server fails for good.
pub(super) async fn refine<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    prompt: &[Message],
    drafts: Vec<Draft>,
) -> Result<Vec<Refined>, Trouble> {
    context.talk.stage("refinement");
    let mut requests = context.settings.refinement_requests;
    let mut refined = Vec::new();
    for draft in drafts {
        refined.push(one(context, part, found, prompt, draft, &mut requests).await?);
    }
    Ok(refined)
}

async fn one<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    prompt: &[Message],
    Draft { mut sql, votes }: Draft,
    requests: &mut u32,
) -> Result<Refined, Trouble> {
    let Context { settings, talk, db, limits, .. } = context;
    let mut from = "aligned".to_owned();
    let mut spent_ms = 0.0;
    // Rows are worth more than an error, even where there are none.
    let mut ran: Option<(String, ResultSet)> = None;
    let mut count = 0;
    let result = loop {
        let result = talk.run(&sql, &from, *db, *limits).await;
        spent_ms += match &result {
            Ok(result) => result.elapsed_ms,
            Err(DbError::Timeout(_)) => f64::from(limits.timeout_ms),
            Err(_) => 0.0,
        };
        if let Err(error) = &result
            && ends_queries(error)
        {
            return Err(error.clone().into());
        }
        if let Ok(rows) = &result {
            ran = Some((sql.clone(), rows.clone()));
        }
        let Some(kind) = Kind::of(&result) else { break result };
        // The last query is the one that was generated once more.
        if count > settings.corrections {
            break result;
        }
        if *requests == 0 || spent_ms >= f64::from(settings.refinement_ms) {
            talk.note("The bound of the refinement is reached; the candidate stays as it is.");
            break result;
        }
        *requests -= 1;
        count += 1;
        let (messages, sampling) = if count > settings.corrections {
            from = "generated once more".to_owned();
            let sampling = Sampling { temperature: Some(TEMPERATURE), ..Sampling::default() };
            (prompt.to_vec(), sampling)
        } else {
            from = format!("correction {count}");
            let temperature = Some(TEMPERATURE + count as f32 / 5.0);
            let sampling = Sampling { temperature, top_p: Some(TOP_P), ..Sampling::default() };
            (correction(context, part, found, &sql, kind, &result), sampling)
        };
        match talk.try_ask(messages, sampling).await?.map(|answer| sql_of(&answer)) {
            Some(Ok(corrected)) => sql = corrected,
            Some(Err(why)) => talk.note(why.to_string()),
            None => {}
        }
    };
    Ok(match (result, ran) {
        (Err(_), Some((sql, rows))) => Refined { sql, votes, result: Ok(rows) },
        (result, _) => Refined { sql, votes, result },
    })
}

/// Asks for the query without what is wrong with it.
fn correction<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    sql: &str,
    kind: Kind,
    result: &Result<ResultSet, DbError>,
) -> Vec<Message> {
    let Context { talk, inputs, index, .. } = context;
    let mut task = value_lines(&found.values);
    task.push_str(&format!("## Question\n{}\n## Query\n{sql}\n## What went wrong\n", part.question.trim()));
    match result {
        Ok(_) => task.push_str("The result is empty."),
        Err(error) => {
            task.push_str(&error.to_string());
            for hint in hints(error, inputs.schema).iter().filter(|hint| !hint.nearest.is_empty()) {
                let nearest = hint.nearest.join(", ");
                task.push_str(&format!(" There is no {}; the nearest names are {nearest}.", hint.unknown));
            }
        }
    }
    task.push_str(&format!("\n{}\n", kind.advice()));
    if kind == Kind::Empty {
        let compared = literals(sql, inputs.schema).unwrap_or_default();
        for literal in &compared {
            task.push_str(&elsewhere(literal, index).unwrap_or_default());
        }
    }
    let parts = Parts {
        rules: RULES,
        representation: Representation::CreateTable,
        title: "",
        examples: &[],
        task: &task,
    };
    talk.fit(&Inputs { shots: &[], ..*part }, parts)
}

/// The other columns that have a value of the query.
fn elsewhere(literal: &BoundLiteral, index: &super::DatabaseIndex) -> Option<String> {
    /// Columns named at most.
    const MOST: usize = 5;
    let (LiteralValue::Text(value), Some(column)) = (&literal.value, &literal.column) else { return None };
    let others = index.columns_of(value).iter().filter(|other| *other != column).take(MOST);
    let conditions: Vec<String> = others
        .map(|other| condition(&super::ValueMatch { column: other.clone(), value: value.clone() }))
        .collect();
    (!conditions.is_empty()).then(|| format!("'{value}' is also here: {}.\n", conditions.join(", ")))
}
