//! Choice: candidates with the same rows vote together; where it is close, a model judges pairs.

use std::fmt::Write as _;

use super::Context;
use super::candidates::{Candidates, Ran};
use crate::db::{ResultSet, Value};
use crate::llm::Message;
use crate::llm::extract::{self, NoSql, without_thinking};
use crate::pipeline::direct::{Answer, Inputs, Representation, Trouble};
use crate::pipeline::staged::prompt::Parts;
use crate::pipeline::staged::reduced::{Columns, reduced, with_keys};
use crate::pipeline::staged::same::{groups, nearly_same_rows};
use crate::pipeline::staged::{Candidate, Sampling};
use crate::ports::{Complete, Execute};
use crate::sql::{parse_query, tokenize};

const RULES: &str = "You compare two SQL queries that are to answer the same question on a SQLite database. You get the \
tables and columns they read, the question, and each query with the first rows of its result. Decide which one answers \
the question: look at what is asked for, at the conditions, the joins, what is counted, and whether the result can be \
what was asked for. Answer with one JSON object, {\"better\": \"A\"} or {\"better\": \"B\"}, and nothing else.";

/// Whether the votes are so close that pairs are judged: nobody has two, or two groups have two, or three stand against
/// two. `votes` are the numbers of candidates with the same rows.
pub(super) fn is_close(votes: &[usize]) -> bool {
    let most = votes.iter().copied().max().unwrap_or(0);
    let twos = votes.iter().filter(|votes| **votes == 2).count();
    votes.len() > 1 && (most == 1 || (most == 2 && twos > 1) || (most == 3 && twos > 0))
}

/// Chooses the answer.
///
/// # Errors
/// When the user stops, the server fails for good, or no candidate ran.
pub(super) async fn choose<M: Complete, D: Execute>(
    context: &Context<'_, M, D>,
    Candidates { mut ran, trouble }: Candidates,
) -> Result<Answer, Trouble> {
    let talk = context.talk;
    talk.stage("vote");
    let groups = groups(ran.iter().map(|ran| &ran.result), nearly_same_rows);
    let votes: Vec<usize> = groups.iter().map(Vec::len).collect();
    let heads: Vec<&Ran> = groups.iter().filter_map(|group| ran.get(*group.first()?)).collect();
    for (head, votes) in heads.iter().zip(&votes) {
        talk.candidate(kept(head, "different rows", *votes));
    }
    talk.note(format!("{} candidates ran, with {} different results.", ran.len(), groups.len()));
    let points = if is_close(&votes) { judge(context, &heads).await? } else { vec![0; heads.len()] };
    // By points, then by votes, then by the order of the configurations.
    let best = (0..groups.len()).max_by_key(|place| {
        let of = |numbers: &[usize]| numbers.get(*place).copied().unwrap_or(0);
        (of(&points), of(&votes), usize::MAX - place)
    });
    let chosen = best.and_then(|place| groups.get(place)?.first().copied());
    match chosen.filter(|place| *place < ran.len()).map(|place| ran.swap_remove(place)) {
        Some(chosen) => {
            let votes = best.and_then(|place| votes.get(place)).copied().unwrap_or(0);
            talk.candidate(kept(&chosen, "chosen", votes));
            Ok(Answer { sql: chosen.sql, result: chosen.result })
        }
        None => Err(trouble.unwrap_or(Trouble::NoSql(NoSql::Prose))),
    }
}

fn kept(ran: &Ran, from: &str, votes: usize) -> Candidate {
    Candidate {
        sql: ran.sql.clone(),
        from: from.to_owned(),
        result: Some(Ok(ran.result.clone())),
        votes: u32::try_from(votes).unwrap_or(u32::MAX),
    }
}

/// How often each one wins over all ordered pairs.
async fn judge<M: Complete, D: Execute>(
    context: &Context<'_, M, D>,
    heads: &[&Ran],
) -> Result<Vec<usize>, Trouble> {
    let talk = context.talk;
    talk.stage("judge");
    let mut points = vec![0; heads.len()];
    for (i, a) in heads.iter().enumerate() {
        for (j, b) in heads.iter().enumerate() {
            if i == j {
                continue;
            }
            let cold = Sampling { temperature: Some(0.0), ..Sampling::default() };
            let answer = talk.try_ask(pair(context, a, b), cold).await?;
            let winner = match answer.as_ref().and_then(|answer| better(&answer.text)) {
                Some(true) => i,
                Some(false) => j,
                None => {
                    talk.note(format!("{} against {}: the model chose none.", i + 1, j + 1));
                    continue;
                }
            };
            talk.note(format!("{} against {}: {}.", i + 1, j + 1, winner + 1));
            if let Some(points) = points.get_mut(winner) {
                *points += 1;
            }
        }
    }
    Ok(points)
}

/// Which of two an answer prefers: the first (true) or the second.
pub(super) fn better(said: &str) -> Option<bool> {
    let letter = |text: &str| match text.trim().trim_matches(['"', '\'', '*', '.', '(', ')', '`']) {
        "A" | "a" => Some(true),
        "B" | "b" => Some(false),
        _ => None,
    };
    if let Ok(json) = extract::json(said) {
        let named = ["better", "answer", "choice", "winner"].iter().find_map(|name| json.get(name)?.as_str());
        if let Some(named) = named {
            return letter(named);
        }
    }
    let (text, _) = without_thinking(said);
    if let Some(first) = letter(&text) {
        return Some(first);
    }
    // Of a sentence only one that names one letter as better is clear; "A" may be an article, and both may be named.
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named: Vec<bool> = words
        .windows(2)
        .filter(|pair| {
            pair.first().is_some_and(|word| {
                ["query", "better", "is", "answer", "option"].contains(&word.to_lowercase().as_str())
            })
        })
        .filter_map(|pair| letter(pair.get(1)?))
        .collect();
    match named.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Some(*first),
        _ => None,
    }
}

/// The messages that ask which of two is better.
fn pair<M: Complete, D: Execute>(context: &Context<'_, M, D>, a: &Ran, b: &Ran) -> Vec<Message> {
    let Context { inputs, settings, talk, .. } = context;
    let mut columns = Columns::new();
    for sql in [&a.sql, &b.sql] {
        columns.extend(read_by(sql, inputs));
    }
    with_keys(inputs.schema, &mut columns);
    let part = reduced(inputs.schema, inputs.tables, |table, column| {
        columns.is_empty() || columns.contains(&(table.name.clone(), column.name.clone()))
    });
    let mut task = format!("## Question\n{}\n", inputs.question.trim());
    for (letter, ran) in [('A', a), ('B', b)] {
        let rows = rows(&ran.result, settings.judge_rows, settings.judge_characters);
        let _ = write!(task, "## Query {letter}\n{}\n## Result of {letter}\n{rows}\n", ran.sql);
    }
    let part = Inputs { schema: &part.schema, tables: &part.tables, shots: &[], ..**inputs };
    let parts = Parts {
        rules: RULES,
        representation: Representation::MSchema,
        title: "",
        examples: &[],
        task: &task,
    };
    talk.fit(&part, parts)
}

/// The columns that a query names of the tables it reads; all columns of a table of which it names none.
fn read_by(sql: &str, inputs: &Inputs<'_>) -> Columns {
    let mut tables: Vec<String> = Vec::new();
    if let Ok(query) = parse_query(sql) {
        let _ = sqlparser::ast::visit_relations(&query, |name| {
            let last = name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone());
            tables.extend(last);
            std::ops::ControlFlow::<()>::Continue(())
        });
    }
    let tokens = tokenize(sql);
    let named = |column: &str| {
        tokens.iter().any(|token| {
            let text = sql.get(token.start..token.end).unwrap_or_default();
            text.trim_matches(['"', '`', '[', ']']).eq_ignore_ascii_case(column)
        })
    };
    let mut columns = Columns::new();
    for table in tables.iter().filter_map(|name| inputs.schema.table(name)) {
        let all = !table.columns.iter().any(|column| named(&column.name));
        let kept = table.columns.iter().filter(|column| all || named(&column.name));
        columns.extend(kept.map(|column| (table.name.clone(), column.name.clone())));
    }
    columns
}

/// The first rows of a result as a table, `most` characters at most.
pub(super) fn rows(result: &ResultSet, most_rows: usize, most: usize) -> String {
    let names: Vec<&str> = result.columns.iter().map(|column| column.name.as_str()).collect();
    let mut text = format!("{}\n", names.join(" | "));
    for row in result.rows.iter().take(most_rows) {
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(text, "{}", cells.join(" | "));
    }
    let more = if result.more { "more than " } else { "" };
    let end = format!("({more}{} rows in all)", result.rows.len());
    let room = most.saturating_sub(end.chars().count() + 2);
    if text.chars().count() > room {
        text = text.chars().take(room).collect();
        text.push_str("…\n");
    }
    text.push_str(&end);
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::InvalidText(bytes) | Value::Blob(bytes) => format!("({} bytes)", bytes.len()),
    }
}
