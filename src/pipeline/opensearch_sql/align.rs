//! Alignment: each different candidate in the style of the benchmark, with joins that hold and values that are there.

use std::collections::HashMap;

use super::generation::sql_of;
use super::{ColumnName, Context, Draft, Found, ValueMatch, condition};
use crate::db::quote_ident;
use crate::pipeline::direct::{Inputs, Representation, Trouble};
use crate::pipeline::staged::lenient::{embedding_ended, ends_queries};
use crate::pipeline::staged::prompt::Parts;
use crate::pipeline::staged::same::one_line;
use crate::pipeline::staged::{Candidate, Sampling};
use crate::ports::{Complete, Embed, Execute};
use crate::sql::literals::{LiteralValue, Operator};
use crate::sql::rewrite::{join_alternatives, rewrite};
use crate::sql::{BoundLiteral, literals, parse_query};

/// Cosine above which a value that the database lacks is taken for one that it has.
const SAME_VALUE: f32 = 0.95;
/// Share of digits above which a text is no word, in hundredths.
const DIGITS: usize = 60;
/// Joins mended in one candidate at most.
const MOST_JOINS: usize = 3;

const REPAIR: &str = "You mend SQL for SQLite. You get the part of a schema, a question and a query for it that \
compares a column with a value that the column does not have. Write the query again with the conditions that are given, \
joining the tables they need. Change nothing else. Answer with the SELECT statement in a ```sql block and nothing else.";

/// Aligns every candidate. Candidates that become equal are one.
///
/// # Errors
/// When the user stops, the database is gone, or the server fails for good.
pub(super) async fn align<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    drafts: Vec<Draft>,
) -> Result<Vec<Draft>, Trouble> {
    let talk = context.talk;
    talk.stage("alignment");
    let mut aligned: Vec<Draft> = Vec::new();
    let mut known: HashMap<(ColumnName, String), bool> = HashMap::new();
    for Draft { sql, votes } in drafts {
        let before = sql.clone();
        let sql = match parse_query(&sql) {
            Ok(_) => one(context, part, found, sql, &mut known).await?,
            // What does not parse is left to the refinement.
            Err(_) => sql,
        };
        if one_line(&sql) != one_line(&before) {
            let from = "aligned".to_owned();
            talk.candidate(Candidate { sql: sql.clone(), from, result: None, votes });
        }
        let line = one_line(&sql);
        match aligned.iter_mut().find(|draft| one_line(&draft.sql) == line) {
            Some(draft) => draft.votes += votes,
            None => aligned.push(Draft { sql, votes }),
        }
    }
    Ok(aligned)
}

async fn one<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    sql: String,
    known: &mut HashMap<(ColumnName, String), bool>,
) -> Result<String, Trouble> {
    let Context { talk, inputs, .. } = context;
    let sql = agent(context, part, found, sql, known).await?;
    let sql = joins(context, sql).await?;
    match rewrite(&sql, inputs.schema) {
        Ok(rewritten) => {
            for change in rewritten.changes {
                talk.note(change);
            }
            Ok(rewritten.sql)
        }
        Err(_) => Ok(sql),
    }
}

/// Puts the first alternative that gives rows in place of a join over several columns.
async fn joins<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    mut sql: String,
) -> Result<String, Trouble> {
    let Context { talk, db, limits, .. } = context;
    for _ in 0..MOST_JOINS {
        let mut better = None;
        for alternative in join_alternatives(&sql) {
            match talk.run(&alternative, "one column of a join", *db, *limits).await {
                Ok(result) if !result.rows.is_empty() => {
                    better = Some(alternative);
                    break;
                }
                Err(error) if ends_queries(&error) => return Err(error.into()),
                _ => {}
            }
        }
        let Some(better) = better else { break };
        talk.note(format!("A join over several columns is one over the first that gives rows: {better}"));
        sql = better;
    }
    Ok(sql)
}

/// Values that their columns do not have: written as the database does where one is nearly the same, else, where other
/// columns have them, a model writes the query again.
async fn agent<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
    sql: String,
    known: &mut HashMap<(ColumnName, String), bool>,
) -> Result<String, Trouble> {
    let Context { talk, inputs, index, embed, .. } = context;
    let mut sql = sql;
    let mut wrong: Vec<(ValueMatch, Vec<ValueMatch>)> = Vec::new();
    let compared = literals(&sql, inputs.schema).unwrap_or_default();
    // From the end, so that the places before stay right.
    for literal in compared.iter().rev() {
        let Some((column, value)) = text_of(literal) else { continue };
        let key = (column.clone(), value.to_owned());
        let there = match known.get(&key) {
            Some(there) => *there,
            None => {
                let there = has(context, &column, value).await?;
                known.insert(key, there);
                there
            }
        };
        if there {
            continue;
        }
        let near = match near(index, *embed, &column, value, &found.values).await {
            Ok(near) => near,
            Err(error) => match embedding_ended(&error) {
                Some(trouble) => return Err(trouble),
                None => None,
            },
        };
        if let Some(near) = near {
            talk.note(format!("{}.{} has no '{value}'; '{near}' in its place.", column.0, column.1));
            sql.replace_range(literal.range.clone(), &format!("'{}'", near.replace('\'', "''")));
            continue;
        }
        let elsewhere = index.columns_of(value).iter().filter(|other| **other != column);
        let mut others: Vec<ValueMatch> =
            elsewhere.map(|other| ValueMatch { column: other.clone(), value: value.to_owned() }).collect();
        others.extend(found.values.iter().filter(|known| known.column == column).cloned());
        if others.iter().any(|other| other.value == value) {
            wrong.push((ValueMatch { column, value: value.to_owned() }, others));
        }
    }
    if wrong.is_empty() { Ok(sql) } else { repaired(context, part, sql, &wrong).await }
}

/// A word that a column is compared with.
fn text_of(literal: &BoundLiteral) -> Option<(ColumnName, &str)> {
    let LiteralValue::Text(value) = &literal.value else { return None };
    let compared = matches!(literal.operator, Operator::Equal | Operator::In) && literal.function.is_none();
    let (digits, all) = (value.chars().filter(char::is_ascii_digit).count(), value.chars().count());
    (compared && all > 0 && digits * 100 <= all * DIGITS).then_some((literal.column.clone()?, value.as_str()))
}

/// Whether a column has a value; true where that cannot be found out.
async fn has<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    (table, column): &ColumnName,
    value: &str,
) -> Result<bool, Trouble> {
    let sql = format!(
        "SELECT 1 FROM {} WHERE {} = '{}' LIMIT 1",
        quote_ident(table),
        quote_ident(column),
        value.replace('\'', "''")
    );
    match context.db.execute(&sql, context.limits).await {
        Ok(result) => Ok(!result.rows.is_empty()),
        Err(error) if ends_queries(&error) => Err(error.into()),
        Err(_) => Ok(true),
    }
}

/// The value that is nearly this one: of the column, or else one of those that were extracted.
async fn near(
    index: &super::DatabaseIndex,
    embed: &impl Embed,
    column: &ColumnName,
    value: &str,
    extracted: &[ValueMatch],
) -> Result<Option<String>, crate::ports::EmbedError> {
    let lower = value.to_lowercase();
    let own = |columns: &[ColumnName]| columns.contains(column);
    let spelled = index.values.iter().find(|(known, columns)| known.to_lowercase() == lower && own(columns));
    if let Some((known, _)) = spelled {
        return Ok(Some(known.clone()));
    }
    if !index.is_of(embed) || !index.columns_of(value).is_empty() {
        return Ok(None);
    }
    let vectors = embed.embed(&[value.to_owned()]).await?;
    let hits = index.nearest_values(&vectors, 20, SAME_VALUE).pop().unwrap_or_default();
    let known = |value: &str| extracted.iter().any(|found| found.value == value);
    let hit = hits.iter().find(|(known, columns, _)| own(columns) && *known != value);
    let hit = hit.or_else(|| hits.iter().find(|(value, ..)| known(value)));
    Ok(hit.map(|(known, ..)| (*known).to_owned()))
}

/// Asks for the query with the values where they are.
async fn repaired<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    sql: String,
    wrong: &[(ValueMatch, Vec<ValueMatch>)],
) -> Result<String, Trouble> {
    let talk = context.talk;
    let mut task = format!("## Question\n{}\n## Query\n{sql}\n## Mistake\n", part.question.trim());
    for (value, others) in wrong {
        let others: Vec<String> = others.iter().map(condition).collect();
        let line = format!(
            "No row has {}. Use of these what the question means: {}",
            condition(value),
            others.join(", ")
        );
        talk.note(format!("{line}."));
        task.push_str(&format!("{line}.\n"));
    }
    let parts = Parts {
        rules: REPAIR,
        representation: Representation::CreateTable,
        title: "",
        examples: &[],
        task: &task,
    };
    // The other columns may be outside the part.
    let messages = talk.fit(&Inputs { shots: &[], ..*context.inputs }, parts);
    let cold = Sampling { temperature: Some(0.0), ..Sampling::default() };
    let answer = talk.try_ask(messages, cold).await?;
    let mended = answer.and_then(|answer| sql_of(&answer).ok()).filter(|sql| parse_query(sql).is_ok());
    match mended {
        Some(mended) => Ok(mended),
        None => {
            talk.note("The model gave no query; the candidate stays as it is.");
            Ok(sql)
        }
    }
}
