//! Generation: queries sampled with their reasoning in fixed fields.

use super::{Context, Draft, Found, extraction, value_lines};
use crate::llm::extract::{self, NoSql};
use crate::llm::{Completion, Finish, Message};
use crate::pipeline::direct::{Inputs, Representation, Trouble};
use crate::pipeline::staged::lenient::field;
use crate::pipeline::staged::prompt::Parts;
use crate::pipeline::staged::same::one_line;
use crate::pipeline::staged::{Candidate, Sampling};
use crate::ports::{Complete, Embed, Execute};

const RULES: &str = "You write SQL for SQLite. You get the part of a schema that a question needs, values that the \
database holds, earlier queries on it where there are some, and the question. Use only tables and columns of the \
schema, and values as the database writes them. Return what is asked for, in its order, and nothing else. Where an \
earlier query shows how something is calculated, filtered or joined here, do it the same way. Answer in these fields, \
one after the other:\n\
#reason: how the question is answered\n\
#columns: the columns that are read, as table.column\n\
#values: the values that are compared with, as table.column = value\n\
#SELECT: what is returned, each part of the question with its column\n\
#SQL-like: the query without its joins, with table.column everywhere\n\
#SQL: the query, one SELECT statement";

/// The prompt that every sample answers.
pub(super) fn prompt<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    part: &Inputs<'_>,
    found: &Found,
) -> Vec<Message> {
    let Inputs { question, knowledge, shots, .. } = *part;
    context.talk.stage("generation");
    let examples: Vec<String> =
        shots.iter().filter_map(|shot| extraction::example(shot, knowledge, true)).collect();
    let task = task(question, found);
    let parts = Parts {
        rules: RULES,
        representation: Representation::CreateTable,
        title: "Earlier queries on this database, the closest last",
        examples: &examples,
        task: &task,
    };
    context.talk.fit(part, parts)
}

/// Question, values and order.
fn task(question: &str, found: &Found) -> String {
    let mut text = value_lines(&found.values);
    text.push_str(&format!("## Question\n{}\n", question.trim()));
    if !found.order.is_empty() {
        text.push_str(&format!("## To be returned, in this order\n{}\n", found.order.join(", ")));
    }
    text
}

/// Samples queries; equal ones are one, with their number.
///
/// # Errors
/// When the user stops, or the server fails for good.
pub(super) async fn generate<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
    prompt: &[Message],
) -> Result<Vec<Draft>, Trouble> {
    let Context { settings, talk, .. } = context;
    let mut drafts: Vec<Draft> = Vec::new();
    let mut without = 0;
    for sample in 0..settings.samples.max(1) {
        let sampling = Sampling { temperature: Some(settings.temperature), sample, ..Sampling::default() };
        let answer = talk.try_ask(prompt.to_vec(), sampling).await?;
        let Some(sql) = answer.and_then(|answer| sql_of(&answer).ok()) else {
            without += 1;
            continue;
        };
        let line = one_line(&sql);
        match drafts.iter_mut().find(|draft| one_line(&draft.sql) == line) {
            Some(draft) => draft.votes += 1,
            None => drafts.push(Draft { sql, votes: 1 }),
        }
    }
    if without > 0 {
        talk.note(format!("{without} of {} samples have no SQL.", settings.samples.max(1)));
    }
    for Draft { sql, votes } in &drafts {
        let from = "sampled".to_owned();
        talk.candidate(Candidate { sql: sql.clone(), from, result: None, votes: *votes });
    }
    Ok(drafts)
}

/// The SQL of an answer: of its last field, or else, where it has no such field, wherever it is.
pub(super) fn sql_of(answer: &Completion) -> Result<String, NoSql> {
    let cut = answer.finish == Finish::Length;
    let text = field(&answer.text, "SQL");
    extract::sql(text.as_deref().unwrap_or(&answer.text), cut).map(|found| found.sql)
}
