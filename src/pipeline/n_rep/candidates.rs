//! Candidates: one query for each configuration, mended once where it fails.

use super::Context;
use super::linking::{Links, filtered};
use crate::db::ResultSet;
use crate::llm::extract::{self, NoSql};
use crate::llm::{Completion, Finish, Message};
use crate::pipeline::direct::{Inputs, Trouble, after_error, hints, without_sql};
use crate::pipeline::staged::Sampling;
use crate::pipeline::staged::lenient::ends_queries;
use crate::pipeline::staged::prompt::{Parts, examples};
use crate::ports::{Complete, Execute};

const RULES: &str = "You write SQL for SQLite. You get the schema of a database, earlier queries on it where there are \
some, and a question. Answer with one SELECT statement in a ```sql block and nothing else, without explanation. Use only \
tables and columns of the schema. Return the columns that are asked for, no others. Where an earlier query shows how \
something is calculated, filtered or joined here, do it the same way.";

/// A candidate that ran.
pub(super) struct Ran {
    /// The query.
    pub sql: String,
    /// Its rows.
    pub result: ResultSet,
}

/// The candidates that ran, in the order of the configurations.
pub(super) struct Candidates {
    /// Those that ran.
    pub ran: Vec<Ran>,
    /// Why the last of the others did not.
    pub trouble: Option<Trouble>,
}

/// Writes and runs one query for each configuration. One that has no SQL or fails is asked for once more.
///
/// # Errors
/// When the user stops, the database is gone, or the server fails for good.
pub(super) async fn write<M: Complete, D: Execute>(
    context: &Context<'_, M, D>,
    links: &Links,
) -> Result<Candidates, Trouble> {
    let Context { inputs, settings, talk, .. } = context;
    talk.stage("candidates");
    let shown = examples(inputs.shots, inputs.knowledge);
    let mut candidates = Candidates { ran: Vec::new(), trouble: None };
    for configuration in &settings.configurations {
        let representation = configuration.representation;
        let linked = links.get(&representation).and_then(Option::as_ref);
        let part = filtered(inputs, configuration.filter, linked);
        let part = Inputs { schema: &part.schema, tables: &part.tables, ..**inputs };
        let task = format!("## Question\n{}\n", inputs.question.trim());
        let parts = Parts {
            rules: RULES,
            representation,
            title: "Earlier queries on this database, the closest last",
            examples: &shown,
            task: &task,
        };
        let messages = talk.fit(&part, parts);
        let from = format!("{}, {}", representation.name(), configuration.filter.name());
        match one(context, messages, &from).await? {
            Ok(ran) => candidates.ran.push(ran),
            Err(trouble) => {
                talk.note(format!("{from}: {trouble}"));
                candidates.trouble = Some(trouble);
            }
        }
    }
    Ok(candidates)
}

/// One candidate; the inner error is why it is invalid.
async fn one<M: Complete, D: Execute>(
    context: &Context<'_, M, D>,
    mut messages: Vec<Message>,
    from: &str,
) -> Result<Result<Ran, Trouble>, Trouble> {
    let Context { inputs, talk, db, limits, .. } = context;
    let cold = Sampling { temperature: Some(0.0), ..Sampling::default() };
    let mut from = from.to_owned();
    let mut mended = false;
    loop {
        let Some(answer) = talk.try_ask(messages.clone(), cold).await? else {
            return Ok(Err(Trouble::NoSql(NoSql::Empty)));
        };
        let (trouble, repair) = match sql_of(&answer) {
            Err(why) => (Trouble::NoSql(why), without_sql(why)),
            Ok(sql) => match talk.run(&sql, &from, *db, *limits).await {
                Ok(result) => return Ok(Ok(Ran { sql, result })),
                Err(error) if ends_queries(&error) => return Err(error.into()),
                Err(error) => {
                    let repair = after_error(&error, &hints(&error, inputs.schema));
                    (Trouble::Database(error), repair)
                }
            },
        };
        if mended {
            return Ok(Err(trouble));
        }
        mended = true;
        from.push_str(", mended");
        if !answer.text.is_empty() {
            messages.push(Message::assistant(answer.text));
        }
        messages.push(repair);
    }
}

fn sql_of(answer: &Completion) -> Result<String, NoSql> {
    extract::sql(&answer.text, answer.finish == Finish::Length).map(|found| found.sql)
}
